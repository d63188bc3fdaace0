"""Starting, finding and ending real services, also after the worst has happened to their processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import mindinsight_like as mi
from mindinsight_like.errors import OperationError
from mindinsight_like.service.state import this_host
from tests.conftest import PostgreSQLServer, let_anybody_in

App = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., Any]  # the fixture `service`


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def note_of(workspace: Path, port: int) -> Path:
    return workspace / "run" / f"{this_host()}-{port}.json"


def alive(pids: list[int]) -> list[int]:
    """Those that still run; a zombie is one that nobody has collected yet."""
    return [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]


def all_pids(service: Any) -> list[int]:
    return sorted(pid for pids in service.status()["processes"].values() for pid in pids)


def eventually(condition: Callable[[], object], timeout_seconds: float = 15) -> bool:
    deadline = time.monotonic() + timeout_seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


def test_start_says_where_and_returns_when_the_service_answers(service: Start, runs: Path) -> None:
    started = service(runs)

    assert started.json("/v1/service")["summary_base_dir"] == str(runs)
    assert f"Workspace: {started.workspace}\n" in started.output
    assert f"Summary base dir: {runs}\n" in started.output
    assert f"Web address: http://127.0.0.1:{started.port}/\n" in started.output


def test_status_shows_the_service_and_stop_ends_it_in_seconds(service: Start, app: App, runs: Path) -> None:
    started = service(runs)
    report = started.status()
    pids = all_pids(started)
    shown = app("status", "--workspace", started.workspace)

    began = time.monotonic()
    stopped = started.stop()
    took = time.monotonic() - began

    assert (report["running"], report["answering"]) == (True, True)
    assert report["address"] == f"http://127.0.0.1:{started.port}/"
    assert {role: len(pids) for role, pids in report["processes"].items()} == {"supervisor": 1, "web": 3, "loader": 1}
    assert shown.returncode == 0
    assert f"Port {started.port}: running" in shown.stdout
    assert (stopped.returncode, took < 8) == (0, True), stopped.stderr
    assert not alive(pids)
    assert app("status", "--workspace", started.workspace, "--port", started.port).returncode == 1
    assert started.stop().returncode == 1
    assert not list((started.workspace / "run").glob("*.json"))


def test_the_effective_settings_are_in_the_environment_of_every_process(service: Start, runs: Path) -> None:
    started = service(runs, "--workers", 1, prefix="/board", env={"MINDINSIGHT_RELOAD_INTERVAL": "1.5"})

    expected = {
        f"MINDINSIGHT_WORKSPACE={started.workspace}",
        "MINDINSIGHT_HOST=127.0.0.1",
        f"MINDINSIGHT_PORT={started.port}",
        "MINDINSIGHT_URL_PATH_PREFIX=/board",
        "MINDINSIGHT_RELOAD_INTERVAL=1.5",
        f"MINDINSIGHT_SUMMARY_BASE_DIR={runs}",
        "MINDINSIGHT_STORE_URL=",
        "MINDINSIGHT_WORKERS=1",
        "MINDINSIGHT_TOKEN=",
        "MINDINSIGHT_CONFIG=",
    }
    for pid in all_pids(started):
        environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        assert expected <= set(environment)


def test_the_config_reaches_the_service(service: Start, tmp_path: Path, runs: Path) -> None:
    (tmp_path / "board.py").write_text("URL_PATH_PREFIX = 'board'\nRELOAD_INTERVAL = 7\nWORKERS = 1\n")

    started = service(runs, "--config", "file:board.py", "--url-path-prefix", "/mine")

    assert started.output.endswith(f"Web address: http://127.0.0.1:{started.port}/mine/\n")
    assert started.status()["processes"]["web"][2:] == []
    assert started.get("/mine/v1/service")[0] == 200


def test_a_folder_already_served_is_no_error(service: Start, app: App, runs: Path) -> None:
    started = service(runs)
    pids = all_pids(started)

    again = app("start", "--summary-base-dir", runs, "--workspace", started.workspace, "--port", started.port)
    elsewhere = app("start", "--summary-base-dir", runs, "--workspace", runs.parent / "b", "--port", started.port)

    for second in (again, elsewhere):
        assert second.returncode == 0, second.stderr
        assert second.stdout == f"Already serving {runs}\nWeb address: http://127.0.0.1:{started.port}/\n"
    assert all_pids(started) == pids


def test_another_folder_on_the_same_port_is_refused(service: Start, app: App, runs: Path, tmp_path: Path) -> None:
    started = service(runs)
    pids = all_pids(started)
    (tmp_path / "other").mkdir()

    refused = app("start", "--summary-base-dir", "other", "--workspace", started.workspace, "--port", started.port)

    assert refused.returncode == 1
    assert refused.stderr.startswith(f"app start: port {started.port} already serves {runs} ")
    assert refused.stderr.count("\n") == 1
    assert all_pids(started) == pids


def test_two_starts_at_the_same_moment_make_one_service(
    service: Start, app: App, runs: Path, free_port: int, tmp_path: Path
) -> None:
    words = ["start", "--summary-base-dir", runs, "--workspace", tmp_path / "workspace", "--port", free_port]
    results: list[subprocess.CompletedProcess[str]] = []
    threads = [threading.Thread(target=lambda: results.append(app(*words))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    started = service(runs, port=free_port)

    assert [result.returncode for result in results] == [0, 0, 0]
    assert sum("Already serving" in result.stdout for result in results) == 2
    assert len(started.pids("supervisor")) == 1


def test_services_on_several_ports_share_a_workspace(service: Start, app: App, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, other = service(runs), service(tmp_path / "other")

    shown = json.loads(app("status", "--json", "--workspace", one.workspace).stdout)["services"]
    missed = app("stop", "--workspace", one.workspace, "--port", 1)
    one.stop()

    assert {service["port"] for service in shown} == {one.port, other.port}
    assert missed.returncode == 1
    assert all(str(port) in missed.stderr for port in (one.port, other.port))
    assert other.status()["answering"]
    assert other.json("/v1/service")["summary_base_dir"] == str(tmp_path / "other")


def test_the_loader_is_started_again_when_killed(service: Start, runs: Path) -> None:
    started = service(runs)
    (killed,) = started.pids("loader")

    os.kill(killed, signal.SIGKILL)

    assert eventually(lambda: started.pids("loader") not in ([], [killed]))
    pids = all_pids(started)
    assert len(pids) == 5
    assert started.stop().returncode == 0
    assert not alive(pids)


def test_a_worker_is_started_again_when_killed(service: Start, runs: Path) -> None:
    started = service(runs)
    killed = started.pids("web")[-1]

    os.kill(killed, signal.SIGKILL)

    assert eventually(lambda: len(started.pids("web")) == 3 and killed not in started.pids("web"))
    pids = all_pids(started)
    assert started.stop().returncode == 0
    assert not alive(pids)


@pytest.mark.parametrize("victim", ["loader", "worker", "master", "supervisor", "all but workers"])
def test_stop_leaves_no_orphan_whatever_was_killed(service: Start, runs: Path, victim: str) -> None:
    started = service(runs)
    pids = all_pids(started)
    master, *workers = started.pids("web")
    (loader,), (supervisor,) = started.pids("loader"), started.pids("supervisor")
    victims = {
        "loader": [loader],
        "worker": workers[:1],
        "master": [master],
        "supervisor": [supervisor],
        "all but workers": [supervisor, master, loader],
    }[victim]

    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    started.stop()

    assert time.monotonic() - began < 12
    # A supervisor whose web server was killed ends by itself; then `stop` has nothing left to wait for.
    assert eventually(lambda: not alive(pids), 5)
    assert "not running" not in service(runs, port=started.port).output


def test_everything_ends_with_a_killed_supervisor(service: Start, runs: Path) -> None:
    started = service(runs)
    pids = all_pids(started)

    os.kill(started.pids("supervisor")[0], signal.SIGKILL)

    assert eventually(lambda: not alive(pids))


def test_start_works_with_what_a_crash_left_behind(service: Start, runs: Path, app: App) -> None:
    started = service(runs)
    note = note_of(started.workspace, started.port)
    left = json.loads(note.read_text())
    for pid in all_pids(started):
        os.kill(pid, signal.SIGKILL)
    shown = app("status", "--workspace", started.workspace, "--port", started.port)

    again = service(runs, port=started.port)

    assert shown.returncode == 1
    assert again.status()["running"]
    assert json.loads(note.read_text())["id"] != left["id"]


def test_a_reused_process_number_is_left_alone(service: Start, runs: Path, app: App) -> None:
    """After a reboot the number in the note may belong to anybody."""
    started = service(runs)
    note = note_of(started.workspace, started.port)
    left = json.loads(note.read_text())
    started.stop()
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "mindinsight_like.service"])
    try:
        note.write_text(json.dumps(left | {"pid": stranger.pid}))

        stopped = started.stop()
        note.write_text(json.dumps(left | {"pid": stranger.pid}))
        again = service(runs, port=started.port)
        again.stop()

        assert "no longer running" in stopped.stdout
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"id": 1}', '{"id": "a", "pid": "b", "create_time": 1, "settings": {}}']
)
def test_a_damaged_note_is_harmless(service: Start, runs: Path, app: App, text: str, tmp_path: Path) -> None:
    folder = tmp_path / "workspace" / "run"
    folder.mkdir(parents=True)
    for name in ("8080", f"{this_host()}-8080", "elsewhere-8080"):
        (folder / f"{name}.json").write_text(text)

    assert app("status", "--workspace", tmp_path / "workspace").returncode == 1
    assert app("stop", "--workspace", tmp_path / "workspace").returncode == 1


@pytest.fixture
def other_program(free_port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A web server that is not ours, on `free_port`."""
    program = subprocess.Popen(
        [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(free_port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", free_port)) == 0

    assert eventually(listens)
    yield program
    program.kill()
    program.wait()


def test_another_program_on_the_port_is_named_and_not_touched(
    other_program: subprocess.Popen[bytes], app: App, runs: Path, free_port: int
) -> None:
    began = time.monotonic()
    refused = app("start", "--summary-base-dir", runs, "--port", free_port)
    stopped = app("stop", "--port", free_port)

    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert f"port {free_port} is taken by python" in refused.stderr
    assert f"pid {other_program.pid}" in refused.stderr
    assert stopped.returncode == 1
    assert other_program.poll() is None
    assert time.monotonic() - began < 10


def test_unusable_folders_are_one_line(app: App, tmp_path: Path, runs: Path, free_port: int) -> None:
    (tmp_path / "file").touch()
    port = ["--port", free_port]

    missing = app("start", "--summary-base-dir", "nowhere", *port)
    no_folder = app("start", "--summary-base-dir", "file", *port)
    no_workspace = app("start", "--summary-base-dir", runs, "--workspace", tmp_path / "file" / "w", *port)

    for refused, reason in [
        (missing, f"summary base dir {tmp_path / 'nowhere'} does not exist"),
        (no_folder, f"summary base dir {tmp_path / 'file'} is not a directory"),
        (no_workspace, f"cannot write to workspace {tmp_path / 'file' / 'w'}: Not a directory"),
    ]:
        assert (refused.returncode, refused.stderr) == (1, f"app start: {reason}\n")


AS_ORDINARY_USER = """
import gettext, locale, os, shutil, sys  # argparse imports late
from mindinsight_like.scripts import cli, start
if os.getuid() == 0:  # after the imports: this Python may be out of reach for others
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
sys.exit(cli.main(sys.argv[1:]))
"""


def test_folders_without_permission_are_one_line(tmp_path: Path, free_port: int) -> None:
    """As an ordinary user: nothing is forbidden to root."""
    secret, locked = tmp_path / "secret", tmp_path / "locked"
    secret.mkdir(mode=0o000)
    locked.mkdir(mode=0o500)
    if os.getuid() == 0:  # pytest's folders are its user's alone
        let_anybody_in(tmp_path)
        os.chown(locked, 65534, 65534)

    def start(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", AS_ORDINARY_USER, "start", "--port", str(free_port), *map(str, words)]
        return subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=60)

    unreadable = start("--summary-base-dir", secret, "--workspace", tmp_path / "w")
    unwritable = start("--summary-base-dir", tmp_path, "--workspace", locked)

    assert unreadable.stderr == f"app start: cannot read summary base dir {secret}: Permission denied\n"
    assert unwritable.stderr == f"app start: cannot write to workspace {locked}: Permission denied\n"
    assert (unreadable.returncode, unwritable.returncode) == (1, 1)


def test_a_host_that_is_not_ours_is_one_line(app: App, runs: Path, free_port: int) -> None:
    port = ["--summary-base-dir", runs, "--port", free_port]

    not_here = app("start", "--host", "192.0.2.1", *port)
    unknown = app("start", "--host", "no-such-host.invalid", *port)

    assert (not_here.returncode, not_here.stderr.count("\n")) == (1, 1)
    assert not_here.stderr.startswith(f"app start: cannot listen on 192.0.2.1:{free_port}: ")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (1, 1)
    assert unknown.stderr.startswith("app start: unknown host no-such-host.invalid: ")


def test_an_unreachable_database_is_one_line(app: App, runs: Path, free_port: int) -> None:
    url = f"postgresql://nobody:password@127.0.0.1:{free_port}/none"

    refused = app("start", "--summary-base-dir", runs, "--port", free_port, "--store-url", url)

    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert refused.stderr.startswith("app start: cannot use the database of --store-url: ")
    assert "password" not in refused.stderr


def test_a_database_without_checksums_is_refused_unless_that_is_wanted(
    service: Start, app: App, runs: Path, tmp_path: Path, postgresql_server: PostgreSQLServer
) -> None:
    url = ["--store-url", postgresql_server.url]
    postgresql_server.set_checksums(is_on=False)

    refused = [
        app("start", "--summary-base-dir", runs, *url),
        app("index", "--summary-base-dir", runs, "--workspace", tmp_path / "other", *url),
    ]
    with pytest.raises(OperationError, match="data_checksums"):
        mi.open(runs, workspace=tmp_path / "third", store_url=postgresql_server.url)
    accepted = service(runs, *url, "--store-checksums", "optional")
    status = accepted.json("/v1/service")
    postgresql_server.set_checksums(is_on=True)
    indexed = app("index", "--summary-base-dir", runs, "--workspace", tmp_path / "other", *url)

    for each in refused:
        assert (each.returncode, each.stderr.count("\n")) == (1, 1)
        assert "pg_checksums --enable" in each.stderr
    assert status["has_checksums"] is False
    assert indexed.returncode == 0, indexed.stderr


def test_a_service_that_cannot_come_up_shows_its_log(app: App, runs: Path, tmp_path: Path, free_port: int) -> None:
    """A module of the user's that breaks gunicorn stands for any such trouble."""
    (tmp_path / "gunicorn.py").write_text("raise SystemExit('broken on purpose')\n")

    failed = app("start", "--summary-base-dir", runs, "--port", free_port, env={"PYTHONPATH": str(tmp_path)}, cwd=runs)

    assert failed.returncode == 1
    first, *rest = failed.stderr.splitlines()
    assert first == "app start: the service exited during startup; its log says:"
    assert "broken on purpose" in rest
    assert app("status", "--port", free_port).returncode == 1


def test_a_host_open_to_the_network_gets_a_token(app: App, runs: Path, free_port: int, tmp_path: Path) -> None:
    done = app("start", "--summary-base-dir", runs, "--host", "0.0.0.0", "--port", free_port)
    try:
        token = next(line for line in done.stdout.splitlines() if line.startswith("Token: ")).removeprefix("Token: ")
        note = note_of(tmp_path / "mindinsight-like", free_port)
        again = app("start", "--summary-base-dir", runs, "--host", "0.0.0.0", "--port", free_port)

        assert len(token) >= 20
        assert done.stdout.endswith(f":{free_port}/?token={token}\n")
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
        assert again.stdout.endswith(f":{free_port}/?token={token}\n")
        assert token not in (tmp_path / "mindinsight-like" / "log" / "gunicorn" / "access.log").read_text()
    finally:
        app("stop", "--port", free_port)


def test_a_token_is_asked_for_and_accepted(service: Start, runs: Path) -> None:
    started = service(runs, token="our-secret-is-long")

    assert started.output.endswith(f"Web address: http://127.0.0.1:{started.port}/?token=our-secret-is-long\n")
    assert started.get("/v1/service", {"Authorization": "Bearer wrong"})[0] == 401
    assert started.json("/v1/service")["summary_base_dir"] == str(runs)
    assert started.status()["answering"]


def test_logs_are_where_the_manual_says(service: Start, runs: Path) -> None:
    started = service(runs)
    started.json("/v1/runs")
    started.stop()

    log = started.workspace / "log"
    assert "GET /v1/runs" in (log / "gunicorn" / "access.log").read_text()
    assert "started the loader" in (log / "supervisor.log").read_text()
    assert (log / "gunicorn" / "error.log").stat().st_size > 0
    assert (log / "loader.log").stat().st_size > 0
    modes = {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in started.workspace.rglob("*")}
    assert modes == {0}


def test_logs_that_have_grown_large_are_moved_aside(service: Start, runs: Path, tmp_path: Path) -> None:
    access = tmp_path / "workspace" / "log" / "gunicorn" / "access.log"
    access.parent.mkdir(parents=True)
    access.touch()
    os.truncate(access, 60 * 1024 * 1024)

    started = service(runs)

    assert eventually(access.with_name("access.log.1").exists)
    started.json("/v1/runs")
    assert eventually(lambda: access.exists() and "GET /v1/runs" in access.read_text())


def test_a_folder_whose_name_is_not_text_can_be_served(app: App, tmp_path: Path, free_port: int) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path / "runs-") + b"\xff")
    Path(folder).mkdir()

    done = app("start", "--summary-base-dir", folder, "--port", free_port)
    stopped = app("stop", "--port", free_port)

    assert done.returncode == 0, done.stderr
    assert "runs-\\udcff\n" in done.stdout
    assert stopped.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_foreground_ends_with_its_process(
    service: Start, app: App, runs: Path, free_port: int, tmp_path: Path, number: signal.Signals
) -> None:
    words = ["start", "--foreground", "--summary-base-dir", str(runs), "--port", str(free_port)]
    words += ["--workspace", str(tmp_path / "workspace")]
    process = subprocess.Popen([sys.executable, "-m", "mindinsight_like", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while not process.stdout.readline().startswith("Web address: "):
        pass
    pids: list[int] = []

    def all_have_started() -> bool:
        reports = json.loads(app("status", "--json", "--workspace", tmp_path / "workspace").stdout)["services"]
        pids[:] = [pid for pids in reports[0]["processes"].values() for pid in pids]
        return len(pids) == 5

    assert eventually(all_have_started)
    process.send_signal(number)
    code = process.wait(15)

    assert code == (0 if number != signal.SIGKILL else -9)
    assert eventually(lambda: not alive(pids))
    process.stdout.close()


def test_the_current_folder_cannot_hide_the_package(service: Start, app: App, runs: Path, free_port: int) -> None:
    (runs / "flask.py").write_text("raise SystemExit('the wrong flask')\n")
    program = Path(sys.executable).with_name("app")
    words = ["--port", str(free_port), "--workspace", str(runs.parent / "workspace")]

    done = subprocess.run([program, "start", *words], cwd=runs, capture_output=True, text=True)
    app("stop", *words)

    assert done.returncode == 0, done.stderr
    assert f"Summary base dir: {runs}\n" in done.stdout


ASK_AS_NOBODY = """
import encodings.idna, http.client, os, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
headers = {"Authorization": f"Bearer {sys.argv[2]}"} if sys.argv[2] else {}
for method, path, body in (("GET", "/v1/runs", None), ("POST", "/v1/views", '{"name": "n", "address": "/"}')):
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    print(answer.status, answer.read().decode())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_other_users_of_the_machine_do_not_get_in_without_a_token(service: Start, runs: Path) -> None:
    started = service(runs, "--read-token", "a-token-for-reading")
    trusting = service(runs, "--trusted-users", "daemon,65534")

    def ask(one: Any, token: str = "") -> list[str]:
        command = [sys.executable, "-c", ASK_AS_NOBODY, str(one.port), token]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()

    without, with_token, trusted = ask(started), ask(started, "a-token-for-reading"), ask(trusting)

    assert [line.split()[0] for line in without] == ["401", "401"]
    assert "belongs to user root of this machine" in without[0]
    assert [line.split()[0] for line in with_token] == ["200", "403"]
    assert [line.split()[0] for line in trusted] == ["200", "200"]
    assert started.get("/v1/runs")[0] == 200  # this user


def test_tokens_are_in_no_process_list_and_in_no_file_that_others_can_read(
    app: App, runs: Path, free_port: int, tmp_path: Path
) -> None:
    secrets = ["full-full-full-full", "read-read-read-read", "send-send-send-send"]
    words = ["start", "--foreground", "--summary-base-dir", str(runs), "--port", str(free_port)]
    words += ["--workspace", str(tmp_path / "workspace"), "--token", secrets[0], f"--read-token={secrets[1]}"]
    words += ["--collector-token", secrets[2]]
    process = subprocess.Popen([sys.executable, "-m", "mindinsight_like", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        while not process.stdout.readline().startswith("Web address: "):
            pass
        shown = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True).stdout
        for path in (tmp_path / "workspace").rglob("*"):
            content = path.read_bytes() if path.is_file() else b""
            is_private = all(not stat.S_IMODE(each.stat().st_mode) & 0o077 for each in (path, path.parent))
            assert is_private or not any(secret.encode() in content for secret in secrets), path
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()

    assert str(free_port) in shown
    assert not [secret for secret in secrets if secret in shown]


def test_a_token_file_is_read_while_the_service_runs(service: Start, runs: Path, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("the-first-token-here\n")
    tokens.chmod(0o600)
    started = service(runs, "--token-file", tokens)

    def status(token: str) -> int:
        return int(started.get("/v1/service", {"Authorization": f"Bearer {token}"})[0])

    before = status("the-first-token-here"), status("the-second-token-here")
    tokens.write_text("the-second-token-here\n")

    assert before == (200, 401)
    assert eventually(lambda: status("the-second-token-here") == 200, 5)
    assert eventually(lambda: {status("the-first-token-here") for _ in range(6)} <= {401, 429}, 5)
    assert "-token-here" not in started.output + str(started.status())
    assert started.status()["answering"]


def test_a_workspace_of_an_older_release_goes_on_being_used(
    app: App, runs: Path, free_port: int, tmp_path: Path
) -> None:
    (tmp_path / "mindinsight_like" / "run").mkdir(parents=True)

    done = app("start", "--summary-base-dir", runs, "--port", free_port)
    stopped = app("stop", "--port", free_port)

    assert f"Workspace: {tmp_path / 'mindinsight_like'} (from an older release;" in done.stdout
    assert stopped.returncode == 0
    assert not (tmp_path / "mindinsight-like").exists()


def test_a_service_is_found_whatever_its_workspace(service: Start, app: App, runs: Path, tmp_path: Path) -> None:
    started = service(runs, workspace=tmp_path / "somewhere" / "else")
    pids = all_pids(started)

    shown = app("status", "--port", started.port)
    among_all = app("status")
    other_workspace = app("stop", "--workspace", tmp_path / "b", "--port", started.port)
    stopped = app("stop", "--port", started.port)

    assert shown.returncode == 0
    assert f"Port {started.port}: running\n" in shown.stdout
    assert f"Workspace: {started.workspace}\n" in shown.stdout
    assert f"Port {started.port}: running\n" in among_all.stdout
    assert other_workspace.returncode == 1
    assert f"the one on port {started.port} has workspace {started.workspace}" in other_workspace.stderr
    assert (stopped.returncode, stopped.stdout) == (0, f"Stopped the service on port {started.port}\n")
    assert not alive(pids)
    assert app("status", "--port", started.port).returncode == 1
    assert not list((started.workspace / "run").glob("*.json"))


def test_the_process_list_tells_services_apart(service: Start, runs: Path, free_port: int) -> None:
    started = service(runs, "--collector-port", free_port)
    report = started.status()["processes"]

    for pid in (pid for pids in report.values() for pid in pids):
        shown = subprocess.run(["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True).stdout
        assert "mindinsight" in shown
        assert f"--port {started.port} --summary-base-dir {runs}" in shown
    assert sorted(report) == ["collector", "loader", "supervisor", "web"]
    names = {Path(f"/proc/{pid}/comm").read_text().strip() for pid in report["web"]}
    assert names == {"gunicorn"}  # as the spec's `lsof | grep access` shows them


def test_machines_that_share_a_workspace_leave_each_other_alone(service: Start, app: App, runs: Path) -> None:
    started = service(runs)
    theirs = note_of(started.workspace, started.port).with_name(f"elsewhere-{started.port}.json")
    note = json.loads(note_of(started.workspace, started.port).read_text())
    theirs.write_text(json.dumps(note | {"host": "elsewhere", "id": "0" * 32, "pid": 1}))
    gone = theirs.with_name(f"gone-{started.port}.json")
    gone.write_text(json.dumps(note | {"host": "gone", "id": "1" * 32, "pid": 1}))
    os.utime(gone, (1e9, 1e9))

    shown = json.loads(app("status", "--json", "--workspace", started.workspace, "--port", started.port).stdout)
    stopped = started.stop()
    again = started.stop()
    afterwards = app("status", "--workspace", started.workspace, "--port", started.port)
    content = theirs.read_text()
    service(runs, port=started.port)

    assert [each["host"] for each in shown["services"]] == [this_host()]
    assert {each["host"] for each in shown["elsewhere"]} == {"elsewhere", "gone"}
    assert stopped.returncode == 0
    assert again.returncode == 1
    assert "runs on elsewhere, gone; stop it there" in again.stderr
    assert afterwards.returncode == 1
    assert f"Port {started.port} on elsewhere: serves {runs}" in afterwards.stdout
    assert theirs.read_text() == content
    assert not gone.exists()


def test_a_running_service_keeps_its_note_fresh(service: Start, runs: Path) -> None:
    started = service(runs)
    note = note_of(started.workspace, started.port)
    os.utime(note, (1e9, 1e9))

    assert eventually(lambda: note.stat().st_mtime > 1e9, 25)


def test_of_two_services_on_one_port_one_has_to_be_named(service: Start, app: App, runs: Path, tmp_path: Path) -> None:
    one = service(runs, workspace=tmp_path / "a")
    app_words = ["start", "--summary-base-dir", runs, "--host", "127.0.0.2", "--port", one.port]
    other = app(*app_words, "--workspace", tmp_path / "b")
    assert other.returncode == 0, other.stderr

    unclear = app("stop", "--port", one.port)
    named = app("stop", "--port", one.port, "--workspace", tmp_path / "b")

    assert unclear.returncode == 1
    assert f"127.0.0.1:{one.port} with workspace {tmp_path / 'a'}" in unclear.stderr
    assert named.returncode == 0
    assert one.status()["answering"]
