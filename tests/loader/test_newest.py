"""What is shown of logs with repeated, late and missing steps and session starts, in whatever way they grew.

The index is compared with a new one that reads the finished logs at one go, and with a slow and obvious reading of
what was logged.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.result_types import ScalarTagSummary
from mindinsight_like.writers.encoding import tensorboard

from .logs import WALL, Loading, answers, append, assert_same, clean_answers

START = "start"


@dataclass(frozen=True)
class Entry:
    """A record of a log: a scalar, a text ("note") or a session start."""

    tag: str
    step: int
    wall: float
    value: float

    @property
    def record(self) -> bytes:
        if self.tag == START:
            return tensorboard.frame(tensorboard.session_start(step=self.step, wall_time=self.wall))
        text = tensorboard.text(self.tag, str(self.value))
        message = text if self.tag == "note" else tensorboard.double_scalar(self.tag, self.value)
        return tensorboard.frame(tensorboard.event([message], step=self.step, wall_time=self.wall))


Logs = dict[str, list[Entry]]


@st.composite
def _logs(draw: st.DrawFn) -> Logs:
    """Up to three files of one writer, whose times may overlap."""
    logs = {}
    tags = st.sampled_from(["loss", "loss", "note", "alone", *([START] if draw(st.booleans()) else [])])
    steps = draw(st.sampled_from([st.integers(0, 3), st.integers(0, 40), st.just(5)]))
    for place in range(draw(st.integers(1, 3))):
        wall = WALL + draw(st.integers(0, 40))
        entries = []
        step = draw(st.integers(0, 10))
        for _ in range(draw(st.integers(1, 16))):
            wall += draw(st.integers(0, 3))
            step = step + 1 if draw(st.booleans()) else draw(steps)
            entries.append(Entry(draw(tags), step, wall, float(draw(st.integers(-3, 99)))))
        logs[f"events.out.tfevents.{1_700_000_000 + place}.host.7.{place}"] = entries
    return logs


def _shown(logs: Logs, tag: str) -> list[tuple[int, float, float]]:
    """Step, wall time and value of the points of a tag that are to be shown, in their order."""
    files = []  # those with the tag: when they began, their name, and their points that no start hides
    for name, entries in logs.items():
        own = [entry for entry in entries if entry.tag == tag]
        if not own:
            continue
        end = max(entry.wall for entry in own)
        later = [
            start.step
            for other, found in logs.items()
            for start in found
            if other > name and start.tag == START and start.wall >= end
        ]
        left = [
            entry
            for place, entry in enumerate(entries)
            if entry.tag == tag
            and all(entry.step < step for step in later)
            and all(entry.step < start.step for start in entries[place:] if start.tag == START)
        ]
        files.append((own[0].wall, name, left))
    files.sort(key=lambda file: file[:2])
    points = [entry for *_, left in files for entry in left]
    if len({entry.step for entry in points}) > 1:
        newest: dict[int, Entry] = {}
        for *_, left in files:
            last = {entry.step: entry for entry in left}
            newest |= {step: e for step, e in last.items() if step not in newest or e.wall >= newest[step].wall}
        points = [newest[step] for step in sorted(newest)]
    else:
        points.sort(key=lambda entry: entry.wall)
    return [(entry.step, entry.wall, entry.value) for entry in points]


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(logs=_logs(), settled=st.sampled_from([0, 4, 100_000]), data=st.data())
def test_answers_are_those_of_a_new_index_and_of_the_rule(
    tmp_path_factory: pytest.TempPathFactory, logs: Logs, settled: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("newest")
    base_dir = folder / "logs"
    (base_dir / "run").mkdir(parents=True)
    contents = {base_dir / "run" / name: b"".join(entry.record for entry in log) for name, log in logs.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mindinsight_like.store.writer.SETTLED_POINTS", settled)
        patch.setattr("mindinsight_like.store.segments.merging.FAN", 2)  # segments are merged all the time
        loading = Loading(base_dir, folder / "workspace")
        try:
            for _ in range(data.draw(st.integers(0, 5))):
                _grow(contents, data)
                loading.round()
                if data.draw(st.booleans()):
                    loading.restart()
            for path, whole in contents.items():
                append(path, whole[path.stat().st_size if path.exists() else 0 :])
            loading.round()

            assert_same(answers(loading.reader), clean_answers(base_dir, folder / "clean"))
            _check_against_rule(loading, logs)
        finally:
            loading.close()


def _grow(contents: dict[Path, bytes], data: st.DataObject) -> None:
    for path, whole in contents.items():
        size = path.stat().st_size if path.exists() else 0
        reached = data.draw(st.integers(size, len(whole)))
        if reached > size:
            append(path, whole[size:reached])


def _check_against_rule(loading: Loading, logs: Logs) -> None:
    reader, run = loading.reader, loading.id_of("run")
    written = {tag for entries in logs.values() for tag in (entry.tag for entry in entries)} - {START}
    summaries = reader.series.tags(run)
    for tag in sorted(written - {"note"}):
        expected = _shown(logs, tag)
        (curve,) = reader.scalars([run], [tag], max_points=None)
        columns = (curve.steps.tolist(), curve.wall_times.tolist(), curve.values.tolist())
        assert list(zip(*columns, strict=True)) == expected
        (everything,) = reader.scalars([run], [tag], max_points=None, resume="all")
        assert everything.total_points == sum(entry.tag == tag for entries in logs.values() for entry in entries)
        assert curve.superseded == everything.superseded == everything.total_points - len(expected)
        (summary,) = [each for each in summaries["scalars"] if each.tag == tag]
        assert (summary.count, summary.superseded) == (len(expected), curve.superseded)
        if expected:
            assert isinstance(summary, ScalarTagSummary)
            values = [value for *_, value in expected]
            about = (summary.first_step, summary.last_step, summary.min, summary.max, summary.last_value)
            assert about == (expected[0][0], expected[-1][0], min(values), max(values), values[-1])
    if "note" in written:
        (text,) = summaries["text"]
        (series,) = reader.blobs([run], [text.tag], Kind.TEXT)
        places = [(step, wall) for step, wall, _ in _shown(logs, "note")]
        assert list(zip(series.steps.tolist(), series.wall_times.tolist(), strict=True)) == places
        assert (text.count, text.superseded) == (len(places), series.superseded)
