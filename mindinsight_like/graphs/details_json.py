"""Serialise node details as JSON, for formats that spread them over the file; they are stored beside the graph."""

from __future__ import annotations

import orjson

from mindinsight_like.graphs.details import Details


def dump_details(details: Details) -> bytes:
    return orjson.dumps({"attributes": details.attributes, "device": details.device, "stack": details.stack})


def load_details(message: bytes) -> Details:
    """The reverse of `dump_details`; nothing for no bytes."""
    return Details(**orjson.loads(message)) if message else Details()
