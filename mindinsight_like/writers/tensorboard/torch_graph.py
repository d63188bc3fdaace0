"""Turn torch modules into graphs for TensorBoard, by tracing them with the torch they were made with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mindinsight_like.writers.encoding import graph_def

_GET_ATTRIBUTE = "prim::GetAttr"
_CLASS = "ClassType"
_ROOT = "__module"


def torch_graph(model: Any, arguments: Any, *, strict: bool = True, verbose: bool = False) -> bytes:
    """The GraphDef of what the module computes for the arguments; a scope for each module, as torch names them.

    The module is traced in evaluation mode and left in the modes it was in. Raises what tracing raises.
    """
    import torch

    if isinstance(model, torch.jit.ScriptModule) and arguments is None:
        traced, graph = model, model.inlined_graph
    else:
        with _evaluating(model):
            traced = torch.jit.trace(model, arguments, strict=strict)
        graph = traced.graph
        torch._C._jit_pass_inline(graph)
    if verbose:
        print(graph)
    return graph_def.graph(_nodes(graph, _scope_names(traced)))


def _nodes(graph: Any, scope_names: dict[str, str]) -> Iterator[bytes]:
    names: dict[str, str] = {}  # of the nodes in TensorBoard, by the values that they stand for
    for value in graph.inputs():
        if value.uses() and value.type().kind() != _CLASS:
            name = names[value.debugName()] = f"input/{value.debugName()}"
            yield graph_def.node(name, "IO Node", [], shape=_shape(value))
    paths: dict[str, str] = {}  # of modules and parameters, by the values that hold them
    for operation in graph.nodes():
        scope = operation.scopeName()
        if operation.kind() == _GET_ATTRIBUTE:
            scope = paths[operation.output().debugName()] = _path(operation, paths)
            if operation.output().type().kind() == _CLASS:
                continue
        inputs = [names[value.debugName()] for value in operation.inputs() if value.debugName() in names]
        attributes = {name: getattr(operation, operation.kindOf(name))(name) for name in operation.attributeNames()}
        for value in operation.outputs():
            name = names[value.debugName()] = f"{_scope(scope, scope_names)}/{value.debugName()}"
            # TensorBoard's page stumbles over single quotes
            text = str(attributes).replace("'", " ")
            yield graph_def.node(name, operation.kind(), inputs, shape=_shape(value), attributes=text)
    for number, value in enumerate(graph.outputs(), 1):
        inputs = [names[value.debugName()]] if value.debugName() in names else []
        yield graph_def.node(f"output/output.{number}", "IO Node", inputs, shape=_shape(value))


def _path(operation: Any, paths: dict[str, str]) -> str:
    """Where the attribute is found, as torch writes scopes: __module.block/__module.block.conv."""
    above = paths.get(operation.input().debugName())
    name = operation.s("name")
    return f"{_ROOT}.{name}" if above is None else f"{above}/{above.rsplit('/', 1)[-1]}.{name}"


def _scope(scope: str, scope_names: dict[str, str]) -> str:
    parts = [scope_names.get(part) or part.rsplit(".", 1)[-1] for part in scope.split("/") if part]
    return "/".join([scope_names[""], *parts])


def _scope_names(traced: Any) -> dict[str, str]:
    """What modules are called on the page, by their paths: Conv2d[conv1]."""
    names = {
        path: f"{_class_name(module)}[{path.rsplit('.', 1)[-1]}]"
        for path, module in (traced.named_modules(prefix=_ROOT) if hasattr(traced, "named_modules") else ())
    }
    names[""] = _class_name(traced)
    return names


def _class_name(module: Any) -> str:
    return str(getattr(module, "original_name", None) or getattr(module, "_name", None) or "Module")


def _shape(value: Any) -> list[int] | None:
    if not value.isCompleteTensor():
        return None
    return list(value.type().sizes())


@contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    training = [module for module in model.modules() if module.training] if hasattr(model, "modules") else []
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True
