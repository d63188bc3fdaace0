"""FLOP counts of operators from their input shapes; a multiply-add counts as two.

Only one of the operators that call each other is counted, so that sums are right. Where shapes leave it open (strides,
transposed inputs, layouts), there is no number rather than a guess; each number has the name of its rule. Which share
of the time has a rule is told by `flops_summary`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import Columns, Groups
from mindinsight_like.profiler.traces.trace import NOTHING, Floats

Shape = tuple[int, ...]
Shapes = list[Shape]
_LARGEST: Final = 2**62  # more operations than any single execution has: the shapes are wrong
_PLAIN: Final = re.compile(r"\d+(?:,\d+)*(?:;(?:\d+(?:,\d+)*)?)*")


@dataclass(frozen=True)
class _Call:
    """One group: what it was called with."""

    shapes: Shapes
    values: Sequence[str] = ()  # of inputs that have no shape, by position

    def integers(self, at: int) -> list[int] | None:
        """Such as strides; None where the recording does not tell them."""
        text = self.values[at] if at < len(self.values) else ""
        return [int(number) for number in re.findall(r"-?\d+", text)] if text.startswith("[") else None


@dataclass(frozen=True)
class _Others:
    """What other calls of the recording tell: the shapes that a convolution's own inputs leave open."""

    # Output by input and weights, as torch's backward has all three.
    outputs: dict[tuple[Shape, Shape], Shape] = field(default_factory=dict)
    # MindSpore: output gradients with inputs, output gradients with weights, inputs with weights.
    with_input: set[tuple[Shape, Shape]] = field(default_factory=set)
    with_weights: set[tuple[Shape, Shape]] = field(default_factory=set)
    forward: set[tuple[Shape, Shape]] = field(default_factory=set)
    # Attention: batch, heads and queries by the shapes of queries and keys.
    heads: dict[tuple[Shape, Shape], Shape] = field(default_factory=dict)


def of_groups(columns: Columns, groups: Groups) -> tuple[Floats, list[str]]:
    """Operations of one execution of each group, NaN where not known, and the names of the rules that gave them."""
    texts, values = columns.trace.texts, columns.trace.values
    rules = _rules_of(texts)
    per_execution, names = np.full(len(groups.name), np.nan), [""] * len(groups.name)
    chosen = np.flatnonzero(
        (np.isin(groups.name, list(rules)) | np.isin(groups.type, list(rules))) & (groups.shape != NOTHING)
    ).tolist()
    others = _others(columns) if chosen else _Others()
    for at in chosen:
        own = int(groups.name[at])
        name, rule = rules[own if own in rules else int(groups.type[at])]
        shape = texts[groups.shape[at]]
        operations = rule(_Call(shapes_of(shape), values.get(f"{texts[own]} {shape}", ())), others)
        if operations is not None and 0 < operations < _LARGEST:
            per_execution[at], names[at] = operations, name
    return per_execution, names


def shapes_of(text: str) -> Shapes:
    """Shapes as torch, MindSpore (`[[2, 3], []]`), Ascend (`2,3;4`) and Paddle (`{"x": [[2, 3]]}`) write them.

    Empty where the text is none of it.
    """
    if _PLAIN.fullmatch(text):
        return [tuple(int(size) for size in part.split(",")) if part else () for part in text.split(";")]
    try:
        parsed = json.loads(text.replace("NoShape", "[]"))
    except (ValueError, RecursionError):
        return []
    if isinstance(parsed, dict):
        parsed = [shape for shapes in parsed.values() for shape in _listed(shapes)]
    if not isinstance(parsed, list) or not all(isinstance(shape, list) for shape in parsed):
        return []
    sizes = [tuple(size for size in shape if type(size) is int and size >= 0) for shape in parsed]
    return sizes if all(len(size) == len(shape) for size, shape in zip(sizes, parsed, strict=True)) else []


def _listed(shapes: Any) -> list[Any]:
    """The shapes of one named input, which may be several."""
    if not isinstance(shapes, list):
        return [None]
    return shapes if shapes and all(isinstance(shape, list) for shape in shapes) else [shapes]


# --- products of matrices ---


def _product(call: _Call, others: _Others, first: int = 0) -> int | None:
    """(…, m, k) with (…, k, n)."""
    if len(call.shapes) < first + 2:
        return None
    left, right = call.shapes[first], call.shapes[first + 1]
    if len(left) < 2 or len(left) != len(right) or left[-1] != right[-2] or left[:-2] != right[:-2]:
        return None
    return 2 * prod(left) * right[-1]


def _added_product(call: _Call, others: _Others) -> int | None:
    return _product(call, others, 1)


def _product_either_way(call: _Call, others: _Others) -> int | None:
    """Matrices, each of which may be transposed, in batches or not; None where that makes a difference."""
    if len(call.shapes) < 2:
        return None
    left, right = _as_matrix(call.shapes[0], call.shapes[1]), _as_matrix(call.shapes[1], call.shapes[0])
    if len(left) < 2 or len(left) != len(right) or left[:-2] != right[:-2]:
        return None
    (a, b), (c, d) = left[-2:], right[-2:]
    ways = ((b, c, a, d), (b, d, a, c), (a, c, b, d), (a, d, b, c))
    products = {rows * shared * columns for shared, other, rows, columns in ways if shared == other}
    return 2 * prod(left[:-2]) * products.pop() if len(products) == 1 else None


def _as_matrix(shape: Shape, other: Shape) -> Shape:
    """A picture that a matrix is multiplied with is a row for each of the batch; a 16 ends a device's own format."""
    is_flattened = len(shape) > 2 and len(other) == 2 and shape[-1] != 16 and prod(shape[1:]) in other
    return (shape[0], prod(shape[1:])) if is_flattened else shape


def _dense(call: _Call, others: _Others) -> int | None:
    """(…, k) with (n, k)."""
    if len(call.shapes) < 2 or len(call.shapes[1]) != 2 or not call.shapes[0]:
        return None
    return 2 * prod(call.shapes[0]) * call.shapes[1][0] if call.shapes[0][-1] == call.shapes[1][1] else None


def _product_backward(call: _Call, others: _Others) -> int | None:
    """Inputs, then the gradient of the output: as much again for each input."""
    forward = _product_either_way(call, others)
    return None if forward is None else 2 * forward


# --- convolutions: 2 x batch x places of the output x weights, which have the channels of one group only ---


def _at_places(batch: int, places: Sequence[int], weights: Shape) -> int:
    return 2 * batch * prod(places) * prod(weights)


def _convolution(call: _Call, others: _Others) -> int | None:
    """aten::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)."""
    if len(call.shapes) < 2:
        return None
    image, weights = call.shapes[0], call.shapes[1]
    stride, padding, dilation = (call.integers(at) for at in (3, 4, 5))
    if stride is None or padding is None or dilation is None or len(call.values) < 7:
        return _of_output(others.outputs.get((image, weights)), weights)
    if len(image) == len(weights) - 1:
        image = (1, *image)  # no batch
    sizes = len(weights) - 2
    stride, padding, dilation = (_each(setting, sizes) for setting in (stride, padding, dilation))
    if len(image) != len(weights) or sizes < 1 or len(stride) != sizes or 0 in stride:
        return None
    if call.values[6] == "True":
        return _at_places(image[0], image[2:], weights)
    places = [
        (size + 2 * pad - spread * (kernel - 1) - 1) // step + 1
        for size, kernel, step, pad, spread in zip(image[2:], weights[2:], stride, padding, dilation, strict=True)
    ]
    return _at_places(image[0], places, weights) if min(places) > 0 else None


def _each(values: list[int], count: int) -> list[int]:
    """One number stands for all sides."""
    return values * count if len(values) == 1 else values


def _convolution_of_backend(call: _Call, others: _Others) -> int | None:
    if len(call.shapes) < 2:
        return None
    return _of_output(others.outputs.get((call.shapes[0], call.shapes[1])), call.shapes[1])


def _convolution_backward(call: _Call, others: _Others) -> int | None:
    """aten::convolution_backward(grad_output, input, weight, bias_sizes, …, transposed, …, output_mask).

    As much for the gradient of the input as for that of the weights; the first layer needs none of its input.
    """
    if len(call.shapes) < 3:
        return None
    output, image, weights = call.shapes[:3]
    has_output_mask = len(call.values) > 10 and call.values[10].startswith("[")
    if has_output_mask and call.values[7] == "True":
        output = image
    forward = _of_output(output, weights)
    gradients = re.findall(r"True|False", call.values[10])[:2].count("True") if has_output_mask else 2
    return None if forward is None else gradients * forward


def _of_output(output: Shape | None, weights: Shape) -> int | None:
    if output is None or len(output) != len(weights) or len(weights) < 3:
        return None
    return _at_places(output[0], output[2:], weights)


def _ms_convolution(call: _Call, others: _Others) -> int | None:
    """Conv2D(input, weights): the output is an input of its gradients."""
    if len(call.shapes) < 2:
        return None
    image, weights = call.shapes[0], call.shapes[1]
    outputs = {out for out, of in others.with_input if of == image and out[1] == weights[0]}
    outputs = outputs or {out for out, of in others.with_weights if of == weights and out[0] == image[0]}
    return _of_output(outputs.pop(), weights) if len(outputs) == 1 else None


def _ms_gradient_of_weights(call: _Call, others: _Others) -> int | None:
    """Conv2DBackpropFilter(gradient of the output, input): the weights are those of the convolution before."""
    if len(call.shapes) < 2 or len(call.shapes[0]) < 3:
        return None
    output, image = call.shapes[0], call.shapes[1]
    weights = {of for each, of in others.forward if each == image and of[0] == output[1]}
    return _of_output(output, weights.pop()) if len(weights) == 1 else None


def _ms_gradient_of_input(call: _Call, others: _Others) -> int | None:
    """Conv2DBackpropInput(gradient of the output, weights)."""
    if len(call.shapes) < 2 or len(call.shapes[0]) < 3 or not call.shapes[1]:
        return None
    output, weights = call.shapes[0], call.shapes[1]
    return _of_output(output, weights) if output[1] == weights[0] else None


def _paddle_convolution_backward(call: _Call, others: _Others) -> int | None:
    """conv2d_grad(input, filter, gradient of the output)."""
    forward = _of_output(call.shapes[2], call.shapes[1]) if len(call.shapes) > 2 else None
    return None if forward is None else 2 * forward


# --- attention: all pairs of queries and keys; with a causal mask half of it would do ---


def _attention(call: _Call, others: _Others, first: int = 0) -> int | None:
    """(batch, heads, queries, width)."""
    if len(call.shapes) < first + 3 or any(len(shape) != 4 for shape in call.shapes[first : first + 3]):
        return None
    query, key, value = call.shapes[first : first + 3]
    return 2 * prod(query[:3]) * key[2] * (query[3] + value[3])


def _attention_backward(call: _Call, others: _Others) -> int | None:
    """Scores are computed again, then the gradients of scores and values, of queries and keys."""
    if _attention(call, others, 1) is None:
        return None
    query, key, value = call.shapes[1:4]
    return 2 * prod(query[:3]) * key[2] * (3 * query[3] + 2 * value[3])


def _paddle_attention(call: _Call, others: _Others) -> int | None:
    """(batch, queries, heads, width)."""
    turned: Shapes = [(shape[0], shape[2], shape[1], shape[3]) for shape in call.shapes[:3] if len(shape) == 4]
    return _attention(_Call(turned), others)


def _ms_attention(call: _Call, others: _Others) -> int | None:
    """FlashAttentionScore(query, key, value, …) in any layout: its gradient tells which."""
    if len(call.shapes) < 2:
        return None
    query, key = call.shapes[0], call.shapes[1]
    score_shape = others.heads.get((query, key))
    layouts = {
        4: ((0, 1, 2, 3), (0, 2, 1, 3)),  # batch, heads, sequence, width; batch, sequence, heads, width
        3: ((0, None, 1, 2), (1, None, 0, 2)),  # batch, sequence, heads and width; sequence, batch, …
    }.get(len(query), ())
    candidates = set()
    for batch, heads, sequence, width in layouts if len(query) == len(key) else ():
        layout_shape = (query[batch], None if heads is None else query[heads], query[sequence])
        if score_shape is None or all(mine in (None, its) for mine, its in zip(layout_shape, score_shape, strict=True)):
            pairs = query[batch] * query[sequence] * key[sequence]
            candidates.add(4 * pairs * query[width] * (1 if heads is None else query[heads]))
    return candidates.pop() if len(candidates) == 1 else None


def _ms_attention_backward(call: _Call, others: _Others) -> int | None:
    forward = _ms_attention(call, others)
    return None if forward is None else forward * 5 // 2


_Rule = Callable[[_Call, _Others], int | None]
_BACKWARD: Final = "aten::convolution_backward"
_CALLER: Final = "aten::convolution"  # calls one of the next
_BACKENDS: Final = (
    "aten::mkldnn_convolution",
    "aten::cudnn_convolution",
    "aten::miopen_convolution",
    "aten::_slow_conv2d_forward",
    "aten::_conv_depthwise2d",
)
_FUSED: Final = ("flash", "efficient", "cudnn")
_RULES: Final[dict[str, tuple[str, _Rule]]] = {
    "aten::mm": ("2mnk", _product),
    "aten::bmm": ("2bmnk", _product),
    "aten::addmm": ("2mnk", _added_product),
    "aten::_addmm_activation": ("2mnk", _added_product),
    "aten::baddbmm": ("2bmnk", _added_product),
    "aten::_scaled_mm": ("2mnk", _product),
    "aten::_int_mm": ("2mnk", _product),
    _CALLER: ("convolution", _convolution),
    **dict.fromkeys(_BACKENDS, ("convolution", _convolution_of_backend)),
    _BACKWARD: ("gradients of a convolution", _convolution_backward),
    **{f"aten::_scaled_dot_product_{kind}_attention": ("attention without mask", _attention) for kind in _FUSED},
    "aten::_scaled_dot_product_flash_attention_for_cpu": ("attention without mask", _attention),
    **{
        f"aten::_scaled_dot_product_{kind}_attention_backward": ("gradients of attention", _attention_backward)
        for kind in _FUSED
    },
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": ("gradients of attention", _attention_backward),
    # MindSpore, on processors and Ascend devices
    **dict.fromkeys(("MatMul", "MatMulV2", "MatMulV3", "MatMulExt"), ("2mnk", _product_either_way)),
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2", "BatchMatMulExt"), ("2bmnk", _product_either_way)),
    "Dense": ("2mnk", _dense),
    **dict.fromkeys(("Conv2D", "Conv3D", "DepthwiseConv2dNative"), ("convolution", _ms_convolution)),
    **dict.fromkeys(
        ("Conv2DBackpropFilter", "Conv3DBackpropFilter"), ("gradient of a convolution", _ms_gradient_of_weights)
    ),
    **dict.fromkeys(
        ("Conv2DBackpropInput", "Conv3DBackpropInput"), ("gradient of a convolution", _ms_gradient_of_input)
    ),
    "FlashAttentionScore": ("attention without mask", _ms_attention),
    "FlashAttentionScoreGrad": ("gradients of attention", _ms_attention_backward),
    # Paddle: what records shapes
    "matmul": ("2mnk", _product_either_way),
    "bmm": ("2bmnk", _product),
    "addmm": ("2mnk", _added_product),
    "matmul_grad": ("gradients of a product", _product_backward),
    "conv2d": ("convolution", _convolution_of_backend),
    "depthwise_conv2d": ("convolution", _convolution_of_backend),
    "conv2d_grad": ("gradients of a convolution", _paddle_convolution_backward),
    "flash_attn": ("attention without mask", _paddle_attention),
}


def _rules_of(texts: Sequence[str]) -> dict[int, tuple[str, _Rule]]:
    """The rules by numbers of texts; of those that call each other only one."""
    left_out = _BACKENDS if _CALLER in texts else ()
    rules = {}
    for number, text in enumerate(texts):
        name = text.removesuffix(" dygraph")  # Paddle
        if name in _RULES and name not in left_out:
            rules[number] = _RULES[name]
    return rules


def _others(columns: Columns) -> _Others:
    others = _Others()
    for name, shapes in _shapes_by_name(columns):
        first, second = (*shapes, (), ())[:2]
        if name == _BACKWARD and len(shapes) > 2:
            others.outputs[shapes[1], shapes[2]] = shapes[0]
        elif name == "conv2d_grad" and len(shapes) > 2:
            others.outputs[shapes[0], shapes[1]] = shapes[2]
        elif name.endswith("BackpropFilter") and len(first) > 2:
            others.with_input.add((first, second))
        elif name.endswith("BackpropInput") and len(first) > 2 and second:
            others.with_weights.add((first, second))
        elif name in ("Conv2D", "Conv3D", "DepthwiseConv2dNative") and len(second) > 2:
            others.forward.add((first, second))
        elif name == "FlashAttentionScoreGrad":
            # Beside each query stand eight copies of the largest score of its head.
            score_shapes = {shape[:3] for shape in shapes[4:] if len(shape) == 4 and shape[3] == 8}
            if len(score_shapes) == 1:
                others.heads[first, second] = score_shapes.pop()
    return others


_TELLING: Final = (_BACKWARD, "conv2d_grad", "FlashAttentionScoreGrad", "DepthwiseConv2dNative")


def _shapes_by_name(columns: Columns) -> Iterator[tuple[str, Shapes]]:
    """Calls that tell something of others."""
    texts, groups = columns.trace.texts, columns.groups
    telling = {
        number: name
        for number, text in enumerate(texts)
        if (name := text.removesuffix(" dygraph")) in _TELLING or (name.startswith("Conv") and name in _RULES)
    }
    by_name, by_type = np.isin(groups.name, list(telling)), np.isin(groups.type, list(telling))
    for at in np.flatnonzero((by_name | by_type) & (groups.shape != NOTHING)).tolist():
        number = int(groups.name[at] if by_name[at] else groups.type[at])
        yield telling[number], shapes_of(texts[groups.shape[at]])
