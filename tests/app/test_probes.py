"""Health probes: answered to anybody, and nothing but readiness depends on the index."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from mindinsight_like.http.app_state import state_of
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.database.location import IndexLocation

TOKEN = "correct-horse-battery"


def _load(client: FlaskClient) -> IndexLocation:
    settings = state_of(client.application).settings
    load_once(settings)
    return IndexLocation.of(settings.summary_base_dir, settings.workspace)


@pytest.mark.parametrize("flags", [{}, {"token": TOKEN}, {"host": "0.0.0.0", "token": TOKEN}])
@pytest.mark.parametrize("prefix", ["", "/board"])
def test_probes_need_no_token_no_host_and_no_prefix(visit, flags, prefix):
    client = visit(**flags, **({"url_path_prefix": prefix} if prefix else {}))
    _load(client)

    for path in {"/healthz", "/readyz", f"{prefix}/healthz", f"{prefix}/readyz"}:
        answer = client.get(path, headers={"Host": "10.1.2.3:8080"})
        assert (answer.status_code, answer.get_json()) == (200, {"status": "ok"}), path
        assert answer.headers["Cache-Control"] == "no-store"
        assert client.head(path).status_code == 200
        assert client.post(path, headers={"Host": "10.1.2.3"}).status_code in (401, 403, 404, 405)


def test_only_readiness_depends_on_the_index(visit):
    client = visit()
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").get_json()["error"]["details"] == {"reason": "still_loading"}

    location = _load(client)
    assert client.get("/readyz").status_code == 200

    for suffix in ("", "-wal", "-shm"):
        location.database.sqlite.with_name(f"index.v2.sqlite{suffix}").unlink(missing_ok=True)
    location.database.sqlite.write_bytes(b"no database" * 1000)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"
    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 200


def test_what_is_no_probe_is_not_answered_as_one(visit):
    assert visit().get("/healthz/x").status_code == 404
    assert visit(token=TOKEN).get("/v1/healthz").status_code == 401
