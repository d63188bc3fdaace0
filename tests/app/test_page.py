"""The web app as the service hands it out."""

from __future__ import annotations

import gzip

import pytest


def test_the_start_page_knows_where_it_lives(visit):
    answer = visit(url_path_prefix="/team/board").get("/team/board/")

    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    assert '<head><base href="/team/board/"><meta name="url-path-prefix" content="/team/board">' in answer.text
    assert answer.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("path", ["/", "/index.html", "/runs/x/scalars", "/runs/学习/scalars/", "/compare?run=a"])
def test_every_address_of_the_app_opens_the_app(visit, path):
    answer = visit().get(path)

    assert answer.status_code == 200
    assert '<base href="/">' in answer.text


@pytest.mark.parametrize(
    "path",
    ["/v1x", "/file.that.is.not", "/metrics", "/runs/x/y", "/runs//scalars", "/scalars", "/routes.json", "/a\nb"],
)
def test_other_addresses_are_not_found(visit, path):
    program = visit().get(path)
    browser = visit().get(path, headers={"Accept": "text/html,*/*;q=0.8"})

    assert (program.status_code, browser.status_code) == (404, 404)
    assert program.get_json()["error"]["code"] == "not_found"
    assert '<base href="/">' in browser.text  # the app says it
    assert browser.headers["Cache-Control"] == "no-store"


def test_a_build_without_its_list_of_pages_is_none(visit, dist):
    (dist / "routes.json").unlink()

    assert visit().get("/runs/x").status_code == 503


def test_built_files_are_kept_by_the_browser_for_good(visit):
    client = visit()

    answer = client.get("/assets/a-1.js", headers={"Accept-Encoding": "gzip"})
    again = client.get("/assets/a-1.js", headers={"Accept-Encoding": "gzip", "If-None-Match": answer.headers["ETag"]})
    plain = client.get("/assets/a-1.js")

    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["Cache-Control"]
    assert gzip.decompress(answer.data) == plain.data
    assert again.status_code == 304
    assert again.data == b""
    assert plain.headers["ETag"] != answer.headers["ETag"]


def test_other_files_of_the_build_are_asked_for_anew(visit):
    answer = visit().get("/favicon.svg")

    assert answer.mimetype == "image/svg+xml"
    assert answer.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/assets/../../secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/assets/..%5c..%5csecret.txt"],
)
def test_no_path_leads_out_of_the_build(visit, path):
    answer = visit().get(path)

    assert "not for visitors" not in answer.text


def test_a_missing_built_file_is_not_the_app(visit):
    answer = visit().get("/assets/a-0.js")

    assert answer.status_code == 404
    assert answer.get_json()["error"]["code"] == "not_found"


def test_the_page_can_only_be_read(visit):
    answer = visit().post("/runs/x")

    assert answer.status_code == 405


def test_without_a_build_the_page_says_how_to_make_one(visit, dist):
    (dist / "index.html").unlink()

    answer = visit().get("/")

    assert answer.status_code == 503
    assert "npm run build" in answer.text


def test_a_prefix_is_the_only_place_where_things_are_served(visit):
    client = visit(url_path_prefix="/board")

    assert client.get("/board").status_code == 200
    assert client.get("/board/v1/service").status_code == 200
    for path in ("/", "/v1/service", "/boarding", "/boarding/v1/service"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "/board/" in answer.get_json()["error"]["message"]
