"""Encode hyper-parameters and the names of their metrics as TensorBoard's plugin reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mindinsight_like.writers import tensorboard, wire
from mindinsight_like.writers.values import to_number

_STRING, _BOOL, _FLOAT64 = 1, 2, 3
_SUCCESS = 1


def session(
    parameters: Mapping[str, Any], metrics: Iterable[str], choices: Mapping[str, Sequence[Any]] | None = None
) -> list[bytes]:
    """The three values that describe a finished trial: which parameters exist, this trial's, and that it is over.

    Numbers (also in arrays and tensors of one element), texts and booleans keep their kind, functions and classes go by
    their name, everything else is kept as text; None is left out. `choices` lists what a parameter may be. Raises
    TypeError when these are not of the parameter's kind.
    """
    known = {name: _value(value) for name, value in parameters.items() if value is not None}
    for name, listed in (choices or {}).items():
        if name not in known or any(_value(choice)[0] != known[name][0] for choice in listed):
            raise TypeError(f"hparam_domain_discrete[{name!r}] must list values of the kind of that hyper-parameter")
    infos = b"".join(wire.blob(4, _info(name, kind, choices)) for name, (kind, _) in known.items())
    named = b"".join(wire.blob(5, wire.blob(1, wire.text(2, metric))) for metric in metrics)
    start = b"".join(wire.blob(1, wire.text(1, name) + wire.blob(2, value)) for name, (_, value) in known.items())
    return [
        _value_of("experiment", wire.blob(2, infos + named)),
        _value_of("session_start_info", wire.blob(3, start)),
        _value_of("session_end_info", wire.blob(4, wire.integer(1, _SUCCESS))),
    ]


def _value_of(name: str, content: bytes) -> bytes:
    return tensorboard.bare(f"_hparams_/{name}", plugin="hparams", settings=content)


def _info(name: str, kind: int, choices: Mapping[str, Sequence[Any]] | None) -> bytes:
    content = wire.text(1, name) + wire.integer(4, kind)
    if choices and name in choices:
        content += wire.blob(5, b"".join(wire.blob(1, _value(choice)[1]) for choice in choices[name]))
    return content


def _value(value: Any) -> tuple[int, bytes]:
    """The kind, and the value as google.protobuf.Value."""
    if isinstance(value, bool):
        return _BOOL, wire.integer(4, value)
    if isinstance(value, str):
        return _STRING, wire.text(3, value)
    if callable(value) and not hasattr(value, "dtype"):
        return _STRING, wire.text(3, getattr(value, "__name__", str(value)))
    if not isinstance(value, (list, tuple)):
        try:
            return _FLOAT64, wire.double(2, to_number(value))
        except (TypeError, ValueError):
            pass
    return _STRING, wire.text(3, str(value))
