"""Extract the graph of paddle models, from static and PIR programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mindinsight_like.writers.callbacks.framework_class import first_module
from mindinsight_like.writers.visualdl.vdl_graph import Operator, Variable, graph, summary

_PARAMETERS = ("builtin.parameter", "builtin.constant")
_HIDDEN = ("op_callstack", "struct_name", "op_namescope", "sub_block")  # source paths, and what scopes tell better


def graph_json(model: Any, input_spec: Any = None, *, verbose: bool = False) -> str:
    """The graph of a `paddle.nn.Layer`, called with inputs like `input_spec`, or of a static program.

    The model is traced, not run, and left as it was. `verbose` prints how many operators and layers it has. Raises
    ImportError without paddle and TypeError for other models.
    """
    is_program = hasattr(model, "global_block")
    program, outputs, scopes = (model, [], {}) if is_program else _traced(model, input_spec)
    describe = _static if hasattr(program, "desc") else _pir
    operators, variables = describe(program.global_block(), outputs, scopes)
    stored = graph(operators, variables)
    if verbose:
        print(summary(stored))
    return json.dumps(stored, indent=2)


def _traced(model: Any, input_spec: Any) -> tuple[Any, list[Any], dict[Any, str]]:
    """The program of a layer, its outputs, and the scope of every operator."""
    paddle = first_module("paddle", purpose="add_graph")
    if not isinstance(model, paddle.nn.Layer):
        raise TypeError(f"expected a paddle layer or program, not {type(model).__name__}")
    if input_spec is None:
        raise ValueError("input_spec is required: a paddle.static.InputSpec (or a tensor) for each input of the model")
    inputs = input_spec if isinstance(input_spec, list | tuple) else [input_spec]
    specs = [
        spec if isinstance(spec, paddle.static.InputSpec) else paddle.static.InputSpec.from_tensor(spec)
        for spec in inputs
    ]
    root = f"/{type(model).__name__}[model]"
    with _scopes(model, root, paddle.static.default_main_program) as scopes:
        forward = model.forward
        if hasattr(forward, "concrete_program_specify_input_spec"):  # already decorated with to_static
            concrete = forward.concrete_program_specify_input_spec(input_spec=specs)
        else:
            concrete = _to_static(paddle, forward, specs).concrete_program
    block = concrete.main_program.global_block()
    for operator in _operators(block):
        scopes.setdefault(_identity(operator), root)
    outputs = [output for output in _flat(concrete.outputs) if hasattr(output, "shape")]
    return concrete.main_program, outputs, scopes


def _to_static(paddle: Any, forward: Callable[..., Any], specs: Sequence[Any]) -> Any:
    try:
        return paddle.jit.to_static(forward, input_spec=specs, full_graph=True)
    except TypeError:  # before 2.6 there was no other way than the full graph
        return paddle.jit.to_static(forward, input_spec=specs)


@contextmanager
def _scopes(model: Any, root: str, current: Callable[[], Any]) -> Iterator[dict[Any, str]]:
    """Notes, while the model is traced, in which call of which layer every operator was added."""
    scopes: dict[Any, str] = {}
    calls: Counter[str] = Counter()
    entered: list[tuple[str, int]] = [(root, 0)]  # the layers that are being called: scope, operators before
    hooks: list[Any] = []

    def watch(layer: Any, name: str) -> None:
        def enter(*_: Any) -> None:
            scope = f"{entered[-1][0]}/{name}"
            number = calls[scope]
            calls[scope] += 1
            entered.append((f"{scope}_{number}" if number else scope, len(_operators(current().global_block()))))

        def leave(*_: Any) -> None:
            scope, before = entered.pop()
            for operator in _operators(current().global_block())[before:]:
                scopes.setdefault(_identity(operator), scope)  # inner layers leave first

        hooks.extend((layer.register_forward_pre_hook(enter), layer.register_forward_post_hook(leave)))
        for inner_name, inner in layer.named_children():
            watch(inner, f"{type(inner).__name__}[{inner_name}]")

    for name, layer in model.named_children():
        watch(layer, f"{type(layer).__name__}[{name}]")
    try:
        yield scopes
    finally:
        for hook in hooks:
            hook.remove()


def _operators(block: Any) -> list[Any]:
    """The operators in their order; parameters, which are put in front of them when first used, are none."""
    is_pir = callable(getattr(block.ops[0], "name", None)) if block.ops else False
    return [operator for operator in block.ops if not is_pir or operator.name() not in _PARAMETERS]


def _identity(operator: Any) -> Any:
    return operator.id() if callable(getattr(operator, "id", None)) else id(operator)


def _flat(outputs: Any) -> Iterator[Any]:
    if isinstance(outputs, list | tuple):
        for output in outputs:
            yield from _flat(output)
    elif isinstance(outputs, dict):
        yield from _flat(list(outputs.values()))
    else:
        yield outputs


def _pir(block: Any, outputs: list[Any], scopes: dict[Any, str]) -> tuple[list[Operator], list[Variable]]:
    """Operators and variables of a program of paddle 3."""
    names: dict[Any, str] = {}
    variables: list[Variable] = []
    operators: list[Operator] = []

    def named(value: Any, otherwise: str, *, persistable: bool = False) -> str:
        if value.id not in names:
            name = value.name if value.has_name else otherwise
            names[value.id] = name
            # Asking a list of tensors for its shape ends the process.
            is_tensor = value.is_dense_tensor_type()
            shape, dtype = (_shape(value), _dtype(value)) if is_tensor else ([], "")
            variables.append(Variable(name, shape, dtype, persistable))
        return names[value.id]

    for number, operator in enumerate(block.ops):
        kind = operator.name().rpartition(".")[2]
        attributes = _attributes(operator.attrs)
        if operator.name() in _PARAMETERS:
            for result in operator.results():
                named(result, str(attributes.get("parameter_name", f"{kind}_{number}")), persistable=True)
            continue
        inputs = [
            [] if not value.initialized() else [named(value, f"value_{number}.{place}")]
            for place, value in enumerate(operator.operands_source())
        ]
        results = [
            [named(value, f"{kind}_{number}.tmp_{place}")]
            for place, value in enumerate(operator.results())
            if value.initialized()
        ]
        is_input = kind == "data"
        try:
            # In this order: built-in operators have no names for these, but only the first call checks it.
            input_roles, output_roles = operator.get_input_names(), operator.get_output_names()
        except Exception:  # the binding raises errors of its own
            input_roles, output_roles = [], []
        operators.append(
            Operator(
                "" if is_input else scopes.get(_identity(operator), ""),
                "feed" if is_input else kind,
                _roles(input_roles, inputs, "X"),
                _roles(output_roles, results, "Out"),
                attributes,
            )
        )
    for number, value in enumerate(outputs):
        operators.append(Operator("", "fetch", {"X": [named(value, f"output_{number}")]}, {}))
    return operators, variables


def _roles(roles: list[str], values: list[list[str]], otherwise: str) -> dict[str, list[str]]:
    if len(roles) != len(values):
        return {otherwise: [name for names in values for name in names]}
    return dict(zip(roles, values, strict=True))


def _attributes(read: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        attributes = read()
    except Exception:  # an attribute of a type that the binding cannot hand out
        return {}
    return {name: value for name, value in attributes.items() if name not in _HIDDEN}


def _static(block: Any, outputs: list[Any], scopes: dict[Any, str]) -> tuple[list[Operator], list[Variable]]:
    """Operators and variables of a program of paddle 2."""
    variables = [
        Variable(name, _shape(variable), _dtype(variable), bool(variable.persistable))
        for name, variable in block.vars.items()
    ]
    operators = [
        Operator("", "feed", {"X": []}, {"Out": [name]})
        for name, variable in block.vars.items()
        if getattr(variable, "is_data", False)
    ]
    for operator in block.ops:
        attributes = _attributes(operator.all_attrs)
        operators.append(
            Operator(
                scopes.get(_identity(operator), ""),
                operator.type,
                {role: list(operator.input(role)) for role in operator.input_names},
                {role: list(operator.output(role)) for role in operator.output_names},
                attributes,
            )
        )
    operators += [Operator("", "fetch", {"X": [output.name]}, {}) for output in outputs]
    return operators, variables


def _shape(value: Any) -> list[int]:
    try:
        return [int(length) for length in value.shape]
    except Exception:  # what is fed and fetched, and lists of tensors, have none; the binding raises errors of its own
        return []


def _dtype(value: Any) -> str:
    try:
        return f"paddle.{str(value.dtype).rpartition('.')[2].lower()}"
    except Exception:  # as above
        return ""
