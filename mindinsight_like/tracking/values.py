"""What a script logs in one call, of whatever kind, through the calls of a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from mindinsight_like.tracking.media import Histogram, Image, Media, Target, is_media
from mindinsight_like.writers.encoding.values import to_array, to_number

_MOST_LISTED = 1000  # pictures or the like in one list


def flattened(data: Mapping[Any, Any], separator: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values in one level; names of inner ones are joined by the separator."""
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from flattened(value, separator, f"{name}{separator}")
        else:
            yield name, value


def record(target: Target, value: Any, *, refuse: Callable[[str, str], None]) -> float | None:
    """Write a value and give it when it is a number; what cannot be recorded is refused with a reason, once."""
    if type(value) is float or type(value) is int:
        return _number(target, float(value))
    if value is None:
        return None
    try:
        if isinstance(value, str):
            target.writer.add_text(target.tag, value, target.step, target.wall_time)
        elif is_media(value):
            cast(Media, value).write(target)
        elif hasattr(value, "savefig") or hasattr(value, "getbands"):
            Image(value).write(target)
        elif isinstance(value, Sequence) and value and all(map(is_media, value)):
            _several(target, value)
        elif getattr(value, "size", 1) == 1 or isinstance(value, bool):
            return _number(target, to_number(value))
        else:
            return _array(target, value)
    except (TypeError, ValueError, OSError) as error:
        refuse(target.tag, str(error))
    return None


def _number(target: Target, value: float) -> float:
    target.writer.add_scalar(target.tag, value, target.step, target.wall_time)
    return value


def _array(target: Target, value: Any) -> float | None:
    """A tensor with one element is a number, any other a distribution."""
    values = to_array(value)
    if values.size == 1:
        return _number(target, float(values.reshape(-1)[0]))
    Histogram(values).write(target)
    return None


def _several(target: Target, values: Sequence[Any]) -> None:
    if len(values) > _MOST_LISTED:
        raise ValueError(f"{len(values)} values in one list; at most {_MOST_LISTED} are recorded")
    for number, value in enumerate(values):
        place = target if len(values) == 1 else target._replace(tag=f"{target.tag}/{number}")
        cast(Media, value).write(place)
