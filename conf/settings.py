"""Every setting of the service: the one table behind flags, environment variables, config files and the manual."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

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

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def config_name(self) -> str:
        return self.name.upper()


def _setting(default: str, parse: Callable[[str], T], *, metavar: str, help: str) -> T:
    row = {"default": default, "metavar": metavar, "help": help, "parse": parse}
    column: Any = field(default_factory=lambda: parse(default), metadata=row)
    value: T = column
    return value


def _config(text: str) -> str:
    """`file:/absolute/path.py`, `python:pkg.module` or nothing; a bare path is taken for a file."""
    if not text:
        return ""
    if text.startswith("python:"):
        module = text.removeprefix("python:")
        if not all(part.isidentifier() for part in module.split(".")):
            raise ValueError("does not name a module as in python:package.module")
        return text
    return f"file:{_path(text.removeprefix('file:'))}"


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise ValueError("is not a folder or file name")
    try:
        return Path(os.path.realpath(Path(text).expanduser()))
    except FileNotFoundError as error:  # only the current folder is looked up
        raise ValueError("is below the current folder, which no longer exists") from error


_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9.]+)?")


def _host(text: str) -> str:
    host = text.removeprefix("[").removesuffix("]")
    if not _HOST.fullmatch(host):
        raise ValueError("is not a host name or address")
    return host


def _whole(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"is not a whole number from {lowest} to {highest}")
        return int(text)

    return parse


_DAY = 86_400


def _seconds(text: str) -> float:
    """Seconds, whole or not; 0 has a meaning of its own, so that tiny values are not accepted by accident."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        seconds = float(text)
        if seconds == 0 or 0.1 <= seconds <= _DAY:
            return seconds
    raise ValueError(f"is not 0 or a number of seconds from 0.1 to {_DAY}")


def _url_path(text: str) -> str:
    """`/a/b`, however many slashes the user wrote around it; nothing stays nothing."""
    path = text.strip("/")
    for segment in path.split("/") if path else ():
        if segment in (".", "..") or not re.fullmatch(r"[A-Za-z0-9_.-]+", segment):
            raise ValueError("is not a path of letters, digits, '_', '-' and '.' between slashes")
    return f"/{path}" if path else ""


_POSTGRESQL = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://", re.IGNORECASE)


def _store_url(text: str) -> str:
    """A libpq address; the spelling with a driver (`postgresql+psycopg://`) is accepted too."""
    if not text:
        return ""
    scheme = _POSTGRESQL.match(text)
    if scheme is None:
        raise ValueError("is not an address as in postgresql://user@host/database")
    return "postgresql://" + text[scheme.end() :]


def _scheduler(text: str) -> str:
    if text and not re.fullmatch(r"([a-z]+://)?[A-Za-z0-9_.\[\]:-]+:[0-9]{1,5}", text):
        raise ValueError("is not an address as in tcp://host:8786")
    return text


def _token(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9._~-]{1,200}", text):
        raise ValueError("is not made of letters, digits, '.', '_', '~' and '-' (at most 200)")
    return text


def _optional_path(text: str) -> str:
    return str(_path(text)) if text else ""


@dataclass(frozen=True)
class Settings:
    """The effective values; paths are absolute and without symbolic links."""

    config: str = _setting(
        "",
        _config,
        metavar="CONFIG",
        help="Python file (file:/path/config.py) or module (python:package.module) with settings as upper-case names",
    )
    workspace: Path = _setting(
        "~/mindinsight_like",
        _path,
        metavar="DIR",
        help="folder for the index, the logs of the service and its state; made when missing",
    )
    host: str = _setting(
        "127.0.0.1",
        _host,
        metavar="HOST",
        help="address to listen on; any other than this machine's own loopback asks visitors for a token",
    )
    port: int = _setting("8080", _whole(1, 65_535), metavar="PORT", help="port to listen on, 1 to 65535")
    url_path_prefix: str = _setting(
        "",
        _url_path,
        metavar="PATH",
        help="path below which everything is served, as behind a proxy: /board serves /board/ and /board/v1/...",
    )
    reload_interval: float = _setting(
        "3",
        _seconds,
        metavar="SECONDS",
        help="pause between two looks for new data, 0.1 to 86400; 0 loads once and does not look again",
    )
    summary_base_dir: Path = _setting(
        ".",
        _path,
        metavar="DIR",
        help="folder below which every folder with logs is a run; written to only for collectors",
    )
    store_url: str = _setting(
        "",
        _store_url,
        metavar="URL",
        help="PostgreSQL database for the index (postgresql://user@host/database); empty: SQLite in the workspace",
    )
    workers: int = _setting("2", _whole(1, 64), metavar="N", help="web processes, 1 to 64")
    compare_cache_mb: int = _setting(
        "256",
        _whole(1, 1_048_576),
        metavar="MB",
        help="memory of each web process for curves of runs that are compared, in megabytes",
    )
    compare_cache_runs: int = _setting(
        "15",
        _whole(0, 100_000),
        metavar="N",
        help="that many of the runs that were updated last have their curves kept before those of others",
    )
    profile_jobs: int = _setting(
        "2", _whole(1, 64), metavar="N", help="profiles that are analysed at the same time, 1 to 64"
    )
    profile_cache_mb: int = _setting(
        "4096",
        _whole(1, 1_048_576),
        metavar="MB",
        help="room in the workspace for analysed profiles, in megabytes; what was not used for the longest time goes",
    )
    dask_scheduler: str = _setting(
        "",
        _scheduler,
        metavar="ADDRESS",
        help="Dask scheduler (tcp://host:8786) whose workers analyse profiles; they must see the same folders",
    )
    token: str = _setting(
        "",
        _token,
        metavar="TOKEN",
        help="secret visitors must bring; made up and printed when the host is not loopback and none is given",
    )

    collector_port: int = _setting(
        "0",
        _whole(0, 65_535),
        metavar="PORT",
        help="port for collectors of trainings, which are then written below the base dir; 0: none may send anything",
    )
    collector_certificate: str = _setting(
        "", _optional_path, metavar="FILE", help="certificate (PEM) with which collectors connect encrypted"
    )
    collector_key: str = _setting("", _optional_path, metavar="FILE", help="private key (PEM) of the certificate")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """The settings a process of the service was started with."""
        return load({}, environ)

    def environment(self) -> dict[str, str]:
        """All effective values as `MINDINSIGHT_*` variables; `from_environment` gives the same settings back."""
        return {setting.variable: _text(getattr(self, setting.name)) for setting in TABLE}

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


def load(flags: Mapping[str, str | None], environ: Mapping[str, str]) -> Settings:
    """Settings from flags (by setting name, None when not given) over environment over config over defaults.

    Raises SettingsError for the first value that cannot be used.
    """
    values: dict[str, Any] = {}
    # Read only when something is left to it: the processes of the service find every value in their environment.
    configured: dict[str, str] | None = None
    for setting in TABLE:  # config comes first
        flag = flags.get(setting.name)
        if flag is not None:
            values[setting.name] = _parse(setting, flag, setting.flag)
            continue
        if setting.variable in environ:
            values[setting.name] = _parse(setting, environ[setting.variable], setting.variable)
            continue
        config = values.get("config", "")
        if config and configured is None:
            configured = _read_config(config)
        if configured and setting.config_name in configured:
            place = f"{setting.config_name} in {config}"
            values[setting.name] = _parse(setting, configured[setting.config_name], place)
        else:
            values[setting.name] = _parse(setting, setting.default, setting.flag)
    return Settings(**values)


def _parse(setting: Setting, text: str, place: str) -> Any:
    try:
        return setting.parse(text.strip())
    except (ValueError, RuntimeError) as error:  # RuntimeError: ~someone with no home folder
        shown = "the value" if setting.name in ("token", "store_url") else repr(text)  # never print secrets
        raise SettingsError(f"{place}: {shown} {error}") from error


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
    wanted = {setting.config_name for setting in TABLE}
    return {name: _text(value) for name, value in names.items() if name in wanted and value is not None}


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _row(column: Field[Any]) -> Setting:
    return Setting(name=column.name, **column.metadata)


TABLE: tuple[Setting, ...] = tuple(_row(column) for column in fields(Settings))
