"""The supervisor process of one service; started by `app start` with all settings in its environment."""

from __future__ import annotations

import logging
import os
import sys
from logging.handlers import WatchedFileHandler

from mindinsight_like.conf.settings import Settings
from mindinsight_like.service import processes, state
from mindinsight_like.service.log_files import LogFiles
from mindinsight_like.service.supervisor import COLLECTOR, LOADER, WEB, Supervisor


def main() -> int:
    settings = Settings.from_environment(os.environ)
    log_files = LogFiles.of(settings.workspace)
    logging.basicConfig(
        level=logging.INFO,
        format=f"%(asctime)s %(levelname)s [port {settings.port}, pid %(process)d] %(message)s",
        handlers=[WatchedFileHandler(log_files.supervisor)],
    )
    try:
        arguments = processes.arguments(settings)
        return Supervisor(
            log_files,
            web=(*WEB, *arguments),
            loader=(*LOADER, *arguments),
            collector=(*COLLECTOR, *arguments) if settings.collector_port else (),
            on_round=lambda: state.touch(settings.workspace, settings.port),
        ).run()
    finally:
        state.remove(settings.workspace, settings.port, os.environ.get("MINDINSIGHT_SERVICE_ID", ""))


if __name__ == "__main__":
    sys.exit(main())
