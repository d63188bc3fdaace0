"""The web server of a service: gunicorn, started by the supervisor with all settings in its environment.

Its arguments say nothing to it; they let `ps` tell one service from another.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

_ARGUMENTS = ("-c", "python:mindinsight_like.app.gunicorn", "mindinsight_like.app.application:create()")


def main() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text("gunicorn")  # what lsof and top call it, and its workers
    sys.argv[1:] = _ARGUMENTS

    from gunicorn.app.wsgiapp import run

    run()


if __name__ == "__main__":
    main()
