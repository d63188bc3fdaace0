"""Read Keras models from the JSON that its TensorBoard callback logs; nested models become scopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mindinsight_like.graphs.details import MOST_DEPTH, Details
from mindinsight_like.graphs.details_json import dump_details
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.json_values import dictionary, items, loads, text, value_text

_SHAPES = ("batch_shape", "batch_input_shape")


def read_model(data: bytes) -> Draft:
    """The layers of a model; raises BadGraph."""
    model = loads(data)
    draft = Draft(text(dictionary(model.get("config")).get("name")))
    _add_layers(draft, model, "", 0)
    return draft


def _add_layers(draft: Draft, model: dict[str, Any], prefix: str, depth: int) -> tuple[list[int], list[int]]:
    """Adds the layers of a model; gives those that its input goes to and those that its output comes from."""
    if depth > MOST_DEPTH:
        raise BadGraph("models are nested too deeply")
    config = dictionary(model.get("config"))
    layers = [dictionary(layer) for layer in items(config.get("layers"))]
    is_chain = model.get("class_name") == "Sequential"
    entries: dict[str, list[int]] = {}
    exits: dict[str, list[int]] = {}
    links: list[tuple[str, str]] = []
    before = ""
    for layer in layers:
        settings = dictionary(layer.get("config"))
        name = text(settings.get("name")) or text(layer.get("name")) or text(layer.get("class_name"))
        if isinstance(settings.get("layers"), list):
            entries[name], exits[name] = _add_layers(draft, layer, f"{prefix}{name}/", depth + 1)
        else:
            entries[name] = exits[name] = [_add_layer(draft, layer, settings, f"{prefix}{name}")]
        if is_chain:
            links += [(before, name)] if before else []
            before = name
        else:
            links += [(source, name) for source in _inbound(layer.get("inbound_nodes"), 0)]
    for source, target in links:
        for start in exits.get(source, ()):
            for end in entries.get(target, ()):
                draft.link(start, end)
    first = [name for name in entries if name not in {target for _, target in links}]
    last = [name for name in exits if name not in {source for source, _ in links}]
    return [node for name in first for node in entries[name]], [node for name in last for node in exits[name]]


def _add_layer(draft: Draft, layer: dict[str, Any], settings: dict[str, Any], name: str) -> int:
    type_name = text(layer.get("class_name"))
    dtype = settings.get("dtype")
    if isinstance(dtype, dict):  # a policy
        dtype = dictionary(dtype.get("config")).get("name")
    shape = next((settings[key] for key in _SHAPES if isinstance(settings.get(key), list)), None)
    sizes = shape_text([-1 if size is None else str(size) for size in shape]) if shape else ""
    ports = draft.ports_of([Port(text(dtype), sizes)])
    details = Details([(key, value_text(value)) for key, value in settings.items()])
    kind = NodeKind.INPUT if type_name == "InputLayer" else NodeKind.OPERATOR
    return draft.add(name, type_name, kind, ports=ports, place=draft.store_message(dump_details(details)))


def _inbound(description: Any, depth: int) -> Iterator[str]:
    """The layers that are named somewhere in a description of inputs: of Keras 3, or lists of Keras 2."""
    if depth > MOST_DEPTH:
        return
    if isinstance(description, dict):
        history = description.get("keras_history")
        if isinstance(history, list) and history:
            yield text(history[0])
        else:
            for value in description.values():
                yield from _inbound(value, depth + 1)
    elif isinstance(description, list):
        if (
            len(description) >= 3
            and isinstance(description[0], str)
            and all(isinstance(each, int) for each in description[1:3])
        ):
            yield description[0]
        else:
            for value in description:
                yield from _inbound(value, depth + 1)
