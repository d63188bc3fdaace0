"""What the tests of all folders share: the corpus, free ports, a really running service, a private PostgreSQL."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Logs written by the real frameworks; kept beside the repository because of their size."""
    folder = Path(os.environ.get("CORPUS", ROOT.parent / "shared" / "corpus"))
    if not folder.is_dir():
        pytest.skip("no corpus of real logs: set CORPUS to its folder")
    return folder


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


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
