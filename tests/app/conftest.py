"""Applications over an index that nobody has made yet, which is all that most of the web layer needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from mindinsight_like.app.access_checks import PeerUid
from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import load

Visit = Callable[..., FlaskClient]

_START_PAGE = (
    '<!doctype html><html><head><title>Board</title></head><body><script src="./assets/a-1.js"></script></body></html>'
)


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """A built page."""
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(_START_PAGE)
    (folder / "assets" / "a-1.js").write_text("console.log('board')\n" * 100)
    (folder / "routes.json").write_text('["/", "/runs/:run", "/runs/:run/scalars", "/compare", "/service"]')
    (folder / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("not for visitors")
    return folder


@pytest.fixture
def visit(tmp_path: Path, dist: Path) -> Visit:
    """`visit(host=..., token=...)` is a browser in front of a service with these settings."""

    def with_settings(peer_uid: PeerUid | None = None, **flags: Any) -> FlaskClient:
        base = tmp_path / "logs"
        base.mkdir(exist_ok=True)
        given = {"workspace": str(tmp_path / "workspace"), "summary_base_dir": str(base)}
        settings = load(given | {name: str(value) for name, value in flags.items()}, {})
        return create_app(settings, dist=dist, peer_uid=peer_uid).test_client()

    return with_settings
