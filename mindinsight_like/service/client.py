"""HTTP client for the status of a service."""

from __future__ import annotations

import http.client
import json
from typing import Any

from mindinsight_like.access.tokens import first_token
from mindinsight_like.conf.settings import Settings

SERVICE_NAME = "mindinsight-like"
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # addresses to listen on, not to connect to


def ask(settings: Settings, *, timeout_seconds: float = 2.0) -> dict[str, Any] | None:
    """What `GET /v1/service` answers; None when nobody answers there or somebody else does."""
    host = _EVERYWHERE.get(settings.host, settings.host)
    # Not urllib: it would go through a proxy named in the environment.
    connection = http.client.HTTPConnection(host, settings.port, timeout=timeout_seconds)
    token = first_token(settings)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("GET", f"{settings.url_path_prefix}/v1/service", headers=headers)
        response = connection.getresponse()
        body = json.loads(response.read(1_000_000)) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return body if isinstance(body, dict) and body.get("name") == SERVICE_NAME else None


def web_address(settings: Settings) -> str:
    """The address to open in a browser, with the token unless that is in a file."""
    host = settings.host
    if host in _EVERYWHERE:
        import socket

        host = socket.gethostname()
    place = f"[{host}]" if ":" in host else host
    query = f"?token={settings.token}" if settings.token else ""
    return f"http://{place}:{settings.port}{settings.url_path_prefix}/{query}"
