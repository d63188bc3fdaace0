"""Check the import contracts of pyproject.toml: `python -m tests.plan`.

import-linter looks for modules below the folder of the root package, but profiler, lineage, conf and scripts lie
beside it. It gets a copy in which every folder is where it is installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAPPED_FOLDERS = ("profiler", "lineage", "conf", "scripts")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "mindinsight_like")
        python_only = shutil.ignore_patterns("*.so", "*.c", "*.pyx", "__pycache__")
        shutil.copytree(ROOT / "mindinsight_like", package, ignore=python_only)
        for name in MAPPED_FOLDERS:
            shutil.copytree(ROOT / name, package / name, ignore=python_only)
        linter = Path(sys.executable).with_name("lint-imports")
        command: list[str | Path] = [linter, "--config", ROOT / "pyproject.toml", "--no-cache"]
        return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
