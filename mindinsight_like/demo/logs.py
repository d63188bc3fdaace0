"""Log the moments of a training in any of the three dialects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.plans import Dialect, Plan
from mindinsight_like.demo.training import PICTURE_SIDE, Moment
from mindinsight_like.writers import mindspore, tensorboard, visualdl
from mindinsight_like.writers.record_file import RecordFile

_HOST = "demo"
_BUCKETS = 30
_BETWEEN_TAGS_SECONDS = 1e-4  # writers stamp every value by itself


class TrainingLog:
    """One log file of a run; `started` names the file and stamps its first record."""

    def __init__(self, folder: Path, plan: Plan, *, started: float) -> None:
        self._form = _FORMS[plan.dialect]
        self._file = RecordFile(folder / self._form.file_name(started), frame=self._form.frame)
        self._file.write(self._form.opening(folder.name, started))
        for record in self._form.about(_description(plan), started):
            self._file.write(record)

    def write(self, moment: Moment, *, wall_time: float) -> None:
        """Append everything the moment holds."""
        for record in self._form.records(moment, wall_time):
            self._file.write(record)

    def flush(self) -> None:
        """Let readers see what was written."""
        self._file.flush()

    def close(self) -> Path:
        """End the log; returns its file."""
        self._file.close()
        return self._file.path


@dataclass(frozen=True)
class _Form:
    """How one dialect names its files and encodes what a training has to say."""

    file_name: Callable[[float], str]
    frame: Callable[[bytes], bytes]
    opening: Callable[[str, float], bytes]
    about: Callable[[str, float], Iterator[bytes]]
    records: Callable[[Moment, float], Iterator[bytes]]


@dataclass(frozen=True)
class _Histogram:
    edges: list[float]
    counts: list[int]
    total: float
    sum_squares: float


def _histogram(values: NDArray[np.float32]) -> _Histogram:
    exact = values.astype(np.float64).ravel()
    counts, edges = np.histogram(exact, _BUCKETS)
    return _Histogram(edges.tolist(), counts.tolist(), float(exact.sum()), float((exact**2).sum()))


def _description(plan: Plan) -> str:
    rows = {"optimiser": plan.optimiser, "learning rate": f"{plan.rate:g}", "hidden units": plan.hidden}
    rows |= {"weight decay": f"{plan.decay:g}", "seed": plan.seed, "steps": plan.steps}
    return "| parameter | value |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows.items())


def _tensorboard_about(text: str, wall_time: float) -> Iterator[bytes]:
    yield tensorboard.event([tensorboard.text("parameters", text)], step=0, wall_time=wall_time)


def _tensorboard_records(moment: Moment, wall_time: float) -> Iterator[bytes]:
    values = [tensorboard.scalar(tag, value) for tag, value in moment.scalars.items()]
    for tag, weights in moment.weights.items():
        counted = _histogram(weights)
        values.append(
            tensorboard.histogram(
                tag, counted.edges, counted.counts, total=counted.total, sum_squares=counted.sum_squares
            )
        )
    for tag, png in moment.pictures.items():
        values.append(tensorboard.image(tag, png, width=PICTURE_SIDE, height=PICTURE_SIDE))
    for place, value in enumerate(values):
        yield tensorboard.event([value], step=moment.step, wall_time=wall_time + place * _BETWEEN_TAGS_SECONDS)


def _mindspore_about(text: str, wall_time: float) -> Iterator[bytes]:
    yield from ()  # summary files have no place for text


def _mindspore_records(moment: Moment, wall_time: float) -> Iterator[bytes]:
    values = [mindspore.scalar(tag, value) for tag, value in moment.scalars.items()]
    for tag, weights in moment.weights.items():
        counted = _histogram(weights)
        values.append(mindspore.histogram(tag, counted.edges, counted.counts, total=counted.total))
    for tag, png in moment.pictures.items():
        values.append(mindspore.image(tag, png, width=PICTURE_SIDE, height=PICTURE_SIDE))
    yield mindspore.event(values, step=moment.step, wall_time=wall_time)


def _visualdl_about(text: str, wall_time: float) -> Iterator[bytes]:
    yield visualdl.record("parameters", visualdl.text(text), step=0, wall_time=wall_time)


def _visualdl_records(moment: Moment, wall_time: float) -> Iterator[bytes]:
    contents = [(tag, visualdl.scalar(value)) for tag, value in moment.scalars.items()]
    for tag, weights in moment.weights.items():
        counted = _histogram(weights)
        contents.append((tag, visualdl.histogram(counted.edges, counted.counts)))
    contents += [(tag, visualdl.image(png)) for tag, png in moment.pictures.items()]
    for tag, content in contents:
        yield visualdl.record(tag, content, step=moment.step, wall_time=wall_time)


_FORMS: dict[Dialect, _Form] = {
    "tensorboard": _Form(
        file_name=lambda started: tensorboard.file_name(started, host=_HOST),
        frame=tensorboard.frame,
        opening=lambda name, wall_time: tensorboard.opening(wall_time),
        about=_tensorboard_about,
        records=_tensorboard_records,
    ),
    "mindspore": _Form(
        file_name=lambda started: mindspore.file_name(started, host=_HOST),
        frame=mindspore.frame,
        opening=lambda name, wall_time: mindspore.opening(wall_time),
        about=_mindspore_about,
        records=_mindspore_records,
    ),
    "visualdl": _Form(
        file_name=visualdl.file_name,
        frame=visualdl.frame,
        opening=lambda name, wall_time: visualdl.opening(name, wall_time=wall_time),
        about=_visualdl_about,
        records=_visualdl_records,
    ),
}
