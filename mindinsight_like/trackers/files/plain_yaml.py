"""Flat YAML as libraries write it for a few settings: `key: value` lines, read as data and nothing else."""

from __future__ import annotations

import json
import re

_LINE = re.compile(r"(?P<key>[^\s:#'\"][^:]*|'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"):(?:[ \t]+(?P<value>.*))?")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", "a": "\a", "b": "\b", "v": "\v", "f": "\f"}

Plain = str | int | float | bool | None


def parse(content: bytes) -> dict[str, Plain]:
    """The values of the keys that stand at the margin; what is nested or of other types stays text."""
    values: dict[str, Plain] = {}
    key, parts = None, []
    for line in content.decode(errors="replace").splitlines():
        match = _LINE.fullmatch(line) if line[:1] not in (" ", "\t", "-") else None
        if match:
            if key is not None:
                values[key] = _scalar(" ".join(parts))
            key, parts = _unquoted(match["key"].strip()), [(match["value"] or "").strip()]
        elif key is not None and line.strip():
            parts.append(line.strip())  # of a text that was folded
    if key is not None:
        values[key] = _scalar(" ".join(parts))
    return values


def _scalar(text: str) -> Plain:
    text = text.strip()
    if text[:1] in ("'", '"'):
        return _unquoted(text)
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text[0] in "tT"
    if re.fullmatch(r"[-+]?\d{1,18}", text):
        return int(text)
    if re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text):
        return float(text)
    special = {".nan": "nan", ".inf": "inf", "-.inf": "-inf", "+.inf": "inf"}.get(text.lower())
    return text if special is None else float(special)


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) >= 2 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return _ESCAPE.sub(_unescaped, text[1:-1])
    return text


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    if digits:
        return chr(min(int(digits, 16), 0x10FFFF))
    return _SHORT.get(match[4], match[4])
