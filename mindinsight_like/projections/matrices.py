"""Vectors as files of numpy that many processes can look into at once, made from the logs when first needed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.reading import IndexReader
from mindinsight_like.store.space import make_room
from mindinsight_like.values.labelled_vectors import LabelledVectors

_MOST_BYTES = 2 * 2**30


class Matrices:
    """The vectors of embeddings below a folder, by their content."""

    def __init__(self, folder: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    @classmethod
    def beside(cls, reader: IndexReader) -> Matrices:
        """Those of the logs that an index is of."""
        return cls(reader.folder / "embeddings")

    def path(self, embedding: LabelledVectors) -> Path:
        """The file with the vectors; raises BadValue when they cannot be read."""
        path = self._folder / f"{embedding.content}.npy"
        if not _touched(path):
            with self._lock:  # two questions at once about a large text should not both read it
                if not _touched(path):
                    self._make(path, embedding)
        return path

    def vectors(self, embedding: LabelledVectors) -> NDArray[np.float32]:
        """The vectors, in memory only as far as they are looked at; raises BadValue."""
        return open_matrix(self.path(embedding))

    def _make(self, path: Path, embedding: LabelledVectors) -> None:
        vectors = embedding.vectors()
        self._folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        with part.open("wb") as file:
            np.save(file, np.ascontiguousarray(vectors, "<f4"), allow_pickle=False)
        part.replace(path)
        make_room(self._folder, self._most_bytes, may_go=lambda other: other != path)


def _touched(path: Path) -> bool:
    """Whether the file is there; it has been used now."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def open_matrix(path: Path) -> NDArray[np.float32]:
    """The vectors in a file; they stay readable when the file is removed meanwhile."""
    vectors: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    return vectors
