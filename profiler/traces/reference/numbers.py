"""JSON numbers parsed exactly, without floats: the Python reference."""

from __future__ import annotations

import math
import re
from typing import Final

_NUMBER: Final = re.compile(rb" *([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
_KEPT_DIGITS: Final = 25  # more than 64 bits hold, so that the others cannot matter
_MOST_EXPONENT: Final = 9999  # far out of reach
_LONGEST: Final = 400  # no profiler writes longer decimals


def scaled(text: bytes, exponent: int, *, whole: bool) -> int | None:
    """The number at the beginning of a text times ten to the exponent, halves rounded away from zero.

    None where there is none, or where it is larger than 64 bits hold; `whole` allows nothing behind the number.
    """
    match = _NUMBER.match(text)
    assert match is not None  # everything in it may be missing
    sign, units, fraction, power = match.groups(b"")
    if not (units or fraction) or (whole and match.end() != len(text)):
        return None
    if power:
        size = min(_MOST_EXPONENT, int(power.lstrip(b"+-").lstrip(b"0")[:5] or b"0"))
        exponent += -size if power.startswith(b"-") else size
    digits = (units + fraction).lstrip(b"0")
    exponent -= len(fraction)
    if not digits:
        return 0
    exponent += max(0, len(digits) - _KEPT_DIGITS)
    magnitude = int(digits[:_KEPT_DIGITS])
    if exponent > 0:
        if exponent > _KEPT_DIGITS:
            return None
        magnitude *= 10**exponent
    elif exponent < -2 * _KEPT_DIGITS:
        magnitude = 0
    elif exponent < 0:
        unit = 10**-exponent
        magnitude = (magnitude + unit // 2) // unit
    if magnitude >= 2**64:
        return None
    return -magnitude if sign == b"-" else magnitude


def decimal(text: bytes) -> float | None:
    """The finite number at the beginning of a text."""
    match = _NUMBER.match(text)
    assert match is not None
    number = match.group().strip()
    if not (match.group(2) or match.group(3)) or len(number) > _LONGEST:
        return None
    value = float(number)
    return value if math.isfinite(value) else None
