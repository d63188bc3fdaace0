"""No input is a reason to fail: whatever parameters hold, the answer is a value or says what is wrong with them."""

from __future__ import annotations

import contextlib
import re
import time
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from mindinsight_like.app.application import create_app
from mindinsight_like.compare.patterns import NamePattern
from mindinsight_like.conf.settings import Settings
from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.recording import record
from mindinsight_like.errors import BadParameter
from mindinsight_like.loader.once import load_once

DEEP = "[" * 300 + "]" * 300
DEEP_WHERE = '{"a":' * 300 + "1" + "}" * 300
HOSTILE = {
    "empty": "",
    "zero byte": "\0",
    "half a character": "%ED%A0%80",
    "not UTF-8": "%FF%FE",
    "many words": " ".join(str(number) for number in range(1001)),
    "many digits": "9" * 400,
    "large exponent": "1e999999999",
    "negative": "-9223372036854775808",
    "too large": "9223372036854775808",
    "no number": "NaN",
    "infinite": "-Infinity",
    "fraction": "0.5",
    "deep list": DEEP,
    "deep object": DEEP_WHERE,
    "recursive expression": "(?R)",
    "open brackets": "(" * 300,
    "escape": "\\",
    "wildcards": "%_!*?[",
    "quotes": "'\"`; --",
    "digits of another script": "٣",
    "long": "x" * 4000,
    "comparison": "step > " + "9" * 399,
    "many nots": "not " * 300 + "x",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """A service over demo runs, which have something for every board."""
    folder = tmp_path_factory.mktemp("hostile")
    record(DemoFolder(folder / "logs"), Recipe(3, 1), now=1.75e9)
    settings = Settings(workspace=folder / "workspace", summary_base_dir=folder / "logs")
    load_once(settings)
    return create_app(settings).test_client()


@pytest.fixture(scope="module")
def known(client: FlaskClient) -> dict[str, str]:
    """Values of parameters for which there are answers, by name."""
    runs = client.get("/v1/runs").get_json()["runs"]
    profiles = client.get("/v1/profiles").get_json()["profiles"]
    run = max(runs, key=lambda run: len(run["counts"]))["id"]
    ids = {"run": run, "run_id": run, "a": run, "b": runs[0]["id"], "id": profiles[0]["id"] if profiles else "x"}
    return ids | {"tag": "loss", "target": "metric/loss", "text": "loss", "name": "x", "address": "/scalars", "q": "a"}


def _operations(client: FlaskClient) -> list[tuple[str, str, list[str]]]:
    """Method, path and parameters of everything there is but what starts long work."""
    found = []
    for path, methods in client.get("/v1/openapi.json").get_json()["paths"].items():
        for method, operation in methods.items():
            names = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if "analyse" not in path and method != "delete":
                found.append((method, path, [*names, *body.get("properties", {})]))
    return found


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_no_parameter_makes_the_service_fail(client, known, value):
    text = value if value.startswith(("%E", "%F")) else quote(value)
    failed = []
    for method, path, names in _operations(client):
        for place in names or [""]:
            filled = path
            for name, sensible in known.items():
                filled = filled.replace(f"{{{name}}}", sensible)
            others = {name: known[name] for name in names if name in known and name != place}
            if method == "get":
                query = "&".join([*(f"{name}={quote(other)}" for name, other in others.items()), f"{place}={text}"])
                answer = client.get(f"{filled}?{query}" if place else filled)
            else:
                answer = client.open(filled, method=method.upper(), json=others | {place: value})
            if answer.status_code in (500, 501, 502):
                failed.append((method, path, place, answer.text[:200]))
            answer.close()

    assert failed == []


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_no_path_makes_the_service_fail(client, value):
    text = value if value.startswith(("%E", "%F")) else quote(value, safe="")
    for _, path, _ in _operations(client):
        if "{" in path:
            filled = re.sub(r"\{[^}]*\}", lambda _: text or "x", path)
            assert client.get(filled).status_code < 500 or client.get(filled).status_code == 503, path


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"1e400", b"\xff\xfe", b'"\\ud800"', b'{"run": "\\ud800"}',
        b'{"where": ' + b"[" * 1500, b'{"where": ' + DEEP_WHERE.encode() + b"}", b'{"where": ' + DEEP.encode() + b"}",
        b'{"run": {"a": 1}, "tag": true}', b'{"max_points": 1e400}', b'{"run": [null], "tag": [[1]]}',
        b'{"limit": 99999999999999999999999}', b'{"": 1}', b'{"where": {"loss": {"lt": 1e308, "in": [NaN]}}}',
        b'{"where": {"step": {"gt": ' + b"9" * 399 + b"}}}", b'{"run": ["x", {"deep": ' + DEEP.encode() + b"}]}",
        b'{"a": 1, "a": 2}',
    ],
)  # fmt: skip
def test_no_body_makes_the_service_fail(client, body):
    for method, path, _ in _operations(client):
        if method != "get":
            answer = client.open(re.sub(r"\{[^}]*\}", "x", path), method=method.upper(), data=body)
            assert answer.status_code < 500 or answer.status_code == 503, (path, answer.text)


@pytest.mark.parametrize(
    "text", ["(?R)", "((?R)a|b)+", "a(?1)(x)", r"(?<n>a)(?&n)", r"(?P<n>a)(?P>n)", "(?(DEFINE)(?<n>a))", r"\\(?R)"]
)
def test_expressions_that_call_groups_are_refused(text):
    with pytest.raises(BadParameter, match="recursive patterns"):
        NamePattern(text, parameter="pattern")


@pytest.mark.parametrize("text", [r"\(?R", "[?R]", "(?i)run", "(?:a|b)", "(?=a)", "(?P<n>a)(?P=n)"])
def test_other_expressions_are_not(text):
    NamePattern(text, parameter="pattern").matched(["run"])


@pytest.mark.parametrize(
    "text", ["(?p)(a|aa)+$b", "(?:a{1,1000}){1,1000}b", "(?b)(?:abcdefghij){e<=8}z{e<=5}", "(a+)+$b"]
)
def test_expressions_have_a_second(text):
    names = ["a" * 60 + str(number) for number in range(100)]
    pattern = NamePattern(text, parameter="pattern")

    began = time.process_time()
    with contextlib.suppress(BadParameter):
        pattern.matched(names)

    assert time.process_time() - began < 1.2  # the machine may be busy
