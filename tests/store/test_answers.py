"""What the index answers about what was stored in it, on both databases."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from mindinsight_like.errors import RunNotFound
from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.store.database.location import run_id
from mindinsight_like.store.files import FileUpdate, Trouble
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.result_types import Changes, ScalarTagOverRuns, ScalarTagSummary, TagSummary
from mindinsight_like.store.writer import WARNINGS_KEPT
from mindinsight_like.writers.encoding import tensorboard, visualdl

from .conftest import Index
from .making import WALL, GrowingLog, batches


def _line(tag: str, low: int, high: int) -> list[tuple[str, int, float]]:
    return [(tag, step, step / 2) for step in range(low, high)]


def test_a_run_tells_about_its_files(index: Index) -> None:
    index.grow(GrowingLog("a/b/events.out.tfevents.1.host", created_at=123.0), _line("loss", 0, 3))
    index.grow(GrowingLog("a/b/vdlrecords.1.log", Dialect.VISUALDL, created_at=None), _line("accuracy", 0, 5))

    total, (run,) = index.reader.runs.find()

    assert total == 1
    assert (run.id, run.name) == (run_id("a/b"), "a/b")
    assert run.dialects == ["tensorboard", "visualdl"]
    assert run.counts == {"scalars": 2}
    assert run.bytes == 800
    assert run.created_at == 123.0
    assert run.updated_at == WALL + 5
    assert (run.warnings, run.warning_count) == ([], 0)
    assert index.reader.runs.get(run.id) == run
    files = index.reader.runs.files(run.id)
    assert [(file.name, file.bytes, file.offset, file.dialect) for file in files] == [
        ("a/b/events.out.tfevents.1.host", 300, 300, "tensorboard"),
        ("a/b/vdlrecords.1.log", 500, 500, "visualdl"),
    ]


def test_every_point_comes_back_over_many_commits(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    for low in range(0, 100, 7):
        index.grow(log, _line("loss", low, min(low + 7, 100)) + _line("other", low, low + 1))

    (curve,) = index.reader.scalars([run_id("run")], ["loss"], max_points=None)

    assert curve.steps.tolist() == list(range(100))
    assert curve.values.tolist() == [step / 2 for step in range(100)]
    assert np.all(np.diff(curve.wall_times) > 0)
    assert curve.start_time == curve.wall_times[0] == WALL
    assert (curve.run, curve.tag, curve.source) == (run_id("run"), "loss", "")
    assert (curve.total_points, curve.downsampled, curve.segments, curve.smoothed) == (100, False, [0], None)


def test_curves_come_in_the_order_asked_for(index: Index) -> None:
    for name in ("x", "y"):
        index.grow(GrowingLog(f"{name}/events.out.tfevents.1.h"), _line("b", 0, 2) + _line("a", 0, 2))
    x, y = run_id("x"), run_id("y")

    curves = index.reader.scalars([y, x, y], ["b", "a", "none"])

    assert [(curve.run, curve.tag) for curve in curves] == [(y, "b"), (y, "a"), (x, "b"), (x, "a")]
    assert index.reader.scalars([x], []) == []
    assert index.reader.scalars([], ["a"]) == []


def test_steps_are_chosen_inclusively(index: Index) -> None:
    index.grow(GrowingLog("run/events.out.tfevents.1.host"), _line("loss", 0, 50))

    (curve,) = index.reader.scalars([run_id("run")], ["loss"], from_step=10, to_step=12)
    (nothing,) = index.reader.scalars([run_id("run")], ["loss"], from_step=60)

    assert curve.steps.tolist() == [10, 11, 12]
    assert curve.total_points == 3
    assert curve.start_time == WALL  # of the whole curve
    assert (nothing.steps.tolist(), nothing.segments, nothing.start_time) == ([], [], WALL)


def test_a_long_curve_is_downsampled_and_smoothed_over_all_its_points(index: Index) -> None:
    chance = np.random.default_rng(3)
    values = chance.normal(size=3000)
    index.grow(GrowingLog("run/events.out.tfevents.1.host"), [("loss", at, float(v)) for at, v in enumerate(values)])

    (curve,) = index.reader.scalars([run_id("run")], ["loss"], max_points=100, smoothing=0.9)

    assert curve.downsampled
    assert curve.total_points == 3000
    assert len(curve.steps) <= 100
    assert (curve.values.min(), curve.values.max()) == (values.min(), values.max())
    expected, last = {}, 0.0
    for at, value in enumerate(values):
        last = last * 0.9 + 0.1 * value
        expected[at] = last / (1 - 0.9 ** (at + 1))
    assert curve.smoothed is not None
    np.testing.assert_allclose(curve.smoothed, [expected[step] for step in curve.steps.tolist()], rtol=1e-9)


def test_resumed_training_replaces_or_shows_everything(index: Index) -> None:
    index.grow(GrowingLog("run/events.out.tfevents.1.host.5.0"), [("loss", step, 1.0) for step in range(10)])
    later = GrowingLog("run/events.out.tfevents.2.host.6.0")
    later.seconds = 1000
    index.grow(later, [("loss", step, 2.0) for step in range(6, 12)])

    (latest,) = index.reader.scalars([run_id("run")], ["loss"])
    (everything,) = index.reader.scalars([run_id("run")], ["loss"], resume="all")

    assert latest.steps.tolist() == list(range(12))
    assert latest.values.tolist() == [1.0] * 6 + [2.0] * 6
    assert latest.segments == [0]
    assert (latest.superseded, everything.superseded) == (4, 4)
    assert everything.steps.tolist() == [*range(10), *range(6, 12)]
    assert everything.segments == [0, 10]
    assert (latest.total_points, everything.total_points) == (12, 16)


def test_numbers_that_are_none_are_kept_and_counted(index: Index) -> None:
    values = [1.0, math.nan, math.inf, -math.inf, 2.0, math.nan]
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [("loss", at, value) for at, value in enumerate(values[:3])])
    index.grow(log, [("loss", at, value) for at, value in enumerate(values[3:], 3)])
    index.grow(log, [("only", 0, math.nan)])

    (curve,) = index.reader.scalars([run_id("run")], ["loss"])
    scalars = index.reader.series.tags(run_id("run"))["scalars"]

    np.testing.assert_array_equal(curve.values, values)
    loss, only = scalars
    assert isinstance(loss, ScalarTagSummary)
    assert isinstance(only, ScalarTagSummary)
    assert (loss.min, loss.max, loss.non_finite) == (1.0, 2.0, 4)
    assert math.isnan(loss.last_value)
    assert (only.min, only.max, only.non_finite, only.count) == (None, None, 1, 1)


@pytest.mark.parametrize("wall_time", [math.nan, math.inf, -1.0])
def test_odd_wall_times_do_not_stop_the_loader(index: Index, wall_time: float) -> None:
    frames = [
        tensorboard.frame(tensorboard.event([value], step=step, wall_time=time))
        for step, time in ((0, wall_time), (1, 5.0), (2, wall_time))
        for value in (tensorboard.scalar("loss", 0.5), tensorboard.text("note", "hello"))
    ]
    scanner = Scanner(int(Dialect.TENSORBOARD))
    scanner.feed(b"".join(frames), at_end=True)
    log = GrowingLog("run/events.out.tfevents.1.host")

    index.commit(log, log.update_of(scanner.take()))

    (curve,) = index.reader.scalars([run_id("run")], ["loss"])
    np.testing.assert_array_equal(curve.wall_times, [wall_time, 5.0, wall_time])


def test_doubles_stay_exact(index: Index) -> None:
    values = [0.1, 1e300, 5e-324, -0.0, 1 / 3, 2**53 + 1.0, struct.unpack("<f", struct.pack("<f", 0.1))[0]]
    index.grow(GrowingLog("run/events.out.tfevents.1.host"), [("loss", at, each) for at, each in enumerate(values)])

    (curve,) = index.reader.scalars([run_id("run")], ["loss"])
    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert curve.values.tobytes() == np.array(values).tobytes()
    assert isinstance(tag, ScalarTagSummary)
    assert (tag.min, tag.max, tag.last_value) == (-0.0, 1e300, values[-1])


def test_extreme_steps_are_kept(index: Index) -> None:
    steps = [-(2**63), -1, 0, 2**63 - 1]
    index.grow(GrowingLog("run/events.out.tfevents.1.host"), [("loss", step, 0.0) for step in steps])

    (curve,) = index.reader.scalars([run_id("run")], ["loss"])
    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert curve.steps.tolist() == steps
    assert (tag.first_step, tag.last_step) == (steps[0], steps[-1])


def test_a_step_written_twice_is_one_point_also_over_two_commits(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [("loss", 1, 1.0), ("loss", 2, 99.0)])
    index.grow(log, [("loss", 2, 2.0), ("loss", 3, 3.0), ("loss", 3, math.nan)])
    index.grow(log, [("loss", 3, 3.0)])

    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert index.points("run", "loss") == [(1, 1.0), (2, 2.0), (3, 3.0)]
    assert tag == ScalarTagSummary("loss", 3, 1, 3, 1.0, 3.0, 3.0, 0, [""], superseded=3)


def test_a_late_point_hides_nothing_but_what_it_replaces(index: Index) -> None:
    steps = [*range(50), 7, *range(50, 60)]
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [("loss", step, float(at)) for at, step in enumerate(steps)])

    (curve,) = index.reader.scalars([run_id("run")], ["loss"])
    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert curve.steps.tolist() == list(range(60))
    assert curve.values[7] == 50.0
    assert (curve.total_points, curve.superseded, curve.segments) == (60, 1, [0])
    assert tag == ScalarTagSummary("loss", 60, 0, 59, 0.0, 60.0, 60.0, 0, [""], superseded=1)


def test_the_last_value_is_that_of_the_largest_step(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [("loss", 0, 5.0), ("loss", 1000, 3.0)])
    index.grow(log, [("loss", 500, 4.0)])

    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert tag == ScalarTagSummary("loss", 3, 0, 1000, 3.0, 5.0, 3.0, 0, [""])
    assert index.reader.scalar_ends.last_scalars([run_id("run")], ["loss"]) == {run_id("run"): {"loss": 3.0}}


def test_a_curve_without_steps_is_shown_whole_over_time(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [("loss", 0, 3.0), ("loss", 0, 1.0)])
    index.grow(log, [("loss", 0, 2.0)])

    (curve,) = index.reader.scalars([run_id("run")], ["loss"])
    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert curve.values.tolist() == [3.0, 1.0, 2.0]
    assert curve.wall_times.tolist() == [WALL, WALL + 1, WALL + 2]
    assert (curve.has_steps, curve.superseded) == (False, 0)
    assert tag == ScalarTagSummary("loss", 3, 0, 0, 1.0, 3.0, 2.0, 0, [""])

    index.grow(log, [("loss", 1, 9.0)])

    assert index.points("run", "loss") == [(0, 2.0), (1, 9.0)]
    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]
    assert tag == ScalarTagSummary("loss", 2, 0, 1, 2.0, 9.0, 9.0, 0, [""], superseded=2)


@pytest.mark.parametrize("settled", [0, 100_000])
def test_statistics_of_series_that_are_too_long_for_the_writer_are_the_same(
    index: Index, settled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindinsight_like.store.writer.SETTLED_POINTS", settled)
    log = GrowingLog("run/events.out.tfevents.1.host")
    for points in ([(0, 9.0), (1, 1.0), (2, 5.0)], [(0, 2.0), (3, 4.0)], [(4, 0.5), (3, math.nan)]):
        index.grow(log, [("loss", *point) for point in points])

    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert tag == ScalarTagSummary("loss", 5, 0, 4, 0.5, 5.0, 0.5, 1, [""], superseded=2)
    assert index.reader.scalar_ends.last_scalars([run_id("run")], ["loss"]) == {run_id("run"): {"loss": 0.5}}


def test_tags_of_every_kind_are_listed(index: Index) -> None:
    values = [
        tensorboard.scalar("loss", 0.5),
        tensorboard.text("note", "hello"),
        tensorboard.image("pictures/b", b"png", width=1, height=1),
        tensorboard.image("pictures/a", b"png", width=1, height=1),
        tensorboard.histogram("weights", [0.0, 1.0], [1], total=1.0, sum_squares=1.0),
    ]
    log = GrowingLog("run/events.out.tfevents.1.host")
    scanner = Scanner(int(Dialect.TENSORBOARD))
    for step in (4, 6):
        scanner.feed(tensorboard.frame(tensorboard.event(values, step=step, wall_time=1.0)), at_end=True)
        index.commit(log, log.update_of(scanner.take()))

    tags = index.reader.series.tags(run_id("run"))

    assert {name for name, found in tags.items() if found} == {"scalars", "text", "images", "histograms"}
    assert tags["images"] == [TagSummary("pictures/a", 2, 4, 6), TagSummary("pictures/b", 2, 4, 6)]
    assert [tag.count for found in tags.values() for tag in found] == [2] * 5
    assert index.reader.runs.get(run_id("run")).counts == {"scalars": 1, "images": 2, "histograms": 1, "text": 1}


def test_scalar_tags_over_several_runs(index: Index) -> None:
    index.grow(GrowingLog("x/events.out.tfevents.1.h"), [("loss", 1, 5.0), ("loss", 2, math.nan), ("only x", 0, 1.0)])
    index.grow(GrowingLog("y/events.out.tfevents.1.h"), [("loss", 0, 7.0)])
    x, y = run_id("x"), run_id("y")

    tags = index.reader.series.scalar_tags([x, y])

    assert tags == [
        ScalarTagOverRuns("loss", [x, y], 3, 0, 2, 5.0, 7.0, 1),
        ScalarTagOverRuns("only x", [x], 1, 0, 0, 1.0, 1.0, 0),
    ]
    assert index.reader.series.scalar_tags([y, x, y])[0].runs == [y, x]


def test_of_files_that_end_at_the_same_time_one_has_the_last_value(index: Index) -> None:
    for order in ((3, 1, 2), (1, 2, 3)):
        for rank in order:
            log = GrowingLog(f"{order}/events.out.events.summary.1.{rank}.host_MS", Dialect.MINDSPORE, rank)
            index.grow(log, [("loss", 0, float(rank))])

    found = [index.reader.series.tags(run_id(str(order)))["scalars"] for order in ((3, 1, 2), (1, 2, 3))]

    assert found[0] == found[1]


def test_unknown_runs_are_named(index: Index) -> None:
    index.grow(GrowingLog("run/events.out.tfevents.1.h"), _line("loss", 0, 1))
    asks = [
        lambda run: index.reader.runs.get(run),
        lambda run: index.reader.series.tags(run),
        lambda run: index.reader.runs.files(run),
        lambda run: index.reader.scalars([run_id("run"), run], ["loss"]),
        lambda run: index.reader.series.scalar_tags([run]),
    ]

    for unknown in ("nobody", "", "\0", "\ud800", "x" * 5000):
        for ask in asks:
            with pytest.raises(RunNotFound):
                ask(unknown)
        assert index.reader.runs.versions([unknown, run_id("run")]) == [0, index.reader.runs.cursor()]


# --- odd names --------------------------------------------------------------------------------------------------

_LONG = "".join(map(chr, np.random.default_rng(1).integers(0x4E00, 0x9FFF, 1200)))  # does not compress

_TAGS = [
    pytest.param("loss/训练 🎉", id="emoji"),
    pytest.param("100%_of 'it' \"\\x\" ? %s {} ; --", id="characters with a meaning in SQL"),
    pytest.param(_LONG, id="1200 characters"),
    pytest.param(" ", id="a space"),
    pytest.param("", id="empty"),
    pytest.param("a\nb\tc\x7f", id="control characters"),
    pytest.param("e\u0301 \u202e \ufeff", id="combining and direction marks"),
]


@pytest.mark.parametrize("tag", _TAGS)
def test_any_text_may_be_a_tag(index: Index, tag: str) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [(tag, 0, 1.0), ("plain", 0, 1.0)])
    index.reopen()
    log.keys = index.writer.keys(log.file)
    index.grow(log, [("new", 1, 3.0), (tag, 1, 2.0)])

    tags = [summary.tag for summary in index.reader.series.tags(run_id("run"))["scalars"]]

    assert tags == sorted([tag, "plain", "new"])
    assert index.points("run", tag) == [(0, 1.0), (1, 2.0)]


_RAW = [b"a\xff", b"a\\xff", b"a\xff\xfe", b"\xed\xa0\x80", b"nul\0", b"nul\0x\0y", b"nul\\x00", b"\0", b"\xef\xbf\xbd"]


def test_tags_that_are_no_text_stay_apart_and_keep_their_numbers(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")

    def further(step: int, keys: list[bytes]) -> FileUpdate:
        """A value under every tag; the number of a series follows from its place among the keys."""
        (batch,) = batches([(f"{place:02}", step, float(place)) for place in range(len(_RAW))])
        log.keys = []
        update = log.update_of(batch)
        return update._replace(keys=keys)

    keys = [bytes([Kind.SCALAR]) + raw for raw in _RAW]
    index.commit(log, further(0, keys))
    index.reopen()
    known = index.writer.keys(log.file)
    index.commit(log, further(1, known))

    assert known == keys
    tags = index.reader.series.tags(run_id("run"))["scalars"]
    assert [tag.count for tag in tags] == [2] * len(tags)
    curves = index.reader.scalars([run_id("run")], list(dict.fromkeys(tag.tag for tag in tags)))
    assert sorted(curve.values.tolist() for curve in curves) == [[float(at)] * 2 for at in range(len(_RAW))]


def test_asking_with_text_that_no_database_holds_finds_nothing(index: Index) -> None:
    index.grow(GrowingLog("run/events.out.tfevents.1.host"), _line("loss", 0, 1))

    for text in ("\0", "a\0b", "\ud800"):
        assert index.reader.scalars([run_id("run")], [text]) == []
        assert index.reader.runs.find(search=text) == (0, [])


def test_subs_of_visualdl_are_sources(index: Index) -> None:
    log = GrowingLog("run/vdlrecords.1.log", Dialect.VISUALDL)
    (batch,) = batches([("0", 0, 0.0), ("1", 0, 1.0)])
    update = log.update_of(batch)
    keys = [series_key(Kind.SCALAR, "pair", sub) for sub in ("sin", "cos")]
    index.commit(log, update._replace(keys=keys))

    curves = index.reader.scalars([run_id("run")], ["pair"])
    (tag,) = index.reader.series.tags(run_id("run"))["scalars"]

    assert [(curve.source, curve.values.tolist()) for curve in curves] == [("cos", [1.0]), ("sin", [0.0])]
    assert isinstance(tag, ScalarTagSummary)
    assert tag.sources == ["cos", "sin"]
    assert index.reader.runs.get(run_id("run")).counts == {"scalars": 1}


def test_a_rank_of_many_digits_is_kept(index: Index) -> None:
    log = GrowingLog("run/events.out.events.summary.1.20231116001.host_MS", Dialect.MINDSPORE, rank=20231116001)
    index.grow(log, _line("loss", 0, 2))
    index.reopen()

    assert index.writer.files()[log.file.name].rank == 20231116001


# --- run lists --------------------------------------------------------------------------------------------------


def test_runs_are_searched_by_every_word(index: Index) -> None:
    names = ["Alpha/run_1", "alpha/run%2", "beta/run!3", "ÄRGER/损失", "."]
    for name in names:
        index.grow(GrowingLog(f"{name}/events.out.tfevents.1.h".removeprefix("./")), _line("loss", 0, 1))

    def search(text: str) -> list[str]:
        total, found = index.reader.runs.find(search=text)
        assert total == len(found)
        return [run.name for run in found]

    assert search("") == sorted(names)
    assert search("ALPHA run") == ["Alpha/run_1", "alpha/run%2"]
    assert search("_1") == ["Alpha/run_1"]
    assert search("%") == ["alpha/run%2"]
    assert search("!") == ["beta/run!3"]
    assert search("ärger 失") == ["ÄRGER/损失"]
    assert search("alpha beta") == []
    assert search("'; DROP TABLE runs; --") == []


def test_runs_are_sorted_and_cut_into_windows(index: Index) -> None:
    for place, name in enumerate(["c", "a", "b", "B"]):
        log = GrowingLog(f"{name}/events.out.tfevents.1.h", created_at=100.0 - place)
        index.grow(log, _line("loss", 0, [3, 1, 2, 4][place]))
        if name == "b":
            index.commit(log, log.update()._replace(troubles=(Trouble(0, "kind", "message"),)))

    def names(sort: str, **window: Any) -> list[str]:
        total, found = index.reader.runs.find(sort=sort, **window)
        assert total == 4
        return [run.name for run in found]

    assert names("name") == ["B", "a", "b", "c"]
    assert names("-name") == ["c", "b", "a", "B"]
    assert names("bytes") == ["a", "b", "c", "B"]
    assert names("-created_at") == ["c", "a", "b", "B"]
    assert names("updated_at") == ["a", "b", "c", "B"]
    assert names("-warnings")[0] == "b"
    assert names("dialects") == ["B", "a", "b", "c"]
    assert names("name", offset=1, limit=2) == ["a", "b"]
    assert names("name", offset=3) == ["c"]
    assert names("name", limit=0) == []
    assert names("name", offset=9, limit=5) == []


def test_runs_are_chosen_by_id(index: Index) -> None:
    many = [GrowingLog(f"{place:04}/events.out.tfevents.1.h") for place in range(1100)]
    index.writer.commit([log.update() for log in many])
    ids = [run_id(f"{place:04}") for place in range(1100)]

    total, found = index.reader.runs.find(ids=[*ids, "unknown"])

    assert total == 1100
    assert sorted(run.id for run in found) == sorted(ids)
    assert index.reader.runs.find(ids=[]) == (0, [])
    assert index.reader.runs.versions(ids) == [index.reader.runs.cursor()] * 1100


# --- changes ----------------------------------------------------------------------------------------------------


def test_changes_name_what_changed_and_went_since_a_cursor(index: Index) -> None:
    reader, x, y = index.reader, GrowingLog("x/events.out.tfevents.1.h"), GrowingLog("y/events.out.tfevents.1.h")
    start = reader.runs.cursor()
    assert reader.runs.changes(0) == Changes(start, [], [])
    index.grow(x, _line("loss", 0, 1))
    first = reader.runs.cursor()
    index.grow(y, _line("loss", 0, 1))
    second = reader.runs.cursor()

    assert reader.runs.changes(first) == Changes(second, [run_id("y")], [])
    assert sorted(reader.runs.changes(0).runs) == sorted([run_id("x"), run_id("y")])
    assert reader.runs.changes(second) == Changes(second, [], [])

    index.writer.commit([], [x.file])
    assert reader.runs.changes(second) == Changes(second + 1, [], [run_id("x")])
    assert reader.runs.versions([run_id("x"), run_id("y")]) == [0, second]
    with pytest.raises(RunNotFound):
        reader.runs.get(run_id("x"))

    again = GrowingLog("x/events.out.tfevents.1.h")
    index.grow(again, _line("loss", 5, 6))
    assert reader.runs.changes(second) == Changes(second + 2, [run_id("x")], [])
    assert index.points("x", "loss") == [(5, 2.5)]


def test_a_cursor_of_an_erased_index_reports_everything(index: Index) -> None:
    index.grow(GrowingLog("x/events.out.tfevents.1.h"), _line("loss", 0, 1))

    cursor = index.reader.runs.cursor()
    assert index.reader.runs.changes(cursor + 1000) == Changes(cursor, [run_id("x")], [])


def test_versions_grow_with_every_change_of_a_run(index: Index) -> None:
    x, y = GrowingLog("x/events.out.tfevents.1.h"), GrowingLog("y/events.out.tfevents.1.h")
    index.grow(x, _line("loss", 0, 1))
    index.grow(y, _line("loss", 0, 1))
    before = index.reader.runs.versions([run_id("x"), run_id("y")])

    index.grow(x, _line("loss", 1, 2))

    after = index.reader.runs.versions([run_id("x"), run_id("y")])
    assert after[0] > before[0]
    assert after[1] == before[1]
    assert index.reader.runs.get(run_id("x")).version == after[0]


def test_a_file_that_starts_over_leaves_nothing_behind(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, [*_line("loss", 0, 20), ("old", 0, 1.0)])
    index.commit(log, log.update()._replace(troubles=(Trouble(3, "kind", "message"),)))
    assert index.reader.runs.get(run_id("run")).warning_count == 1

    index.grow(log, [("new", 0, 5.0), ("loss", 0, 9.0)], starts_over=True)

    assert [tag.tag for tag in index.reader.series.tags(run_id("run"))["scalars"]] == ["loss", "new"]
    assert index.points("run", "loss") == [(0, 9.0)]
    assert index.reader.runs.get(run_id("run")).warning_count == 0


# --- warnings ---------------------------------------------------------------------------------------------------


def test_the_first_warnings_of_a_file_are_kept_and_all_are_counted(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    for low in (0, 90):
        update = log.update(_line("loss", low, low + 1))
        assert update.batch is not None
        update.batch.damage.extend(Damage(at, "payload_checksum", f"at {at}") for at in range(low, low + 90))
        index.commit(log, update)
    index.grow(GrowingLog("run/events.out.tfevents.2.host"), _line("loss", 9, 11))

    run = index.reader.runs.get(run_id("run"))

    assert run.warning_count == 180
    assert [warning.offset for warning in run.warnings] == list(range(WARNINGS_KEPT))
    assert {(warning.file, warning.kind) for warning in run.warnings} == {(log.file.name, "payload_checksum")}
    assert run.warnings[5].message == "at 5"


# --- loading state ----------------------------------------------------------------------------------------------


def test_readers_see_how_far_loading_is(index: Index) -> None:
    assert index.reader.service().store == ("postgresql" if index.location.store_url else "sqlite")
    assert index.reader.service().loading.state == "loading"

    index.writer.commit([GrowingLog("x/events.out.tfevents.1.h").update()], progress=Progress(1, 4, 100, 900))
    loading = index.reader.service().loading
    assert (loading.state, loading.runs_done, loading.runs_total) == ("loading", 1, 4)
    assert (loading.bytes_done, loading.bytes_total) == (100, 900)

    index.writer.show_progress(None)
    loading = index.reader.service().loading
    assert (loading.state, loading.runs_done, loading.runs_total) == ("idle", 1, 1)


def test_visualdl_records_have_their_dialect(index: Index) -> None:
    scanner = Scanner(int(Dialect.VISUALDL))
    record = visualdl.record("loss", visualdl.scalar(0.5), step=3, wall_time=WALL)
    scanner.feed(visualdl.frame(record), at_end=True)
    log = GrowingLog("vdlrecords.1.log", Dialect.VISUALDL)

    index.commit(log, log.update_of(scanner.take()))

    assert index.points(".", "loss") == [(3, 0.5)]
    assert index.reader.runs.get(run_id(".")).dialects == ["visualdl"]
