"""The courier process that a `Profiler` starts; it talks JSON lines over stdin and stdout.

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
from mindinsight_like.profiler.collector.start_message import CourierConfig


def main() -> int:
    """Carry until the training has ended."""

    def tell(message: dict[str, Any]) -> None:
        try:
            print(json.dumps(message), flush=True)
        except OSError:  # the training has gone
            courier.end()

    lines = _lines(sys.stdin.fileno())
    courier = Courier(CourierConfig(**json.loads(next(lines))), tell=tell)
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
    while chunk := os.read(descriptor, 65_536):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
