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
        yield [_row(reader, run) for run in runs[begin : begin + _AT_ONCE]]


def _row(reader: IndexReader, run: str) -> LineageRow:
    try:
        record = gather(reader, run)
    except RunNotFound:
        record = LineageRecord()
    except ServiceError as error:
        log.warning("the lineage of run %s cannot be read: %s", run, error)
        record = LineageRecord(problems=[str(error)])
    return LineageRow(run, _text(summarised(record)), _text(record.to_json()))


def _text(value: Any) -> str:
    # In plain ASCII, since databases refuse some characters.
    return json.dumps(value, separators=(",", ":"))
