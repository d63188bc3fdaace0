"""Write what is generated from .proto files: `python -m tests.schemas`; with `--check`, only say what is stale."""

from __future__ import annotations

import sys
from pathlib import Path

from .generated import ROOT, generated_files


def main(arguments: list[str]) -> int:
    stale = {path: content for path, content in generated_files().items() if _content(path) != content}
    for path, content in stale.items():
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is out of date: python -m tests.schemas", file=sys.stderr)
        else:
            path.write_bytes(content)
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in arguments else 0


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
