"""Damaged folders of MindSpore's CPU profiler: analysed as far as they can be, never broken by what is missing."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.sources import read, sources_of

FOLDERS = ("mindspore-2.10/profiler_analyse", "mindinsight-profiles/cpu_ms270")


def _analyse(base_dir: Path) -> None:
    """Everything that the tables of operators can be asked."""
    names = [str(path.relative_to(base_dir)) for path in base_dir.rglob("*") if path.is_file()]
    for source in sources_of(names):
        try:
            analysed = analyse(read(source, Files(str(base_dir)), lambda share: None))
        except Unreadable:
            continue
        for by in ("type", "name", "shape", "instance"):
            table = analysed.operators(by=by, limit=None)
            sides = {side["side"] for side in table.sides}
            if by != "instance":
                assert {row["side"] for row in table.rows} <= sides
        analysed.summary()
        analysed.steps()
        analysed.advice()


def _without(data: bytes, rng: random.Random) -> bytes:
    return b""


def _head_only(data: bytes, rng: random.Random) -> bytes:
    return data.partition(b"\n")[0] + b"\n"


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 20, 200))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _lines_lost(data: bytes, rng: random.Random) -> bytes:
    return b"\n".join(line for line in data.split(b"\n") if rng.random() < 0.5)


def _fields_swapped(data: bytes, rng: random.Random) -> bytes:
    lines = []
    for line in data.split(b"\n"):
        fields = line.split(b",")
        if rng.random() < 0.3:
            rng.shuffle(fields)
        lines.append(b",".join(fields))
    return b"\n".join(lines)


DAMAGES = (_without, _head_only, _cut, _flipped, _lines_lost, _fields_swapped)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__.strip("_"))
@pytest.mark.parametrize("folder", FOLDERS)
def test_damaged_tables_cost_only_themselves(
    corpus: Path, tmp_path: Path, folder: str, damage: Callable[[bytes, random.Random], bytes]
) -> None:
    rng = random.Random(12)
    copy = tmp_path / "copy"
    shutil.copytree(corpus / folder, copy, ignore=shutil.ignore_patterns("expected.json"))
    tables = sorted(path for path in copy.rglob("cpu_*") if path.is_file())
    for _ in range(2):
        for path in tables:
            intact = path.read_bytes()
            path.write_bytes(damage(intact, rng))
            _analyse(copy)
            path.write_bytes(intact)
    for _ in range(4):  # several of them at once
        chosen = {path: path.read_bytes() for path in rng.sample(tables, 2)}
        for path, intact in chosen.items():
            path.write_bytes(damage(intact, rng))
        _analyse(copy)
        for path, intact in chosen.items():
            path.write_bytes(intact)


def test_types_without_operators_have_shares(corpus: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(corpus / FOLDERS[1], copy)
    for name in ("cpu_op_execute_timestamp_0.txt", "trace_view.json"):
        (copy / "profiler" / name).unlink()
    details = copy / "profiler" / "cpu_op_detail_info_0.csv"
    details.write_bytes(_head_only(details.read_bytes(), random.Random(0)))

    (source,) = sources_of([f"profiler/{path.name}" for path in (copy / "profiler").iterdir()])
    table = analyse(read(source, Files(str(copy)), lambda share: None)).operators(by="type", limit=None)

    shares = [row["share"] for row in table.rows]
    assert sum(shares) == pytest.approx(1)
