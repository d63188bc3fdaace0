"""The endpoint process of a service: receives from collectors until it is stopped or its supervisor has gone."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any

import grpc

from mindinsight_like.access.tokens import Tokens
from mindinsight_like.conf.settings import Settings
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.profiler.collector.endpoint.arrivals import Arrivals
from mindinsight_like.profiler.collector.endpoint.connections import Connections, decode
from mindinsight_like.profiler.collector.endpoint.ledger import Ledger
from mindinsight_like.profiler.collector.endpoint.peers import PeerCheck
from mindinsight_like.profiler.collector.messages import LARGEST_MESSAGE, METHOD, message_class
from mindinsight_like.profiler.collector.trainings import Trainings
from mindinsight_like.service.log_files import LogFiles

log = logging.getLogger("mindinsight_like.collector")

_MOST_CONNECTIONS = 4096
_GRACE_SECONDS = 1.0
_OPTIONS = (
    ("grpc.so_reuseport", 0),  # two services on one port would each get half of the trainings
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    ("grpc.keepalive_time_ms", 20_000),  # so that a machine that went away is noticed
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


def main() -> None:
    settings = Settings.from_environment(os.environ)
    handler = WatchedFileHandler(LogFiles.of(settings.workspace).collector)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    base_dir = settings.summary_base_dir
    dirs = BaseDirs(str(base_dir), tuple((each.name, str(each.path)) for each in settings.projects))
    trainings = Trainings(settings.workspace, settings.port)
    trainings.begin()
    ledger = Ledger(settings.workspace / "collector" / "arrivals.sqlite", base_dir)
    connections = Connections(
        Arrivals(ledger, dirs),
        trainings,
        dirs=dirs,
        tokens=Tokens(settings),
        peers=PeerCheck(settings),
    )
    server = grpc.aio.server(options=_OPTIONS, maximum_concurrent_rpcs=_MOST_CONNECTIONS)
    service, _, method = METHOD.removeprefix("/").rpartition("/")
    handler = grpc.stream_stream_rpc_method_handler(
        connections.connect,
        request_deserializer=decode,
        response_serializer=message_class("FromService").SerializeToString,
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    _listen(server, settings)
    await server.start()
    log.info("listening on %s, writing below %s", settings.collector_bind, settings.served)
    passing = asyncio.create_task(connections.pass_commands_on())
    await _stop_requested()
    passing.cancel()
    await server.stop(_GRACE_SECONDS)
    ledger.close()
    log.info("stopped")


def _listen(server: Any, settings: Settings) -> None:
    if settings.collector_certificate:
        pair = (Path(settings.collector_key).read_bytes(), Path(settings.collector_certificate).read_bytes())
        server.add_secure_port(settings.collector_bind, grpc.ssl_server_credentials([pair]))
    else:
        server.add_insecure_port(settings.collector_bind)


async def _stop_requested() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    parent = os.getppid()
    while not stop.is_set() and os.getppid() == parent:
        try:
            await asyncio.wait_for(stop.wait(), 1.0)
        except asyncio.TimeoutError:  # a class of its own before Python 3.11
            continue


if __name__ == "__main__":
    main()
