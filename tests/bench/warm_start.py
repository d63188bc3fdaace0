"""Start with an index that is up to date: check the logs for news, then answer. Prints what that cost after imports.

python -m tests.bench.warm_start LOGS WORKSPACE
"""

from __future__ import annotations

import json
import sys
import time

from mindinsight_like.conf.settings import load
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.reader import IndexReader


def main() -> None:
    settings = load(dict(zip(("summary_base_dir", "workspace"), sys.argv[1:], strict=True)), {})
    wall, cpu = time.perf_counter(), time.process_time()

    load_once(settings)
    reader = IndexReader.open(settings.summary_base_dir, settings.workspace, settings.store_url)
    _, runs = reader.runs.find(limit=1)
    tag = reader.series.scalar_tags([run.id for run in runs])[0].tag
    curves = reader.scalars([run.id for run in runs], [tag], max_points=1000)

    cost = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
    print(json.dumps({**cost, "points": curves[0].total_points}))


if __name__ == "__main__":
    main()
