"""The authentication token of a collector. Standard library only, because trainings import it."""

from __future__ import annotations

import os
from pathlib import Path


def sending_token(token: str = "", file: str = "") -> str:
    """The token given, or the first of a file, else that of the environment; raises OSError for a file.

    Looked for are MINDINSIGHT_COLLECTOR_TOKEN, MINDINSIGHT_COLLECTOR_TOKEN_FILE and MINDINSIGHT_TOKEN.
    """
    if token:
        return token
    if not file:
        if token := os.environ.get("MINDINSIGHT_COLLECTOR_TOKEN", ""):
            return token
        file = os.environ.get("MINDINSIGHT_COLLECTOR_TOKEN_FILE", "")
    if not file:
        return os.environ.get("MINDINSIGHT_TOKEN", "")
    lines = (line.strip() for line in Path(file).expanduser().read_text(errors="replace").splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")
