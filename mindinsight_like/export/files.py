"""Export values that are files themselves: images, videos, audio, texts, arrays."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from mindinsight_like.export.job import Job, Logged, Series
from mindinsight_like.items.series import UNREADABLE, ItemKind
from mindinsight_like.values.file_types import GIF, JPEG, PNG, WAV, content_type
from mindinsight_like.values.records import BadValue

_ENDINGS = {PNG: "png", JPEG: "jpg", GIF: "gif", WAV: "wav"}
_DIGITS = 8  # of a step in a file name, so that files sort by step

Content = Callable[[Logged], tuple[bytes, str]]  # bytes of a file and its ending


def one_file_each(kind: ItemKind[Any], content: Content) -> Callable[[Job], None]:
    """Writes each value of a run into a file of its own, in a folder per tag."""

    def write(job: Job) -> None:
        for series in job.series(kind):
            folder = f"{job.folder}/{job.kind}/{job.name_of(series.tag, series.source)}"
            names = StepNames()
            for item in series.values():
                write_one(series, item, content, f"{folder}/{names.name(item)}")

    return write


def write_one(series: Series, item: Logged, content: Content, name: str) -> None:
    """Write a value into the file of that name, to which an ending is added."""
    try:
        data, ending = content(item)
    except UNREADABLE as error:
        series.note(step=item.step, index=item.index, error=str(error))
        return
    path = f"{name}.{ending}"
    with series.job.output.file(path) as out:
        out.write(data)
    series.note(file=path, step=item.step, wall_time=item.wall_time, index=item.index)


class StepNames:
    """Names for the values of one series: the step, then what tells apart those of the same step."""

    def __init__(self, *, digits: int = _DIGITS) -> None:
        self._digits = digits
        self._step: int | None = None
        self._seen: dict[int, int] = {}  # how often a step has begun

    def name(self, item: Logged) -> str:
        step, part = item.step, item.index
        if part == 0 or step != self._step:
            self._seen[step] = self._seen.get(step, 0) + 1
            self._step = step
        again = self._seen[step]
        return f"{step:0{self._digits}d}" + (f"_{part}" if part else "") + (f"-{again}" if again > 1 else "")


def as_logged(item: Logged) -> tuple[bytes, str]:
    data = item.file()
    return data, _ENDINGS.get(content_type(data) or "", "bin")


def as_png(item: Logged) -> tuple[bytes, str]:
    """The picture as PNG; one that was logged as such stays as it is."""
    data = item.file()
    if content_type(data) == PNG:
        return data, "png"
    from PIL import Image

    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data), formats=["JPEG", "GIF"]) as picture:
            picture.save(out, "PNG")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadValue(f"cannot convert the image to PNG: {error}") from error
    return out.getvalue(), "png"


def as_array(item: Logged) -> tuple[bytes, str]:
    return item.file(), "npy"


def as_text(item: Logged) -> tuple[bytes, str]:
    text: str = item.value.text
    return text.encode(errors="replace"), "txt"
