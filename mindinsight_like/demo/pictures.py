"""Pictures of what a network sees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.views import View, place

Pixels = NDArray[np.uint8]  # rows, columns, RGB

_PALETTE = np.array([[66, 133, 244], [219, 68, 55], [244, 180, 0], [15, 157, 88]], np.uint8)
_LABEL_SIDE = 8
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


def labels(classes: NDArray[np.intp]) -> Pixels:
    """A small square in the colour of each class: number, RGB, rows, columns."""
    tiles = np.broadcast_to(_PALETTE[classes][:, :, None, None], (len(classes), 3, _LABEL_SIDE, _LABEL_SIDE))
    return np.ascontiguousarray(tiles)


def colours(view: View) -> Pixels:
    """The colour of the most probable class at each point of the plane."""
    return np.asarray(_PALETTE[view.plane.argmax(axis=2)])
