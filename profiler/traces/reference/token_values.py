"""Numbers and texts that tokens of trace events stand for."""

from __future__ import annotations

from mindinsight_like.profiler.traces.event_rows import ABSENT, Kind

from .numbers import decimal, scaled


def content_of(token: bytes) -> bytes:
    """What a string says, as it is written; other tokens as they are."""
    return token[1:-1] if token.startswith(b'"') else token


def argument_of(kind: Kind, token: bytes) -> int | float | bytes | None:
    """The value of an argument of a kind; None where it is not of that kind."""
    if kind == Kind.TEXT:
        return token
    if kind == Kind.DECIMAL:
        return decimal(content_of(token))
    if kind == Kind.INTEGER:
        return integer_of(token)
    time = time_of(token)
    return None if time == ABSENT else time


def integer_of(token: bytes) -> int | None:
    """A whole number as a signed one of 64 bits; None where it is none, or too large."""
    number = scaled(content_of(token), 0, whole=True)
    if number is None or number < -(2**63):
        return None
    return number - 2**64 if number >= 2**63 else number


def time_of(token: bytes) -> int:
    """Nanoseconds of a number of microseconds; ABSENT where it is none."""
    time = scaled(content_of(token), 3, whole=False)
    return time if time is not None and -(2**63) < time < 2**63 else ABSENT
