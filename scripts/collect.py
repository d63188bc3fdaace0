"""`app collect`: send metrics of this machine to a service, as a run."""

from __future__ import annotations

import re
import signal
import socket
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from types import FrameType
from typing import Any

from mindinsight_like.errors import OperationError
from mindinsight_like.profiler.collector.attached import default_spool
from mindinsight_like.profiler.collector.tokens import sending_token
from mindinsight_like.scripts.options import local_path


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--server", required=True, type=_address, metavar="HOST:PORT", help="collector address of the service"
    )
    parser.add_argument("--run", required=True, metavar="NAME", help="run that the metrics are added to")
    parser.add_argument(
        "--spool", type=local_path, metavar="DIR", help="directory that buffers data while the service is unreachable"
    )
    parser.add_argument("--token", metavar="TOKEN", help="access token of the service (or MINDINSIGHT_COLLECTOR_TOKEN)")
    parser.add_argument(
        "--token-file", type=local_path, metavar="FILE", help="file whose first line is the access token"
    )
    parser.add_argument(
        "--ca",
        type=local_path,
        metavar="FILE",
        help="connect with TLS and trust these CA certificates; 'system' uses those of this machine",
    )
    parser.add_argument(
        "--pid", type=int, default=0, metavar="PID", help="process whose memory and CPU time are reported separately"
    )
    parser.add_argument(
        "--interval", type=_seconds, default=1.0, metavar="S", help="seconds between samples (default: 1)"
    )


def run(arguments: Namespace) -> int:
    try:
        from mindinsight_like.profiler.collector.courier import Courier, Refused
        from mindinsight_like.profiler.collector.start_message import CourierConfig
    except ImportError as error:
        raise OperationError(f"the collector needs {error.name}: pip install grpcio protobuf psutil") from error
    config = CourierConfig(
        server=arguments.server,
        run=arguments.run,
        spool=str(Path(arguments.spool or default_spool()).absolute()),
        token=_token(arguments),
        ca=str(arguments.ca or ""),
        host=socket.gethostname() or "localhost",
        process=arguments.pid,
        interval=arguments.interval,
    )
    try:
        courier = Courier(config, tell=_tell)
    except OSError as error:
        raise OperationError(f"cannot write to {config.spool}: {error.strerror}") from error

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


def _token(arguments: Namespace) -> str:
    try:
        return sending_token(arguments.token or "", str(arguments.token_file or ""))
    except OSError as error:
        raise OperationError(f"cannot read the token: {error.filename}: {error.strerror}") from error


def _tell(message: dict[str, Any]) -> None:
    if "trouble" in message:
        print(message["trouble"], file=sys.stderr, flush=True)
    elif message.get("is_connected"):
        print("connected", flush=True)


def _address(text: str) -> str:
    if not re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):[0-9]{1,5}", text):
        raise ArgumentTypeError(f"{text!r} is not an address such as host:8090")
    return text


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text) or float(text) < 0.1:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds >= 0.1")
    return float(text)
