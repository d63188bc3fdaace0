"""LRU cache of scanners, so that growing files do not load their keys again for every slice."""

from __future__ import annotations

from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.store.files import TrackedFile

_MOST_SCANNERS = 256
_MOST_KEYS = 1_500_000  # of all scanners together: about 100 MB

_State = tuple[int, bool, bytes]


class ScannerCache:
    """Scanners by the name of their file, each good only for the very place where it stopped."""

    def __init__(self) -> None:
        self._scanners: dict[str, tuple[_State, Scanner]] = {}  # the one used last comes last
        self._keys = 0

    def take(self, file: TrackedFile) -> Scanner | None:
        """The scanner that has read the file up to its position; it leaves the cache."""
        state, scanner = self._scanners.pop(file.name, (None, None))
        if scanner is None:
            return None
        self._keys -= len(scanner)
        return scanner if state == _state(file) else None

    def put(self, file: TrackedFile, scanner: Scanner) -> None:
        self.take(file)
        self._scanners[file.name] = _state(file), scanner
        self._keys += len(scanner)
        while len(self._scanners) > _MOST_SCANNERS or self._keys > _MOST_KEYS:
            oldest = next(iter(self._scanners))
            self._keys -= len(self._scanners.pop(oldest)[1])


def _state(file: TrackedFile) -> _State:
    return file.position, file.damaged, file.mark
