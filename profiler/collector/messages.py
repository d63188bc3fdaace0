"""Message classes of collector.proto, built at run time without generated modules.

Generated modules demand a version of protobuf not older than their own, and register in the pool that all libraries
of a process share. These are made from descriptors compiled by protoc (collector.desc, written by `python -m
tests.schemas`), when they are first needed, in a pool of their own.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final

VERSION: Final = 1  # of what both sides say to each other
METHOD: Final = "/mindinsight_like.collector.Collector/Connect"
LARGEST_MESSAGE: Final = 64 << 20

_PACKAGE = "mindinsight_like.collector"


@cache
def message_class(name: str) -> Any:
    """The class of a message; raises ImportError where protobuf is not installed."""
    from google.protobuf import message_factory

    descriptor = _pool().FindMessageTypeByName(f"{_PACKAGE}.{name}")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(_pool()).GetPrototype(descriptor)  # protobuf 3


@cache
def _pool() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool

    descriptors = descriptor_pb2.FileDescriptorSet.FromString(
        files("mindinsight_like.profiler").joinpath("collector.desc").read_bytes()
    )
    pool = descriptor_pool.DescriptorPool()
    for file in descriptors.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool
