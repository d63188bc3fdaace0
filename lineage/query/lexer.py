"""Lexer of the query language: splits a query into names, strings, operators and brackets, with their positions."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = ("and", "or", "not", "in", "contains", "is", "missing", "true", "false")
_QUOTES = "\"'`“‘"
# Signs of Chinese keyboards, each as long as what it stands for.
_WIDE = str.maketrans("＝！＜＞（），［］【】", "=!<>(),[][]")
WORD = r"[^\s\"'`“”‘’=!<>≠≤≥(),\[\]＝！＜＞（），［］【】]+"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
      | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”|‘[^’]*’)
      | (?P<quoted>`[^`]*`)
      | (?P<sign>==|!=|<>|<=|>=|[=<>≠≤≥])
      | (?P<mark>[(),\[\]])
      | (?P<word>{WORD})""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    kind: str  # text, quoted, sign, mark, word, or open for a quote without its end
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)

    @property
    def keyword(self) -> str:
        """The word of the language this is, or nothing."""
        word = self.text.lower()
        return word if self.kind == "word" and word in _WORDS else ""


def tokens(text: str) -> list[Token]:
    """The parts of a query; a quote without an end reaches to the end of the text."""
    result: list[Token] = []
    plain = text.translate(_WIDE)
    at = 0
    while at < len(text):
        match = _TOKEN.match(plain, at)
        if match is None or match.lastgroup is None:
            is_quote = text[at] in _QUOTES
            result.append(Token("open" if is_quote else "other", text[at:] if is_quote else text[at], at))
            at = result[-1].end
            continue
        if match.lastgroup in ("text", "quoted"):  # the signs in them are theirs
            result.append(Token(match.lastgroup, text[at : match.end()], at))
        elif match.lastgroup != "space":
            result.append(Token(match.lastgroup, match[0], at))
        at = match.end()
    return result
