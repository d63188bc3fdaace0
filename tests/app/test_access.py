"""Who may talk to the service."""

from __future__ import annotations

import os

import pytest

from mindinsight_like.app.access_checks import AccessGate, socket_peers
from mindinsight_like.app.openapi.document import describe
from mindinsight_like.conf.settings import Settings, SettingsError

TOKEN = "correct-horse-battery"
READ_TOKEN = "only-for-reading-runs"
COLLECTOR_TOKEN = "only-for-sending-runs"
SERVICE = "/v1/service"


def code(answer):
    return answer.get_json()["error"]["code"]


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "LOCALHOST.", "127.0.0.1:1", "127.0.0.2", "[::1]:8080", "a.localhost:80"]
)
def test_loopback_answers_to_the_names_of_this_machine_on_any_port(visit, host):
    answer = visit().get(SERVICE, headers={"Host": host})

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "[::2]",
        "localhost:80:80",
        "localhost@evil.example",
        "127.0.0.1/evil.example",
        "evil.example#localhost",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", SERVICE, "/assets/a-1.js"])
def test_loopback_does_not_answer_to_names_that_were_made_to_point_at_it(visit, host, path):
    answer = visit().get(path, headers={"Host": host})

    assert answer.status_code == 403
    assert code(answer) == "not_allowed"


def test_an_address_others_can_reach_answers_to_any_name_but_wants_the_token(visit):
    client = visit(host="0.0.0.0", token=TOKEN)

    without = client.get(SERVICE, headers={"Host": "board.example"})
    with_token = client.get(SERVICE, headers={"Host": "board.example", "Authorization": f"Bearer {TOKEN}"})

    assert (without.status_code, code(without)) == (401, "token_needed")
    assert without.headers["WWW-Authenticate"] == "Bearer"
    assert with_token.status_code == 200


def test_an_address_others_can_reach_is_never_served_without_a_token():
    with pytest.raises(SettingsError, match="token"):
        AccessGate(lambda environ, start: [], Settings(host="0.0.0.0"))


@pytest.mark.parametrize(
    "path", ["/", "/runs/a/scalars", "/assets/a-1.js", "/favicon.svg", SERVICE, "/v1/openapi.json"]
)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer \u00e9"},
        {"Cookie": f"mindinsight_8080={TOKEN}"},
    ],
)
def test_a_token_guards_everything(visit, path, headers):
    answer = visit(token=TOKEN).get(path, headers=headers)

    assert answer.status_code == 401
    assert "board" not in answer.text.lower()


def test_a_token_in_the_address_becomes_a_cookie_and_leaves_the_address(visit):
    client = visit(token=TOKEN, url_path_prefix="/board")

    answer = client.get(f"/board/runs/%C3%A9?a=1&token={TOKEN}&b=%2F")
    cookie = answer.headers["Set-Cookie"]
    afterwards = client.get(answer.headers["Location"])

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/board/runs/%C3%A9?a=1&b=%2F"
    assert {"HttpOnly", "SameSite=Strict", "Path=/board/"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    assert afterwards.status_code == 200


def test_two_services_on_one_host_keep_their_cookies_apart(visit):
    names = {
        visit(token=TOKEN, port=port).get(f"/?token={TOKEN}").headers["Set-Cookie"].partition("=")[0]
        for port in (8080, 8081)
    }

    assert len(names) == 2


@pytest.mark.parametrize("path", ["//evil.example", "///evil.example/x", "/%2F/evil.example"])
def test_the_way_in_never_leads_to_another_site(visit, path):
    answer = visit(token=TOKEN).get(f"{path}?token={TOKEN}", base_url="http://localhost")

    location = answer.headers.get("Location", "/")
    assert not location.startswith("//")
    assert "://" not in location


def test_a_wrong_token_in_the_address_of_a_browser_leaves_it_and_sets_nothing(visit):
    client = visit(token=TOKEN)

    answer = client.get("/scalars?tag=a&token=wrong", headers={"Accept": "text/html,*/*;q=0.8"})

    assert (answer.status_code, answer.headers["Location"]) == (302, "/scalars?tag=a")
    assert "Set-Cookie" not in answer.headers
    assert client.get("/?token=wrong").status_code == 401


def test_visitors_without_the_token_get_a_form_that_keeps_their_view(visit):
    client = visit(token=TOKEN)
    page = "/scalars?tag=%22%3E%3Cscript%3E&x=1"

    answer = client.get(page, headers={"Accept": "text/html,*/*;q=0.8"})
    wrong = client.post(page, data={"token": "wrong"}, headers={"Accept": "text/html"})
    right = client.post(page, data={"token": TOKEN}, headers={"Accept": "text/html"})

    assert answer.status_code == 401
    assert answer.mimetype == "text/html"
    assert '<form method="post">' in answer.text
    assert "<script" not in answer.text
    assert (wrong.status_code, wrong.mimetype) == (401, "text/html")
    assert "Invalid token" in wrong.text
    assert "Set-Cookie" not in wrong.headers
    assert (right.status_code, right.headers["Location"]) == (303, page)
    assert client.get("/").status_code == 200


def test_signing_out_removes_the_cookie(visit):
    client = visit(token=TOKEN, url_path_prefix="/board")
    client.get(f"/board/?token={TOKEN}")
    before = client.get("/board/v1/service").get_json()["signed_in"]

    answer = client.post("/board/v1/sign-out", json={})

    assert (before, answer.status_code) == (True, 200)
    assert client.get("/board/v1/service").status_code == 401


def test_who_only_reads_may_sign_out(visit):
    client = visit(token=TOKEN, read_token=f"{TOKEN}-read")
    client.get(f"/?token={TOKEN}-read")

    assert client.post("/v1/sign-out", json={}).status_code == 200
    assert client.get("/v1/service").status_code == 401


def test_a_program_may_post_with_the_token_in_the_address(visit):
    answer = visit(token=TOKEN).post(f"/v1/scalars/tags?token={TOKEN}", json={"run": []})

    assert answer.status_code == 200


POST: tuple[str, dict[str, list[str]]] = ("/v1/scalars/tags", {"run": []})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://localhost:8080"}, 200),
        ({"Origin": "http://localhost:9999"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "file://"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8080"}, 403),
        # Proxies that speak for us under a public name and rewrite Host.
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://board.example"}, 200),
        ({"X-Forwarded-Host": "board.example", "Origin": "http://board.example"}, 200),
        ({"X-Forwarded-Host": "board.example", "Origin": "http://evil.example"}, 403),
    ],
)
def test_only_our_own_page_and_programs_may_send_changes(visit, headers, status):
    path, body = POST

    answer = visit().post(path, json=body, headers={"Host": "localhost:8080"} | headers)

    assert answer.status_code == status


def test_a_link_from_another_site_may_open_the_page(visit):
    answer = visit().get("/", headers={"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"})

    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/", SERVICE, "/v1/nothing", "/assets/a-1.js"])
@pytest.mark.parametrize("host", ["localhost", "evil.example"])
def test_every_answer_tells_the_browser_what_to_refuse(visit, path, host):
    headers = visit().get(path, headers={"Host": host}).headers

    policy = headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"} <= set(policy)
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("uid", [os.geteuid() + 1, None, 0 if os.geteuid() else 1])
@pytest.mark.parametrize("path", ["/", SERVICE, "/assets/a-1.js", "/v1/openapi.json"])
def test_on_loopback_other_users_of_the_machine_are_told_what_to_do(visit, uid, path):
    answer = visit(peer_uid=lambda environ: uid).get(path, headers={"Accept": "text/html,*/*;q=0.8"})

    assert answer.status_code == 401
    assert "--trusted-users" in answer.text
    assert "--read-token" in answer.text
    assert "Board" not in answer.text


def test_on_loopback_the_services_own_user_and_trusted_ones_are_let_in(visit):
    own = visit(peer_uid=lambda environ: os.geteuid())
    trusted = visit(peer_uid=lambda environ: 12345, trusted_users="54321, 12345")

    assert own.get(SERVICE).get_json()["access"] == "full"
    assert trusted.get(SERVICE).get_json()["access"] == "full"


def test_a_connection_that_is_not_a_socket_is_nobodys(visit):
    """Another web server, whose connections we cannot look at."""
    assert visit(peer_uid=socket_peers()).get(SERVICE).status_code == 401


def test_with_a_token_on_loopback_everybody_needs_it(visit):
    client = visit(peer_uid=lambda environ: os.geteuid(), token=TOKEN)

    assert client.get(SERVICE).status_code == 401
    assert client.get(SERVICE, headers=bearer(TOKEN)).status_code == 200


def test_other_users_may_read_with_a_token_for_reading(visit):
    other = visit(peer_uid=lambda environ: os.geteuid() + 1, read_token=READ_TOKEN)
    own = visit(peer_uid=lambda environ: os.geteuid(), read_token=READ_TOKEN)

    assert other.get(SERVICE).status_code == 401
    assert other.get(SERVICE, headers=bearer(READ_TOKEN)).get_json()["access"] == "read"
    assert own.get(SERVICE).get_json()["access"] == "full"


CHANGES = [
    ("PATCH", "/v1/runs/x", {"note": "n"}),
    ("POST", "/v1/views", {"name": "n", "address": "/"}),
    ("PUT", "/v1/views/x", {"name": "n", "address": "/"}),
    ("DELETE", "/v1/views/x", {}),
    ("PUT", "/v1/board", {"id": "x"}),
    ("POST", "/v1/board/decline", {"id": "x"}),
    ("DELETE", "/v1/projections/x", {}),
    ("POST", "/v1/collectors/x/profile", {"steps": 1}),
    ("PATCH", "/v1/runs", {"run": ["x"], "archived": True}),
    ("POST", "/v1/runs/undo", {"undo": "x"}),
    ("PUT", "/v1/runs/table/main-metric", {"column": "loss", "direction": "min"}),
    ("DELETE", "/v1/runs/table/main-metric", {}),
    ("PUT", "/v1/runs/table/folding", {"ranks": []}),
    ("DELETE", "/v1/runs/table/folding", {}),
    ("PUT", "/v1/runs/table/column-sets", {"name": "mine", "columns": ["loss"]}),
    ("DELETE", "/v1/runs/table/column-sets", {"name": "mine"}),
    ("PUT", "/v1/fields/x", {"aliases": ["y"]}),
    ("DELETE", "/v1/fields/x", {}),
]
QUERIES = [
    ("POST", "/v1/scalars/tags", {"run": []}),
    ("POST", "/v1/compare/runs", {}),
    ("POST", "/v1/compare/scalars", {}),
    ("POST", "/v1/compare/table", {}),
    ("POST", "/v1/projections", {"run": "x", "tag": "t"}),
    ("POST", "/v1/profiles/x/analyse", {}),
    ("POST", "/v1/profiles/analyse", {"run": "x"}),
    ("GET", "/v1/runs", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_token_for_reading_changes_nothing(visit, method, path, body):
    client = visit(token=TOKEN, read_token=READ_TOKEN)

    refused = client.open(path, method=method, json=body, headers=bearer(READ_TOKEN))
    allowed = client.open(path, method=method, json=body, headers=bearer(TOKEN))

    assert (refused.status_code, code(refused)) == (403, "read_only")
    assert "read-only" in refused.get_json()["error"]["message"]
    assert allowed.status_code != 403


@pytest.mark.parametrize(("method", "path", "body"), QUERIES)
def test_a_token_for_reading_may_ask_everything(visit, method, path, body):
    answer = visit(token=TOKEN, read_token=READ_TOKEN).open(path, method=method, json=body, headers=bearer(READ_TOKEN))

    assert answer.status_code not in (401, 403)


def test_every_operation_that_changes_something_is_closed_to_who_may_only_read(visit):
    """A new operation has to be added to one of the lists above."""
    client = visit(token=TOKEN, read_token=READ_TOKEN)
    description = describe(client.application)
    writing = {
        (method.upper(), path) for path, methods in description.paths.items() for method in methods if method != "get"
    }

    def is_refused(method, path):
        answer = client.open(path.replace("{", "").replace("}", ""), method=method, json={}, headers=bearer(READ_TOKEN))
        return answer.status_code == 403

    refused = {(method, path) for method, path in writing if is_refused(method, path)}
    expected = {(method, path.replace("/x", "/{}")) for method, path, _ in CHANGES}
    assert {
        (method, "/".join("{}" if "{" in part else part for part in path.split("/"))) for method, path in refused
    } == expected


def test_a_token_for_reading_gets_a_cookie_of_its_own(visit):
    client = visit(token=TOKEN, read_token=READ_TOKEN)

    entered = client.get(f"/?token={READ_TOKEN}")
    afterwards = client.get(SERVICE)

    assert entered.status_code == 302
    assert afterwards.get_json()["access"] == "read"
    assert client.post("/v1/views", json={"name": "n", "address": "/"}).status_code == 403


def test_a_collectors_token_does_not_open_the_page(visit):
    client = visit(token=TOKEN, collector_token=COLLECTOR_TOKEN)

    answers = [client.get(SERVICE, headers=bearer(COLLECTOR_TOKEN)), client.get(f"/?token={COLLECTOR_TOKEN}")]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert "Set-Cookie" not in answers[1].headers


def test_a_token_file_is_as_good_as_a_token(visit, tmp_path):
    (tmp_path / "tokens").write_text(f"{TOKEN}\nanother-token-of-us\n")
    client = visit(host="0.0.0.0", token_file=tmp_path / "tokens")

    statuses = [client.get(SERVICE, headers=bearer(each)).status_code for each in (TOKEN, "another-token-of-us", "no")]

    assert statuses == [200, 200, 401]


def test_who_guesses_tokens_is_told_to_wait_and_others_are_not(visit):
    client = visit(host="0.0.0.0", token=TOKEN)

    def ask(token, address, path=SERVICE):
        return client.get(path, headers=bearer(token), environ_base={"REMOTE_ADDR": address})

    answers = [ask(f"wrong-wrong-wrong-{number}", "10.0.0.1") for number in range(30)]

    assert {answer.status_code for answer in answers[:10]} == {401}
    assert {answer.status_code for answer in answers[10:]} == {429}
    assert code(answers[-1]) == "too_many_attempts"
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert ask(TOKEN, "10.0.0.1").status_code == 200
    assert ask("wrong-wrong-wrong", "10.0.0.2").status_code == 401
    assert "wrong-wrong" not in "".join(answer.text for answer in answers)


def test_a_page_without_a_token_may_ask_again_and_again(visit):
    client = visit(host="0.0.0.0", token=TOKEN)

    statuses = {client.get(SERVICE, headers={"Cookie": "mindinsight_8080=stale"}).status_code for _ in range(50)}

    assert statuses == {401}
