"""The interface keeps what its description promises: all operations, with requests that schemathesis makes of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.recording import record
from tests.conftest import RunningService

# A request may be of the right shape and still ask for what is not there, such as an unknown column or an empty range.
UNFIT_CHECKS = "positive_data_acceptance"


def test_every_operation_answers_as_described(service: Callable[..., RunningService], tmp_path: Path) -> None:
    record(DemoFolder(tmp_path / "logs"), Recipe(3, 1), now=1.75e9)
    running = service(tmp_path / "logs")

    # One worker: CPython 3.11 counts the depth of syntax trees per interpreter, so two threads that parse at once fail.
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{running.address}/v1/openapi.json"),
            *("--phases", "coverage,fuzzing", "--max-examples", "2", "--generation-deterministic"),
            *("--exclude-checks", UNFIT_CHECKS, "--warnings", "off", "--no-color", "--no-shrink"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "Tested: " in done.stdout
    assert "Traceback" not in (running.workspace / "log" / "gunicorn" / "error.log").read_text()
