"""Safe, unique file names for runs and tags, which may be any text."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_MOST_BYTES = 180  # of a name; file systems take 255, and an ending and a number still have to follow
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)  # devices on Windows


class Namer:
    """Gives each text a file name of its own within one folder, on every system: some do not tell a from A."""

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}  # text by name, as file systems compare names

    def name(self, text: str) -> str:
        """The text itself where that can be a file name, else something like it; the same for the same text."""
        plain = _plain(text)
        # What a name had to lose would make it a stranger's; the digest keeps it the same in the next export.
        for candidate in (plain, f"{plain}-{_digest(text)}") if plain else (_digest(text),):
            if self._taken.setdefault(_folded(candidate), text) == text:
                return candidate
        raise AssertionError("two names have the same digest")


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFC", text)
    safe = "".join(letter if letter.isalnum() or letter in "._-+=,@%" else "_" for letter in letters)
    safe = safe.lstrip(".").rstrip(".")
    shortened = safe.encode()[:_MOST_BYTES].decode(errors="ignore")
    if shortened != safe:
        return f"{shortened}-{_digest(text)}"
    return f"_{safe}" if _RESERVED.fullmatch(safe) else safe


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
