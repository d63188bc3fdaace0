"""Build the lineage rows that the loader stores in the index."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from mindinsight_like.errors import Rebuilding, RunNotFound, ServiceError
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.rows.lineage_rows import LineageRow
from mindinsight_like.store.run_status import LineageMarks

from .gather import gather
from .record import LineageRecord, summarize

log = logging.getLogger(__name__)

# Parameters that say how many steps a run is going to have, in our records and those of frameworks.
TOTAL_STEPS = ("total_steps", "steps", "max_steps", "num_steps", "train_steps", "num_train_steps", "max_iters")

_AT_ONCE = 200  # runs whose records are stored together


def make_rows(location: IndexLocation, runs: Sequence[str]) -> Iterator[list[LineageRow]]:
    """The lineage of the runs, some at a time; a run that is shown as part of another has none.

    Runs whose logs have to be read again first are left out.
    """
    reader = IndexReader(location)
    for begin in range(0, len(runs), _AT_ONCE):
        part = runs[begin : begin + _AT_ONCE]
        records = _gather_or_report(reader, part)
        yield [_row(run, record) for run, record in records.items()]


def _row(run: str, record: LineageRecord) -> LineageRow:
    content = record.to_json()
    return LineageRow(run, _text(summarize(record, content)), _text(content), _marks(record))


def _marks(record: LineageRecord) -> LineageMarks:
    """What the record says of the state of its run."""
    totals = [record.values.get(f"hparam/{name}") for name in TOTAL_STEPS]
    return LineageMarks(
        str(record.session.get("status", "")),
        record.session.get("begun_at"),
        record.session.get("ended_at"),
        next((each for each in totals if _is_count(each)), None),  # type: ignore[arg-type] # they are integers
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 < value < 1 << 62


def _gather_or_report(reader: IndexReader, runs: Sequence[str]) -> dict[str, LineageRecord]:
    try:
        return gather(reader, runs)
    except ServiceError as error:
        if len(runs) > 1:  # one of them is to blame, the others are not
            return {run: record for each in runs for run, record in _gather_or_report(reader, [each]).items()}
        if isinstance(error, Rebuilding):
            return {}  # it is made once the log file has been read again
        if isinstance(error, RunNotFound):
            return {runs[0]: LineageRecord()}
        log.warning("the lineage of run %s cannot be read: %s", runs[0], error)
        return {runs[0]: LineageRecord(problems=[str(error)])}


def _text(value: Any) -> str:
    # In plain ASCII, since databases refuse some characters.
    text = json.dumps(value, separators=(",", ":"))
    if "\\ud" in text:  # perhaps half a character, which no answer could hold
        text = json.dumps(_with_whole_characters(value), separators=(",", ":"))
    return text


def _with_whole_characters(value: Any) -> Any:
    """A value whose texts have a replacement sign for halves of characters, as names of files may hold them."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_with_whole_characters(name): _with_whole_characters(each) for name, each in value.items()}
    return [_with_whole_characters(each) for each in value] if isinstance(value, list | tuple) else value
