import os
from pathlib import Path

from setuptools import Extension, find_packages, setup

PACKAGE = "mindinsight_like"
FOLDERS = {PACKAGE: PACKAGE} | {
    f"{PACKAGE}.{folder}": folder for folder in ("profiler", "lineage", "ui", "conf", "scripts")
}
# Products and sums are rounded each on their own, so that the native modules give the very numbers of their twins.
FLAGS = [os.environ.get("MINDINSIGHT_OPTIMISE", "-O3"), "-ffp-contract=off"] if os.name == "posix" else []
NATIVE = {
    f"{PACKAGE}.logs._scan": "mindinsight_like/logs/_scan.pyx",
    f"{PACKAGE}.store.database._pages": "mindinsight_like/store/database/_pages.pyx",
    f"{PACKAGE}.store.segments._curves": "mindinsight_like/store/segments/_curves.pyx",
    f"{PACKAGE}.trackers._records": "mindinsight_like/trackers/_records.pyx",
    f"{PACKAGE}.trackers._cells": "mindinsight_like/trackers/_cells.pyx",
    f"{PACKAGE}.profiler.traces._events": "profiler/traces/_events.pyx",
    f"{PACKAGE}.profiler.traces._planes": "profiler/traces/_planes.pyx",
    f"{PACKAGE}.profiler.analysis.columns._nesting": "profiler/analysis/columns/_nesting.pyx",
    f"{PACKAGE}.profiler.analysis.columns._grouping": "profiler/analysis/columns/_grouping.pyx",
    f"{PACKAGE}.profiler.analysis.columns._intervals": "profiler/analysis/columns/_intervals.pyx",
    f"{PACKAGE}.profiler.analysis.columns._drawing": "profiler/analysis/columns/_drawing.pyx",
    f"{PACKAGE}.profiler.training._slices": "profiler/training/_slices.pyx",
}


def parts(folder: str) -> list[str]:
    """The files that a native module includes."""
    return sorted(str(path) for path in Path(folder).glob("*.pxi"))


INCLUDED = {
    f"{PACKAGE}.logs._scan": ["mindinsight_like/logs/_crc.h", *parts("mindinsight_like/logs/native")],
    f"{PACKAGE}.store.database._pages": ["mindinsight_like/logs/_crc.h", "mindinsight_like/store/database/_pages.h"],
    f"{PACKAGE}.trackers._records": [
        "mindinsight_like/logs/_crc.h",
        "mindinsight_like/logs/native/wire.pxi",
        "mindinsight_like/trackers/_records.h",
        *parts("mindinsight_like/trackers/native"),
    ],
    f"{PACKAGE}.profiler.traces._events": ["profiler/traces/_tokens.h", *parts("profiler/traces/native")],
    f"{PACKAGE}.profiler.traces._planes": ["profiler/traces/native/xplane_fields.pxi"],
}

setup(
    package_dir=FOLDERS,
    packages=[
        ".".join(filter(None, (package, sub)))
        for package, folder in FOLDERS.items()
        for sub in ("", *find_packages(folder))
    ],
    include_package_data=False,
    package_data={
        "": ["*.pyi"],
        PACKAGE: ["py.typed"],
        f"{PACKAGE}.profiler": ["*.proto", "*.desc"],
        f"{PACKAGE}.ui": ["dist/**/*"],
    },
    options={"build_ext": {"parallel": os.cpu_count()}},
    # optional: without a compiler the install goes on with the Python twins, which the service says at start.
    ext_modules=[
        Extension(name, [source], optional=True, extra_compile_args=FLAGS, depends=INCLUDED.get(name, []))
        for name, source in NATIVE.items()
    ],
)
