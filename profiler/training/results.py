"""Results of `Profiler.analyse`: tables, columns for the service, summary on the terminal."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.whole_files import HEAD_BYTES, dialect_by_head
from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.analysis.operators.operator_table import OperatorRow
from mindinsight_like.profiler.analysis.steps.step_list import StepRow
from mindinsight_like.profiler.process.warnings import harmless, tell
from mindinsight_like.profiler.traces.files import Files, Source
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import NOTHING
from mindinsight_like.profiler.training.console import ProgressBar, summary
from mindinsight_like.profiler.training.filters import Filters, subgraph_of
from mindinsight_like.profiler.training.frameworks import NONE

_FOLDER = "analysis"
_NO_FRAMEWORK = (
    ". No framework was imported that has a profiler: name what your program does, "
    'with profiler.op("load", type="data"): ..., or import the framework before the profiler is made'
)
_ENDINGS = re.compile(r"(?:\.mi-trace|\.pt\.trace\.json|\.paddle_trace\.(?:json|pb)|\.xplane\.pb|_ascend_ms)(?:\.gz)?$")
_TYPE_COLUMNS = (
    "op_side",
    "op_type",
    "type_occurrences",
    "execution_frequency(per-step)",
    "total_compute_time",
    "avg_time(ms)",
    "percent",
    "self_time(ms)",
)
_NAME_COLUMNS = (
    "op_side",
    "op_type",
    "op_name",
    "full_op_name",
    "op_occurrences",
    "op_total_time(ms)",
    "op_avg_time(ms)",
    "total_proportion",
    "subgraph",
    "self_time(ms)",
)


def write_results(
    folder: Path,
    filters: Filters,
    *,
    host: str = "",
    process: int | None = None,
    rank: int | None = None,
    since: float = 0.0,
    job: str = "",
    framework: str = "",
) -> None:
    """Analyse the recordings of a process, those of an Ascend job, or all, and print what the last one tells.

    Of a process are those since some time whose names do not tell another process, or for JAX another rank. Problems
    with a recording are told and leave the others alone.
    """
    recordings = _recordings(folder, since=since, job=job)
    if process is not None:
        recordings = (each for each in recordings if not _is_of_another(each, host, process, rank))
    sources = list(recordings)
    if not sources:
        what = f"there is no profile {job} below {folder}" if job else "nothing was recorded"
        tell(f"{what}: there is nothing to analyse{_NO_FRAMEWORK if framework == NONE else ''}")
        return
    last: tuple[Analysed, Path] | None = None
    with ProgressBar(len(sources)) as bar:
        for number, source in enumerate(sources):
            with harmless(f"{source.main} cannot be analysed"):
                last = _write(folder, source, filters, bar.part(number))
    if last is not None:
        print(summary(*last, filters, others=len(sources) - 1))
        if framework == NONE and not last[0].operators("type", limit=1).rows:
            tell(f"only steps were recorded{_NO_FRAMEWORK}")


def _recordings(folder: Path, *, since: float, job: str) -> Iterator[Source]:
    names = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).as_posix()
        if inside.startswith(f"{_FOLDER}/") or not path.is_file():
            continue
        if job in inside.split("/") if job else _changed(path) >= since - 1:
            names.append(inside)
    for source in sources_of(names):
        if source.reader != "chrome" or _is_trace(folder / source.main):
            yield source


def _is_trace(path: Path) -> bool:
    """Whether a JSON file of any name is a trace; scripts leave others, too."""
    try:
        with path.open("rb") as file:
            return dialect_by_head(path.name, file.read(HEAD_BYTES)) is Dialect.PROFILE
    except OSError:
        return False


def _is_of_another(source: Source, host: str, process: int, rank: int | None) -> bool:
    named = re.search(rf"(?:^|/){re.escape(host)}_(\d+)[._]", source.main)
    if named is not None:
        return int(named[1]) != process
    return source.reader == "xplane" and rank is not None and source.rank not in (NOTHING, rank)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another rank has just taken it away
        return 0.0


def _write(folder: Path, source: Source, filters: Filters, bar: Any) -> tuple[Analysed, Path]:
    trace = read(source, Files(os.fspath(folder)), lambda share: bar(share / 2))
    analysed = analyse(trace, lambda share: bar(0.5 + share / 2))
    target = folder / _FOLDER / _name_of(source)
    columns = target / "columns"
    columns.mkdir(parents=True, exist_ok=True)
    analysed.save(columns)
    steps = analysed.steps()
    # Where a recording ends within a step, hardly anything of that is there.
    whole = [step for step in steps["steps"] if step["parts"] or not step["is_partial"]]
    count = len(whole)
    types = filters.select(analysed.operators("type", limit=None).rows)
    _csv(target / "operators_by_type.csv", _TYPE_COLUMNS, (_type_row(row, count) for row in types))
    if filters.is_detail:
        names = filters.select(analysed.operators("name", limit=None).rows)
        _csv(target / "operators_by_name.csv", _NAME_COLUMNS, (_name_row(row, filters) for row in names))
    if count:
        parts = steps["parts"]
        heads = ("step_num", "start(ms)", "total(ms)", *(f"{part}(ms)" for part in parts))
        _csv(target / "steps.csv", heads, (_step_row(step, parts) for step in whole))
    return analysed, target


def _name_of(source: Source) -> str:
    """The name of the recording without the endings of trace files, which the results are not."""
    name = source.main.rpartition("/")[2] if source.reader != "xplane" else source.main.replace("/", "-")
    return re.sub(r"[^\w.-]+", "-", _ENDINGS.sub("", name)) or "profile"


def _type_row(row: OperatorRow, steps: int) -> Sequence[object]:
    return (
        row["side"],
        row["type"],
        row["count"],
        round(row["count"] / steps, 3) if steps else "",
        *_rounded(row["total"], row["mean"]),
        *_rounded(row["share"], row["self"]),
    )


def _name_row(row: OperatorRow, filters: Filters) -> Sequence[object]:
    return (
        row["side"],
        row["type"],
        filters.shown_name(row["name"]),
        row["name"],
        row["count"],
        *_rounded(row["total"], row["mean"], row["share"]),
        subgraph_of(row["name"]),
        *_rounded(row["self"]),
    )


def _step_row(step: StepRow, parts: Sequence[str]) -> Sequence[object]:
    durations = (step["parts"].get(part, 0.0) for part in parts)
    return (step["number"], *_rounded(step["begin"], step["duration"], *durations))


def _rounded(*values: float) -> Iterator[float]:
    return (round(float(value), 6) for value in values)  # a nanosecond, where they are milliseconds


def _csv(path: Path, heads: Sequence[str], rows: Iterator[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)
