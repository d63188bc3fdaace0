"""Node details that are not columns: attributes formatted as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.wire import Malformed

MOST_ATTRIBUTES = 500
MOST_CHARACTERS = 2000  # of one value
MOST_ELEMENTS = 64  # of one list
MOST_DEPTH = 16
MOST_FIELDS = 100_000


@dataclass
class Details:
    """Attributes in the order of the file, and what is shown apart from them."""

    attributes: list[tuple[str, str]] = field(default_factory=list)
    device: str = ""
    stack: str = ""  # where in the user's code the node was made


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text, or its beginning and how long it is."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def listed(values: Iterable[str], count: int, brackets: str = "[]") -> str:
    """Values between brackets, the first ones of very many."""
    text = ", ".join(islice(values, MOST_ELEMENTS))
    rest = f", … ({count:,} in all)" if count > MOST_ELEMENTS else ""
    return f"{brackets[0]}{text}{rest}{brackets[1]}"


def number_text(value: float) -> str:
    """A float32 without the digits that it never had."""
    return f"{value:.7g}"


def bytes_text(content: bytes) -> str:
    """Bytes that are mostly text."""
    try:
        text = content[: 4 * MOST_CHARACTERS].decode()
    except UnicodeDecodeError:
        return f"{len(content):,} bytes"
    if not all(character.isprintable() or character in "\n\r\t" for character in text):
        return f"{len(content):,} bytes"
    return cut(text) if len(content) <= 4 * MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}… ({len(content):,} bytes)"


def message(content: bytes) -> MessageFields:
    return MessageFields(content, most_fields=MOST_FIELDS)


def attributes(entries: Iterable[bytes], read: Callable[[MessageFields], tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each attribute as `read` gives it, or why it cannot be shown."""
    for entry in islice(entries, MOST_ATTRIBUTES):
        try:
            yield read(message(entry))
        except Malformed as error:
            yield "", f"cannot be read: {error}"
