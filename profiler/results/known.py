"""The profiles that an index knows: which recordings its files are."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from mindinsight_like.profiler.traces.files import Source
from mindinsight_like.profiler.traces.sources import sources_of
from mindinsight_like.profiler.traces.trace import NOTHING
from mindinsight_like.store.answers import ProfileFile
from mindinsight_like.store.reading import IndexReader

_VERSION = 1  # raised whenever readers, analyses or their files change, so that profiles are analysed anew
_TOOLS = {
    "kineto": "torch",
    "paddle_json": "paddle",
    "paddle_message": "paddle",
    "xplane": "jax",
    "ascend_job": "ascend",
    "own": "mindinsight_like",
}


@dataclass(frozen=True)
class KnownProfile:
    """One recording of one rank."""

    id: str
    run: str  # id of the run
    run_name: str
    source: Source
    bytes: int
    content: str  # another one when any of its files has changed

    @property
    def rank(self) -> int | None:
        return None if self.source.rank == NOTHING else self.source.rank

    @property
    def name(self) -> str:
        return self.source.main.rpartition("/")[2]

    @property
    def tool(self) -> str:
        """Whose recording it is as far as names tell; the reader may know better."""
        return _TOOLS.get(self.source.reader, self.source.reader)


class KnownProfiles:
    """All profiles of an index; found again when it has changed."""

    def __init__(self, reader: Callable[[], IndexReader]) -> None:
        self._reader = reader
        self._found: tuple[int, dict[str, KnownProfile]] = (-1, {})
        self._lock = threading.Lock()

    def all(self) -> dict[str, KnownProfile]:
        """By id, run by run in the order of their names."""
        with self._lock:
            reader = self._reader()
            cursor = reader.cursor()  # before the files: a change in between is looked at again
            if self._found[0] != cursor:
                self._found = cursor, profiles_in(reader.profile_files())
            return self._found[1]

    def of_run(self, run: str) -> list[KnownProfile]:
        return [profile for profile in self.all().values() if profile.run == run]


def profiles_in(files: Sequence[ProfileFile]) -> dict[str, KnownProfile]:
    """The profiles that files are, which must be sorted by run."""
    found: dict[str, KnownProfile] = {}
    for run, members in groupby(files, key=lambda file: file.run):
        of_run = {file.name: file for file in members}
        for source in sources_of(list(of_run)):
            own = [of_run[name] for name in source.files]
            profile = KnownProfile(
                id=_digest(run, source.reader, source.main, source.rank),
                run=run,
                run_name=own[0].run_name,
                source=source,
                bytes=sum(file.size for file in own),
                content=_digest(_VERSION, *((file.name, file.size, file.mtime_ns) for file in own)),
            )
            found[profile.id] = profile
    return found


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
