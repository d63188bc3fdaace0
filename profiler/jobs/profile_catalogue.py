"""Catalogue of the profiles in an index."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mindinsight_like.profiler.traces.files import Source
from mindinsight_like.profiler.traces.sources import sources_of
from mindinsight_like.profiler.traces.trace import NOTHING
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import ProfileFile

_VERSION = 17  # raised whenever readers, analyses or their files change, so that profiles are analysed anew
_TOOLS = {
    "kineto": "torch",
    "paddle_json": "paddle",
    "paddle_message": "paddle",
    "xplane": "jax",
    "ascend_job": "ascend",
    "own": "mindinsight_like",
}


@dataclass(frozen=True)
class IndexedProfile:
    """One recording of one rank."""

    id: str
    run: str  # id of the run
    run_name: str
    source: Source
    bytes: int
    content: str  # another one when any of its files has changed
    modified_at: float  # unix time of the last change of its files

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


class ProfileCatalogue:
    """All profiles of an index; found again when it has changed."""

    def __init__(self, reader: Callable[[], IndexReader]) -> None:
        self._reader = reader
        self._cached: tuple[int, dict[str, IndexedProfile]] = (-1, {})
        self._lock = threading.Lock()

    def all(self) -> dict[str, IndexedProfile]:
        """By id, run by run in the order of their names."""
        with self._lock:
            reader = self._reader()
            cursor = reader.runs.cursor()  # before the files: a change in between is looked at again
            if self._cached[0] != cursor:
                self._cached = cursor, profiles_in(reader.runs.profile_files())
            return self._cached[1]

    def of_run(self, run: str) -> list[IndexedProfile]:
        return [profile for profile in self.all().values() if profile.run == run]

    def of_session(self, session: str) -> list[IndexedProfile]:
        """By rank; ranks may have runs of their own, as in `rank_0/` and `rank_1/`."""
        return [profile for profile in self.all().values() if profile.source.session == session]


def profiles_in(files: Sequence[ProfileFile]) -> dict[str, IndexedProfile]:
    """The profiles that files are, by run, session and rank."""
    by_name = {file.name: file for file in files}
    profiles = []
    for source in sources_of(list(by_name)):
        own = [by_name[name] for name in source.files]
        profiles.append(
            IndexedProfile(
                id=_digest(own[0].run, source.reader, source.main, source.rank),
                run=own[0].run,
                run_name=own[0].run_name,
                source=source,
                bytes=sum(file.size for file in own),
                content=_digest(_VERSION, *map(_state, own)),
                modified_at=max(file.mtime_ns for file in own) / 1e9,
            )
        )
    profiles.sort(key=lambda profile: (profile.run_name, profile.source.session, profile.source.rank))
    return {profile.id: profile for profile in profiles}


def _state(file: ProfileFile) -> tuple[object, ...]:
    """What is another one when a file was written to or replaced, whatever its times say."""
    return file.name, file.size, file.mtime_ns, file.inode, file.ctime_ns


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
