"""Take protobuf messages that others have built, without the protobuf package."""

from __future__ import annotations

from mindinsight_like.logs.wire import Malformed, fields


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
    given = type(value).__name__
    if given != kind:
        raise TypeError(f"expected a protobuf message {kind}, not {given}")
    encoded: bytes = serialize()
    return encoded
