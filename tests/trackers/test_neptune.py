"""Exports of Neptune, made here by the exporter's published columns: there are no recorded ones."""

from __future__ import annotations

import contextlib
import math
import random
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mindinsight_like.trackers.reader import LogUnreadable
from tests.trackers.reading import Follower, ReadRun, read_all

_MOMENT = datetime(2026, 11, 17, 10, 0, tzinfo=timezone.utc)
_SCHEMA = pa.schema(
    [
        ("project_id", pa.string()),
        ("run_id", pa.string()),
        ("attribute_path", pa.string()),
        ("attribute_type", pa.string()),
        ("step", pa.decimal128(18, 6)),
        ("timestamp", pa.timestamp("ms", tz="UTC")),
        ("int_value", pa.int64()),
        ("float_value", pa.float64()),
        ("string_value", pa.string()),
        ("bool_value", pa.bool_()),
        ("datetime_value", pa.timestamp("ms", tz="UTC")),
        ("string_set_value", pa.list_(pa.string())),
        ("file_value", pa.struct([("path", pa.string())])),
        (
            "histogram_value",
            pa.struct([("type", pa.string()), ("edges", pa.list_(pa.float64())), ("values", pa.list_(pa.float64()))]),
        ),
    ]
)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    own = {"project_id": "team/digits", "run_id": "RUN-1"}
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist([own | row for row in rows], _SCHEMA), path, compression="snappy")


def _point(tag: str, step: str, value: float | None) -> dict[str, Any]:
    return {
        "attribute_path": tag,
        "attribute_type": "float_series",
        "step": Decimal(step),
        "timestamp": _MOMENT,
        "float_value": value,
    }


def _setting(path: str, kind: str, value: Any) -> dict[str, Any]:
    return {"attribute_path": path, "attribute_type": kind, f"{kind}_value": value}


def _rows() -> list[dict[str, Any]]:
    histogram = {"type": "COUNTING", "edges": [0.0, 1.0, 2.0], "values": [3.0, 4.0]}
    return [
        *(_point("metrics/loss", str(step), 1 / (step + 1)) for step in range(50)),
        _point("metrics/odd", "3", math.nan),
        _point("metrics/odd", "4", math.inf),
        _setting("params/lr", "float", 0.1),
        _setting("params/depth", "int", 3),
        _setting("params/act", "string", "relu"),
        _setting("params/on", "bool", True),
        _setting("sys/name", "string", "digits"),
        _setting("sys/tags", "string_set", ["cpu", "名"]),
        _setting("sys/creation_time", "datetime", _MOMENT),
        _setting("sys/failed", "bool", True),
        _setting("model", "file", {"path": "digits/RUN-1/model.pt"}),
        {"attribute_path": "note", "attribute_type": "string_series", "step": Decimal(1), "string_value": "hello"},
        {"attribute_path": "m/stdout", "attribute_type": "string_series", "step": Decimal(1), "string_value": "a\nb\n"},
        {"attribute_path": "h", "attribute_type": "histogram_series", "step": Decimal(2), "histogram_value": histogram},
    ]


def _read(base: Path) -> ReadRun:
    (run,) = read_all(base).runs.values()
    return run


def test_an_export_is_read(tmp_path: Path) -> None:
    _write(tmp_path / "digits/RUN-1_part_0.parquet", _rows())
    _write(tmp_path / "digits/RUN-1_part_1.parquet", [_point("metrics/loss", "50", 0.5)])
    run = _read(tmp_path)
    assert run.name == "digits/RUN-1"
    assert run.display_name == "digits"
    loss = [(step, 1 / (step + 1), _MOMENT.timestamp()) for step in range(50)] + [(50, 0.5, _MOMENT.timestamp())]
    assert run.scalars["metrics/loss"] == loss
    assert repr([row[:2] for row in run.scalars["metrics/odd"]]) == "[(3, nan), (4, inf)]"
    assert run.lineage["params"] == {"params/lr": 0.1, "params/depth": 3, "params/act": "relu", "params/on": True}
    assert run.lineage["tracker"]["tags"] == ["cpu", "名"]
    assert run.lineage["tracker"]["project"] == "team/digits"
    assert run.lineage["outputs"] == [{"name": "model", "type": "file", "path": "digits/RUN-1/model.pt"}]
    assert run.state is not None and run.state.state == "failed"
    assert [item.tag for item in run.items] == ["note", "h", "output"]
    assert run.documents()[2]["lines"] == ["a", "b"]
    assert not run.damage


def test_steps_that_are_no_whole_numbers_are_scaled(tmp_path: Path) -> None:
    follower = Follower(tmp_path)
    _write(tmp_path / "x/RUN-1_part_0.parquet", [_point("a", "1", 1.0), _setting("params/lr", "float", 0.1)])
    follower.round()
    assert [row[0] for row in follower.runs["x/RUN-1"].scalars["a"]] == [1]
    _write(tmp_path / "x/RUN-1_part_1.parquet", [_point("a", "1.25", 2.0), _point("a", "2", 3.0)])
    follower.round()
    assert [row[0] for row in follower.runs["x/RUN-1"].scalars["a"]] == [100, 125, 200]
    assert [row[0] for row in _read(tmp_path).scalars["a"]] == [100, 125, 200]


def test_a_part_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    follower = Follower(tmp_path)
    _write(tmp_path / "x/RUN-1_part_0.parquet", [_point("a", "1", 1.0)])
    follower.round()
    _write(tmp_path / "x/RUN-1_part_0.parquet", [_point("a", "1", 1.5), _point("a", "2", 2.5)])
    follower.round()
    assert [row[1] for row in follower.runs["x/RUN-1"].scalars["a"]] == [1.5, 2.5]


def test_other_parquet_files_are_no_runs(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "data.parquet")
    assert not read_all(tmp_path).runs
    pq.write_table(pa.table({"a": [1]}), tmp_path / "data_part_0.parquet")
    follower = read_all(tmp_path)
    assert not follower.runs
    assert not follower.damage


@pytest.mark.parametrize("seed", range(40))
def test_mutated_bytes_are_named(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "x/RUN-1_part_0.parquet"
    _write(path, _rows())
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 5, 50])):
        content[chance.randrange(4, len(content))] = chance.randrange(256)
    path.write_bytes(content)
    with contextlib.suppress(LogUnreadable):
        read_all(tmp_path)
