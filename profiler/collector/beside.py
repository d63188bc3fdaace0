"""The process that a `Profiler` starts: a courier that is talked to in lines of JSON.

The first line of standard input is its order; then comes how the training stands, and what became of commands. These
go to standard output, as do troubles.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

from mindinsight_like.profiler.collector.courier import Courier
from mindinsight_like.profiler.collector.order import Order


def main() -> int:
    """Carry until the training has ended."""

    def tell(told: dict[str, Any]) -> None:
        try:
            print(json.dumps(told), flush=True)
        except OSError:  # the training has gone
            courier.end()

    lines = _lines(sys.stdin.fileno())
    courier = Courier(Order(**json.loads(next(lines))), tell=tell)
    threading.Thread(target=_listen, args=(lines, courier), name="training", daemon=True).start()
    courier.run()
    return 0


def _listen(lines: Iterator[bytes], courier: Courier) -> None:
    for line in lines:
        courier.hear(line)
    courier.end()


def _lines(descriptor: int) -> Iterator[bytes]:
    """Lines as they come. Not by way of `sys.stdin`, whose lock a waiting thread would hold when Python ends."""
    rest = b""
    while said := os.read(descriptor, 65_536):
        *lines, rest = (rest + said).split(b"\n")
        yield from lines
