"""Static files of the web app, and its start page for the address of every page."""

from __future__ import annotations

import functools
import hashlib
import html
import json
import re
import zlib
from importlib import resources
from typing import TYPE_CHECKING

from flask import Blueprint, request
from flask.wrappers import Request, Response
from werkzeug.routing import PathConverter

from mindinsight_like.errors import NotFound
from mindinsight_like.http.compression import accepts_gzip

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # elsewhere in Python 3.10

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_FOREVER = "private, max-age=31536000, immutable"  # Vite puts a hash of the content into these names
_REVALIDATE = "private, no-cache"

_ROUTES = "routes.json"  # the pages' addresses; a test of the app compares it with its router

_NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The page is not built</title></head>
<body><h1>The page is not built</h1>
<p>The service runs, but this installation has no web page. In a checkout, build it with
<code>npm ci &amp;&amp; npm run build</code> in the folder <code>ui</code>, or <code>make start</code>, and reload.</p>
<p>The data is served all the same: <a href="v1/openapi.json">v1/openapi.json</a> describes how.</p></body></html>
"""


class PagePath(PathConverter):
    """Every path but the API's, so that unknown API addresses and methods get the API's answers."""

    regex = r"(?!v1(?:/|$))[^/].*?"


def page(prefix: str, dist: Traversable | None = None) -> Blueprint:
    """The routes of the web app, whose build lies in `dist` (by default in the package)."""
    bp = Blueprint("page", __name__)
    folder = dist if dist is not None else resources.files("mindinsight_like.ui") / "dist"

    @bp.get("/")
    @bp.get("/<page_path:path>")
    def show(path: str = "") -> Response:
        file = _file(folder, path)
        if file is not None and path not in ("index.html", _ROUTES):
            immutable = path.startswith("assets/")
            return _answer(file.read_bytes(), file.name, _FOREVER if immutable else _REVALIDATE)
        start, routes = folder / "index.html", folder / _ROUTES
        if not (start.is_file() and routes.is_file()):
            return _unstored(_NOT_BUILT, 503)
        if path == "index.html" or _pattern(routes.read_bytes()).fullmatch(path):
            return _answer(_placed(start.read_bytes(), prefix), "index.html", _REVALIDATE)
        if path.startswith("assets/") or not _is_for_people(request):
            raise NotFound(f"Not found: {path[:200]!r}.")
        return _unstored(_placed(start.read_bytes(), prefix), 404)  # the app says so in their language

    return bp


@functools.lru_cache(maxsize=4)
def _pattern(routes: bytes) -> re.Pattern[str]:
    """What matches the paths of the app's pages, given as its router has them, without the first slash."""
    paths = [re.sub(r":\w+", "[^/]+", re.escape(route.lstrip("/")).replace(r"\:", ":")) for route in json.loads(routes)]
    return re.compile(f"(?:{'|'.join(paths)})/?")


def _is_for_people(request: Request) -> bool:
    """Whether a browser asks for something to show; programs that take anything get a short answer."""
    return "text/html" in request.headers.get("Accept", "")


def _unstored(body: str | bytes, status: int) -> Response:
    answer = Response(body, status=status, content_type=_TYPES[".html"])
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _file(folder: Traversable, path: str) -> Traversable | None:
    """The file at that path; None when there is none or the path tries to leave the folder."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        return None
    file = folder.joinpath(*parts)
    return file if file.is_file() else None


def _placed(start_page: bytes, prefix: str) -> bytes:
    """The start page told where it lives; the base comes first, since every relative address depends on it."""
    place = html.escape(prefix)
    head = f'<head><base href="{place}/"><meta name="url-path-prefix" content="{place}">'
    return start_page.replace(b"<head>", head.encode(), 1)


def _answer(body: bytes, name: str, cache: str) -> Response:
    content_type = _TYPES.get("." + name.rpartition(".")[2], "application/octet-stream")
    zipped = accepts_gzip(request) and content_type.startswith(("text/", "application/json", "image/svg"))
    tag = hashlib.sha256(body + b"gzip" * zipped).hexdigest()[:32]
    not_modified = request.if_none_match.contains_weak(tag)
    answer = Response(b"" if not_modified else _zipped(body) if zipped else body, 304 if not_modified else 200)
    answer.set_etag(tag)
    answer.headers["Cache-Control"] = cache
    answer.vary.add("Accept-Encoding")
    if not_modified:
        answer.headers.pop("Content-Type", None)
        return answer
    answer.content_type = content_type
    if zipped:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


@functools.lru_cache(maxsize=64)
def _zipped(body: bytes) -> bytes:
    """Smaller than what the answers' fast compression makes: done once, sent to every visitor."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return squeezer.compress(body) + squeezer.flush()
