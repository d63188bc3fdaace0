"""Log files for the tests of the loader, and questions to the index it makes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mindinsight_like.loader.following import SliceLimits
from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.once import load_index
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl

WALL = 1_700_000_000.0


def tensorboard_records(tag: str, steps: Iterable[int], *, value: float = 0.5, wall: float = WALL) -> bytes:
    """A record for each step; the value is `value` plus the step."""
    return b"".join(
        tensorboard.frame(
            tensorboard.event([tensorboard.double_scalar(tag, value + step)], step=step, wall_time=wall + place)
        )
        for place, step in enumerate(steps)
    )


def mindspore_records(tag: str, steps: Iterable[int], *, value: float = 0.5, wall: float = WALL) -> bytes:
    return b"".join(
        mindspore.frame(mindspore.event([mindspore.scalar(tag, value + step)], step=step, wall_time=wall + place))
        for place, step in enumerate(steps)
    )


def visualdl_records(tag: str, steps: Iterable[int], *, value: float = 0.5, wall: float = WALL) -> bytes:
    return b"".join(
        visualdl.frame(visualdl.record(tag, visualdl.scalar(value + step), step=step, wall_time=wall + place))
        for place, step in enumerate(steps)
    )


def json_rows(steps: range, **more: Any) -> bytes:
    """JSON lines with a step each."""
    rows = ({"step": step, "loss": step / 7, "time": 1_700_000_000 + step, **more} for step in steps)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def optuna_journal(studies: int, trials: int, values: int) -> list[bytes]:
    """The lines of a journal of Optuna."""
    lines: list[dict[str, Any]] = []
    for study in range(studies):
        lines.append({"op_code": 0, "worker_id": "w", "study_name": f"study {study}", "directions": [1]})
        for trial in range(trials):
            trial_id = study * trials + trial
            second = f"2026-11-17T10:{study % 60:02}:{trial % 60:02}.5+00:00"
            about = {"worker_id": "w", "trial_id": trial_id}
            choice = '{"name": "CategoricalDistribution", "attributes": {"choices": ["a", null, 3]}}'
            lines.append({"op_code": 4, "worker_id": "w", "study_id": study, "datetime_start": second})
            lines.append({"op_code": 5, **about, "param_name": "x", "param_value_internal": 2, "distribution": choice})
            lines += [{"op_code": 7, **about, "step": step, "intermediate_value": step / 3} for step in range(values)]
            lines.append({"op_code": 6, **about, "state": 1 + trial % 3, "values": [0.5], "datetime_complete": second})
    # As Optuna writes them: what begins a journal tells what it is.
    return [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]


def write(path: Path, content: bytes, *, mtime: float | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as log:
        log.write(content)


class Loading:
    """A base dir, a loader that can be asked for rounds, and a reader."""

    def __init__(
        self, base_dir: Path, workspace: Path, store_url: str = "", *, limits: SliceLimits | None = None, **options: Any
    ) -> None:
        self.location = IndexLocation.of(base_dir, workspace, store_url)
        self._lock = index_lock(self.location)
        self._lock.__enter__()
        self._options = {"limits": limits or SliceLimits(), **options}
        self.loader = Loader(self.location, **self._options)
        self.reader = IndexReader(self.location)

    def round(self) -> None:
        self.loader.round()

    def restart(self) -> None:
        """The loader ends and starts again."""
        self.loader.close()
        self.loader = Loader(self.location, **self._options)

    def close(self) -> None:
        self.loader.close()
        self._lock.__exit__(None, None, None)

    def runs(self) -> list[str]:
        return [run.name for run in self.reader.runs.find()[1]]

    def id_of(self, name: str) -> str:
        (found,) = [run.id for run in self.reader.runs.find()[1] if run.name == name]
        return found

    def curves(self, run: str, tag: str, **options: Any) -> dict[str, list[tuple[int, float]]]:
        """All points of a tag by their source."""
        found = self.reader.scalars([self.id_of(run)], [tag], **{"max_points": None, **options})
        assert len({curve.source for curve in found}) == len(found)
        return {curve.source: list(zip(curve.steps.tolist(), curve.values.tolist(), strict=True)) for curve in found}

    def points(self, run: str, tag: str, **options: Any) -> list[tuple[int, float]]:
        """All points of a tag that has one curve."""
        curves = self.curves(run, tag, **options)
        assert list(curves) == [""]
        return curves[""]

    def steps(self, run: str, tag: str, **options: Any) -> list[int]:
        return [step for step, _ in self.points(run, tag, **options)]


def answers(reader: IndexReader) -> dict[str, Any]:
    """All that an index says about its logs, comparable between indexes that were filled in different ways.

    Left out is what depends on how the logs were read: versions, and what is said of damage met piece by piece.
    """
    found: dict[str, Any] = {}
    total, runs = reader.runs.find()
    assert total == len(runs)
    for run in runs:
        tags = reader.series.tags(run.id)
        names = [tag.tag for tag in tags["scalars"]]
        curves = []
        for resume in ("latest", "all"):
            for most in (None, 7):
                for curve in reader.scalars([run.id], names, max_points=most, resume=resume):
                    columns = [column.tobytes() for column in (curve.steps, curve.wall_times, curve.values)]
                    about = (
                        curve.segments,
                        repr(curve.start_time),
                        curve.total_points,
                        curve.superseded,
                        curve.has_steps,
                    )
                    curves.append((curve.tag, curve.source, about, resume, columns))
        found[run.name] = {
            "id": run.id,
            "dialects": run.dialects,
            "created_at": run.created_at,
            "updated_at": run.updated_at,
            "bytes": run.bytes,
            "counts": run.counts,
            "warnings": [(warning.file, warning.offset, warning.kind) for warning in run.warnings],
            "warning_count": run.warning_count,
            "files": reader.runs.files(run.id),
            # As text: NaN equals itself there.
            "tags": repr(tags),
            "scalar tags": repr(reader.series.scalar_tags([run.id])),
            "last values": repr(sorted(reader.scalar_ends.last_scalars([run.id], names).get(run.id, {}).items())),
            "blobs": _blobs(reader, run.id),
            "curves": curves,
        }
    return found


def _blobs(reader: IndexReader, run: str) -> list[Any]:
    found = []
    for kind in SHOWN_KINDS:
        for resume in ("latest", "all") if kind != Kind.SCALAR else ():
            for each in reader.blobs([run], None, kind, resume=resume):
                files = reader._blob_files(set(each.references["file"].tolist()))
                places = [(files[file].name, offset, length) for file, offset, length in each.references.tolist()]
                columns = each.steps.tolist(), repr(each.wall_times.tolist()), places
                found.append((kind, each.tag, each.source, resume, each.superseded, *columns))
    return found


def clean_answers(base_dir: Path, workspace: Path, store_url: str = "") -> dict[str, Any]:
    """The answers of a new index that was filled at one go."""
    location = IndexLocation.of(base_dir, workspace, store_url)
    assert not location.database.sqlite.exists()
    load_index(location)
    return answers(IndexReader(location))


def assert_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Compared run by run and item by item, so that a failure is short enough to read."""
    assert list(one) == list(other)
    for run in one:
        for item in one[run]:
            if item != "curves":
                assert one[run][item] == other[run][item], (run, item)
        for mine, theirs in zip(one[run]["curves"], other[run]["curves"], strict=True):
            assert mine[:4] == theirs[:4], run
        for mine, theirs in zip(one[run]["curves"], other[run]["curves"], strict=True):
            for column, dtype in enumerate((np.int64, np.float64, np.float64)):
                np.testing.assert_array_equal(
                    np.frombuffer(mine[4][column], dtype), np.frombuffer(theirs[4][column], dtype), str(mine[:2])
                )
