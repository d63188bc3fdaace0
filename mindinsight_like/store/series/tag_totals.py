"""Totals of scalar tags over many runs, as columns: for runs whose curves are the series of one log file each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.database.database import Row
from mindinsight_like.store.result_types import ScalarTagOverRuns

COLUMNS = "file, tag, count, first_step, last_step, min, max, non_finite, superseded"


def tag_totals(
    rows: Sequence[Row], run_of_file: Mapping[int, str], order: Mapping[str, int]
) -> list[ScalarTagOverRuns]:
    """What series (rows of COLUMNS) have together, by tag; runs in the order of their places in `order`."""
    if not rows:
        return []
    files, tags, counts, firsts, lasts, lows, highs, non_finite, superseded = zip(*rows, strict=True)
    names = sorted(set(tags))
    codes = np.fromiter(map({name: code for code, name in enumerate(names)}.__getitem__, tags), np.int64, len(rows))
    place_of_file = {file: order[run] for file, run in run_of_file.items()}
    places = np.fromiter(map(place_of_file.__getitem__, files), np.int64, len(rows))
    rows_in_order = np.lexsort((places, codes))
    codes, places = codes[rows_in_order], places[rows_in_order]
    begins = np.searchsorted(codes, np.arange(len(names)))

    def column(values: Sequence[Any], dtype: type = np.int64) -> NDArray[Any]:
        return np.array(values, dtype)[rows_in_order]

    shown = column(counts)
    largest = np.iinfo(np.int64).max
    first = np.minimum.reduceat(np.where(shown > 0, column(firsts), largest), begins)
    last = np.maximum.reduceat(np.where(shown > 0, column(lasts), -largest), begins)
    is_new = np.concatenate(([True], (codes[1:] != codes[:-1]) | (places[1:] != places[:-1])))
    runs = np.array(list(order), object)[places[is_new]].tolist()
    bounds = [*np.searchsorted(codes[is_new], np.arange(len(names))).tolist(), len(runs)]
    sums = [np.add.reduceat(column(each), begins).tolist() for each in (counts, non_finite, superseded)]
    low = np.fmin.reduceat(column(lows, np.float64), begins).tolist()
    high = np.fmax.reduceat(column(highs, np.float64), begins).tolist()
    return [
        ScalarTagOverRuns(
            name,
            runs[bounds[code] : bounds[code + 1]],
            sums[0][code],
            int(first[code]) if sums[0][code] else 0,
            int(last[code]) if sums[0][code] else 0,
            None if low[code] != low[code] else low[code] + 0.0,
            None if high[code] != high[code] else high[code] + 0.0,
            sums[1][code],
            superseded=sums[2][code],
        )
        for code, name in enumerate(names)
    ]


def merged(one: ScalarTagOverRuns, other: ScalarTagOverRuns, order: Mapping[str, int]) -> ScalarTagOverRuns:
    """The totals of a tag over the runs of both."""
    visible = [each for each in (one, other) if each.count]
    lows = [each.min for each in (one, other) if each.min is not None]
    highs = [each.max for each in (one, other) if each.max is not None]
    return ScalarTagOverRuns(
        one.tag,
        sorted([*one.runs, *other.runs], key=order.__getitem__),
        one.count + other.count,
        min((each.first_step for each in visible), default=0),
        max((each.last_step for each in visible), default=0),
        min(lows, default=None),
        max(highs, default=None),
        one.non_finite + other.non_finite,
        superseded=one.superseded + other.superseded,
    )
