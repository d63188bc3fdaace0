"""Table of all settings: the source of flags, environment variables, config files and the manual.

Over 400 lines, as each setting takes six and all of them belong in one table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from mindinsight_like.conf.parsers import (
    WORKSPACE,
    Project,
    choice_parser,
    default_workspace,
    integer_parser,
    parse_base_dirs,
    parse_board_id,
    parse_config,
    parse_duration,
    parse_host,
    parse_optional_path,
    parse_path,
    parse_scheduler,
    parse_seconds,
    parse_store_url,
    parse_token,
    parse_url_path,
    parse_users,
    uid_of,
)

T = TypeVar("T")

ENVIRONMENT_PREFIX = "MINDINSIGHT_"


class SettingsError(ValueError):
    """A value the user has to correct; the message is one line and says where the value came from."""


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    name: str
    default: str  # as a user would write it
    metavar: str
    help: str
    parse: Callable[[str], Any]  # raises ValueError with a reason that follows the value
    find_default: Callable[[], str]  # the default on this machine
    is_secret: bool = False  # never shown: not in messages, not in the arguments of a process

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def config_name(self) -> str:
        return self.name.upper()


def _setting(
    default: str,
    parse: Callable[[str], T],
    *,
    metavar: str,
    help: str,
    is_secret: bool = False,
    find_default: Callable[[], str] | None = None,
) -> T:
    find = find_default or (lambda: default)
    row = {"default": default, "metavar": metavar, "help": help, "parse": parse}
    row |= {"is_secret": is_secret, "find_default": find}
    column: Any = field(default_factory=lambda: parse(find()), metadata=row, repr=not is_secret)
    value: T = column
    return value


@dataclass(frozen=True)
class Settings:
    """The effective values; paths are absolute and without symbolic links."""

    config: str = _setting(
        "",
        parse_config,
        metavar="CONFIG",
        help="Python file (file:/path/config.py) or module (python:package.module) with settings as upper-case names",
    )
    workspace: Path = _setting(
        WORKSPACE,
        parse_path,
        metavar="DIR",
        help="directory for the index, service logs and state; created if missing",
        find_default=default_workspace,
    )
    host: str = _setting(
        "127.0.0.1",
        parse_host,
        metavar="HOST",
        help="address to listen on; any non-loopback address requires a token",
    )
    port: int = _setting("8080", integer_parser(1, 65_535), metavar="PORT", help="port to listen on, 1 to 65535")
    url_path_prefix: str = _setting(
        "",
        parse_url_path,
        metavar="PATH",
        help="URL path prefix, for use behind a proxy: /board serves /board/ and /board/v1/...",
    )
    reload_interval: float = _setting(
        "3",
        parse_seconds,
        metavar="SECONDS",
        help="seconds between scans for new data, 0.1 to 86400; 0 loads once, at startup",
    )
    stalled_after: float = _setting(
        "300",
        parse_duration,
        metavar="SECONDS",
        help="seconds without new data after which a run without an end counts as stalled; at least ten times its own"
        " interval",
    )
    watched_folders: int = _setting(
        "200000",
        integer_parser(0, 10_000_000),
        metavar="COUNT",
        help="maximum number of local directories watched with inotify; the rest are polled",
    )
    summary_base_dir: Path = _setting(
        ".",
        parse_path,
        metavar="DIR",
        help="base directory; every directory in it that contains logs is a run; only collectors write to it."
        " Several: NAME=DIR, repeated or separated by commas; each is a project",
    )
    store_url: str = _setting(
        "",
        parse_store_url,
        metavar="URL",
        help="PostgreSQL database for the index (postgresql://user@host/database); empty: SQLite in the workspace",
        is_secret=True,  # may hold a password
    )
    store_checksums: str = _setting(
        "required",
        choice_parser("required", "optional"),
        metavar="WHEN",
        help="required: refuse a PostgreSQL server whose data_checksums is off; optional: use it, although damage to"
        " rows of the index may then go unnoticed",
    )
    board_id: str = _setting(
        "",
        parse_board_id,
        metavar="ID",
        help="board that the notes, labels and saved views belong to, wherever the base dir is; empty: the"
        " base dir's own",
    )
    backups: int = _setting(
        "7",
        integer_parser(0, 10_000),
        metavar="N",
        help="number of daily backups of notes, labels and saved views to keep in the workspace; 0 disables them",
    )
    workers: int = _setting("2", integer_parser(1, 64), metavar="N", help="number of web processes, 1 to 64")
    compare_cache_mb: int = _setting(
        "256",
        integer_parser(1, 1_048_576),
        metavar="MB",
        help="memory per web process for the comparison cache, in megabytes",
    )
    compare_cache_runs: int = _setting(
        "15",
        integer_parser(0, 100_000),
        metavar="N",
        help="number of most recently updated runs pinned in the comparison cache",
    )
    field_rules: str = _setting(
        "",
        parse_optional_path,
        metavar="FILE",
        help="JSON file with rules of canonical fields: further names, further fields, or null to remove one",
    )
    line_patterns: str = _setting(
        "",
        parse_optional_path,
        metavar="FILE",
        help="JSON file with patterns by which lines of text logs are read as values; read at start",
    )
    profile_jobs: int = _setting(
        "2", integer_parser(1, 64), metavar="N", help="number of profiles analysed in parallel, 1 to 64"
    )
    profile_cache_mb: int = _setting(
        "4096",
        integer_parser(1, 1_048_576),
        metavar="MB",
        help="disk budget for analysed profiles, in megabytes; least recently used are evicted",
    )
    profile_advance_mb: int = _setting(
        "512",
        integer_parser(0, 1_048_576),
        metavar="MB",
        help="largest profile analysed in the background as soon as it is found, in megabytes; 0: only when opened",
    )
    dask_scheduler: str = _setting(
        "",
        parse_scheduler,
        metavar="ADDRESS",
        help="Dask scheduler (tcp://host:8786) whose workers analyse profiles; they must see the same paths",
    )
    token: str = _setting(
        "",
        parse_token,
        metavar="TOKEN",
        help="access token for everything, at least 16 characters; generated and printed if the host is not"
        " loopback and none is set",
        is_secret=True,
    )
    token_file: str = _setting(
        "",
        parse_optional_path,
        metavar="FILE",
        help="file with full-access tokens, one per line; reloaded when it changes",
    )
    read_token: str = _setting(
        "", parse_token, metavar="TOKEN", help="access token for read-only access", is_secret=True
    )
    read_token_file: str = _setting(
        "",
        parse_optional_path,
        metavar="FILE",
        help="file with read-only tokens, one per line; reloaded when it changes",
    )
    trusted_users: str = _setting(
        "",
        parse_users,
        metavar="USERS",
        help="comma-separated local users (names or UIDs) who need no token on loopback, such as the user of"
        " a proxy; the user who runs the service never needs one there",
    )
    collector_port: int = _setting(
        "0",
        integer_parser(0, 65_535),
        metavar="PORT",
        help="gRPC port for collectors, which write into --summary-base-dir; 0 disables it",
    )
    collector_token: str = _setting(
        "", parse_token, metavar="TOKEN", help="access token that only lets collectors send data", is_secret=True
    )
    collector_token_file: str = _setting(
        "",
        parse_optional_path,
        metavar="FILE",
        help="file with collector tokens, one per line; reloaded when it changes",
    )
    collector_certificate: str = _setting(
        "", parse_optional_path, metavar="FILE", help="TLS certificate (PEM) for collector connections"
    )
    collector_key: str = _setting(
        "", parse_optional_path, metavar="FILE", help="private key (PEM) of the TLS certificate"
    )

    # Not settings of their own: what --summary-base-dir says besides the first directory.
    project: str = ""  # name of the first one
    projects: tuple[Project, ...] = ()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """The settings a process of the service was started with."""
        return load({}, environ)

    def environment(self) -> dict[str, str]:
        """All effective values as `MINDINSIGHT_*` variables; `from_environment` gives the same settings back."""
        variables = {setting.variable: _text(getattr(self, setting.name)) for setting in TABLE}
        if self.project or self.projects:
            variables[ENVIRONMENT_PREFIX + "SUMMARY_BASE_DIR"] = json.dumps(self.served_dirs)
        return variables

    @property
    def first_project(self) -> str:
        """The name of the project that runs of the first base directory belong to; empty for a single one without."""
        return self.project or (self.summary_base_dir.name if self.projects else "")

    @property
    def served_dirs(self) -> list[str]:
        """The base directories as they are given: a path, or a name and a path."""
        first = f"{self.project}={self.summary_base_dir}" if self.project else str(self.summary_base_dir)
        return [first, *(f"{each.name}={each.path}" for each in self.projects)]

    @property
    def served(self) -> str:
        """All base directories, for people."""
        return ", ".join(self.served_dirs)

    @property
    def is_loopback(self) -> bool:
        """Only programs on this machine can connect."""
        return self.host.lower() == "localhost" or self.host == "::1" or bool(re.fullmatch(r"127(\.\d+){3}", self.host))

    @property
    def bind(self) -> str:
        """`host:port` as gunicorn takes it."""
        return self.address(self.port)

    @property
    def collector_bind(self) -> str:
        """`host:port` for collectors."""
        return self.address(self.collector_port)

    def address(self, port: int) -> str:
        """`host:port`, also for addresses with colons."""
        return f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"

    @property
    def trusted_uids(self) -> frozenset[int]:
        """Who needs no token on loopback besides the user that runs the service."""
        return frozenset(uid_of(user) for user in self.trusted_users.split(",") if user)

    @property
    def needs_token(self) -> bool:
        """Whether nobody gets in without a token. Without one, on loopback, the service's own user may do all."""
        return bool(self.token or self.token_file) or not self.is_loopback


def load(flags: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    """Settings from flags (by setting name, None when not given) over environment over config over defaults.

    Raises SettingsError for the first value that cannot be used.
    """
    values: dict[str, Any] = {}

    def take(setting: Setting, text: object, place: str) -> None:
        if setting.name == "summary_base_dir":
            values.update(_base_dirs(text, place))
        else:
            values[setting.name] = _parse(setting, _text(text), place)

    # Read only when something is left to it: the processes of the service find every value in their environment.
    configured: dict[str, str] | None = None
    for setting in TABLE:  # config comes first
        flag = flags.get(setting.name)
        if flag is not None:
            take(setting, flag, setting.flag)
            continue
        if setting.variable in environ:
            take(setting, environ[setting.variable], setting.variable)
            continue
        config = values.get("config", "")
        if config and configured is None:
            configured = _read_config(config)
        if configured and setting.config_name in configured:
            place = f"{setting.config_name} in {config}"
            take(setting, configured[setting.config_name], place)
        else:
            take(setting, setting.find_default(), setting.flag)
    return Settings(**values)


def _base_dirs(given: object, place: str) -> dict[str, Any]:
    """The fields that --summary-base-dir sets, from one text or a list of them."""
    text = given if isinstance(given, str) else json.dumps([_text(each) for each in given])  # type: ignore[attr-defined]
    try:
        first, *others = parse_base_dirs(text.strip())
    except (ValueError, RuntimeError) as error:
        raise SettingsError(f"{place}: {text!r} {error}") from error
    return {
        "summary_base_dir": first.path,
        "project": first.name,
        "projects": tuple(others),
    }


def _parse(setting: Setting, text: str, place: str) -> Any:
    try:
        return setting.parse(text.strip())
    except (ValueError, RuntimeError) as error:  # RuntimeError: ~someone with no home folder
        display = "the value" if setting.is_secret else repr(text)
        raise SettingsError(f"{place}: {display} {error}") from error


def _read_config(config: str) -> dict[str, str]:
    """The settings named in a config; other names in it are the author's own business."""
    try:
        if config.startswith("python:"):
            from importlib import import_module

            names = vars(import_module(config.removeprefix("python:")))
        else:
            path = Path(config.removeprefix("file:"))
            names = {"__file__": str(path), "__name__": path.stem}
            exec(compile(path.read_bytes(), path, "exec"), names)
    except OSError as error:
        raise SettingsError(f"config {config}: {error.strerror or error}") from error
    except Exception as error:
        raise SettingsError(f"config {config}: {type(error).__name__}: {' '.join(str(error).split())}") from error
    config_names = {setting.config_name for setting in TABLE}
    return {
        name: json.dumps([_text(each) for each in value]) if isinstance(value, list | tuple) else _text(value)
        for name, value in names.items()
        if name in config_names and value is not None
    }


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _row(column: Field[Any]) -> Setting:
    return Setting(name=column.name, **column.metadata)


TABLE: tuple[Setting, ...] = tuple(_row(column) for column in fields(Settings) if column.metadata)
