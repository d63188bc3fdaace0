"""Records as the scanner finds them, made by the encoders of our writers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.values.records import Record
from mindinsight_like.writers.encoding import visualdl

Make = Callable[[bytes], Record]


@pytest.fixture(scope="session")
def tensorboard_record() -> Make:
    return lambda value: Record(Dialect.TENSORBOARD, value)


@pytest.fixture(scope="session")
def mindspore_record() -> Make:
    return lambda value: Record(Dialect.MINDSPORE, value)


@pytest.fixture(scope="session")
def visualdl_record() -> Make:
    def make(content: bytes) -> Record:
        framed = visualdl.record("tag", content, step=3, wall_time=1.7e9)
        return Record(Dialect.VISUALDL, MessageFields(framed).content(1))

    return make
