"""What the tests of all folders share: the corpus, free ports, a really running service, a private PostgreSQL."""

from __future__ import annotations

import contextlib
import errno
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

from tests.corpus import CORPUS

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
    """Logs written by the real frameworks."""
    return CORPUS


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


class PostgreSQLServer:
    """A server of our own that can be stopped and started; listens on a socket file, and on a port if given one."""

    def __init__(self, folder: Path, programs: Path, account: pwd.struct_passwd, port: int = 0) -> None:
        self.folder = folder
        self._programs = programs
        self._account = account
        self._data = str(folder / "data")
        listen = f"-c listen_addresses=127.0.0.1 -c port={port}" if port else "-c listen_addresses=''"
        self._options = f"{listen} -c unix_socket_directories={folder} -c fsync=off -c max_connections=60"
        address = f"127.0.0.1:{port}/postgres" if port else f"/postgres?host={folder}"
        self.url = f"postgresql://tests@{address}"
        if os.geteuid() == 0:
            os.chown(folder, account.pw_uid, account.pw_gid)
        self._run(
            "initdb", "-D", self._data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync", "--data-checksums"
        )

    def start(self) -> None:
        self._run("pg_ctl", "start", "-w", "-D", self._data, "-l", str(self.folder / "log"), "-o", self._options)

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self._data)

    @contextlib.contextmanager
    def resting(self) -> Iterator[Path]:
        """Its data directory while it is stopped, with everything written there."""
        self._run("pg_ctl", "stop", "-w", "-m", "fast", "-D", self._data)
        try:
            yield Path(self._data)
        finally:
            self.start()

    def set_checksums(self, *, is_on: bool) -> None:
        with self.resting():
            self._run("pg_checksums", "--enable" if is_on else "--disable", "-D", self._data)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        environ = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        account = self._account
        if os.geteuid() == 0:
            done = subprocess.run(
                command, env=environ, cwd=self.folder, capture_output=True, text=True,
                user=account.pw_uid, group=account.pw_gid, extra_groups=[],
            )  # fmt: skip
        else:
            done = subprocess.run(command, env=environ, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


@contextlib.contextmanager
def _postgresql(port: int = 0) -> Iterator[PostgreSQLServer]:
    programs = _postgresql_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server programs: apt-get install postgresql")
    account = _server_account()
    # Not below tmp_path: the account must be able to enter, and the path of a socket is short (107 bytes).
    folder = Path(tempfile.mkdtemp(prefix="mi-pg-"))
    try:
        server = PostgreSQLServer(folder, programs, account, port)
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(AssertionError):  # a test may have stopped it
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """Address of an empty PostgreSQL database of our own, gone after the tests."""
    with _postgresql() as server:
        yield server.url


@pytest.fixture
def postgresql_server(free_port: int) -> Iterator[PostgreSQLServer]:
    """A server for one test, which may stop and start it."""
    with _postgresql(free_port) as server:
        yield server


@dataclass(frozen=True)
class SmallDisk:
    """A file system of its own with little room."""

    folder: Path

    def fill(self) -> None:
        """Take all the room there is."""
        descriptor = os.open(self.folder / "filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            while True:
                os.write(descriptor, bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC, error
        finally:
            os.close(descriptor)

    def free(self) -> None:
        (self.folder / "filler").unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A disk of 12 MB that can be filled up."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        # Processes of a test that failed may still be there.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def let_anybody_in(folder: Path) -> None:
    """Open the way to a folder of pytest's, which it makes for its own user alone, however deep it lies."""
    top = Path(tempfile.gettempdir()).resolve()
    for each in (folder, *folder.parents):
        if each == top or each.parent == each:
            return
        each.chmod(0o755)
