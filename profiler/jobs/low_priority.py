"""Worker process of analyses that nobody has asked for: `python -m mindinsight_like.profiler.jobs.low_priority …`."""

from __future__ import annotations

from typing import Final

from mindinsight_like.profiler.jobs.__main__ import main

_NICE: Final = 19

if __name__ == "__main__":
    main(nice=_NICE, processes=1)
