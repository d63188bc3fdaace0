"""Blobs: which there are, by the rules of curves, and their bytes out of the log files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.errors import BlobGone, NotFound, TooLarge
from mindinsight_like.loader.once import load_index
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.store import blobs as blobs_module
from mindinsight_like.store.blobs import BlobSeries, Reference
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.writers.encoding import mindspore, tensorboard

WALL = 1_700_000_000.0


class Notes:
    """Texts in log files below the base dir."""

    def __init__(self, location: IndexLocation) -> None:
        self.location = location
        self.reader = IndexReader(location)

    def path(self, run: str, started: float = WALL, *, process: int = 1) -> Path:
        folder = self.location.base_dir / run
        folder.mkdir(exist_ok=True, parents=True)
        return folder / tensorboard.file_name(started, host="host", process=process)

    def log(self, path: Path, steps: Sequence[int], *, first: float = WALL, session: int | None = None) -> None:
        """Append one text per step, each naming its file's start and its step."""
        with path.open("ab") as log:
            if session is not None:
                log.write(tensorboard.frame(tensorboard.session_start(session, first)))
            for place, step in enumerate(steps):
                wall = first + place
                content = f"{wall - WALL:.0f}:{step}".encode()
                text = tensorboard.strings("note", [content], shape=(), plugin="text")
                log.write(tensorboard.frame(tensorboard.event([text], step=step, wall_time=wall)))

    def load(self) -> None:
        load_index(self.location)

    def series(self, run: str = "a", **options: object) -> list[BlobSeries]:
        (found,) = [each.id for each in self.reader.runs.find()[1] if each.name == run]
        return self.reader.blobs([found], ["note"], Kind.TEXT, **options)  # type: ignore[arg-type]

    def read(self, series: BlobSeries) -> list[str]:
        with self.reader.blob_bytes(series.references["file"].tolist()) as content:
            return [MessageFields(content.read(*row)).messages(8)[0].text(8) for row in series.references.tolist()]


@pytest.fixture
def notes(location: IndexLocation) -> Notes:
    return Notes(location)


def reference(series: BlobSeries, place: int) -> Reference:
    stored: tuple[Any, ...] = series.references[place].item()
    return Reference(*stored, float(series.wall_times[place]))  # type: ignore[call-arg]


def test_blobs_come_with_step_time_and_bytes(notes):
    notes.log(notes.path("a"), [0, 5, 10])
    notes.load()

    (series,) = notes.series()

    assert (series.tag, series.source) == ("note", "")
    assert series.steps.tolist() == [0, 5, 10]
    assert series.wall_times.tolist() == [WALL, WALL + 1, WALL + 2]
    assert notes.read(series) == ["0:0", "1:5", "2:10"]


def test_blobs_read_in_pieces_are_one_series(notes):
    path = notes.path("a")
    for round_number in range(12):  # more than are merged into one segment
        notes.log(path, [2 * round_number, 2 * round_number + 1], first=WALL + 2 * round_number)
        notes.load()

    (series,) = notes.series()

    assert series.steps.tolist() == list(range(24))
    assert notes.read(series) == [f"{step}:{step}" for step in range(24)]


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_step_written_twice_shows_the_later(notes, in_pieces):
    path = notes.path("a")
    notes.log(path, [1, 2])
    if in_pieces:
        notes.load()
    notes.log(path, [2, 2, 3], first=WALL + 2)
    notes.load()

    (latest,), (everything,) = notes.series(), notes.series(resume="all")
    assert notes.read(latest) == ["0:1", "3:2", "4:3"]
    assert notes.read(everything) == ["0:1", "1:2", "2:2", "3:2", "4:3"]
    assert (latest.superseded, everything.superseded) == (2, 2)


def test_newer_blobs_of_a_resumed_run_replace_older_ones(notes):
    notes.log(notes.path("a"), [0, 10, 20, 30])
    notes.log(notes.path("a", WALL + 50, process=2), [15, 25], first=WALL + 50)
    notes.load()

    (latest,), (everything,) = notes.series(), notes.series(resume="all")

    assert latest.steps.tolist() == [0, 10, 15, 20, 25, 30]
    assert notes.read(latest) == ["0:0", "1:10", "50:15", "2:20", "51:25", "3:30"]
    assert everything.steps.tolist() == [0, 10, 20, 30, 15, 25]
    assert len(set(latest.references["file"].tolist())) == 2


def test_an_announced_start_hides_what_comes_after_it(notes):
    notes.log(notes.path("a"), [0, 10, 20, 30])
    notes.log(notes.path("a", WALL + 50, process=2), [40], first=WALL + 50, session=20)
    notes.load()

    (series,) = notes.series()

    assert series.steps.tolist() == [0, 10, 40]


def test_files_written_together_stay_apart(notes):
    for process in (1, 2):
        notes.log(notes.path("a", process=process), [0, 1, 2])
    notes.load()

    found = notes.series()

    assert [series.source for series in found] == ["host.1", "host.2"]
    assert [notes.read(series) for series in found] == [["0:0", "1:1", "2:2"]] * 2


def test_a_range_of_steps(notes):
    notes.log(notes.path("a"), range(20))
    notes.load()

    (series,) = notes.series(from_step=5, to_step=7)

    assert notes.read(series) == ["5:5", "6:6", "7:7"]


def test_without_tags_all_of_the_kind_are_meant(notes, location):
    path = location.base_dir / mindspore.file_name(WALL, host="host")
    values = [mindspore.image(tag, b"png", width=1, height=1) for tag in ("z", "b")]
    path.write_bytes(tensorboard.frame(mindspore.event([*values, mindspore.scalar("c", 1.0)], step=0, wall_time=WALL)))
    notes.load()

    found = notes.reader.blobs([run.id for run in notes.reader.runs.find()[1]], None, Kind.IMAGE)

    assert [series.tag for series in found] == ["b", "z"]


def test_a_token_leads_back_to_its_blob(notes):
    notes.log(notes.path("a"), [0, 5])
    notes.load()
    (series,) = notes.series()
    token = reference(series, 1)._replace(part=3).token

    given = Reference.of(token)
    found = notes.reader.find_blob(given)

    assert given == reference(series, 1)._replace(part=3)
    assert (found.kind, found.tag, found.file.dialect) == (Kind.TEXT, "note", Dialect.TENSORBOARD)


@pytest.mark.parametrize("token", ["", "x", "../../etc/passwd", "A" * 48, "ä" * 48, "A" * 5000])
def test_other_text_is_no_token(notes, token):
    notes.log(notes.path("a"), [0])
    notes.load()

    with pytest.raises(NotFound):
        notes.reader.find_blob(Reference.of(token))


def test_only_what_the_index_knows_can_be_asked_for(notes):
    notes.log(notes.path("a"), [0, 5])
    notes.load()
    (series,) = notes.series()
    known = reference(series, 0)

    changes = ({"offset": known.offset + 1}, {"length": known.length + 1}, {"wall_time": WALL + 9}, {"file": 1})
    for change in changes:
        with pytest.raises(NotFound):
            notes.reader.find_blob(known._replace(**change))


def replace_by_another(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size + 10))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def lead_outside(path: Path) -> None:
    outside = path.parent.parent.parent / "outside"
    path.rename(outside)
    path.symlink_to(outside)


@pytest.mark.parametrize("change", [replace_by_another, cut, lead_outside, Path.unlink])
def test_a_file_that_is_not_what_was_read_gives_nothing(notes, change):
    path = notes.path("a")
    notes.log(path, [0, 5])
    notes.load()
    (series,) = notes.series()

    change(path)

    with pytest.raises(BlobGone), notes.reader.blob_bytes(series.references["file"].tolist()) as content:
        content.read(*series.references[0].item())


def test_a_growing_file_is_still_the_same(notes):
    path = notes.path("a")
    notes.log(path, [0])
    notes.load()
    notes.log(path, [1], first=WALL + 1)

    (series,) = notes.series()

    assert notes.read(series) == ["0:0"]


def test_blobs_of_a_dropped_file_are_gone(notes):
    notes.log(notes.path("a"), [0])
    notes.log(notes.path("b"), [0])
    notes.load()
    (series,) = notes.series()
    notes.path("a").unlink()
    notes.load()

    with pytest.raises(BlobGone), notes.reader.blob_bytes(series.references["file"].tolist()) as content:
        content.read(*series.references[0].item())
    with pytest.raises(NotFound):
        notes.reader.find_blob(reference(series, 0))


def test_bytes_not_read_yet_and_too_many_bytes_are_refused(notes, monkeypatch):
    path = notes.path("a")
    notes.log(path, [0])
    notes.load()
    (series,) = notes.series()
    file, offset, length = series.references[0].item()

    with notes.reader.blob_bytes([file]) as content:
        for place in ((offset, path.stat().st_size), (-1, 5)):
            with pytest.raises(BlobGone):
                content.read(file, *place)
        monkeypatch.setattr(blobs_module, "MOST_BYTES", length - 1)
        with pytest.raises(TooLarge):
            content.read(file, offset, length)


def test_files_beside_a_tablet_are_numbers_in_its_own_folder(corpus, tmp_path):
    location = IndexLocation.of(corpus / "visualdl-1.3-legacy", tmp_path / "workspace")
    load_index(location)
    reader = IndexReader(location)
    (series,) = reader.blobs([reader.runs.find()[1][0].id], ["train/images/digit"], Kind.IMAGE)
    file = int(series.references["file"][0])

    with reader.blob_bytes([file]) as content:
        assert len(content.beside(file, "0")) == 8 * 8 * 3
        for name in ("../storage.meta", "", "99", "/etc/passwd", "٣"):
            with pytest.raises(BlobGone):
                content.beside(file, name)
