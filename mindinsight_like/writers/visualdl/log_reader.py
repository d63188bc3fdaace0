"""`LogReader`: the calls of VisualDL's readers, 2.x and 1.x, for reading logs in a script."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.logs.visualdl_values import Value
from mindinsight_like.writers.files.visualdl_files import VisualdlFile
from mindinsight_like.writers.visualdl.legacy_log_reader import LegacyReaders

_GETTERS = ("scalar", "scalars", "image", "text", "embedding", "embeddings", "audio", "histogram")
_CURVE_GETTERS = ("pr_curve", "roc_curve", "meta_data", "hyper_parameters")


class LogReader(LegacyReaders):
    """Reads one log file (`file_path`) or all runs below a folder or several (`logdir`).

        LogReader(file_path="log/vdlrecords.1700000000.log").get_data("scalar", "train/loss")[-1].value
        LogReader("log").get_log_data("scalar", "log/train", "train/loss")   # [[step, tag, milliseconds, value], ...]

    Values have the attributes of VisualDL's messages. Tags may be asked for with "/" or, as its server spells them,
    with "%". Times are in milliseconds, also those of VisualDL 2.0, which wrote seconds. Other than the original, a run
    of several files is read whole, not only its newest file, and what is damaged is left out instead of raising.
    The calls of VisualDL 1.x (`mode`, `scalar`, `image`, ...) read folders of VisualDL 1.x and what our own `LogWriter`
    wrote with the calls of 1.x.
    """

    def __init__(
        self, logdir: str | os.PathLike[str] | Sequence[str] = "", file_path: str | os.PathLike[str] = "", **legacy: Any
    ) -> None:
        location = legacy.pop("dir", logdir)  # as VisualDL 1.x calls it
        folders = (
            [os.fspath(location)]
            if isinstance(location, str | os.PathLike)
            else [os.fspath(folder) for folder in location]
        )
        for place in (*folders, os.fspath(file_path)):
            check_local(place)
        super().__init__(folders[0] if folders else "")
        self.dir = folders
        self.name2tags: dict[str, str] = {}  # display name -> run
        self.tags2name: dict[str, str] = {}
        self._files: dict[str, list[VisualdlFile]] = {}
        self._file_path = os.fspath(file_path)
        if self._file_path:
            self._files[self._file_path] = [VisualdlFile(Path(self._file_path))]
            self._update()

    @property
    def logdir(self) -> list[str]:
        """The folders below which runs are looked for."""
        return self.dir

    def get_tags(self) -> dict[str, list[str]]:
        """The tags of each component in the file."""
        return self._files[self._only_file()][0].tags()

    def get_data(self, component: str, tag: str) -> list[Value]:
        """Every value of a tag in the file; none for an unknown one."""
        return self._values(self._only_file(), component, tag)

    def __getattr__(self, name: str) -> Any:
        # get_scalar(tag), get_image(tag), ... of the original
        component = name.removeprefix("get_")
        if name != component and component in (*_GETTERS, *_CURVE_GETTERS):
            return partial(self.get_data, "embeddings" if component == "embedding" else component)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_log_data(self, component: str, run: str, tag: str) -> list[Any]:
        """Every value of a tag in a run.

        Scalars are lists [step, tag, milliseconds, value], those of a group [step, tag, key, milliseconds, value],
        everything else as `get_data` has it.
        """
        self._update()
        if run not in self._files:
            raise KeyError(f"no run {run!r}; runs() lists the available ones")
        values = self._values(run, component, tag)
        if component == "scalar":
            return [[value.id, value.tag, value.timestamp, value.value] for value in values]
        if component == "scalars":
            return [
                [value.id, value.tag, group.tag, value.timestamp, group.value]
                for value in sorted(values, key=lambda value: value.id)
                if (group := value.tag_value)
            ]
        return list(values)

    def runs(self, update: bool = True) -> list[str]:
        """The folders that hold logs, as paths that begin with the given folder."""
        if update or not self._files:
            self._update()
        return list(self._files)

    def tags(self, component: str | None = None) -> Any:
        """Every tag with its component: {"run/tag with % for /": component}.

        With the name of a component, as VisualDL 1.x has it: the list of its tags in the current mode.
        """
        if component is not None:
            return self.legacy_tags(component)
        self._update()
        return {
            f"{run.rstrip('/')}/{tag.replace('/', '%')}": kind
            for run, files in self._files.items()
            for file in reversed(files)
            for kind, tags in file.tags().items()
            for tag in tags
        }

    def components(self, update: bool = False) -> set[str]:
        """The names of all components that hold values."""
        return set(self.tags().values())

    def load_new_data(self, update: bool = True) -> None:
        """Look for new runs and read what was appended to the known ones; every other call does so itself."""
        self._update()

    def _only_file(self) -> str:
        if not self._file_path:
            raise RuntimeError("get_tags and get_data need LogReader(file_path=...)")
        self._update()
        return self._file_path

    def _values(self, run: str, component: str, tag: str) -> list[Value]:
        plain = tag.replace("%", "/")
        return [value for file in self._files[run] for value in file.values(component, plain)]

    def _update(self) -> None:
        if not self._file_path:
            for run, paths in _runs(self.dir):
                open_files = {file.path: file for file in self._files.get(run, [])}
                self._files[run] = [open_files.get(path) or VisualdlFile(path) for path in paths]
        for run, files in self._files.items():
            for file in files:
                file.update()
                for meta in file.values("meta_data", "meta_data_tag"):
                    if meta.meta_data and meta.meta_data.display_name:
                        self.name2tags[meta.meta_data.display_name] = run
                        self.tags2name[run] = meta.meta_data.display_name


def _runs(folders: Sequence[str]) -> Iterator[tuple[str, list[Path]]]:
    for top in folders:
        for folder, _, names in os.walk(top):
            logs = sorted(name for name in names if "vdlrecords" in name)
            if logs:
                yield folder, [Path(folder, name) for name in logs]
