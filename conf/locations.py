"""Check that folders and files are local: URLs such as s3://bucket/runs are rejected, not taken for folder names."""

from __future__ import annotations

import os
import re

# One slash is enough: pathlib makes s3:/bucket of s3://bucket. A single letter would be a Windows drive.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
NOT_LOCAL = "is a URL; only local paths are supported, such as a mounted bucket"


class NotLocal(ValueError):
    """A URL was given where a folder or file of this machine is needed."""


def is_url(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> bool:
    """Whether a path is an address such as s3://bucket/x; a folder whose name ends in ':' is written ./name:/x."""
    return _URL.match(os.fsdecode(path)) is not None


def check_local(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> None:
    """Raise NotLocal for a URL."""
    if is_url(path):
        raise NotLocal(f"{os.fsdecode(path)} {NOT_LOCAL}")
