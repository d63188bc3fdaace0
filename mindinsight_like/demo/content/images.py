"""Images of a network's decision regions, class maps and mistakes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.content.views import View, place
from mindinsight_like.demo.training.spirals import Examples

Pixels = NDArray[np.uint8]  # rows, columns, RGB

_PALETTE = np.array([[66, 133, 244], [219, 68, 55], [244, 180, 0], [15, 157, 88]], np.uint8)
_LABEL_SIDE = 16
_DOT = 5
_GROUND = 38  # gray
_ENLARGED = 6  # for boxes and their labels


def regions(view: View) -> Pixels:
    """The plane in the colours of the classes the network sees, paler where it is unsure."""
    best = np.sort(view.plane, axis=2)
    certainty = best[:, :, -1:] - best[:, :, -2:-1]
    pixels = 255 - (255 - colours(view)) * (0.25 + 0.75 * certainty)
    return np.asarray(pixels, np.uint8)


def class_maps(view: View) -> NDArray[np.float32]:
    """A gray picture per class, one behind the other: how probable it is at each point of the plane."""
    return np.ascontiguousarray(view.plane.transpose(2, 0, 1)[:, None])


def mistakes(view: View) -> tuple[Pixels, NDArray[np.float32], list[str]]:
    """The plane, enlarged, with boxes (left, top, right, bottom) around the wrong answers for each class; labels."""
    is_wrong = view.answers.argmax(axis=1) != view.examples.classes
    boxes, labels = [], []
    for number in range(view.answers.shape[1]):
        wrong = place(view.examples.points[is_wrong & (view.examples.classes == number)])
        if len(wrong):
            boxes.append(np.concatenate([wrong.min(axis=0), wrong.max(axis=0)]))
            labels.append(f"arm {number}: {len(wrong)}")
    pixels = regions(view).repeat(_ENLARGED, axis=0).repeat(_ENLARGED, axis=1)
    return pixels, np.array(boxes, np.float32).reshape(-1, 4) * _ENLARGED, labels


def labels(examples: Examples) -> Pixels:
    """A small map for each point with a dot in the colour of its class: number, RGB, rows, columns."""
    places = ((examples.points.clip(-1, 1) + 1) / 2 * (_LABEL_SIDE - _DOT)).round().astype(np.intp)
    rows, columns = np.mgrid[:_LABEL_SIDE, :_LABEL_SIDE]
    across, down = columns - places[:, 0, None, None], rows - (_LABEL_SIDE - _DOT - places[:, 1, None, None])
    is_dot = (across >= 0) & (across < _DOT) & (down >= 0) & (down < _DOT)
    return np.where(is_dot[:, None], _PALETTE[examples.classes][:, :, None, None], _GROUND).astype(np.uint8)


def colours(view: View) -> Pixels:
    """The colour of the most probable class at each point of the plane."""
    return np.asarray(_PALETTE[view.plane.argmax(axis=2)])
