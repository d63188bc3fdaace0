"""Floating point operations by the shapes of inputs, a multiplication with its addition counted as two.

Only operators that do the work are counted, not those that call them, so that sums are right. Where shapes leave it
open (strides, transposed inputs), there is no number rather than a guess; each number has the name of its rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.trace import Floats

from .columns import Columns, Groups

Shapes = list[tuple[int, ...]]
_LARGEST: Final = 2**62  # more operations than any single execution has: the shapes are wrong


def of_groups(columns: Columns, groups: Groups) -> tuple[Floats, list[str]]:
    """Operations of one execution of each group, NaN where not known, and the names of the rules that gave them."""
    texts = columns.trace.texts
    names = {number: _RULES[text] for number, text in enumerate(texts) if text in _RULES}
    found, rules = np.full(len(groups.name), np.nan), [""] * len(groups.name)
    outputs = dict(_outputs(columns))
    chosen = np.flatnonzero(
        (np.isin(groups.name, list(names)) | np.isin(groups.type, list(names))) & (groups.shape >= 0)
    )
    for at in chosen.tolist():
        own = int(groups.name[at])
        name, rule = names[own if own in names else int(groups.type[at])]
        operations = rule(shapes_of(texts[groups.shape[at]]), outputs)
        if operations is not None and 0 < operations < _LARGEST:
            found[at], rules[at] = operations, name
    return found, rules


def _outputs(columns: Columns) -> Iterator[tuple[tuple[Any, Any], tuple[int, ...]]]:
    """The shape of a convolution's output by those of its input and weights: its backward has it as an input."""
    texts, groups = columns.trace.texts, columns.groups
    for at in np.flatnonzero(np.isin(groups.name, [n for n, text in enumerate(texts) if text == _BACKWARD])).tolist():
        shapes = shapes_of(texts[groups.shape[at]]) if groups.shape[at] >= 0 else []
        if len(shapes) >= 3:
            yield (shapes[1], shapes[2]), shapes[0]


def shapes_of(text: str) -> Shapes:
    """Shapes as torch and MindSpore write them: `[[2, 3], []]`; empty where the text is none of it."""
    try:
        given = json.loads(text.replace("NoShape", "[]"))
    except (ValueError, RecursionError):
        return []
    if not isinstance(given, list) or not all(isinstance(shape, list) for shape in given):
        return []
    sizes = [tuple(size for size in shape if type(size) is int and size >= 0) for shape in given]
    return sizes if all(len(size) == len(shape) for size, shape in zip(sizes, given, strict=True)) else []


Outputs = dict[tuple[Any, Any], tuple[int, ...]]


def _product(shapes: Shapes, outputs: Outputs, first: int = 0) -> int | None:
    """(…, m, k) with (…, k, n)."""
    if len(shapes) < first + 2:
        return None
    left, right = shapes[first], shapes[first + 1]
    if len(left) < 2 or len(left) != len(right) or left[-1] != right[-2] or left[:-2] != right[:-2]:
        return None
    return 2 * prod(left) * right[-1]


def _added_product(shapes: Shapes, outputs: Outputs) -> int | None:
    return _product(shapes, outputs, 1)


def _product_either_way(shapes: Shapes, outputs: Outputs) -> int | None:
    """Two matrices, each of which may be transposed; None where that makes a difference."""
    if len(shapes) < 2 or len(shapes[0]) != 2 or len(shapes[1]) != 2:
        return None
    (a, b), (c, d) = shapes[0], shapes[1]
    ways = ((b, c, a, d), (b, d, a, c), (a, c, b, d), (a, d, b, c))
    found = {2 * rows * shared * columns for shared, other, rows, columns in ways if shared == other}
    return found.pop() if len(found) == 1 else None


def _convolution(shapes: Shapes, outputs: Outputs) -> int | None:
    if len(shapes) < 2:
        return None
    return _of_output(outputs.get((shapes[0], shapes[1])), shapes[1])


def _convolution_backward(shapes: Shapes, outputs: Outputs) -> int | None:
    """As much again for the gradients of the input as for those of the weights."""
    forward = _of_output(shapes[0], shapes[2]) if len(shapes) >= 3 else None
    return None if forward is None else 2 * forward


def _of_output(output: tuple[int, ...] | None, weights: tuple[int, ...]) -> int | None:
    # Weights have the channels of one group only, so that groups need not be known.
    if output is None or len(output) != len(weights) or len(weights) < 3:
        return None
    return 2 * output[0] * prod(output[2:]) * prod(weights)


def _attention(shapes: Shapes, outputs: Outputs) -> int | None:
    """All pairs of queries and keys; with a causal mask half of it would do."""
    if len(shapes) < 3 or any(len(shape) != 4 for shape in shapes[:3]):
        return None
    query, key, value = shapes[:3]
    return 2 * prod(query[:3]) * key[2] * (query[3] + value[3])


_Rule = Callable[[Shapes, Outputs], int | None]
_BACKWARD: Final = "aten::convolution_backward"
_RULES: Final[dict[str, tuple[str, _Rule]]] = {
    "aten::mm": ("2mnk", _product),
    "aten::bmm": ("2bmnk", _product),
    "aten::addmm": ("2mnk", _added_product),
    "aten::_addmm_activation": ("2mnk", _added_product),
    "aten::baddbmm": ("2bmnk", _added_product),
    "aten::mkldnn_convolution": ("convolution", _convolution),
    "aten::cudnn_convolution": ("convolution", _convolution),
    "aten::miopen_convolution": ("convolution", _convolution),
    "aten::_slow_conv2d_forward": ("convolution", _convolution),
    _BACKWARD: ("convolution, both gradients", _convolution_backward),
    "aten::_scaled_dot_product_flash_attention": ("attention without mask", _attention),
    "aten::_scaled_dot_product_efficient_attention": ("attention without mask", _attention),
    "aten::_scaled_dot_product_cudnn_attention": ("attention without mask", _attention),
    "aten::_scaled_dot_product_flash_attention_for_cpu": ("attention without mask", _attention),
    "MatMul": ("2mnk", _product_either_way),
}
