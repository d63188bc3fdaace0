"""Fill the comparison cache in the background when a web process starts, with the newest runs."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter

from flask import Flask

from mindinsight_like.compare.cache import POINT_BYTES, CurveCache
from mindinsight_like.compare.routes.curve_cache import current_cache
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.store.reader import IndexReader

_MAX_FILL_FRACTION = 0.25  # of the cache that may be filled before anybody has asked
_MOST_TAGS = 10_000  # a run with more would take longer to look at than to read for whoever asks

_log = logging.getLogger(__name__)


def start_warmup(app: Flask, *, after: threading.Thread) -> threading.Thread:
    """Begin with it when another thread is done, so that the loader and what people see first go before."""

    def fill() -> None:
        after.join()
        try:
            with app.app_context():
                warm_up(current_cache(), current_reader())
        except Exception:  # a comparison that finds nothing ready reads for itself
            _log.warning("cannot warm up the comparison cache", exc_info=True)

    thread = threading.Thread(target=fill, name="compare-cache", daemon=True)
    thread.start()
    return thread


def warm_up(cache: CurveCache, reader: IndexReader) -> None:
    """Read scalars of the runs that were updated last: the tags that most of them have before others, as many as fit.

    After each tag it rests for as long as it has read, so that those who ask have the processor.
    """
    state = cache.state()
    room = state.limit * _MAX_FILL_FRACTION
    run_counts: Counter[str] = Counter()
    points: Counter[str] = Counter()
    newest = reader.runs.find(ids=reader.runs.newest(state.warm_runs))[1]
    runs = [run.id for run in newest if run.counts.get("scalars", 0) <= _MOST_TAGS]
    for tags in reader.series.scalar_summaries(runs).values():
        for tag, summary in tags.items():
            run_counts[tag] += 1
            points[tag] += summary.count
    for tag, _ in run_counts.most_common():
        size = points[tag] * POINT_BYTES
        if size > room:
            continue
        room -= size
        began = time.perf_counter()
        cache.warm_up([tag])
        time.sleep(time.perf_counter() - began)
