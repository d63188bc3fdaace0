"""What the tests of all folders share: the corpus, free ports, a really running service, a private PostgreSQL."""

from __future__ import annotations

import http.client
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # how long an example takes says more about the machine
settings.load_profile("any machine")

ROOT = Path(__file__).resolve().parent.parent
App = Callable[..., "subprocess.CompletedProcess[str]"]


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


_UMASK = _umask()


@pytest.fixture(autouse=True)
def _usual_umask() -> None:
    """The command line makes new files private, for its whole process; a test that called it must not bind the next."""
    os.umask(_UMASK)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Logs written by the real frameworks; kept beside the repository because of their size."""
    folder = Path(os.environ.get("CORPUS", ROOT.parent / "shared" / "corpus"))
    if not folder.is_dir():
        pytest.skip("no corpus of real logs: set CORPUS to its folder")
    return folder


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens on at the moment."""
    return _free_port()


@pytest.fixture
def app(tmp_path: Path) -> App:
    """The real command line: `app("status", "--json", env={...})`, with a home folder and a workspace of its own.

    Settings of the developer's environment stay outside; `cwd` is the test's folder unless given.
    """
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MINDINSIGHT_")}
    environ |= {name: os.environ[name] for name in ("MINDINSIGHT_TWIN",) if name in os.environ}
    environ["HOME"] = str(tmp_path)

    def run(
        *words: object, env: Mapping[str, str] | None = None, cwd: Path = tmp_path
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mindinsight_like", *map(str, words)]
        return subprocess.run(
            command, env=environ | dict(env or {}), cwd=cwd, capture_output=True, text=True, timeout=120
        )

    return run


@dataclass(frozen=True)
class RunningService:
    """A service started by `app start`."""

    app: App
    workspace: Path
    port: int
    output: str  # what `app start` printed
    token: str = ""
    prefix: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.prefix}"

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
        """Status and body of a GET below the prefix, as in `get("/v1/runs")`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            connection.request("GET", self.prefix + path, headers=authorization | dict(headers or {}))
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def json(self, path: str) -> Any:
        """The decoded answer to a GET, which must succeed."""
        status, body = self.get(path)
        assert status == 200, body
        return json.loads(body)

    def status(self) -> dict[str, Any]:
        """What `app status --json` says about this service."""
        shown = self.app("status", "--json", "--workspace", self.workspace, "--port", self.port)
        services = json.loads(shown.stdout)["services"]
        assert len(services) == 1, shown.stdout
        report: dict[str, Any] = services[0]
        return report

    def pids(self, role: str) -> list[int]:
        """Process numbers of one role: supervisor, web (the master first), loader."""
        pids: list[int] = self.status()["processes"].get(role, [])
        return pids

    def stop(self) -> subprocess.CompletedProcess[str]:
        return self.app("stop", "--workspace", self.workspace, "--port", self.port)


@pytest.fixture
def service(app: App, tmp_path: Path) -> Iterator[Callable[..., RunningService]]:
    """Starts services that end with the test: `service(folder, "--reload-interval", 1, port=..., env={...})`."""
    started: list[RunningService] = []

    def start(
        base_dir: Path,
        *options: object,
        port: int | None = None,
        workspace: Path | None = None,
        token: str = "",
        prefix: str = "",
        env: Mapping[str, str] | None = None,
    ) -> RunningService:
        port = port or _free_port()
        workspace = workspace or tmp_path / "workspace"
        words: list[object] = ["start", "--summary-base-dir", base_dir, "--workspace", workspace, "--port", port]
        words += ["--token", token] if token else []
        words += ["--url-path-prefix", prefix] if prefix else []
        # Listed before it runs: a start that fails half way must be stopped as well.
        started.append(RunningService(app, workspace, port, "", token, prefix))
        done = app(*words, *options, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        started[-1] = RunningService(app, workspace, port, done.stdout, token, prefix)
        return started[-1]

    yield start
    for one in started:
        one.stop()


def _postgresql_programs() -> Path | None:
    """The folder with initdb and pg_ctl; Debian keeps it out of the PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    if folders:
        return folders[-1]
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


def _server_account() -> pwd.struct_passwd:
    """Who runs the server: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is no account postgres or nobody to run it as")


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """Address of an empty PostgreSQL database of our own, gone after the tests."""
    programs = _postgresql_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server programs: apt-get install postgresql")
    account = _server_account()
    # Not below tmp_path: the account must be able to enter, and the path of a socket is short (107 bytes).
    folder = Path(tempfile.mkdtemp(prefix="mi-pg-"))
    environ = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "HOME": str(folder)}

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), *arguments]
        if os.geteuid() == 0:
            done = subprocess.run(
                command, env=environ, cwd=folder, capture_output=True, text=True,
                user=account.pw_uid, group=account.pw_gid, extra_groups=[],
            )  # fmt: skip
        else:
            done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"

    try:
        if os.geteuid() == 0:
            os.chown(folder, account.pw_uid, account.pw_gid)
        data = str(folder / "data")
        run("initdb", "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c max_connections=60"
        run("pg_ctl", "start", "-w", "-D", data, "-l", str(folder / "log"), "-o", options)
        try:
            yield f"postgresql://tests@/postgres?host={folder}"
        finally:
            run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def let_anybody_in(folder: Path) -> None:
    """Open the way to a folder of pytest's, which it makes for its own user alone, however deep it lies."""
    top = Path(tempfile.gettempdir()).resolve()
    for each in (folder, *folder.parents):
        if each == top or each.parent == each:
            return
        each.chmod(0o755)
