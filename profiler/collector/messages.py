"""The messages of collector.proto as classes, made without generated modules.

Generated modules demand a version of protobuf not older than their own, and register in the pool that all libraries
of a process share. These are made from the .proto file, when they are first needed, in a pool of their own.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

VERSION: Final = 1  # of what both sides say to each other
METHOD: Final = "/mindinsight_like.collector.Collector/Connect"
LARGEST_MESSAGE: Final = 64 << 20

_PROTO = Path(__file__).parents[1] / "collector.proto"
_PACKAGE = "mindinsight_like.collector"
_TOKEN = re.compile(r"[\w.]+|[{}=;]")


@cache
def message_class(name: str) -> Any:
    """The class of a message; raises ImportError where protobuf is not installed."""
    from google.protobuf import message_factory

    found = _pool().FindMessageTypeByName(f"{_PACKAGE}.{name}")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(found)
    return message_factory.MessageFactory(_pool()).GetPrototype(found)  # protobuf 3


@cache
def _pool() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(name="collector.proto", package=_PACKAGE, syntax="proto3")
    text = re.sub(r"//.*", "", _PROTO.read_text(encoding="utf-8"))
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        _add_fields(file.message_type.add(name=name), _TOKEN.findall(body))
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def _add_fields(message: Any, tokens: list[str]) -> None:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

    while tokens:
        if tokens[0] == "}":
            del tokens[0]
        elif tokens[0] == "oneof":
            message.oneof_decl.add(name=tokens[1])
            _add_choices(message, tokens)
        else:
            is_repeated = tokens[0] == "repeated"
            kind, name, _, number, _ = tokens[is_repeated : is_repeated + 5]
            del tokens[: is_repeated + 5]
            field = message.field.add(name=name, number=int(number))
            field.label = Field.LABEL_REPEATED if is_repeated else Field.LABEL_OPTIONAL
            _set_type(field, kind)


def _add_choices(message: Any, tokens: list[str]) -> None:
    end = tokens.index("}")
    first = len(message.field)
    _add_fields(message, tokens[3:end])
    for field in message.field[first:]:
        field.oneof_index = len(message.oneof_decl) - 1
    del tokens[: end + 1]


def _set_type(field: Any, kind: str) -> None:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

    number = getattr(Field, f"TYPE_{kind.upper()}", None)
    if number is None:
        field.type, field.type_name = Field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = number
