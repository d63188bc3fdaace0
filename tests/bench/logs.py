"""Make the logs that are measured: the same curves in every flavour, the same bytes every time."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl

from .shapes import SPIKE, Flavour, Shape
from .templates import Bytes, Template, raw, varints

_STARTED = 1_750_000_000.0
_STEP_SECONDS = 0.25
_AT_ONCE = 250_000  # points encoded together, to bound the memory of long series
_MILLISECOND_DIGITS = 6
_DOUBLES: tuple[float, float] = struct.unpack("<2d", b"\x3a" * 8 + b"\x45" * 8)
_MILLISECONDS = (1_234_567_890.987, 2_000_000_000.123)


def make_logs(data: Path, shape: Shape, flavour: Flavour) -> Path:
    """The folder with the logs; they are written unless a complete folder is already there."""
    folder = shape.folder(data, flavour)
    if folder.is_dir():
        return folder
    building = folder.with_name(f"{folder.name}.building")
    shutil.rmtree(building, ignore_errors=True)
    for number, name in enumerate(shape.run_names):
        run = building / name
        run.mkdir(parents=True)
        path = run / _FORMS[flavour].file_name
        with path.open("wb") as log:
            _write_run(log, shape, flavour, number)
        ended = float(wall_times_of(number, np.array([shape.steps]))[0])
        os.utime(path, (ended, ended))
    building.rename(folder)
    return folder


def values_of(shape: Shape, run: int, steps: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a run logs at the given steps, one column per tag: falling curves with noise."""
    # Hashing the position instead of drawing numbers makes every value independent of how the series is cut.
    place = (steps[:, None] * shape.tags + np.arange(shape.tags) + run * 1_000_003).astype(np.uint64)
    noise = (place * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24) - 0.5
    scale = np.float32(1) + np.arange(shape.tags, dtype=np.float32)
    fall = np.exp(-4.0 * steps / shape.steps).astype(np.float32)
    values = scale * (fall[:, None] + np.float32(0.1) * noise)
    values[steps == shape.spike_step] = SPIKE
    return values.astype(np.float32)


def wall_times_of(run: int, steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """When a run logged the given steps."""
    return np.asarray(_STARTED + run * 11.0 + steps * _STEP_SECONDS, np.float64)


@dataclass(frozen=True)
class _Form:
    """How a flavour is written: one record per value, or one per step that holds all values."""

    file_name: str
    opening: bytes
    encode: Callable[[Sequence[str], int, float, Sequence[float]], bytes]
    times: Callable[[NDArray[np.float64]], Bytes]
    probes: tuple[float, float]  # two times that differ in all those bytes
    checksums: bool
    one_record_per_step: bool


def _write_run(log: BinaryIO, shape: Shape, flavour: Flavour, run: int) -> None:
    form = _FORMS[flavour]
    log.write(form.opening)
    groups = [shape.tag_names] if form.one_record_per_step else [[tag] for tag in shape.tag_names]
    for steps, digits in _stretches(shape.steps, at_once=max(1, _AT_ONCE // shape.tags)):
        values = values_of(shape, run, steps)
        step_bytes, time_bytes = varints(steps, digits=digits), form.times(wall_times_of(run, steps))
        blocks, first = [], 0
        for tags in groups:
            template = _template(flavour, tuple(tags), digits)
            content = raw(values[:, first : first + len(tags)])
            blocks.append(template.records(step_bytes, time_bytes, content, checksums=form.checksums))
            first += len(tags)
        log.write(np.hstack(blocks).tobytes())


def _stretches(steps: int, *, at_once: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """The steps from 1 on, cut so that all of a stretch have the same number of varint digits, which comes along."""
    first, digits = 1, 1
    while first <= steps:
        end = min(steps + 1, first + at_once, 1 << 7 * digits)
        yield np.arange(first, end), digits
        first = end
        digits += first == 1 << 7 * digits


_templates: dict[tuple[Flavour, tuple[str, ...], int], Template] = {}


def _template(flavour: Flavour, tags: tuple[str, ...], digits: int) -> Template:
    key = (flavour, tags, digits)
    if key not in _templates:
        encode = _FORMS[flavour].encode
        _templates[key] = Template.of(
            lambda step, time, values: encode(tags, step, time, values),
            digits=digits,
            values=len(tags),
            times=_FORMS[flavour].probes,
        )
    return _templates[key]


def _tensorboard(tags: Sequence[str], step: int, wall_time: float, values: Sequence[float]) -> bytes:
    return tensorboard.event(list(map(tensorboard.scalar, tags, values)), step=step, wall_time=wall_time)


def _tensorflow(tags: Sequence[str], step: int, wall_time: float, values: Sequence[float]) -> bytes:
    return tensorboard.event(list(map(tensorboard.tensor_scalar, tags, values)), step=step, wall_time=wall_time)


def _mindspore(tags: Sequence[str], step: int, wall_time: float, values: Sequence[float]) -> bytes:
    return mindspore.event(list(map(mindspore.scalar, tags, values)), step=step, wall_time=wall_time)


def _visualdl(tags: Sequence[str], step: int, wall_time: float, values: Sequence[float]) -> bytes:
    return visualdl.record(tags[0], visualdl.scalar(values[0]), step=step, wall_time=wall_time)


def _milliseconds(wall_times: NDArray[np.float64]) -> Bytes:
    return varints((wall_times * 1000).astype(np.int64), digits=_MILLISECOND_DIGITS)


_FORMS: dict[Flavour, _Form] = {
    "tb": _Form(
        tensorboard.file_name(_STARTED, host="bench"),
        tensorboard.frame(tensorboard.opening(_STARTED)),
        _tensorboard,
        raw,
        _DOUBLES,
        checksums=True,
        one_record_per_step=False,
    ),
    "tb2": _Form(
        tensorboard.file_name(_STARTED, host="bench") + ".v2",
        tensorboard.frame(tensorboard.opening(_STARTED)),
        _tensorflow,
        raw,
        _DOUBLES,
        checksums=True,
        one_record_per_step=False,
    ),
    "ms": _Form(
        mindspore.file_name(_STARTED, host="bench"),
        mindspore.frame(mindspore.opening(_STARTED)),
        _mindspore,
        raw,
        _DOUBLES,
        checksums=True,
        one_record_per_step=True,
    ),
    "vdl": _Form(
        visualdl.file_name(_STARTED),
        visualdl.frame(visualdl.opening("bench", wall_time=_STARTED)),
        _visualdl,
        _milliseconds,
        _MILLISECONDS,
        checksums=False,
        one_record_per_step=False,
    ),
}
