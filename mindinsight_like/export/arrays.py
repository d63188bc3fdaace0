"""Export arrays of any shape: one .npz file per tag, with one array per step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zipfile import ZipFile

import numpy as np

from mindinsight_like.export.files import StepNames
from mindinsight_like.export.job import Job
from mindinsight_like.items.series import ItemKind
from mindinsight_like.values.tensors.tensor_messages import Array, Tensor

_MOST_STRING_BYTES = 256 * 2**20  # an array of strings takes the longest one's size for each


def arrays_by_step(kind: ItemKind[Tensor]) -> Callable[[Job], None]:
    """Writes arrays under their steps as names, and `steps` and `wall_times` in the order they were logged."""

    def write(job: Job) -> None:
        for series in job.series(kind):
            path = f"{job.folder}/{job.kind}/{job.name_of(series.tag, series.source)}.npz"
            moments: list[tuple[int, float]] = []
            names = StepNames(digits=1)
            with job.output.file(path) as file, ZipFile(file, "w") as archive:
                for item in series.values():
                    array = item.value.array if item.value.array is not None else _strings(item.value)
                    if array is None:
                        series.note(step=item.step, error="the strings are too long to be put into an array")
                        continue
                    name = names.name(item)
                    _put(archive, name, array)
                    moments.append((item.step, item.wall_time))
                    series.note(file=path, array=name, step=item.step, wall_time=item.wall_time)
                _put(archive, "steps", np.array([step for step, _ in moments], np.int64))
                _put(archive, "wall_times", np.array([wall_time for _, wall_time in moments], np.float64))

    return write


def _put(archive: ZipFile, name: str, array: Array) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array(member, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)


def _strings(tensor: Tensor) -> Any | None:
    longest = max(map(len, tensor.strings), default=0)
    if longest * len(tensor.strings) > _MOST_STRING_BYTES:
        return None
    return np.array(tensor.strings, f"S{max(1, longest)}").reshape(tensor.shape)
