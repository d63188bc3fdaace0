"""Parser of `projector_config.pbtxt`, the projector's list of embeddings: a subset of protobuf's text format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_BYTES: Final = 4 * 2**20  # of a list; one with a thousand entries has 200,000
_MOST_ENTRIES: Final = 10_000
_DEEPEST: Final = 10

_TOKEN: Final = re.compile(
    rb"""(?P<space>\s+|\#[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<word>[A-Za-z0-9_.+-]+)
    |(?P<sign>[:{}<>\[\],;])""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(rb"\\([0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|.)", re.DOTALL)
_ESCAPED: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_STEP: Final = re.compile(r"(.*):(\d{1,18})", re.DOTALL)


class BadConfig(ValueError):
    """The text is not a list of embeddings; the message is for people."""


class Message(NamedTuple):
    """The fields of a message by name, texts and messages in it, in the order written."""

    texts: dict[str, list[str]]
    messages: dict[str, list[Message]]

    def text(self, name: str) -> str:
        """The last value of a field, as protobuf has it; empty when there is none."""
        return self.texts.get(name, [""])[-1]


class ListedEmbedding(NamedTuple):
    """An entry of the list and where in the file it stands."""

    tag: str  # empty when the entry has no name
    step: int
    begin: int
    end: int


def listed_embeddings(data: bytes) -> list[ListedEmbedding]:
    """The embeddings of a list, each tag and step once as written last, by step; raises BadConfig."""
    embeddings: dict[tuple[str, int], ListedEmbedding] = {}
    for name, begin, end, message in _top_level(data):
        if name == "embeddings" and message is not None:
            tag, step = _tag_and_step(message.text("tensor_name"))
            embeddings[tag, step] = ListedEmbedding(tag, step, begin, end)
            if len(embeddings) > _MOST_ENTRIES:
                raise BadConfig(f"the list has more than {_MOST_ENTRIES:,} embeddings")
    return sorted(embeddings.values(), key=lambda entry: (entry.tag, entry.step))


def parse_entry(data: bytes) -> Message:
    """The one entry in some bytes of a list; raises BadConfig."""
    for name, _, _, message in _top_level(data):
        if name == "embeddings" and message is not None:
            return message
    raise BadConfig("the list has no embedding")


def _tag_and_step(tensor_name: str) -> tuple[str, int]:
    """Writers append the step to the tag; TensorFlow's names of tensors end in a small number, too."""
    match = _STEP.fullmatch(tensor_name)
    return (match[1], int(match[2])) if match else (tensor_name, 0)


class _Token(NamedTuple):
    kind: str
    text: bytes
    begin: int
    end: int


_END: Final = _Token("end", b"", 0, 0)


def _top_level(data: bytes) -> Iterator[tuple[str, int, int, Message | None]]:
    """Name, place and content of each field of the list."""
    tokens = _tokens(data)
    token = next(tokens, _END)
    while token.kind != "end":
        begin = token.begin
        name, text, message, last = _field(token, tokens, 0)
        yield name, begin, last.end, message if text is None else None
        token = _after_separators(tokens)


def _field(token: _Token, tokens: Iterator[_Token], depth: int) -> tuple[str, list[str] | None, Message, _Token]:
    """A field's name, its texts (None for a message), its message, and its last token."""
    if token.kind != "word":
        raise BadConfig(f"{_shown(token)} found where a name is expected")
    name = token.text.decode("ascii")
    token = next(tokens, _END)
    if token.text == b":":
        token = next(tokens, _END)
    if token.text in (b"{", b"<"):
        if depth == _DEEPEST:
            raise BadConfig("the list is nested too deeply")
        message, last = _message(tokens, b"}" if token.text == b"{" else b">", depth + 1)
        return name, None, message, last
    if token.text == b"[":
        texts, last = _in_brackets(tokens)
        return name, texts, _EMPTY, last
    return name, [_value(token)], _EMPTY, token


def _message(tokens: Iterator[_Token], closing: bytes, depth: int) -> tuple[Message, _Token]:
    result = Message({}, {})
    while (token := _after_separators(tokens)).text != closing:
        name, texts, message, _ = _field(token, tokens, depth)
        if texts is None:
            result.messages.setdefault(name, []).append(message)
        else:
            result.texts.setdefault(name, []).extend(texts)
    return result, token


def _in_brackets(tokens: Iterator[_Token]) -> tuple[list[str], _Token]:
    """The values of a repeated field in its short form, `[1, 2]`."""
    texts: list[str] = []
    while (token := _after_separators(tokens)).text != b"]":
        texts.append(_value(token))
    return texts, token


def _after_separators(tokens: Iterator[_Token]) -> _Token:
    while (token := next(tokens, _END)).text in (b",", b";"):
        pass
    return token


def _value(token: _Token) -> str:
    if token.kind == "word":
        return token.text.decode("ascii")
    if token.kind == "string":
        return _ESCAPE.sub(_unescaped, token.text[1:-1]).decode("utf-8", "replace")
    raise BadConfig(f"{_shown(token)} found where a value is expected")


def _unescaped(match: re.Match[bytes]) -> bytes:
    text = match[1]
    if text[:1].isdigit():
        return bytes([int(text, 8) & 0xFF])
    if text[:1] in b"xX" and len(text) > 1:
        return bytes([int(text[1:], 16)])
    return _ESCAPED.get(text, text)


def _tokens(data: bytes) -> Iterator[_Token]:
    position = 0
    while position < len(data):
        match = _TOKEN.match(data, position)
        if match is None:
            raise BadConfig(f"invalid byte at position {position}")
        if match.lastgroup != "space":
            yield _Token(str(match.lastgroup), match[0], position, match.end())
        position = match.end()


def _shown(token: _Token) -> str:
    return "the end" if token.kind == "end" else repr(token.text[:40].decode("utf-8", "replace"))


_EMPTY: Final = Message({}, {})
