"""Decode documents: JSON objects in which the index keeps values of trackers' logs."""

from __future__ import annotations

import json
import os
from typing import Any

from mindinsight_like.values.records import BadValue, Record, Window

_MOST_FILES = 1000  # of one document
_MOST_BYTES = 256 * 2**20  # of one file


def document(record: Record) -> dict[str, Any]:
    """The object of a record; raises BadValue."""
    try:
        content = json.loads(record.data[:])
    except (ValueError, RecursionError) as error:
        raise BadValue("the value is not valid JSON") from error
    if not isinstance(content, dict):
        raise BadValue("the value is no JSON object")
    return content


def file_names(record: Record) -> list[tuple[str, str]]:
    """The files that a document lists, each with its caption; raises BadValue."""
    content = document(record)
    names, captions = content.get("files"), content.get("captions")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise BadValue("the value names no file")
    texts = captions if isinstance(captions, list) else []
    padded = [str(each) if each is not None else "" for each in texts] + [""] * len(names)
    return list(zip(names, padded, strict=False))[:_MOST_FILES]


def file_window(record: Record, name: str) -> Window:
    """The bytes of a file, read as they are looked at; raises BadValue, BlobGone."""
    handle = record.inside(name)
    try:
        size = os.fstat(handle).st_size
    finally:
        os.close(handle)
    if size > _MOST_BYTES:
        raise BadValue(f"the file has {size:,} bytes; the limit is {_MOST_BYTES:,}")

    def read(begin: int, count: int) -> bytes:
        opened = record.inside(name)
        try:
            return os.pread(opened, count, begin)
        except OSError as error:
            raise BadValue(f"the file cannot be read: {error.strerror}") from error
        finally:
            os.close(opened)

    return Window(read, size)


def listed_file(record: Record, part: int, what: str) -> bytes:
    """One of the files that a document lists; raises BadValue, BlobGone."""
    names = file_names(record)
    if not 0 <= part < len(names):
        raise BadValue(f"the record has fewer {what}")
    return file_window(record, names[part][0])[:]
