"""Check that a wheel holds the page and the compiled modules: builds without them succeed silently.

Used by `make wheel` on its result and by the tests.
"""

from __future__ import annotations

import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

EXPECTED = (
    "mindinsight_like/ui/dist/index.html",
    "mindinsight_like/ui/dist/assets/*.js",
    "mindinsight_like/ui/dist/assets/*.css",
    "mindinsight_like/logs/_scan.*.so",
    "mindinsight_like/store/_curves.*.so",
    "mindinsight_like/profiler/analysis/_nesting.*.so",
    "mindinsight_like/profiler/analysis/_grouping.*.so",
    "mindinsight_like/profiler/analysis/_intervals.*.so",
    "mindinsight_like/profiler/analysis/_drawing.*.so",
    "mindinsight_like/profiler/training/_slices.*.so",
    "mindinsight_like/profiler/traces/_events.*.so",
    "mindinsight_like/profiler/traces/_planes.*.so",
    "mindinsight_like/conf/settings.py",
    "mindinsight_like/scripts/cli.py",
    "mindinsight_like/profiler/__init__.py",
    "mindinsight_like/lineage/__init__.py",
    "mindinsight_like/py.typed",
    "*.dist-info/licenses/LICENSE",
)
UNWANTED = ("*/node_modules/*", "*/ui/src/*", "tests/*", "*.pyx", "*.c", "*/package.json")


def missing(wheel: Path) -> list[str]:
    """Patterns that no file of the wheel fits."""
    names = zipfile.ZipFile(wheel).namelist()
    return [pattern for pattern in EXPECTED if not any(fnmatch(name, pattern) for name in names)]


def unwanted(wheel: Path) -> list[str]:
    """Files that have no business in a wheel."""
    names = zipfile.ZipFile(wheel).namelist()
    return [name for name in names if any(fnmatch(name, pattern) for pattern in UNWANTED)]


def main(wheels: list[str]) -> int:
    failures = 0
    for wheel in map(Path, wheels):
        lacks, holds = missing(wheel), unwanted(wheel)
        for pattern in lacks:
            print(f"{wheel}: has no {pattern}", file=sys.stderr)
        for name in holds:
            print(f"{wheel}: should not have {name}", file=sys.stderr)
        if not lacks and not holds:
            print(f"{wheel}: complete")
        failures += len(lacks) + len(holds)
    return 1 if failures or not wheels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
