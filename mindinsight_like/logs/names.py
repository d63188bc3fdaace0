"""Recognise log files by their names."""

import re
from typing import NamedTuple

from .kinds import Dialect
from .whole_files import dialect_by_name

# A rank stands between the time and the host name. MindSpore 1.0 wrote none, and there an IPv4 address as host
# name begins with a number too: four numbers alone are an address, five are a rank and an address.
_MINDSPORE = re.compile(r"(?:.*out\.events\.)?summary\.(\d+)")
_RANK = re.compile(r"(?!(?:\.\d+){4}(?![.\d]))\.(\d+)\.")
_TENSORBOARD = re.compile(r"tfevents(?:\.(\d+))?")
_VISUALDL = re.compile(r"vdlrecords(?:\.(\d+))?")
_VISUALDL_GRAPH = re.compile(r"vdlgraph(?:\.(\d+))?")
# Something of these is in every name that tells a log; home folders hold a million others.
_ANY = re.compile(
    r"tfevents|vdlrecords|vdlgraph|summary\.|mindinsight_like|projector_config|saved_model|\.onnx|\.pdmodel"
)


class LogName(NamedTuple):
    """What a file's name tells: its dialect, the writing device or rank, and when it was made in unix seconds."""

    dialect: Dialect
    rank: int | None
    created: int | None


def classify(file_name: str) -> LogName | None:
    """What the name (without folders) says about a log file, or None when it is no log of ours."""
    if _ANY.search(file_name) is None:
        return None
    if match := _TENSORBOARD.search(file_name):
        return LogName(Dialect.TENSORBOARD, None, _number(match[1]))
    if match := _VISUALDL.search(file_name):
        return LogName(Dialect.VISUALDL, None, _number(match[1]))
    if match := _MINDSPORE.search(file_name):
        dialect = Dialect.MINDSPORE_LINEAGE if file_name.endswith("_lineage") else Dialect.MINDSPORE
        rank = _RANK.match(file_name, match.end())
        return LogName(dialect, _number(rank[1]) if rank else None, _number(match[1]))
    if match := _VISUALDL_GRAPH.search(file_name):
        return LogName(Dialect.VISUALDL_GRAPH, None, _number(match[1]))
    whole = dialect_by_name(file_name)
    return None if whole is None else LogName(whole, None, None)


def legacy_tag(file_name: str) -> str:
    """The tag of a tablet in a VisualDL 1.x folder: its file name with slashes for percent signs."""
    return file_name.replace("%", "/")


def _number(digits: str | None) -> int | None:
    # A host name of digits only is no rank and no time that the index could hold.
    return int(digits) if digits and len(digits) <= 18 else None
