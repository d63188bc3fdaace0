"""The comparison cache, filled in the background when a web process starts: the newest runs are compared first."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter

from flask import Flask

from mindinsight_like.compare.cache import POINT_BYTES, CurveCache
from mindinsight_like.compare.routes import current_cache
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.web.source import current_reader

_SHARE = 0.25  # of the cache that may be filled before anybody has asked

_log = logging.getLogger(__name__)


def make_ready(app: Flask, *, after: threading.Thread) -> threading.Thread:
    """Begin with it when another thread is done, so that the loader and what people see first go before."""

    def fill() -> None:
        after.join()
        try:
            with app.app_context():
                warm_up(current_cache(), current_reader())
        except Exception:  # a comparison that finds nothing ready reads for itself
            _log.warning("the comparison cache could not be filled in advance", exc_info=True)

    thread = threading.Thread(target=fill, name="compare-cache", daemon=True)
    thread.start()
    return thread


def warm_up(cache: CurveCache, reader: IndexReader) -> None:
    """Read scalars of the runs that were updated last: the tags that most of them have before others, as many as fit.

    After each tag it rests for as long as it has read, so that those who ask have the processor.
    """
    state = cache.state()
    room = state.limit * _SHARE
    having: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for tags in reader.scalar_summaries(reader.newest_runs(state.warm_runs)).values():
        for tag, summary in tags.items():
            having[tag] += 1
            points[tag] += summary.count
    for tag, _ in having.most_common():
        size = points[tag] * POINT_BYTES
        if size > room:
            continue
        room -= size
        began = time.perf_counter()
        cache.warm_up([tag])
        time.sleep(time.perf_counter() - began)
