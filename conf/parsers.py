"""Parsers of settings: from text, as a user writes it, to a value.

Each raises ValueError with a reason that follows the value in a message.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mindinsight_like.conf.locations import NOT_LOCAL, is_url


def parse_config(text: str) -> str:
    """`file:/absolute/path.py`, `python:pkg.module` or nothing; a bare path is taken for a file."""
    if not text:
        return ""
    if text.startswith("python:"):
        module = text.removeprefix("python:")
        if not all(part.isidentifier() for part in module.split(".")):
            raise ValueError("is not a module name such as python:package.module")
        return text
    return f"file:{parse_path(text.removeprefix('file:'))}"


def parse_path(text: str) -> Path:
    if not text or "\0" in text:
        raise ValueError("is not a valid path")
    if is_url(text):
        raise ValueError(NOT_LOCAL)
    try:
        return Path(os.path.realpath(Path(text).expanduser()))
    except FileNotFoundError as error:  # only the current folder is looked up
        raise ValueError("is relative to the current directory, which no longer exists") from error


_PROJECT = re.compile(r"\w[\w.-]{0,63}")


class Project(NamedTuple):
    """A base directory, and the name of its runs' project; the first one may have none."""

    name: str
    path: Path


def parse_base_dirs(text: str) -> list[Project]:
    """Name and path of each base directory, the first one perhaps without a name.

    A directory that exists is itself, whatever its name looks like. Else commas separate several (or it is a JSON
    list of them), and `name=` goes before a path.
    """
    return _checked_dirs([pair for part in _listed(text) for pair in _base_dirs(part)])


def _listed(text: str) -> list[str]:
    parts: Any = None
    if text.startswith("["):
        with contextlib.suppress(ValueError):
            parts = json.loads(text)
    if isinstance(parts, list) and parts and all(isinstance(each, str) for each in parts):
        return parts
    return [text]


def _base_dirs(text: str) -> list[Project]:
    whole = parse_path(text)
    if whole.is_dir():
        return [Project("", whole)]
    one = _named(text)
    if "," not in text or one.path.is_dir():
        return [one]
    return [_named(part.strip()) for part in text.split(",") if part.strip()] or [Project("", whole)]


def _named(text: str) -> Project:
    name, equals, path = text.partition("=")
    if equals and path and _PROJECT.fullmatch(name) and not parse_path(text).is_dir():
        return Project(name, parse_path(path.strip()))
    return Project("", parse_path(text))


def _checked_dirs(pairs: list[Project]) -> list[Project]:
    """The same with a name for each but the first; raises ValueError where they are in each other's way."""
    first, *others = pairs
    named = [Project(name or path.name, path) for name, path in others]
    for name, _ in named:
        if not _PROJECT.fullmatch(name):
            raise ValueError(f"needs a name for each further directory, as in NAME=DIR; {name!r} is not a valid one")
    names = [first.name or first.path.name, *(name for name, _ in named)]
    if len(set(names)) < len(names):
        raise ValueError("uses one name for two directories; give each its own, as in NAME=DIR")
    paths = [first.path, *(path for _, path in named)]
    for one in paths:
        for other in paths:
            if one is not other and one.is_relative_to(other):
                raise ValueError(f"names {one}, which is or lies inside {other}")
    return [first, *named]


WORKSPACE = "~/mindinsight-like"
OLD_WORKSPACE = "~/mindinsight_like"


def default_workspace() -> str:
    """The workspace unless one is named; that of an older release goes on being used where there is one.

    Its name was the package's: Python started in the home folder would have imported it instead.
    """
    try:
        old, new = Path(OLD_WORKSPACE).expanduser(), Path(WORKSPACE).expanduser()
    except RuntimeError:  # no home folder
        return WORKSPACE
    is_workspace = (old / "index").is_dir() or (old / "run").is_dir()  # not a clone of the repository
    return OLD_WORKSPACE if is_workspace and not new.exists() else WORKSPACE


_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9.]+)?")


def parse_host(text: str) -> str:
    host = text.removeprefix("[").removesuffix("]")
    if not _HOST.fullmatch(host):
        raise ValueError("is not a host name or address")
    return host


def choice_parser(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"is not {' or '.join(choices)}")
        return text

    return parse


def integer_parser(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"is not an integer from {lowest} to {highest}")
        return int(text)

    return parse


_DAY = 86_400


def parse_seconds(text: str) -> float:
    """Seconds, whole or not; 0 has a meaning of its own, so that tiny values are not accepted by accident."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        seconds = float(text)
        if seconds == 0 or 0.1 <= seconds <= _DAY:
            return seconds
    raise ValueError(f"must be 0 or a number of seconds from 0.1 to {_DAY}")


def parse_duration(text: str) -> float:
    """Seconds, whole or not, above 0."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) and 1 <= (seconds := float(text)) <= 30 * _DAY:
        return seconds
    raise ValueError(f"is not a number of seconds from 1 to {30 * _DAY}")


def parse_url_path(text: str) -> str:
    """`/a/b`, however many slashes the user wrote around it; nothing stays nothing."""
    path = text.strip("/")
    for segment in path.split("/") if path else ():
        if segment in (".", "..") or not re.fullmatch(r"[A-Za-z0-9_.-]+", segment):
            raise ValueError("may only contain letters, digits, '_', '-', '.' and slashes")
    return f"/{path}" if path else ""


_POSTGRESQL = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://", re.IGNORECASE)


def parse_store_url(text: str) -> str:
    """A libpq address; the spelling with a driver (`postgresql+psycopg://`) is accepted too."""
    if not text:
        return ""
    scheme = _POSTGRESQL.match(text)
    if scheme is None:
        raise ValueError("is not a URL such as postgresql://user@host/database")
    return "postgresql://" + text[scheme.end() :]


def parse_scheduler(text: str) -> str:
    if text and not re.fullmatch(r"([a-z]+://)?[A-Za-z0-9_.\[\]:-]+:[0-9]{1,5}", text):
        raise ValueError("is not an address such as tcp://host:8786")
    return text


SHORTEST_TOKEN = 16  # characters


def parse_token(text: str) -> str:
    """The token; raises ValueError with a reason that follows the value."""
    if text and len(text) < SHORTEST_TOKEN:
        raise ValueError(f"is shorter than {SHORTEST_TOKEN} characters; generate one with: openssl rand -hex 16")
    if text and not re.fullmatch(r"[A-Za-z0-9._~-]{1,200}", text):
        raise ValueError("may only contain letters, digits, '.', '_', '~' and '-', at most 200 of them")
    return text


def parse_users(text: str) -> str:
    """Names and numbers of users, between commas; each exists now, so that a typing error is noticed."""
    users = [user.strip() for user in text.split(",") if user.strip()]
    for user in users:
        uid_of(user)
    return ",".join(users)


def uid_of(user: str) -> int:
    if re.fullmatch(r"[0-9]{1,10}", user):
        return int(user)
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        raise ValueError(f"contains the unknown user {user!r}") from None


def parse_board_id(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", text):
        raise ValueError("may only contain letters, digits, '.', '_' and '-', at most 64 of them")
    return text


def parse_optional_path(text: str) -> str:
    return str(parse_path(text)) if text else ""
