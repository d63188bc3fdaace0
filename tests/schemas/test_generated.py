"""What is generated from .proto files is up to date."""

from __future__ import annotations

import pytest

from .compiler import IS_AVAILABLE
from .generated import COLLECTOR, ROOT, generated_files

pytestmark = pytest.mark.skipif(not IS_AVAILABLE, reason="needs grpcio-tools (requirements/tools.txt)")


def test_generated_files_are_those_of_a_fresh_run() -> None:
    stale = [
        str(path.relative_to(ROOT))
        for path, content in generated_files().items()
        if path != COLLECTOR and path.read_bytes() != content
    ]

    assert not stale, "run: python -m tests.schemas"


def test_the_collectors_descriptors_are_those_of_its_proto_file() -> None:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    committed, fresh = COLLECTOR.read_bytes(), generated_files()[COLLECTOR]

    # Compared as messages: another version of protoc may order the bytes otherwise.
    assert FileDescriptorSet.FromString(committed) == FileDescriptorSet.FromString(fresh)
