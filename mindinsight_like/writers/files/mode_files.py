"""The log files of one `LogWriter`: one in its folder and, by the calls of VisualDL 1.x, one in a folder per mode."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from os import SEEK_END, truncate
from pathlib import Path

from mindinsight_like.writers.encoding import visualdl
from mindinsight_like.writers.files.background import BackgroundFile

DEFAULT_MODE = "default"  # its records stand in the folder itself
CAPTION = "/caption"  # the caption of a tag is a text under the tag with this behind it
_MARK = "vdlrecords"  # readers look for files with this in their names


class ModeFiles:
    """Opens files when they are first needed, and again under a new name when they are needed after `close`."""

    def __init__(
        self,
        folder: Path,
        *,
        suffix: str = "",
        file_name: str = "",
        display_name: str = "",
        flush_secs: float = 120.0,
        write_to_disk: bool = True,
        total_steps: int | None = None,
    ) -> None:
        self.folder = folder
        self._total_steps = total_steps
        self._suffix = suffix
        self._name = file_name
        self._display_name = display_name
        self._flush_secs = flush_secs
        self._write_to_disk = write_to_disk
        self._files: dict[str, BackgroundFile] = {}
        self._last: BackgroundFile | None = None
        self._opening = threading.Lock()
        if file_name and _MARK not in file_name:
            warnings.warn(
                f"file_name={file_name!r} lacks {_MARK!r}, which readers need to recognise a log; another name is used",
                RuntimeWarning,
                stacklevel=4,
            )
            self._name = ""

    def file(self, mode: str = DEFAULT_MODE) -> BackgroundFile:
        """The file that takes the records of a mode; raises OSError when it cannot be made."""
        file = self._files.get(mode)
        if file is None:
            with self._opening:
                file = self._files.get(mode) or self._opened(mode)
                self._files[mode] = file
                if mode == DEFAULT_MODE:
                    self._last = file
        return file

    @property
    def path(self) -> Path:
        """Where the records of the default mode stand, or stood before `close`."""
        return (self._last or self.file()).path

    def put(self, mode: str, make: Callable[..., bytes], *arguments: object) -> None:
        """Append the record `make(*arguments)` to the file of a mode."""
        self.file(mode).put(make, *arguments)

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have."""
        self._total_steps = total_steps
        for file in list(self._files.values()):
            file.set_total_steps(total_steps)

    def flush(self) -> None:
        """Return when everything put so far has been handed to the operating system."""
        for file in list(self._files.values()):
            file.flush()

    def close(self) -> None:
        """Flush and release all files."""
        with self._opening:
            files, self._files = self._files, {}
        for file in files.values():
            file.close()

    def _opened(self, mode: str) -> BackgroundFile:
        folder = self.folder if mode == DEFAULT_MODE else self.folder / mode
        started = time.time()
        if self._name:
            path = folder / self._name
            if self._write_to_disk and path.is_file() and path.stat().st_size:
                cut_torn_end(path)
                file = self._made(path, exclusive=False)
                if self._display_name:
                    file.put(visualdl.opening_at, self._display_name, started)
                return file
            return self._made(path, exclusive=False)
        while True:
            try:
                return self._made(folder / (visualdl.file_name(started) + self._suffix), exclusive=True)
            except FileExistsError:  # by a writer that began within the same second; readers go by the order of names
                started += 1

    def _made(self, path: Path, *, exclusive: bool) -> BackgroundFile:
        return BackgroundFile(
            path,
            frame=visualdl.frame,
            opening=partial(visualdl.opening_at, self._display_name),
            flush_secs=self._flush_secs,
            write_to_disk=self._write_to_disk,
            exclusive=exclusive,
            renamed=apart,
            has_run_state=True,
            total_steps=self._total_steps,
        )


def apart(path: Path, number: int) -> Path:
    """A name beside the path that readers of the newest name alone do not prefer to it."""
    head, dot, tail = path.name.rpartition(".log")
    return path.with_name(f"{head}.{number}{dot}{tail}" if dot else f"{path.name}.{number}")


def cut_torn_end(path: Path) -> None:
    """Remove half a record that a killed process left at the end, behind which nothing appended could be read."""
    from mindinsight_like.logs.kinds import Dialect
    from mindinsight_like.logs.scanner import Scanner

    with path.open("rb") as log:
        size = log.seek(0, SEEK_END)
        log.seek(0)
        scanner = Scanner(Dialect.VISUALDL)
        scanner.feed(log.read(), at_end=True)
    if scanner.offset < size and not scanner.damaged:
        truncate(path, scanner.offset)
