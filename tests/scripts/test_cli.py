"""The face of the command line: help, version, abbreviations, where settings come from."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import TABLE

App = Callable[..., "subprocess.CompletedProcess[str]"]
COMMANDS = ("start", "stop", "status", "index", "export", "parse_summary", "demo")


@pytest.mark.parametrize("words", [[], ["help"], ["--help"]])
def test_help_lists_the_commands(app: App, words: list[str]) -> None:
    shown = app(*words)

    assert shown.returncode == 0
    assert all(re.search(rf"^    {command}\s", shown.stdout, re.MULTILINE) for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(app: App, command: str) -> None:
    shown = app(command, "--help")

    assert shown.returncode == 0
    assert shown.stdout.startswith(f"usage: app {command}")


def test_start_has_a_flag_for_every_setting(app: App) -> None:
    shown = app("start", "--help").stdout

    assert all(setting.flag in shown for setting in TABLE)
    assert "--foreground" in shown


def test_version_is_the_installed_one(app: App) -> None:
    from importlib.metadata import version

    assert app("--version").stdout == f"mindinsight-like {version('mindinsight-like')}\n"


@pytest.mark.parametrize("command", ["app", "mindinsight-like"])
def test_both_commands_are_installed(command: str) -> None:
    program = Path(sys.executable).with_name(command)

    shown = subprocess.run([program, "bogus"], capture_output=True, text=True)

    assert shown.returncode == 1
    assert shown.stderr.startswith(f"{command}: ")


@pytest.mark.parametrize(
    "words",
    [
        ["bogus"],
        ["start", "--por", "8080"],
        ["start", "--unknown"],
        ["start", "--port"],
        ["start", "--port", "99999"],
        ["start", "--reload-interval", "often"],
        ["start", "--config", "file:/nowhere/config.py"],
        ["start", "--token", "a b"],
        ["status", "--port", "x"],
        ["index", "--summary-base-dir", "/nowhere/at/all"],
        ["export", "--summary-base-dir", "/nowhere/at/all", "--output", "out"],
        ["export"],
        ["parse_summary", "--summary-dir", "/nowhere/at/all"],
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(app: App, words: list[str]) -> None:
    refused = app(*words)

    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.count("\n") == 1, refused.stderr


def test_flag_wins_over_environment_over_config_over_default(app: App, tmp_path: Path) -> None:
    config = tmp_path / "config.py"
    config.write_text(f"WORKSPACE = {str(tmp_path / 'config')!r}\n")
    by_config = {"MINDINSIGHT_CONFIG": f"file:{config}"}
    by_both = by_config | {"MINDINSIGHT_WORKSPACE": str(tmp_path / "environment")}

    def workspace(*words: object, env: dict[str, str]) -> str:
        return Path(json.loads(app("status", "--json", *words, env=env).stdout)["workspace"]).name

    assert workspace("--workspace", tmp_path / "flag", env=by_both) == "flag"
    assert workspace(env=by_both) == "environment"
    assert workspace(env=by_config) == "config"
    assert workspace(env={}) == "mindinsight-like"


def test_the_command_line_loads_nothing_heavy() -> None:
    """`app index` is used in scripts and measured; what it does not need must not be imported."""
    code = (
        "import sys; from mindinsight_like.scripts import cli, export, index, parse_summary; "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )

    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())

    heavy = {"numpy", "pandas", "pyarrow", "flask", "psutil", "psycopg", "email", "http", "google", "asyncio"}
    assert loaded
    assert not loaded & heavy
