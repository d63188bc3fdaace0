"""Making the lineage of runs from what their logs say, for the index to keep."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from mindinsight_like.errors import RunNotFound, ServiceError
from mindinsight_like.store.lineage_rows import LineageRow
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.reading import IndexReader

from .gathering import gather
from .record import LineageRecord, summarised

log = logging.getLogger(__name__)

_AT_ONCE = 200  # runs whose records are stored together


def make_rows(location: IndexLocation, runs: Sequence[str]) -> Iterator[list[LineageRow]]:
    """The lineage of the runs, some at a time; a run that is shown as part of another has none."""
    reader = IndexReader(location)
    for begin in range(0, len(runs), _AT_ONCE):
        part = runs[begin : begin + _AT_ONCE]
        records = _gathered(reader, part)
        yield [LineageRow(run, _text(summarised(records[run])), _text(records[run].to_json())) for run in part]


def _gathered(reader: IndexReader, runs: Sequence[str]) -> dict[str, LineageRecord]:
    try:
        return gather(reader, runs)
    except ServiceError as error:
        if len(runs) > 1:  # one of them is to blame, the others are not
            return {run: record for each in runs for run, record in _gathered(reader, [each]).items()}
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
