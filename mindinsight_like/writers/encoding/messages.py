"""Accept protobuf messages built by the caller, without the protobuf package."""

from __future__ import annotations

from mindinsight_like.logs.protobuf.wire import Malformed, fields


def message_bytes(value: object, kind: str) -> bytes | None:
    """The encoded message when `value` is bytes or a protobuf message, None when it is anything else.

    Raises ValueError for bytes that are no protobuf message and TypeError for a message of another kind.
    """
    if isinstance(value, bytes | bytearray | memoryview):
        content = bytes(value)
        try:
            for _ in fields(content, 0, len(content)):
                pass
        except Malformed as error:
            raise ValueError(f"expected the bytes of a protobuf message {kind}: {error}") from error
        return content
    serialize = getattr(value, "SerializeToString", None)
    if not callable(serialize):
        return None
    type_name = type(value).__name__
    if type_name != kind:
        raise TypeError(f"expected a protobuf message {kind}, not {type_name}")
    encoded: bytes = serialize()
    return encoded
