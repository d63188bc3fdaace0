"""`app collect`: send metrics of this machine to a service, as a run."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from types import FrameType
from typing import Any

from mindinsight_like.profiler.collector.attached import default_spool
from mindinsight_like.service.errors import OperationError


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--server", required=True, type=_address, metavar="HOST:PORT", help="the service's collector")
    parser.add_argument("--run", required=True, metavar="NAME", help="run that the metrics become part of")
    parser.add_argument("--spool", metavar="DIR", help="where things wait while the service is away; a folder of yours")
    parser.add_argument("--token", metavar="TOKEN", help="secret of the service (or MINDINSIGHT_TOKEN)")
    parser.add_argument("--ca", metavar="FILE", help="connect encrypted, trusting these certificates; or: system")
    parser.add_argument("--pid", type=int, default=0, metavar="PID", help="process whose memory is told apart")
    parser.add_argument("--interval", type=_seconds, default=1.0, metavar="S", help="seconds between samples (1)")


def run(arguments: Namespace) -> int:
    try:
        from mindinsight_like.profiler.collector.courier import Courier, Refused
        from mindinsight_like.profiler.collector.order import Order
    except ImportError as error:
        raise OperationError(f"the collector needs {error.name}: pip install grpcio protobuf psutil") from error
    order = Order(
        server=arguments.server,
        run=arguments.run,
        spool=str(Path(arguments.spool or default_spool()).absolute()),
        token=arguments.token or os.environ.get("MINDINSIGHT_TOKEN", ""),
        ca=arguments.ca or "",
        host=socket.gethostname() or "localhost",
        process=arguments.pid,
        interval=arguments.interval,
    )
    try:
        courier = Courier(order, tell=_tell)
    except OSError as error:
        raise OperationError(f"cannot write to {order.spool}: {error.strerror}") from error

    def end(number: int, frame: FrameType | None) -> None:
        courier.end()
        signal.signal(number, signal.SIG_DFL)  # who asks twice does not want to wait

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    try:
        courier.run()
    except Refused as refusal:
        raise OperationError(str(refusal)) from refusal
    return 0


def _tell(told: dict[str, Any]) -> None:
    if "trouble" in told:
        print(told["trouble"], file=sys.stderr, flush=True)
    elif told.get("is_connected"):
        print("connected", flush=True)


def _address(text: str) -> str:
    if not re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):[0-9]{1,5}", text):
        raise ArgumentTypeError(f"{text!r} is not an address as in host:8090")
    return text


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text) or float(text) < 0.1:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0.1 on")
    return float(text)
