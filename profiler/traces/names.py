"""Recognition of profiler files by name and folder, and the run that they belong to.

Profilers put folders of their own between a run and their files: `X/plugins/profile/<time>/`, `X/profiler/`,
`X/<worker>_<time>_ascend_ms/`, `X/PROF_…/`. Such a file belongs to X, so that scalars and profiles are one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

_STRUCTURE = re.compile(
    r"(?:^|/)(?:plugins/profile|profiler(?:-[^/]*)?|[^/]*_ascend_(?:ms|pt)|PROF_\w+|ASCEND_PROFILER_OUTPUT|FRAMEWORK)(?=/|$)"
)
# Where people tell profilers to put those folders, beside the logs of the run.
_WRAPPERS: Final = frozenset({"profiler_output", "profiler_data", "profiles", "profile", "profiling", "prof"})
# Of these the names alone are enough, wherever they lie.
_TELLING = re.compile(
    r"(?:\.pt\.trace\.json|\.xplane\.pb|\.paddle_trace\.(?:json|pb)|\.mi-trace|\.slice_\d+"
    r"|^(?:host|dev)_(?:start|end)\.log\.\d+|^pipeline_profiling_\d+\.json)(?:\.gz)?$"
)
# In folders of profilers: what readers read. The rest are logs, marks, and dumps that only the vendor's tools unpack.
_CONTENT = re.compile(
    rf"{_TELLING.pattern}|\.(?:csv|json|txt|db|pb)(?:\.gz)?$|^(?:start_info|end_info|info\.json)\.\d+(?:\.gz)?$"
)
_ENDINGS: Final = (".json", ".gz", ".pb", ".mi-trace", ".csv", ".txt", ".db")


class Home(NamedTuple):
    """The run of a profile file."""

    run: str
    is_job: bool  # a folder of raw dumps: a run of its own, unless there are logs in the folder that it lies in


def profiler_files(folder: str, files: Iterable[str]) -> set[str]:
    """Which files of a folder are a profiler's; JSON files of other names are told by their first bytes."""
    pattern = _TELLING if _STRUCTURE.search(folder) is None else _CONTENT
    # The look at the ending is for folders with many other files.
    candidates = [file for file in files if (file.endswith(_ENDINGS) or file[-1:].isdigit()) and pattern.search(file)]
    if "PROF_" in folder:  # slices there are dumps that nobody but the vendor's tools can unpack
        candidates = [file for file in candidates if ".slice_" not in file]
    return {file for file in candidates if _readers(folder, file) - {"chrome"}}


def home_of(folder: str, file: str) -> Home:
    """The run of a profile file that lies in a folder below the base dir, `.` for the base dir itself."""
    if (structure := _STRUCTURE.search(folder)) is not None:
        return Home(_unwrapped(folder[: structure.start()]), is_job=False)
    if _readers(folder, file) == {"ascend_job"}:
        return Home(_job(folder), is_job=True)
    return Home(_unwrapped(folder), is_job=False)


def _readers(folder: str, file: str) -> set[str]:
    from mindinsight_like.profiler.traces.sources import sources_of  # most folders have no profiles

    return {source.reader for source in sources_of([f"{folder}/{file}"])}


def _unwrapped(folder: str) -> str:
    above, _, last = folder.rpartition("/")
    return above if above and last in _WRAPPERS else folder or "."


def _job(folder: str) -> str:
    """The folder of a job, whose files may lie in `data`, and in containers in `container/<device>/data`."""
    above, _, last = folder.rpartition("/")
    if not above or last != "data":
        return folder
    container, _, device = above.rpartition("/")
    return container if device.isdecimal() and container.rpartition("/")[2] == "container" else above
