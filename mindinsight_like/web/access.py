"""Who may talk to the service: checks of Host, Origin and token before the application sees a request.

On loopback the danger is another website open in the user's browser: one whose name is suddenly made to point at
127.0.0.1 (DNS rebinding, stopped by the Host check) or one that sends requests across (stopped by the Origin check).
Anywhere else everybody who can reach the port may try, so a token is needed. It is a layer of our own, so it holds
under every server that runs the application.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import ipaddress
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote_plus, urlsplit

from werkzeug.wrappers import Request, Response

from mindinsight_like.conf.settings import Settings, SettingsError
from mindinsight_like.errors import NotAllowed, ServiceError, TokenNeeded
from mindinsight_like.web.answers import error_answer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(\[[0-9a-f:.%]+\]|[^\[\]:/?#@\s]+)(?::[0-9]*)?", re.IGNORECASE)
_COOKIE_SECONDS = 30 * 24 * 3600


class AccessGate:
    """Lets a request through to the application, or answers why not."""

    def __init__(self, app: WSGIApplication, settings: Settings) -> None:
        if not settings.is_loopback and not settings.token:
            raise SettingsError(f"listening on {settings.host} needs a token, since others can reach that address")
        self._app = app
        self._home = f"{settings.url_path_prefix}/"
        self._host = settings.host.lower()
        self._is_loopback = settings.is_loopback
        self._token = settings.token.encode()
        # Cookies do not know ports, so the name keeps two services on one host apart. The value is not the token
        # itself: who reads the browser's files learns nothing that works as a Bearer token.
        self._cookie = f"mindinsight_{settings.port}"
        self._cookie_value = hmac.new(self._token, b"cookie", hashlib.sha256).hexdigest()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        asked = Request(environ)
        try:
            self._check_host(asked)
            self._check_origin(asked)
            answer = self._check_token(asked) if self._token else None
        except ServiceError as refusal:
            answer = self._refused(asked, refusal)
        return self._app(environ, start_response) if answer is None else answer(environ, start_response)

    def _check_host(self, asked: Request) -> None:
        """Bound to loopback, only loopback's own names are believed."""
        if not self._is_loopback:
            return
        host = _host_name(asked.environ.get("HTTP_HOST", ""))
        if not (host == self._host or _is_loopback_name(host)):
            raise NotAllowed("This service answers only to the names of this machine itself, such as 127.0.0.1.")

    def _check_origin(self, asked: Request) -> None:
        """A browser may change things only from our own page; programs send neither header."""
        if asked.method in _SAFE_METHODS:
            return
        site = asked.headers.get("Sec-Fetch-Site")
        origin = asked.headers.get("Origin")
        if site is not None:
            # Set by the browser itself, and right also behind a proxy that rewrites Host.
            is_ours = site in ("same-origin", "none")
        else:
            # A foreign page cannot add X-Forwarded-Host: that would need a permission we never give.
            hosts = (asked.headers.get("Host", ""), asked.headers.get("X-Forwarded-Host", ""))
            is_ours = origin is None or any(_same_host(origin, host) for host in hosts)
        if not is_ours:
            raise NotAllowed("Requests from other sites are not accepted.")

    def _check_token(self, asked: Request) -> Response | None:
        """None when the request brings the token; a redirect that turns `?token=` into a cookie."""
        others, tokens = _without_token(asked.environ.get("QUERY_STRING", ""))
        if tokens:
            if not self._is_token(tokens[-1]):
                raise TokenNeeded("The token is not the right one.")
            asked.environ["QUERY_STRING"] = others
            return self._entered(asked, others) if asked.method in ("GET", "HEAD") else None
        scheme, _, given = asked.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            if self._is_token(given.strip()):
                return None
            raise TokenNeeded("The token is not the right one.")
        if hmac.compare_digest(asked.cookies.get(self._cookie, "").encode(), self._cookie_value.encode()):
            return None
        raise TokenNeeded("A token is needed: send it as 'Authorization: Bearer TOKEN', or open the page with ?token=.")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token)

    def _entered(self, asked: Request, query: str) -> Response:
        # One slash at the start, whatever was asked: a Location of //name would lead to another site.
        path = "/" + quote(asked.environ.get("PATH_INFO", "").encode("latin-1")).lstrip("/")
        answer = Response(status=302)
        answer.headers["Location"] = f"{path}?{query}" if query else path
        answer.headers["Cache-Control"] = "no-store"
        answer.autocorrect_location_header = False
        answer.set_cookie(
            self._cookie,
            self._cookie_value,
            max_age=_COOKIE_SECONDS,
            path=self._home,
            httponly=True,
            secure=asked.scheme == "https",
            samesite="Strict",
        )
        return answer

    def _refused(self, asked: Request, refusal: ServiceError) -> Response:
        if isinstance(refusal, TokenNeeded):
            is_page = not asked.path.startswith(f"{self._home}v1/") and asked.accept_mimetypes.accept_html
            answer = _login_page(asked, refusal) if is_page and asked.method == "GET" else error_answer(refusal)
            answer.headers["WWW-Authenticate"] = "Bearer"
            answer.headers["Cache-Control"] = "no-store"
            return answer
        return error_answer(refusal)


def _host_name(host: str) -> str:
    """The name in a Host header, without port and brackets; empty when it is no Host."""
    match = _HOST.fullmatch(host.strip())
    return match[1].strip("[]").rstrip(".").lower() if match else ""


def _is_loopback_name(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _same_host(origin: str, host: str) -> bool:
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.strip().lower()


def _without_token(query: str) -> tuple[str, list[str]]:
    """The query with every `token` taken out, and their values; the rest stays as it was written."""
    others, tokens = [], []
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if unquote_plus(name) == "token":
            tokens.append(unquote_plus(value))
        else:
            others.append(part)
    return "&".join(others), tokens


def _login_page(asked: Request, refusal: TokenNeeded) -> Response:
    """A form that brings the token to the same address, keeping the state of the view in its query."""
    others, tokens = _without_token(asked.environ.get("QUERY_STRING", ""))
    kept = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
        for name, value in parse_qsl(others, keep_blank_values=True)
    )
    hint = str(refusal) if tokens else "It was printed when the service was started."
    body = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Token needed</title></head>
<body><h1>Token needed</h1><p>{html.escape(hint)}</p>
<form method="get">{kept}
<label>Token <input type="password" name="token" autocomplete="current-password" autofocus required></label>
<button>Open</button></form>
<p>Already signed in, and came here by a link from another site? <a href="">Try again</a>.</p></body></html>
"""
    return Response(body, status=401, content_type="text/html; charset=utf-8")
