"""Disk cache of embedding vectors: checksummed .npy files, memory-mapped by many processes, created on first use."""

from __future__ import annotations

import io
import logging
import mmap
import os
import threading
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.lru_eviction import evict
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.segments.sealing import BrokenSeal, Seal, file_state, number_for, seal
from mindinsight_like.values.embeddings.labelled_vectors import LabelledVectors

_MOST_BYTES = 2 * 2**30
_MOST_VERIFIED = 1000
_TOUCH_SECONDS = 60.0

log = logging.getLogger(__name__)


class Matrices:
    """The vectors of embeddings below a folder, by their content."""

    def __init__(self, folder: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._verified: dict[Path, tuple[int, int, int]] = {}  # states of files

    @classmethod
    def beside(cls, reader: IndexReader) -> Matrices:
        """Those of the logs that an index is of."""
        return cls(reader.folder / "embeddings")

    def vectors(self, embedding: LabelledVectors) -> NDArray[np.float32]:
        """The vectors, in memory only as far as they are looked at; raises BadValue."""
        path = self._folder / f"{embedding.content}.npy"
        if (vectors := self._open(path)) is not None:
            return vectors
        with self._lock:  # two questions at once about a large text should not both read it
            if (vectors := self._open(path)) is None:
                vectors = np.ascontiguousarray(embedding.vectors(), "<f4")
                self._store(path, vectors)
        return vectors

    def _open(self, path: Path) -> NDArray[np.float32] | None:
        """What a file holds; None when it is not there, or damaged. It stays readable when it is removed meanwhile."""
        try:
            if time.time() - path.stat().st_mtime > _TOUCH_SECONDS:
                os.utime(path)  # it has been used
            self._verify(path)
            vectors: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            return None
        except (BrokenSeal, ValueError) as error:  # an empty file cannot be mapped
            log.warning("reading vectors again, %s is damaged: %s", path, error)
            path.unlink(missing_ok=True)
            return None
        return vectors

    def _verify(self, path: Path) -> None:
        """Make sure that a file is what was written, once for each of its states; raises BrokenSeal, ValueError."""
        state = file_state(path)
        if self._verified.get(path) == state:
            return
        with path.open("rb") as file:
            Seal(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), number_for(path.name)).verify()
        if len(self._verified) >= _MOST_VERIFIED:
            self._verified.clear()
        self._verified[path] = state

    def _store(self, path: Path, vectors: NDArray[np.float32]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        with part.open("wb") as file:
            file.writelines(seal(npy(vectors), number_for(path.name)))
        part.replace(path)
        evict(self._folder, self._most_bytes, may_go=lambda other: other != path)


def npy(array: NDArray[np.float32]) -> list[bytes | memoryview]:
    """The parts of a file of numpy with a contiguous array."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    return [head.getvalue(), array.view(np.uint8).reshape(-1).data if array.size else b""]
