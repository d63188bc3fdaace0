"""Where a setting's value comes from, and which values are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import TABLE, Settings, SettingsError, load

SAMPLES = {
    "config": ("", "", ""),
    "workspace": ("/flag", "/environment", "/config"),
    "host": ("127.0.0.3", "127.0.0.2", "127.0.0.1"),
    "port": ("8083", "8082", "8081"),
    "url_path_prefix": ("/flag", "/environment", "/config"),
    "reload_interval": ("0", "2.5", "7"),
    "stalled_after": ("60", "600.5", "3600"),
    "watched_folders": ("0", "5000", "70000"),
    "summary_base_dir": ("/flag", "/environment", "/config"),
    "store_url": ("postgresql://flag/x", "postgresql://environment/x", "postgresql://config/x"),
    "store_checksums": ("optional", "required", "optional"),
    "board_id": ("flag", "environment", "config"),
    "backups": ("30", "14", "0"),
    "workers": ("5", "4", "3"),
    "compare_cache_mb": ("300", "200", "100"),
    "compare_cache_runs": ("20", "10", "0"),
    "line_patterns": ("/flag", "/environment", "/config"),
    "profile_jobs": ("5", "4", "3"),
    "profile_cache_mb": ("300", "200", "100"),
    "profile_advance_mb": ("300", "200", "0"),
    "dask_scheduler": ("tcp://flag:1", "tcp://environment:2", "tcp://config:3"),
    "token": ("flag-token-full-", "environment-token", "config-token-full"),
    "token_file": ("/flag", "/environment", "/config"),
    "field_rules": ("/flag", "/environment", "/config"),
    "read_token": ("flag-token-read-", "environment-token", "config-token-read"),
    "read_token_file": ("/flag", "/environment", "/config"),
    "trusted_users": ("33", "root,34", "35"),
    "collector_token": ("flag-token-send-", "environment-token", "config-token-send"),
    "collector_token_file": ("/flag", "/environment", "/config"),
    "collector_port": ("8093", "8092", "0"),
    "collector_certificate": ("/flag", "/environment", "/config"),
    "collector_key": ("/flag", "/environment", "/config"),
}
NAMES = [setting.name for setting in TABLE if setting.name != "config"]


def as_text(settings: Settings, name: str) -> str:
    return settings.environment()[f"MINDINSIGHT_{name.upper()}"]


@pytest.mark.parametrize("name", NAMES)
def test_flag_wins_over_environment_over_config_over_default(name: str, tmp_path: Path) -> None:
    flag, variable, configured = SAMPLES[name]
    config = tmp_path / "config.py"
    config.write_text(f"{name.upper()} = {configured!r}\n")
    from_config = {"MINDINSIGHT_CONFIG": f"file:{config}"}
    from_both = from_config | {f"MINDINSIGHT_{name.upper()}": variable}

    assert as_text(load({name: flag}, from_both), name) == flag
    assert as_text(load({}, from_both), name) == variable
    assert as_text(load({}, from_config), name) == configured
    assert load({}, {}) == Settings()


def test_every_value_survives_the_way_through_the_environment() -> None:
    settings = load({name: SAMPLES[name][1] for name in NAMES}, {})

    assert Settings.from_environment(settings.environment()) == settings


def test_processes_of_the_service_do_not_read_the_config_again(tmp_path: Path) -> None:
    config = tmp_path / "config.py"
    config.write_text("TOKEN = 'from-config-file'\n")
    settings = load({"config": str(config), "token": ""}, {})
    config.unlink()

    assert Settings.from_environment(settings.environment()) == settings
    assert settings.token == ""


def test_config_may_be_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "our_board_settings.py").write_text("PORT = 9123\nMAX_GRAPH_NODE_SIZE = 5\nport = 1\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert load({"config": "python:our_board_settings"}, {}).port == 9123


def test_config_may_hold_numbers_paths_and_nothing(tmp_path: Path) -> None:
    config = tmp_path / "config.py"
    config.write_text("import pathlib\nWORKSPACE = pathlib.Path('/w')\nRELOAD_INTERVAL = 2\nWORKERS = None\n")

    settings = load({"config": f"file:{config}"}, {})

    assert (settings.workspace, settings.reload_interval, settings.workers) == (Path("/w"), 2.0, 2)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("port", "0"),
        ("port", "65536"),
        ("port", "8080.0"),
        ("port", "eighty"),
        ("port", ""),
        ("port", "٨٠٨٠"),
        ("host", ""),
        ("host", "two words"),
        ("host", "http://host"),
        ("url_path_prefix", "/a/../b"),
        ("url_path_prefix", "/a//b"),
        ("url_path_prefix", "/ä"),
        ("reload_interval", "-1"),
        ("reload_interval", "0.01"),
        ("reload_interval", "nan"),
        ("reload_interval", "86401"),
        ("store_url", "mysql://host/x"),
        ("store_url", "sqlite:///x"),
        ("store_checksums", "off"),
        ("workers", "0"),
        ("workers", "65"),
        ("token", "two words of enough length"),
        ("token", "a&b-and-more-to-be-long-enough"),
        ("token", "fifteen-letters"),
        ("read_token", "fifteen-letters"),
        ("collector_token", "fifteen-letters"),
        ("trusted_users", "nobody-of-this-name"),
        ("trusted_users", "-1"),
        ("workspace", ""),
        ("summary_base_dir", "a\0b"),
        ("config", "python:not a module"),
        ("config", "file:/nowhere/config.py"),
    ],
)
def test_bad_values_are_refused_in_one_line_that_names_their_place(name: str, text: str) -> None:
    with pytest.raises(SettingsError) as by_flag:
        load({name: text}, {})
    with pytest.raises(SettingsError) as by_variable:
        load({}, {f"MINDINSIGHT_{name.upper()}": text})

    assert "\n" not in str(by_flag.value)
    if "nowhere" not in text:
        assert str(by_flag.value).startswith("--" + name.replace("_", "-"))
        assert str(by_variable.value).startswith(f"MINDINSIGHT_{name.upper()}")


@pytest.mark.parametrize("name", ["token", "read_token", "collector_token", "store_url"])
def test_secrets_do_not_appear_in_messages(name: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load({name: "my secret"}, {})
    with pytest.raises(SettingsError) as too_short:
        load({name: "secret"}, {})

    assert "secret" not in str(refused.value) + str(too_short.value)


@pytest.mark.parametrize("body", ["PORT = (", "import not_there", "raise SystemError('two\\nlines')"])
def test_a_broken_config_is_one_line(body: str, tmp_path: Path) -> None:
    config = tmp_path / "config.py"
    config.write_text(body)

    with pytest.raises(SettingsError) as refused:
        load({"config": str(config)}, {})

    assert "\n" not in str(refused.value)
    assert str(config) in str(refused.value)


def test_a_bad_value_in_a_config_names_the_config(tmp_path: Path) -> None:
    config = tmp_path / "config.py"
    config.write_text("PORT = 'x'\n")

    with pytest.raises(SettingsError, match=f"PORT in file:{config}: 'x' is not an integer"):
        load({"config": str(config)}, {})


@pytest.mark.parametrize(
    ("text", "prefix"), [("", ""), ("/", ""), ("a", "/a"), ("/a/b/", "/a/b"), ("a.b/c_d-e", "/a.b/c_d-e")]
)
def test_url_path_prefix_has_one_form(text: str, prefix: str) -> None:
    assert load({"url_path_prefix": text}, {}).url_path_prefix == prefix


def test_paths_are_made_absolute_and_links_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    settings = load({"summary_base_dir": "link", "workspace": "~/w"}, {})

    assert settings.summary_base_dir == Path(os.path.realpath(tmp_path)) / "real"
    assert settings.workspace == Path(os.path.realpath(tmp_path)) / "w"


@pytest.mark.parametrize(
    ("host", "is_loopback", "bind"),
    [
        ("127.0.0.1", True, "127.0.0.1:8080"),
        ("127.1.2.3", True, "127.1.2.3:8080"),
        ("localhost", True, "localhost:8080"),
        ("::1", True, "[::1]:8080"),
        ("[::1]", True, "[::1]:8080"),
        ("0.0.0.0", False, "0.0.0.0:8080"),
        ("::", False, "[::]:8080"),
        ("127.0.0.1.example.org", False, "127.0.0.1.example.org:8080"),
        ("localhost.example.org", False, "localhost.example.org:8080"),
    ],
)
def test_only_this_machines_own_addresses_are_loopback(host: str, is_loopback: bool, bind: str) -> None:
    settings = load({"host": host}, {})

    assert (settings.is_loopback, settings.bind) == (is_loopback, bind)


def test_addresses_with_a_driver_name_are_understood() -> None:
    assert load({"store_url": "postgresql+psycopg://u@h/d"}, {}).store_url == "postgresql://u@h/d"


def test_the_manual_has_every_setting_as_the_table_does() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    rows = [
        f"| `{setting.flag}` | `{setting.variable}` | {f'`{setting.default}`' if setting.default else 'none'} "
        f"| {setting.help} |"
        for setting in TABLE
    ]

    assert "\n".join(rows) in manual


def test_the_default_workspace_does_not_have_the_name_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = Path(os.path.realpath(tmp_path))
    (tmp_path / "mindinsight").mkdir()  # MindInsight's own

    fresh = load({}, {}).workspace
    (tmp_path / "mindinsight_like" / "conf").mkdir(parents=True)  # a clone of the repository
    beside_a_clone = load({}, {}).workspace
    (tmp_path / "mindinsight_like" / "run").mkdir()  # a workspace of an older release
    of_an_older_release = load({}, {}).workspace, Settings().workspace
    (tmp_path / "mindinsight-like").mkdir()
    both = load({}, {}).workspace

    assert fresh == beside_a_clone == both == home / "mindinsight-like"
    assert of_an_older_release == (home / "mindinsight_like", home / "mindinsight_like")


@pytest.mark.parametrize("text", ["s3://bucket/runs", "gs://b", "hdfs://host/x", "file:///x", "s3:/bucket/runs"])
@pytest.mark.parametrize("name", ["workspace", "summary_base_dir", "token_file", "collector_certificate"])
def test_urls_are_not_taken_for_folders(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match="is a URL; only local paths"):
        load({name: text}, {})
