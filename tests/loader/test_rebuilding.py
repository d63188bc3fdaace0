"""The index is disposable: lost, cut, outdated or foreign parts of it are made again from the logs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.loader.once import load_index
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.store.database.database import DamagedDatabase, open_database
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.writers.encoding import tensorboard

from .logs import WALL, answers, assert_same, mindspore_records, tensorboard_records, visualdl_records, write


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, base_dir: Path, tmp_path: Path) -> Iterator[IndexLocation]:
    """The place of an index, and logs of every dialect, one of them large enough for a segment file of its own."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgresql_url")
    note = tensorboard.frame(tensorboard.event([tensorboard.text("note", "hello")], step=0, wall_time=WALL))
    write(base_dir / "tb/events.out.tfevents.1.host.7.0", note + tensorboard_records("loss", range(50)))
    write(base_dir / "tb/events.out.tfevents.2.host.8.0", tensorboard_records("loss", range(30, 60), wall=WALL + 900))
    write(base_dir / "ms/events.out.events.summary.1.0.host_MS", mindspore_records("loss", range(20)))
    write(base_dir / "vdl/vdlrecords.1.log", visualdl_records("loss", range(20)))
    damaged = tensorboard_records("loss", range(10)) + b"rubbish" * 9 + tensorboard_records("loss", range(10, 20))
    write(base_dir / "damaged/events.out.tfevents.1.host", damaged)
    write(base_dir / "large/events.out.tfevents.1.host", tensorboard_records("loss", range(7000)))
    place = IndexLocation.of(base_dir, tmp_path / "workspace", url)
    yield place
    open_database(place.database).erase()


def _load(location: IndexLocation) -> dict[str, object]:
    load_index(location)
    return answers(IndexReader(location))


def test_an_erased_index_comes_back_the_same(location: IndexLocation) -> None:
    first = _load(location)

    shutil.rmtree(location.folder)
    open_database(location.database).erase()

    assert_same(_load(location), first)
    assert len(first) == 5


def test_a_lost_index_folder_is_noticed(location: IndexLocation) -> None:
    """With PostgreSQL the tables are still there, but the segment files are not."""
    first = _load(location)

    shutil.rmtree(location.folder)

    assert_same(_load(location), first)


def test_an_outdated_index_is_replaced(location: IndexLocation) -> None:
    first = _load(location)
    connection = open_database(location.database).connect(write=True)
    connection.execute("UPDATE meta SET value = 'of another program' WHERE key = 'schema_version'")
    connection.execute("DROP TABLE series")
    connection.close()
    reader = IndexReader(location)
    assert reader.runs.find() == (0, [])

    load_index(location)

    assert_same(answers(reader), first)


@pytest.mark.parametrize("harm", ["delete", "cut"])
def test_a_lost_segment_file_is_read_again(location: IndexLocation, harm: str) -> None:
    first = _load(location)
    (segment,) = location.segments.iterdir()
    if harm == "delete":
        segment.unlink()
    else:
        segment.write_bytes(segment.read_bytes()[:5000])

    assert_same(_load(location), first)
    assert len(list(location.segments.iterdir())) == 1


def test_leftovers_of_a_killed_loader_are_deleted(location: IndexLocation) -> None:
    first = _load(location)
    write(location.segments / "123456", b"half a segment")

    assert_same(_load(location), first)
    assert len(list(location.segments.iterdir())) == 1


@pytest.mark.parametrize("harm", ["foreign", "empty", "cut", "zeros inside"])
def test_a_damaged_database_file_is_replaced(location: IndexLocation, harm: str) -> None:
    if location.store_url:
        pytest.skip("PostgreSQL looks after its files itself")
    first = _load(location)
    content = location.database.sqlite.read_bytes()
    harmed = {
        "foreign": b"no database at all" * 1000,
        "empty": b"",
        "cut": content[: len(content) // 2],
        "zeros inside": content[:16384] + bytes(len(content) - 16384),
    }[harm]
    for path in location.folder.glob("index.v2.sqlite*"):
        path.unlink()
    location.database.sqlite.write_bytes(harmed)

    assert_same(_load(location), first)


def test_damage_met_while_loading_costs_one_attempt(location: IndexLocation) -> None:
    if location.store_url:
        pytest.skip("PostgreSQL looks after its files itself")
    first = _load(location)
    reader = IndexReader(location)
    assert_same(answers(reader), first)
    content = location.database.sqlite.read_bytes()
    loader = Loader(location)
    with location.database.sqlite.open("r+b") as database:
        database.seek(16384)
        database.write(b"\xff" * (len(content) - 16384))
    write(location.base_dir / "new/events.out.tfevents.1.host", tensorboard_records("loss", range(5)))

    with pytest.raises(DamagedDatabase):
        loader.round()
    loader.close()
    again = _load(location)

    assert list(again) == sorted([*first, "new"])
    assert_same(answers(reader), again)


def test_two_base_dirs_share_a_workspace(location: IndexLocation, tmp_path: Path) -> None:
    write(tmp_path / "other/run/events.out.tfevents.1.host", tensorboard_records("loss", range(3)))
    first = _load(location)
    other = IndexLocation.of(tmp_path / "other", tmp_path / "workspace", location.store_url)

    second = _load(other)

    assert list(second) == ["run"]
    assert_same(answers(IndexReader(location)), first)
    open_database(other.database).erase()
    assert_same(_load(location), first)


def test_a_base_dir_has_one_index_whichever_way_it_is_named(base_dir: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(base_dir)

    places = [IndexLocation.of(path, tmp_path / "workspace") for path in (base_dir, link, base_dir / "x" / "..")]

    assert len({place.folder for place in places}) == 1
