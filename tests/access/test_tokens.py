"""Tokens, their roles, and files of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindinsight_like.access.tokens import Role, TokenFile, Tokens, check_tokens, read_tokens
from mindinsight_like.conf.settings import SettingsError, load

FULL, READ, SEND = "full-full-full-full", "read-read-read-read", "send-send-send-send"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_token_has_its_role_and_its_cookie() -> None:
    tokens = Tokens(load({"token": FULL, "read_token": READ, "collector_token": SEND}, {}))

    roles = [tokens.role_of(token) for token in (FULL, READ, SEND, "wrong-wrong-wrong", "", "é\udcff")]
    cookies = [tokens.role_of_cookie(tokens.cookie_for(token)) for token in (FULL, READ)]

    assert roles == [Role.FULL, Role.READ, Role.COLLECTOR, None, None, None]
    assert cookies == [Role.FULL, Role.READ]
    assert tokens.role_of_cookie(FULL) is None
    assert tokens.role_of(tokens.cookie_for(FULL)) is None


def test_tokens_are_not_shown_with_the_settings() -> None:
    settings = load(
        {"token": FULL, "read_token": READ, "collector_token": SEND, "store_url": "postgresql://u:pass-word@h/d"}, {}
    )

    shown = repr(settings) + repr(Tokens(settings).__dict__)

    assert not [secret for secret in (FULL, READ, SEND, "pass-word") if secret in shown]


def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path, clock = tmp_path / "tokens", Clock()
    path.write_text(f"# of Anna\n{FULL}\n\n  {READ}  \n")
    tokens = Tokens(load({"token_file": str(path)}, {}), clock=clock)
    assert [tokens.role_of(each) for each in (FULL, READ, SEND)] == [Role.FULL, Role.FULL, None]

    path.write_text(f"{SEND}\n")
    clock.now += 2

    assert [tokens.role_of(each) for each in (FULL, READ, SEND)] == [None, None, Role.FULL]
    assert tokens.has(Role.FULL)
    assert not tokens.has(Role.READ)


@pytest.mark.parametrize("damage", ["missing", "empty", "short", "binary"])
def test_a_file_without_tokens_lets_nobody_in_after_a_moment(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, clock = tmp_path / "tokens", Clock()
    path.write_text(FULL)
    file = TokenFile(path, clock=clock)
    before = file.secrets()

    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "short": b"tooshort", "binary": b"\xff\xfe"}[damage])
    clock.now += 1.5
    at_once = file.secrets()  # somebody may be about to write it
    for _ in range(5):
        clock.now += 1.5
        later = file.secrets()
    path.write_text(FULL)
    clock.now += 1.5

    assert (len(before), at_once, later) == (1, before, ())
    assert file.secrets() == before
    assert len([each for each in caplog.records if each.levelname == "ERROR"]) == 1
    assert "tooshort" not in caplog.text


def test_a_file_is_not_read_for_every_request(tmp_path: Path) -> None:
    path, clock = tmp_path / "tokens", Clock()
    path.write_text(FULL)
    file = TokenFile(path, clock=clock)
    file.secrets()
    path.unlink()

    assert len(file.secrets()) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it contains no token"),
        ("short-token", "line 1 is shorter than 16"),
        ("a b " * 9, "line 1 may only contain"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_without_its_contents(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(content)

    with pytest.raises(ValueError, match=reason) as refused:
        read_tokens(path)
    with pytest.raises(SettingsError, match="--read-token-file: cannot use"):
        check_tokens(load({"read_token_file": str(path)}, {}))

    assert not content or content.strip() not in str(refused.value)


def test_one_token_cannot_have_two_roles(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(FULL)

    with pytest.raises(SettingsError, match="--read-token and --token are the same"):
        check_tokens(load({"token_file": str(tmp_path / "tokens"), "read_token": FULL}, {}))


def test_a_file_that_all_can_read_is_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(FULL)
    settings = load({"token_file": str(path)}, {})

    os.chmod(path, 0o644)  # noqa: PTH101
    (warning,) = check_tokens(settings)
    path.chmod(0o600)

    assert "chmod 600" in warning
    assert check_tokens(settings) == []
