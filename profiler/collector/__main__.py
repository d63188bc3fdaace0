"""`python -m mindinsight_like.profiler.collector`: the courier that a `Profiler` starts beside its training."""

from __future__ import annotations

import json
import sys
from typing import Final

NOT_INSTALLED: Final = 3  # exit code


def main() -> int:
    try:
        from mindinsight_like.profiler.collector.beside import main as carry
    except ImportError as error:
        why = f"the collector needs {error.name}: pip install grpcio protobuf psutil. Training goes on without it"
        print(json.dumps({"trouble": why}), flush=True)
        return NOT_INSTALLED
    return carry()


if __name__ == "__main__":
    sys.exit(main())
