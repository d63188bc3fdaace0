"""Role of the client of the current request, and the cookie that gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import request

from mindinsight_like.access.tokens import Role

ROLE_KEY: Final = "mindinsight_like.role"  # in the WSGI environment, set by the access checks
SESSION_KEY: Final = "mindinsight_like.session"  # likewise; absent without a cookie


@dataclass(frozen=True)
class Session:
    """The cookie that stands for a token."""

    cookie: str
    path: str


def current_session() -> Session | None:
    session = request.environ.get(SESSION_KEY)
    return session if isinstance(session, Session) else None


def current_role() -> Role:
    """What the visitor of the current request may do."""
    return Role(request.environ.get(ROLE_KEY, Role.FULL.value))
