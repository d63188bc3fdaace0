"""Who may talk to the service."""

from __future__ import annotations

import pytest

from mindinsight_like.conf.settings import Settings, SettingsError
from mindinsight_like.web.access import AccessGate

TOKEN = "correct-horse"
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


def test_a_wrong_token_in_the_address_is_refused_and_sets_nothing(visit):
    answer = visit(token=TOKEN).get("/?token=wrong", headers={"Accept": "text/html"})

    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_visitors_without_the_token_get_a_form_that_keeps_their_view(visit):
    answer = visit(token=TOKEN).get("/scalars?tag=%22%3E%3Cscript%3E&x=1", headers={"Accept": "text/html,*/*;q=0.8"})

    assert answer.status_code == 401
    assert answer.mimetype == "text/html"
    assert '<form method="get">' in answer.text
    assert 'name="tag" value="&quot;&gt;&lt;script&gt;"' in answer.text
    assert "<script" not in answer.text


def test_a_program_may_post_with_the_token_in_the_address(visit):
    answer = visit(token=TOKEN).post(f"/v1/scalars/tags?token={TOKEN}", json={"run": []})

    assert answer.status_code == 200


POST = ("/v1/scalars/tags", {"run": []})


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
