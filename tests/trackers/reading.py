"""Read tracker logs straight from their readers, as the loader does, and compare them with what is expected."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers.reader import (
    DEFAULT_LIMITS,
    HEAD_BYTES,
    Folder,
    Item,
    Limits,
    Log,
    LogUnreadable,
    RecognisedLog,
    RunSlice,
)
from mindinsight_like.trackers.registry import reader_of, recognise
from mindinsight_like.trackers.source import LocalSource

Row = tuple[int, float, float]  # step, value, wall time


@dataclass
class ReadRun:
    """All that was read of one run."""

    name: str
    display_name: str = ""
    scalars: dict[str, list[Row]] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    lineage: dict[str, Any] = field(default_factory=dict)
    state: WriterState | None = None
    damage: list[Damage] = field(default_factory=list)

    def add(self, part: RunSlice) -> None:
        if part.starts_over:
            self.scalars, self.items, self.lineage, self.damage = {}, [], {}, []
        if part.points is not None:
            columns = (part.points.numbers, part.points.steps, part.points.values, part.points.walls)
            for number, step, value, wall in zip(*(column.tolist() for column in columns), strict=True):
                self.scalars.setdefault(part.points.tags[number], []).append((step, value, wall))
        self.items += part.items
        self.display_name = self.display_name if part.display_name is None else part.display_name
        self.state = part.state or self.state
        self.damage += part.damage
        for name, value in (part.lineage or {}).items():
            if isinstance(value, Mapping):
                self.lineage.setdefault(name, {}).update(value)
            else:
                self.lineage[name] = value

    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(item.document) for item in self.items]


@dataclass
class Follower:
    """Follows the logs below a folder, as the loader does."""

    base: Path
    limits: Limits = DEFAULT_LIMITS
    runs: dict[str, ReadRun] = field(default_factory=dict)  # by name
    damage: list[Damage] = field(default_factory=list)  # of stores
    dialects: dict[str, Dialect] = field(default_factory=dict)  # by log
    raises: bool = True  # for a log that cannot be read; the loader goes on with the others
    _cursors: dict[str, tuple[object, bytes]] = field(default_factory=dict)

    def round(self) -> Follower:
        """Read all that has changed."""
        source = LocalSource(BaseDirs(str(self.base.resolve())))
        try:
            for dialect, log in found_logs(self.base):
                self.dialects[log.name] = dialect
                self._read(source, dialect, log)
        finally:
            source.close()
        return self

    def _read(self, source: LocalSource, dialect: Dialect, found: RecognisedLog) -> None:
        reader = reader_of(dialect)
        while True:
            members = reader.members(source, found.name)
            versions = {name: version for name in members if (version := source.version(name)) is not None}
            seen, cursor = self._cursors.get(found.name, (None, b""))
            if seen == versions:
                return
            try:
                part = reader.read(Log(source, found.name, versions, cursor, self.limits))
            except LogUnreadable:
                if self.raises:
                    raise
                return
            self._cursors[found.name] = (None if part.is_partial else versions), part.cursor
            for key in part.gone:
                self.runs.pop(f"{found.run}/{key}")
            for run in part.runs:
                name = f"{found.run}/{run.key}" if reader.is_store else found.run
                self.runs.setdefault(name, ReadRun(name)).add(run)
            self.damage += part.damage
            source.close()


def found_logs(base: Path) -> Iterator[tuple[Dialect, RecognisedLog]]:
    """The logs below a folder, by the rules that discovery follows."""
    waiting = ["."]
    while waiting:
        name = waiting.pop()
        path = base / name
        entries = sorted(path.iterdir())
        files = frozenset(each.name for each in entries if each.is_file() and not each.is_symlink())
        folders = frozenset(each.name for each in entries if each.is_dir() and not each.is_symlink())

        def head(file: str, path: Path = path) -> bytes:
            try:
                with (path / file).open("rb") as opened:
                    return opened.read(HEAD_BYTES)
            except OSError:
                return b""

        claimed: set[str] = set()
        for dialect, log in recognise(Folder(name, files, folders, head)):
            claimed |= log.claimed_folders
            yield dialect, log
        waiting += [each if name == "." else f"{name}/{each}" for each in sorted(folders - claimed, reverse=True)]


def read_all(base: Path, limits: Limits = DEFAULT_LIMITS) -> Follower:
    """All that there is to read below a folder."""
    return Follower(base, limits).round()


_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(value: Any) -> float:
    """A number of expected.json."""
    return _NUMBERS[value] if isinstance(value, str) else float(value)


def unix_seconds(text: str | float | None) -> float | None:
    """A time of expected.json."""
    if text is None or isinstance(text, int | float):
        return text
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def expected_runs(case: Path) -> dict[str, Any]:
    """What a case of the shared trackers folder holds."""
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text())
    return expected


def compare_scalars(
    run: ReadRun, expected: Mapping[str, Any], *, may_have_more: bool = False, walls_within: float | None = 1e-3
) -> None:
    """Make sure that a run has exactly the expected points, in the order of steps' last values where steps repeat."""
    optional = set(expected.get("optional_tags", ()))
    precision = expected.get("precision", 0.0)
    for tag, rows in expected["scalars"].items():
        if tag in optional and tag not in run.scalars:
            continue
        assert tag in run.scalars, f"{run.name} has no {tag}: {sorted(run.scalars)[:20]}"
        read = run.scalars[tag]
        if may_have_more:
            wanted = {(row[0], repr(number(row[1]))) for row in rows}
            assert wanted <= {(step, repr(value)) for step, value, _ in read}, f"{run.name} {tag}"
            continue
        assert [step for step, _, _ in read] == [row[0] for row in rows], f"{run.name} {tag}"
        for (step, value, wall), row in zip(read, rows, strict=True):
            assert _is_equal(value, number(row[1]), precision), f"{run.name} {tag} step {step}: {value} != {row[1]}"
            time = unix_seconds(row[2]) if len(row) > 2 else None
            if time is not None and walls_within is not None:
                assert abs(wall - time) <= walls_within, f"{run.name} {tag} step {step}: {wall} != {time}"
    if not may_have_more:
        surplus = set(run.scalars) - set(expected["scalars"]) - optional
        assert not {tag for tag in surplus if not tag.startswith("system/")}, f"{run.name} has {sorted(surplus)}"


def _is_equal(value: float, wanted: float, precision: float) -> bool:
    if math.isnan(wanted) or math.isinf(wanted):
        return repr(value) == repr(wanted)
    return value == wanted or abs(value - wanted) <= precision * abs(wanted)


def found_run(runs: Mapping[str, ReadRun], expected: Mapping[str, Any]) -> ReadRun:
    """A run by its place below `case`, or in a store by its name or id."""
    place = f"case/{expected['path']}"
    candidates = [place, place.rpartition("/")[0], f"case/{expected['name']}", f"case/{expected.get('id')}"]
    return next(runs[name] for name in candidates if name in runs)


def mutated(content: bytes, changes: Sequence[tuple[int, int, int]]) -> bytes:
    """Bytes of which some were replaced, doubled, left out or overwritten with what breaks texts."""
    data = bytearray(content)
    for place, how, byte in changes:
        at = place % (len(data) + 1)
        match how % 5:
            case 0:
                data[at : at + 1] = bytes([byte])
            case 1:
                data[at:at] = data[at : at + byte]
            case 2:
                del data[at : at + byte]
            case 3:
                data[at:at] = (b'"', b"\n", b",,", b"\0", b"{", b"[" * 200, b"1e999", b"\xff", b"9" * 400)[byte % 9]
            case _:
                del data[at:]
    return bytes(data)
