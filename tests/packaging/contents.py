"""Check that a wheel holds the page and the compiled modules: builds without them succeed silently.

Used by `make wheel` on its result and by the tests. With `--release`, the wheel must also be fit for other machines:
tagged manylinux, its modules without symbols and debug information.
"""

from __future__ import annotations

import io
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

EXPECTED = (
    "mindinsight_like/ui/dist/index.html",
    "mindinsight_like/ui/dist/routes.json",
    "mindinsight_like/ui/dist/assets/*.js",
    "mindinsight_like/ui/dist/assets/*.css",
    "mindinsight_like/logs/_scan.*.so",
    "mindinsight_like/trackers/_records.*.so",
    "mindinsight_like/trackers/_cells.*.so",
    "mindinsight_like/store/segments/_curves.*.so",
    "mindinsight_like/store/database/_pages.*.so",
    "mindinsight_like/profiler/analysis/columns/_nesting.*.so",
    "mindinsight_like/profiler/analysis/columns/_grouping.*.so",
    "mindinsight_like/profiler/analysis/columns/_intervals.*.so",
    "mindinsight_like/profiler/analysis/columns/_drawing.*.so",
    "mindinsight_like/profiler/training/_slices.*.so",
    "mindinsight_like/profiler/traces/_events.*.so",
    "mindinsight_like/profiler/traces/_planes.*.so",
    "mindinsight_like/conf/settings.py",
    "mindinsight_like/scripts/cli.py",
    "mindinsight_like/profiler/__init__.py",
    "mindinsight_like/profiler/collector.desc",
    "mindinsight_like/lineage/__init__.py",
    "mindinsight_like/py.typed",
    "*.dist-info/licenses/LICENSE",
)
UNWANTED = ("*/node_modules/*", "*/ui/src/*", "tests/*", "*.pyx", "*.pxi", "*.c", "*.h", "*/package.json")


def missing(wheel: Path) -> list[str]:
    """Patterns that no file of the wheel fits."""
    names = zipfile.ZipFile(wheel).namelist()
    return [pattern for pattern in EXPECTED if not any(fnmatch(name, pattern) for name in names)]


def unwanted(wheel: Path) -> list[str]:
    """Files that have no business in a wheel."""
    names = zipfile.ZipFile(wheel).namelist()
    return [name for name in names if any(fnmatch(name, pattern) for pattern in UNWANTED)]


def not_released(wheel: Path) -> list[str]:
    """Why a wheel cannot be given to others."""
    from elftools.elf.elffile import ELFFile  # comes with auditwheel

    problems = [] if "-manylinux" in wheel.name else ["is not tagged manylinux"]
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".so"):
                sections = {section.name for section in ELFFile(io.BytesIO(archive.read(name))).iter_sections()}
                if ".symtab" in sections or any(section.startswith(".debug") for section in sections):
                    problems.append(f"{name} is not stripped")
    return problems


def main(arguments: list[str]) -> int:
    is_release = "--release" in arguments
    wheels = [Path(argument) for argument in arguments if not argument.startswith("--")]
    failures = 0
    for wheel in wheels:
        problems = [f"has no {pattern}" for pattern in missing(wheel)]
        problems += [f"should not have {name}" for name in unwanted(wheel)]
        problems += not_released(wheel) if is_release else []
        for problem in problems:
            print(f"{wheel}: {problem}", file=sys.stderr)
        if not problems:
            print(f"{wheel}: complete")
        failures += len(problems)
    return 1 if failures or not wheels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
