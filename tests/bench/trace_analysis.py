"""Analyse a trace, or open an analysis again, and print as JSON what each stage took: CPU and wall seconds."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

_WIDTH = 2000  # pixels of the first screen


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    stages = _Stages()
    from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
    from mindinsight_like.profiler.traces.files import Files, Source
    from mindinsight_like.profiler.traces.readers import kineto

    stages.end("imports")
    if what == "analyse":
        file = Path(sys.argv[3])
        source = Source("kineto", "", -1, file.name, (file.name,))
        trace = kineto.read(Files(str(file.parent)), source, lambda share: None)
        stages.end("read")
        analysed = analyse(trace)
        stages.end("analyse")
        folder.mkdir()
        analysed.save(folder)
        stages.end("save")
    else:
        analysed = Analysed.open(folder)
        stages.end("open")
    stages.found = _first_answers(analysed)
    stages.end("answers")
    print(json.dumps({"stages": stages.taken, "found": stages.found}))


def _first_answers(analysed: Any) -> dict[str, float]:
    """The operator table, the breakdown of steps and the first screen of the timeline."""
    table = analysed.operators(by="name", limit=None)
    steps = analysed.steps()
    shown = analysed.tracks()
    screen = analysed.window(shown.from_ns, shown.to_ns, _WIDTH)
    return {
        "slices": sum(side["count"] for side in table.sides),
        "operators": table.total,
        "steps": len(steps["steps"]),
        "screen_bytes": len(screen),
    }


class _Stages:
    """CPU and wall seconds between one end and the next."""

    def __init__(self) -> None:
        self.taken: dict[str, tuple[float, float]] = {}
        self.found: dict[str, float] = {}
        self._last = (0.0, time.perf_counter())  # CPU from the start of the process

    def end(self, stage: str) -> None:
        now = (time.process_time(), time.perf_counter())
        self.taken[stage] = (now[0] - self._last[0], now[1] - self._last[1])
        self._last = now


if __name__ == "__main__":
    main()
