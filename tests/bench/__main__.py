"""`make bench`, or `python -m tests.bench`: make logs, measure others and ourselves on them, print a table."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from . import measurements
from .checksum_cost import checksums
from .clusters import clusters
from .compare import compare
from .first_chart import first_chart
from .freshness import freshness
from .graphs import graphs
from .live_page import live_page
from .measurements import Bench
from .million_tags import million_tags
from .peer import install
from .profiler import collector, profiler, torch_recording
from .report import Row, machine, table
from .searches import searches
from .shapes import FLAVOURS, SHAPES
from .timeline import timeline
from .traces import traces
from .trackers import trackers
from .writers import writers

_OTHERS: dict[str, Callable[[Bench], list[Row]]] = {
    "checksums": checksums,
    "idle": measurements.idle,
    "freshness": freshness,
    "tags": million_tags,
    "live": live_page,
    "scalars": measurements.scalars,
    "long": measurements.long_series,
    "writers": writers,
    "graphs": graphs,
    "compare": compare,
    "first": first_chart,
    "traces": traces,
    "timeline": timeline,
    "clusters": clusters,
    "profiler": profiler,
    "torch": torch_recording,
    "collector": collector,
    "runs": searches,
    "trackers": trackers,
}


def main() -> int:
    arguments = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # lets running servers be stopped
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users' Python keeps bytecode, too; packages of pip bring theirs
    bench = Bench(
        data=arguments.data.resolve(),
        tensorboard=install(arguments.data.resolve() / "venv"),
        repeat=arguments.repeat,
        flavour=arguments.flavour,
        trace_megabytes=arguments.trace_megabytes,
    )
    print(" / ".join(f"{name}: {value}" for name, value in machine().items()), flush=True)
    rows: list[Row] = []
    if "load" in arguments.only:  # first, while this process is small (see Bench.logs)
        for name in arguments.shape:
            rows += _timed(f"loading {name}", measurements.loads(bench, SHAPES[name]))
    for name, measure in _OTHERS.items():
        if name in arguments.only:
            rows += _timed(name, measure(bench))
    print(table(rows))
    if arguments.json:
        content = {"machine": machine(), "rows": [row.to_json() for row in rows]}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n")
    return 1 if any(row.is_kept is False for row in rows) else 0


def _timed(what: str, rows: list[Row]) -> list[Row]:
    print(f"{what}: {', '.join(f'{row.median:.3g} {row.unit}' for row in rows)}", file=sys.stderr, flush=True)
    return rows


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    only = ["load", *_OTHERS]
    parser.add_argument("--only", nargs="+", choices=only, default=only, help="what to measure (everything)")
    parser.add_argument("--shape", nargs="+", choices=SHAPES, default=["M", "L", "W"], help="what to load (M L W)")
    parser.add_argument("--flavour", choices=FLAVOURS, default="tb", help="form of the logs to load (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="loads of each kind; medians count (%(default)s)")
    parser.add_argument("--trace-megabytes", type=int, default=1000, help="size of the trace (%(default)s)")
    parser.add_argument("--data", type=Path, default=Path("bench-data"), help="folder for logs and peer (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every sample there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
