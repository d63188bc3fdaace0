"""Details of nodes that a format spreads over a file, so that they are kept beside the graph."""

from __future__ import annotations

import orjson

from mindinsight_like.graphs.details import Details


def held_json(details: Details) -> bytes:
    return orjson.dumps({"attributes": details.attributes, "device": details.device, "stack": details.stack})


def from_held(message: bytes) -> Details:
    """The reverse of `held_json`; nothing for no bytes."""
    return Details(**orjson.loads(message)) if message else Details()
