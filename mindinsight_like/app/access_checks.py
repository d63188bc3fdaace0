"""Access control middleware: checks Host, Origin, token and user before the application sees a request.

On loopback there are two dangers. Another website open in the user's browser: one whose name is suddenly made to point
at 127.0.0.1 (DNS rebinding, stopped by the Host check) or one that sends requests across (stopped by the Origin check).
And other users of the machine, who can connect as well: without a token, only the service's own user is let in, and
those that are named as trusted. Root is another user like any other.
Anywhere else everybody who can reach the port may try, so a token is needed. It is a layer of our own, so it holds
under every server that runs the application.
"""

from __future__ import annotations

import html
import ipaddress
import os
import pwd
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_plus, urlsplit

from flask import current_app, request
from werkzeug.wrappers import Request, Response

from mindinsight_like.access.attempts import WrongTokens
from mindinsight_like.access.peers import PeerUsers
from mindinsight_like.access.tokens import Role, Tokens
from mindinsight_like.conf.settings import Settings, SettingsError
from mindinsight_like.errors import NotAllowed, ReadOnly, ServiceError, TokenNeeded, TooManyAttempts
from mindinsight_like.http.operations import operation_of
from mindinsight_like.http.responses import error_answer
from mindinsight_like.http.roles import ROLE_KEY, SESSION_KEY, Session, current_role

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(\[[0-9a-f:.%]+\]|[^\[\]:/?#@\s]+)(?::[0-9]*)?", re.IGNORECASE)
_COOKIE_SECONDS = 30 * 24 * 3600
_MOST_FORM_BYTES = 4096

PeerUid = Callable[["WSGIEnvironment"], "int | None"]


def socket_peers() -> PeerUid:
    """Tells the uid at the other end of a request's connection, as gunicorn hands it on."""
    users = PeerUsers()

    def uid(environ: WSGIEnvironment) -> int | None:
        connection = environ.get("gunicorn.socket")  # of our own worker class: what stands in for one
        return None if connection is None else users.of_socket(connection)

    return uid


def refuse_changes() -> None:
    """Before each request: who may only read changes nothing. A query that is too long for a GET may be POSTed."""
    if current_role() is Role.FULL or request.method in _SAFE_METHODS or request.url_rule is None:
        return
    operation = operation_of(current_app.view_functions[request.url_rule.endpoint])
    is_query = request.method == "POST" and "GET" in (request.url_rule.methods or ())
    if not (is_query or (operation is not None and operation.only_reads)):
        raise ReadOnly("This token is read-only; making changes requires the full-access token.")


class AccessGate:
    """Lets a request through to the application, or answers why not."""

    def __init__(self, app: WSGIApplication, settings: Settings, *, peer_uid: PeerUid | None = None) -> None:
        """`peer_uid` finds who asks on loopback; None when requests come from this process itself, as in tests."""
        if not settings.is_loopback and not (settings.token or settings.token_file):
            raise SettingsError(f"listening on {settings.host} requires a token: other machines can reach that address")
        self._app = app
        self._home = f"{settings.url_path_prefix}/"
        self._host = settings.host.lower()
        self._is_loopback = settings.is_loopback
        self._needs_token = settings.needs_token
        self._tokens = Tokens(settings)
        self._has_tokens = self._tokens.has(Role.FULL) or self._tokens.has(Role.READ)
        self._wrong_tokens = WrongTokens()
        self._peer_uid = peer_uid
        self._uids = settings.trusted_uids | {os.geteuid()}
        # Cookies do not know ports, so the name keeps two services on one host apart.
        self._cookie = f"mindinsight_{settings.port}"

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        answer: Response | None = None
        try:
            self._check_host(request)
            self._check_origin(request)
            role, token = self._enter(request)
            environ[ROLE_KEY] = role.value
            if token and (request.method in ("GET", "HEAD") or self._is_sign_in(request)):
                answer = self._entered(request, token)
        except ServiceError as refusal:
            answer = self._refused(request, refusal)
        return self._app(environ, start_response) if answer is None else answer(environ, start_response)

    def _check_host(self, request: Request) -> None:
        """Bound to loopback, only loopback's own names are believed."""
        if not self._is_loopback:
            return
        host = _host_name(request.environ.get("HTTP_HOST", ""))
        if not (host == self._host or _is_loopback_name(host)):
            raise NotAllowed("This service only accepts requests for local host names such as 127.0.0.1.")

    def _check_origin(self, request: Request) -> None:
        """A browser may change things only from our own page; programs send neither header."""
        if request.method in _SAFE_METHODS:
            return
        site = request.headers.get("Sec-Fetch-Site")
        origin = request.headers.get("Origin")
        if site is not None:
            # Set by the browser itself, and right also behind a proxy that rewrites Host.
            is_ours = site in ("same-origin", "none")
        else:
            # A foreign page cannot add X-Forwarded-Host: that would need a permission we never give.
            hosts = (request.headers.get("Host", ""), request.headers.get("X-Forwarded-Host", ""))
            is_ours = origin is None or any(_same_host(origin, host) for host in hosts)
        if not is_ours:
            raise NotAllowed("Cross-site requests are not allowed.")

    def _enter(self, request: Request) -> tuple[Role, str]:
        """What the visitor may do, and the token that was part of the address."""
        if self._has_tokens:
            others, tokens = _without_token(request.environ.get("QUERY_STRING", ""))
            if tokens:
                role = self._role_of(tokens[-1], request)
                request.environ["QUERY_STRING"] = others
                return role, tokens[-1]
            if self._is_sign_in(request):
                return self._role_of(form_token := request.form.get("token", ""), request), form_token
            scheme, _, token = request.headers.get("Authorization", "").partition(" ")
            if scheme.lower() == "bearer":
                return self._role_of(token.strip(), request), ""
        if not self._needs_token and self._is_trusted(request):
            return Role.FULL, ""
        if self._has_tokens and (cookie := request.cookies.get(self._cookie)):
            from_cookie = self._tokens.role_of_cookie(cookie)
            if from_cookie in (Role.FULL, Role.READ):
                request.environ[SESSION_KEY] = Session(cookie=self._cookie, path=self._home)
                return from_cookie, ""
        raise TokenNeeded(_NEEDED if self._needs_token else _of_another_user(has_tokens=self._has_tokens))

    def _is_sign_in(self, request: Request) -> bool:
        """Whether the form of the login page was sent: to the address of a page, which takes no other POST."""
        return (
            request.method == "POST"
            and not request.path.startswith(f"{self._home}v1/")
            and request.mimetype == "application/x-www-form-urlencoded"
            and (request.content_length or _MOST_FORM_BYTES + 1) <= _MOST_FORM_BYTES
        )

    def _role_of(self, token: str, request: Request) -> Role:
        role = self._tokens.role_of(token)
        if role is None:
            wait_seconds = self._wrong_tokens.add(request.remote_addr or "")
            if wait_seconds:
                raise TooManyAttempts(
                    f"Too many invalid tokens; try again in {wait_seconds} s.", retry_after=wait_seconds
                )
            raise TokenNeeded("Invalid token.")
        if role is Role.COLLECTOR:
            raise NotAllowed("This is a collector token; it cannot be used to open the page.")
        return role

    def _is_trusted(self, request: Request) -> bool:
        return self._peer_uid is None or self._peer_uid(request.environ) in self._uids

    def _entered(self, request: Request, token: str) -> Response:
        """The same address without the token, which has become a cookie."""
        answer = _redirect(request)
        answer.set_cookie(
            self._cookie,
            self._tokens.cookie_for(token),
            max_age=_COOKIE_SECONDS,
            path=self._home,
            httponly=True,
            secure=request.scheme == "https",
            samesite="Strict",
        )
        return answer

    def _refused(self, request: Request, refusal: ServiceError) -> Response:
        if isinstance(refusal, TokenNeeded):
            is_page = not request.path.startswith(f"{self._home}v1/") and request.accept_mimetypes.accept_html
            others, tokens = _without_token(request.environ.get("QUERY_STRING", ""))
            if is_page and tokens and request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
                # A browser: what was no token may be a password, and is to leave the address and the history.
                request.environ["QUERY_STRING"] = others
                return _redirect(request)
            is_form = request.method == "GET" or self._is_sign_in(request)
            answer = _login_page(request, refusal) if is_page and is_form else error_answer(refusal)
            answer.headers["WWW-Authenticate"] = "Bearer"
            answer.headers["Cache-Control"] = "no-store"
            return answer
        answer = error_answer(refusal)
        if isinstance(refusal, TooManyAttempts):
            answer.headers["Retry-After"] = str(refusal.details["retry_after"])
        return answer


def _redirect(request: Request) -> Response:
    """Leads to the address of the request, without a token."""
    query = request.environ["QUERY_STRING"]
    # One slash at the start, whatever was asked: a Location of //name would lead to another site.
    path = "/" + quote(request.environ.get("PATH_INFO", "").encode("latin-1")).lstrip("/")
    answer = Response(status=302 if request.method in _SAFE_METHODS else 303)
    answer.headers["Location"] = f"{path}?{query}" if query else path
    answer.headers["Cache-Control"] = "no-store"
    answer.autocorrect_location_header = False
    return answer


_NEEDED = "Access token required: send it as 'Authorization: Bearer TOKEN', or open the page with ?token=."


def _of_another_user(*, has_tokens: bool) -> str:
    try:
        owner = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        owner = f"number {os.geteuid()}"
    ways = "send it as 'Authorization: Bearer TOKEN', or open the page with ?token=" if has_tokens else "--read-token"
    return (
        f"This service belongs to user {owner} of this machine and lets in nobody else without a token:"
        f" ask them for one ({ways}). A proxy's user is let in with --trusted-users."
    )


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


def _login_page(request: Request, refusal: TokenNeeded) -> Response:
    """A form that sends the token to the same address, not as a part of it, and so keeps the state of the view."""
    hint = "It was printed when the service was started." if str(refusal) == _NEEDED else str(refusal)
    body = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Token needed</title></head>
<body><h1>Token needed</h1><p>{html.escape(hint)}</p>
<form method="post">
<label>Token <input type="password" name="token" autocomplete="current-password" autofocus required></label>
<button>Open</button></form>
<p>Already signed in, and came here by a link from another site? <a href="">Try again</a>.</p></body></html>
"""
    answer = Response(body, status=401, content_type="text/html; charset=utf-8")
    # Else the browser would send the form with "Origin: null", as if another site had sent it.
    answer.headers["Referrer-Policy"] = "same-origin"
    return answer
