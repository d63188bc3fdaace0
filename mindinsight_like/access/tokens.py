"""Access tokens and their roles, from settings or from files that may change.

A file holds one token a line; any of them is good, so that tokens can be replaced one after the other. Empty lines and
those that begin with # do not count. It is read again when it changes.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from mindinsight_like.conf.parsers import parse_token
from mindinsight_like.conf.settings import Settings, SettingsError

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0  # between two looks at a file
_GRACE_SECONDS = 3.0  # for who empties a file before writing it
_LARGEST_FILE = 65_536  # bytes


class Role(Enum):
    """What a token is good for."""

    FULL = "full"
    READ = "read"
    COLLECTOR = "collector"  # may only send what trainings collect


@dataclass(frozen=True)
class _Secret:
    """One token. Digests are compared, so that neither length nor contents tell by the time it takes."""

    digest: bytes = field(repr=False)
    cookie: str = field(repr=False)

    @classmethod
    def of(cls, token: str) -> _Secret:
        # The cookie is not the token itself: who reads the browser's files learns nothing that works as a Bearer token.
        cookie = hmac.new(token.encode(), b"cookie", hashlib.sha256).hexdigest()
        return cls(hashlib.sha256(token.encode()).digest(), cookie)


class TokenFile:
    """The tokens in a file, as of not longer than a second ago."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._state: object = None
        self._secrets: tuple[_Secret, ...] = ()
        self._unusable_since: float | None = None
        self._look_at = 0.0

    def secrets(self) -> tuple[_Secret, ...]:
        with self._lock:
            now = self._clock()
            if now >= self._look_at:
                self._look_at = now + _LOOK_SECONDS
                self._look(now)
            return self._secrets

    def _look(self, now: float) -> None:
        try:
            stat = self._path.stat()
            state = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
            if state == self._state and self._unusable_since is None:
                return
            tokens = read_tokens(self._path)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._miss(now, reason or type(error).__name__)
            return
        if self._state is not None:
            log.info("reloaded %s: %d tokens", self._path, len(tokens))
        self._state, self._unusable_since = state, None
        self._secrets = tuple(map(_Secret.of, tokens))

    def _miss(self, now: float, reason: str) -> None:
        if self._unusable_since is None:
            self._unusable_since = now
        if self._secrets and now - self._unusable_since >= _GRACE_SECONDS:
            log.error("%s: %s; its tokens are no longer valid", self._path, reason)
            self._secrets = ()


def read_tokens(path: Path) -> list[str]:
    """The tokens in a file; raises OSError, or ValueError with a reason that holds nothing of the file."""
    with path.open("rb") as file:
        content = file.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise ValueError("it is too large for a token file")
    try:
        lines = [line.strip() for line in content.decode("ascii").splitlines()]
    except UnicodeDecodeError:
        raise ValueError("expected one token per line") from None
    tokens = []
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            try:
                tokens.append(parse_token(line))
            except ValueError as error:
                raise ValueError(f"line {number} {error}") from None
    if not tokens:
        raise ValueError("it contains no token")
    return tokens


class Tokens:
    """All tokens of a service, by role."""

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fixed = {
            role: (_Secret.of(token),) if (token := getattr(settings, name)) else () for role, name in _NAMES.items()
        }
        self._files = {
            role: TokenFile(Path(path), clock=clock)
            for role, name in _NAMES.items()
            if (path := getattr(settings, f"{name}_file"))
        }

    def has(self, role: Role) -> bool:
        """Whether this role has a token at all, given or in a file."""
        return bool(self._fixed[role]) or role in self._files

    def role_of(self, token: str) -> Role | None:
        """What the token is good for; None when it is nobody's."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        return self._first(lambda secret: hmac.compare_digest(secret.digest, digest))

    def role_of_cookie(self, value: str) -> Role | None:
        cookie = value.encode("utf-8", "surrogateescape")
        return self._first(lambda secret: hmac.compare_digest(secret.cookie.encode(), cookie))

    def cookie_for(self, token: str) -> str:
        """The value of a cookie that stands for the token."""
        return _Secret.of(token).cookie

    def _first(self, matches: Callable[[_Secret], bool]) -> Role | None:
        for role in Role:
            file = self._files.get(role)
            secrets = self._fixed[role] + (file.secrets() if file else ())
            if any(matches(secret) for secret in secrets):
                return role
        return None


_NAMES: Mapping[Role, str] = {Role.FULL: "token", Role.READ: "read_token", Role.COLLECTOR: "collector_token"}


def first_token(settings: Settings) -> str:
    """A full token of the service for its own commands; empty when there is none."""
    if settings.token or not settings.token_file:
        return settings.token
    try:
        return read_tokens(Path(settings.token_file))[0]
    except (OSError, ValueError):
        return ""


def check_tokens(settings: Settings) -> list[str]:
    """Raise SettingsError for files without usable tokens and tokens of two roles; returns warnings."""
    roles: dict[str, Role] = {}
    warnings = []
    for role, name in _NAMES.items():
        tokens = [token] if (token := getattr(settings, name)) else []
        flag = f"--{name.replace('_', '-')}"
        if path := getattr(settings, f"{name}_file"):
            try:
                tokens += read_tokens(Path(path))
                is_open = bool(Path(path).stat().st_mode & 0o007)
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                raise SettingsError(f"{flag}-file: cannot use {path}: {reason}") from None
            if is_open:
                warnings.append(f"{path} can be read by every user of this machine; chmod 600 keeps its tokens secret")
        for token in tokens:
            if roles.setdefault(token, role) != role:
                other = f"--{_NAMES[roles[token]].replace('_', '-')}"
                raise SettingsError(f"{flag} and {other} are the same; use a different token for each")
    return warnings
