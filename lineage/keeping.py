"""Making the lineage records of runs from what their logs say, for the index to keep."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence

from mindinsight_like.errors import RunNotFound, ServiceError
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.reading import IndexReader

from .gathering import gather

log = logging.getLogger(__name__)

_AT_ONCE = 200  # runs whose records are stored together


def make_records(location: IndexLocation, runs: Sequence[str]) -> Iterator[dict[str, str]]:
    """The records of the runs, as JSON by id, some at a time; a run that is shown as part of another has none."""
    reader = IndexReader(location)
    for begin in range(0, len(runs), _AT_ONCE):
        yield {run: _record(reader, run) for run in runs[begin : begin + _AT_ONCE]}


def _record(reader: IndexReader, run: str) -> str:
    try:
        return json.dumps(gather(reader, run).to_json(), ensure_ascii=False, separators=(",", ":"))
    except RunNotFound:
        return ""
    except ServiceError as error:
        log.warning("the lineage of run %s cannot be read: %s", run, error)
        return ""
