import os

from setuptools import Extension, find_packages, setup

PACKAGE = "mindinsight_like"
FOLDERS = {PACKAGE: PACKAGE} | {
    f"{PACKAGE}.{folder}": folder for folder in ("profiler", "lineage", "ui", "conf", "scripts")
}
# Products and sums are rounded each on their own, so that the native modules give the very numbers of their twins.
FLAGS = [os.environ.get("MINDINSIGHT_OPTIMISE", "-O3"), "-ffp-contract=off"] if os.name == "posix" else []
NATIVE = {
    f"{PACKAGE}.logs._scan": "mindinsight_like/logs/_scan.pyx",
    f"{PACKAGE}.store._curves": "mindinsight_like/store/_curves.pyx",
    f"{PACKAGE}.profiler.traces._events": "profiler/traces/_events.pyx",
    f"{PACKAGE}.profiler.traces._planes": "profiler/traces/_planes.pyx",
    f"{PACKAGE}.profiler.analysis._nesting": "profiler/analysis/_nesting.pyx",
    f"{PACKAGE}.profiler.analysis._grouping": "profiler/analysis/_grouping.pyx",
    f"{PACKAGE}.profiler.analysis._intervals": "profiler/analysis/_intervals.pyx",
    f"{PACKAGE}.profiler.analysis._drawing": "profiler/analysis/_drawing.pyx",
    f"{PACKAGE}.profiler.training._slices": "profiler/training/_slices.pyx",
}
HEADERS = {f"{PACKAGE}.profiler.traces._events": ["profiler/traces/_tokens.h"]}

setup(
    package_dir=FOLDERS,
    packages=[
        ".".join(filter(None, (package, sub)))
        for package, folder in FOLDERS.items()
        for sub in ("", *find_packages(folder))
    ],
    include_package_data=False,
    package_data={
        PACKAGE: ["py.typed"],
        f"{PACKAGE}.logs": ["*.pyi"],
        f"{PACKAGE}.store": ["*.pyi"],
        f"{PACKAGE}.profiler": ["*.proto"],
        f"{PACKAGE}.profiler.analysis": ["*.pyi"],
        f"{PACKAGE}.profiler.training": ["*.pyi"],
        f"{PACKAGE}.profiler.traces": ["*.pyi"],
        f"{PACKAGE}.ui": ["dist/**/*"],
    },
    options={"build_ext": {"parallel": os.cpu_count()}},
    # optional: without a compiler the install goes on with the Python twins, which the service says at start.
    ext_modules=[
        Extension(name, [source], optional=True, extra_compile_args=FLAGS, depends=HEADERS.get(name, []))
        for name, source in NATIVE.items()
    ],
)
