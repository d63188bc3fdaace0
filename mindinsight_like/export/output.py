"""The output folder of an export: atomic writes, no overwriting without --force, and a manifest of the files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mindinsight_like.errors import OperationError

MANIFEST = "export.json"
_UNFINISHED = ".part"


class OutputFolder:
    """Files appear under their names when they are complete; until then they end in `.part`."""

    def __init__(self, folder: Path, *, force: bool) -> None:
        self.path = folder
        self.files = 0  # written so far
        self._force = force
        try:
            with os.scandir(folder) as entries:
                is_empty = next(entries, None) is None
        except FileNotFoundError:
            is_empty = True  # made with the first file
        except OSError as error:
            raise OperationError(f"cannot write to {folder}: {error.strerror}") from error
        if not (is_empty or force):
            raise OperationError(f"{folder} is not empty; use another directory, or --force to overwrite files")

    @contextmanager
    def file(self, name: str) -> Iterator[IO[bytes]]:
        """A file to write, below the folder; it gets its name when the block ends well and goes when it does not."""
        path = self.path / name
        unfinished = path.with_name(path.name + _UNFINISHED)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Exclusive: of two exports into the same folder the second stops here.
            with unfinished.open("wb" if self._force else "xb") as file:
                try:
                    yield file
                except BaseException:
                    unfinished.unlink(missing_ok=True)
                    raise
            if not self._force and path.exists():
                unfinished.unlink(missing_ok=True)
                raise OperationError(f"{path} already exists; use --force to overwrite it")
            unfinished.replace(path)
            self.files += 1
        except OSError as error:
            raise OperationError(f"cannot write {path}: {error.strerror or error}") from error


class Manifest:
    """`export.json`, written entry by entry: its length is that of the export, which may be millions of files."""

    def __init__(self, file: IO[bytes], about: Mapping[str, Any]) -> None:
        import orjson

        self._file = file
        self._dumps = orjson.dumps
        self.errors = 0
        head = orjson.dumps(dict(about), option=orjson.OPT_INDENT_2)
        file.write(head.rstrip(b"\n}") + b',\n  "entries": [')
        self._separator = b"\n    "

    def add(self, entry: Mapping[str, Any]) -> None:
        """One line about a tag in a file, a value in a file of its own, or a value that could not be read."""
        self._file.write(self._separator + self._dumps(entry))
        self._separator = b",\n    "
        self.errors += "error" in entry

    def close(self) -> None:
        self._file.write(b"\n  ]\n}\n")
