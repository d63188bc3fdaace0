"""Environments for programs that are measured beside us, so that none of them gets into ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def make_environment(folder: Path, packages: Sequence[str]) -> Path:
    """The Python of an environment with these packages, made at the first call."""
    ready = folder / "ready"
    wanted = "\n".join(packages)
    if not ready.exists() or ready.read_text() != wanted:
        print(f"installing {', '.join(packages)} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", *packages], check=True)
        ready.write_text(wanted)
    return folder / "bin" / "python"
