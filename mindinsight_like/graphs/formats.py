"""Registry of graph readers by dialect."""

from __future__ import annotations

from collections.abc import Callable

from mindinsight_like.graphs.details import Details
from mindinsight_like.graphs.drafts import Draft, NodeKind
from mindinsight_like.graphs.readers import (
    mindspore,
    onnx,
    onnx_details,
    paddle_pir,
    paddle_program,
    tensorboard,
    tensorflow,
    visualdl,
)
from mindinsight_like.logs.kinds import Dialect

_READERS: dict[Dialect, Callable[[bytes], Draft]] = {
    Dialect.MINDSPORE: mindspore.read_graph,
    Dialect.MINDSPORE_MODEL: mindspore.read_model,
    Dialect.TENSORBOARD: tensorboard.read_record,
    Dialect.TENSORFLOW_MODEL: tensorboard.read_model,
    Dialect.VISUALDL_GRAPH: visualdl.read_graph,
    Dialect.PADDLE_PROGRAM: paddle_program.read_program,
    Dialect.PADDLE_PIR: paddle_pir.read_program,
    Dialect.ONNX: onnx.read_model,
}
_DETAILS: dict[Dialect, Callable[[bytes, NodeKind], Details]] = {
    Dialect.MINDSPORE: mindspore.node_details,
    Dialect.MINDSPORE_MODEL: mindspore.node_details,
    Dialect.TENSORBOARD: tensorflow.node_details,
    Dialect.TENSORFLOW_MODEL: tensorflow.node_details,
    Dialect.PADDLE_PROGRAM: paddle_program.node_details,
    Dialect.ONNX: onnx_details.node_details,
}


def read_draft(dialect: Dialect, data: bytes) -> Draft:
    """The graph in a record; raises Malformed, BadGraph."""
    return _READERS[dialect](data)


def read_details(dialect: Dialect, message: bytes, kind: NodeKind) -> Details:
    """What the message of a node says besides the columns; raises Malformed."""
    return _DETAILS[dialect](message, kind) if message else Details()
