"""Collectors beside trainings: what arrives, who is refused, and what it costs."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from mindinsight_like import Profiler
from mindinsight_like.profiler.collector import courier as couriers
from mindinsight_like.profiler.collector import trainings
from mindinsight_like.profiler.collector.courier import Courier, Refused
from mindinsight_like.profiler.collector.device_metrics import device_samplers
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, folder_of, safe_path
from mindinsight_like.profiler.collector.new_files import NewFiles
from mindinsight_like.profiler.collector.spool import Kind, SpoolWriter
from mindinsight_like.profiler.collector.start_message import CourierConfig
from mindinsight_like.profiler.collector.trainings import REFUSED, SENT, Trainings
from mindinsight_like.service.launch import launch
from mindinsight_like.service.processes import end
from mindinsight_like.service.state import read
from tests.profiler.collector.endpoints import Beside, Endpoint, eventually, free_port

SECRET = "secret-of-collectors"
TRAINING = """
import sys, time
import numpy as np
from mindinsight_like import Profiler
profiler = Profiler(sys.argv[1], framework="none", start_profile=False, collector=sys.argv[2], run="net/first",
                    token=sys.argv[3], spool=sys.argv[4])
weights = np.ones((64, 64))
print("trains", flush=True)
while True:
    with profiler.op("multiply", type="MatMul"):
        weights @ weights
    time.sleep(0.005)
    profiler.step()
"""


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Endpoint]:
    """An endpoint that wants a token."""
    endpoint = Endpoint(tmp_path / "service", token=SECRET)
    endpoint.start()
    endpoint.wait_until_open()
    yield endpoint
    endpoint.kill()


def order(endpoint: Endpoint, tmp_path: Path, **told: Any) -> CourierConfig:
    given = {"token": SECRET, "run": "a", "ca": "", "host": "here", "process": os.getpid(), **told}
    return CourierConfig(server=endpoint.address, spool=str(tmp_path / "spool"), **given)


def test_a_wrong_token_version_or_place_is_told_once(
    closed: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match="Invalid token"):
        Courier(order(closed, tmp_path, token="wrong"), tell=lambda told: None).run()
    with pytest.raises(Refused, match="Access token required"):
        Courier(order(closed, tmp_path, token=""), tell=lambda told: None).run()
    (closed.base / "out").symlink_to(tmp_path)
    with pytest.raises(Refused, match="is outside the base dir"):
        Courier(order(closed, tmp_path, run="out/x"), tell=lambda told: None).run()
    monkeypatch.setattr(couriers, "VERSION", 99)
    with pytest.raises(Refused, match=r"version 1 .* the training 99: install the same release"):
        Courier(order(closed, tmp_path), tell=lambda told: None).run()

    command = [sys.executable, "-m", "mindinsight_like", "collect", "--run", "a", "--server", closed.address]
    answer = subprocess.run([*command, "--spool", str(tmp_path / "s")], capture_output=True, text=True, timeout=20)
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "Access token required" in answer.stderr


def test_files_of_a_framework_are_sent_unless_the_service_sees_them(closed: Endpoint, tmp_path: Path) -> None:
    content = os.urandom(2_500_000)
    couriers, spools = [], []  # the writers live as long as their trainings would
    for output, run in ((tmp_path / "output", "elsewhere"), (closed.base / "output", "seen")):
        spool = SpoolWriter(tmp_path / "spool", server=closed.address, run=run, name="here.1")
        told = {"run": run, "token": SECRET, "output_path": str(output), "interval": 0.2}
        beside = Beside(closed.address, tmp_path / "spool", spool.folder, **told)
        beside.say({"state": {"framework": "torch", "step": 1, "is_recording": False}})
        couriers.append(beside)
        spools.append(spool)
    try:
        for run in ("elsewhere", "seen"):
            eventually(lambda run=run: list((closed.base / run).glob("*tfevents*")))  # type: ignore[misc]
        for folder in (tmp_path / "output", closed.base / "output"):
            (folder / "inside").mkdir()
            (folder / "inside" / "x.pt.trace.json").write_bytes(content)
            (folder / "notes.txt").write_text("not a profile")
        arrived = closed.base / "elsewhere" / "inside" / "x.pt.trace.json"
        eventually(arrived.exists)
    finally:
        for beside in couriers:
            beside.kill()

    assert arrived.read_bytes() == content
    assert not list((closed.base / "elsewhere").glob("**/notes*"))
    assert not (closed.base / "seen" / "inside").exists()
    assert not list((closed.base / "output").glob(".collector*"))


def test_files_of_a_framework_are_sent_once_though_collectors_die_and_the_service_is_away(tmp_path: Path) -> None:
    endpoint = Endpoint(tmp_path / "service")
    output, spools = tmp_path / "output", tmp_path / "spool"
    output.mkdir()
    training = SpoolWriter(spools, server=endpoint.address, run="net", name="here.1")
    told = {"run": "net", "output_path": str(output), "since": time.time(), "interval": 0.1}

    def beside() -> Beside:
        started = Beside(endpoint.address, spools, training.folder, **told)
        started.say({"state": {"framework": "torch", "step": 1, "is_recording": False}})
        return started

    def mentioned(name: str) -> bool:
        return any(name.encode() in path.read_bytes() for path in spools.glob("*/*.segment"))

    first = beside()
    (output / "0.pt.trace.json").write_bytes(b"{}")
    eventually(lambda: mentioned("0.pt.trace.json"))
    first.kill()
    second = beside()
    (output / "1.pt.trace.json").write_bytes(b"{}")
    second.say({"end": True})  # at once, and nobody takes anything
    assert second.process.wait(60) == 0
    endpoint.start()
    third = beside()
    try:
        eventually(lambda: (endpoint.base / "net" / "1.pt.trace.json").exists())
        (output / "2.pt.trace.json").write_bytes(b"{}")
        third.say({"end": True})
        assert third.process.wait(60) == 0
    finally:
        third.kill()
        endpoint.kill()

    arrived = sorted(path.name for path in (endpoint.base / "net").glob("*.pt.trace.json"))
    assert arrived == ["0.pt.trace.json", "1.pt.trace.json", "2.pt.trace.json"]


def test_files_of_a_training_that_died_with_its_collector_are_sent_by_the_next(
    closed: Endpoint, tmp_path: Path
) -> None:
    output = tmp_path / "output"
    output.mkdir()
    told: dict[str, Any] = {"server": closed.address, "run": "net", "output_path": str(output)}
    SpoolWriter(tmp_path / "spool", name="here.7", is_training=True, **told).close()
    (output / "here_7.rank0.1.pt.trace.json").write_bytes(b"{}")
    (output / "here_8.rank0.1.pt.trace.json").write_bytes(b"{}")

    for _ in range(2):
        courier = Courier(order(closed, tmp_path), tell=lambda told: None)
        thread = threading.Thread(target=courier.run)
        thread.start()
        eventually(lambda: (closed.base / "net" / "here_7.rank0.1.pt.trace.json").exists())
        courier.end()
        thread.join(30)

    assert [path.name for path in (closed.base / "net").iterdir()] == ["here_7.rank0.1.pt.trace.json"]
    eventually(lambda: not list((tmp_path / "spool").iterdir()))


def test_files_of_other_processes_in_the_folder_are_left_to_those(tmp_path: Path) -> None:
    mine = ["here_7.rank0.1.pt.trace.json", "here_7_2026_ascend_ms/FRAMEWORK/cpu_op_execute_timestamp_0.txt"]
    mine += ["here_7.rank0.1794851644105896173.12.mi-trace"]  # of a process that loads data; its own comes as blocks
    nameless = ["plugins/profile/2026_11_16_00_56_50/here.xplane.pb"]
    others = ["here_8.rank1.1.pt.trace.json", "plugins/profile/2026_11_16_00_56_50_rank1/here.xplane.pb"]
    others += ["here_7.rank0.1794851644105896173.mi-trace", "here_8.rank1.1794851644105896173.13.mi-trace"]
    for name in (*mine, *nameless, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    files = NewFiles(tmp_path, source="0" * 16, since=0.0, host="here", process=7, rank=0)

    assert sorted(piece["path"] for piece in files.look(is_last=True)) == sorted([*mine, *nameless])
    assert list(files.look(is_last=True)) == []


def test_what_is_left_for_an_impossible_run_stops_nobody_else(closed: Endpoint, tmp_path: Path) -> None:
    (closed.base / "taken").write_text("a file")
    left = SpoolWriter(tmp_path / "spool", server=closed.address, run="taken/x", name="here.1")
    left.put(Kind.SAMPLE, {"time": 1.0, "step": 0, "values": {"cpu/percent": 1.0}})
    left.close()
    told: list[dict[str, Any]] = []
    courier = Courier(order(closed, tmp_path), tell=told.append)
    thread = threading.Thread(target=courier.run)

    thread.start()
    try:
        eventually(lambda: any("trouble" in news for news in told))
        eventually(lambda: list((closed.base / "a").glob("*tfevents*")))
    finally:
        courier.end()
        thread.join(30)

    (trouble,) = (news["trouble"] for news in told if "trouble" in news)
    assert "what was left for run taken/x stays in" in trouble
    assert "is not a directory" in trouble
    assert left.folder.exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_with_a_certificate_only_encrypted_connections_are_taken(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=here -days 2"
    made = [*command.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    endpoint = Endpoint(tmp_path / "service", collector_certificate=str(certificate), collector_key=str(key))
    endpoint.start()
    endpoint.wait_until_open()
    told: list[dict[str, Any]] = []
    connected = threading.Event()

    def tell(news: dict[str, Any]) -> None:
        told.append(news)
        if news.get("is_connected"):
            connected.set()

    try:
        plain = Courier(order(endpoint, tmp_path, run="plain"), tell=tell)
        encrypted = Courier(order(endpoint, tmp_path, run="encrypted", ca=str(certificate)), tell=tell)
        threads = [threading.Thread(target=each.run) for each in (plain, encrypted)]
        for thread in threads:
            thread.start()
        eventually(lambda: list((endpoint.base / "encrypted").glob("*tfevents*")))
        eventually(lambda: any("trouble" in news for news in told))
        for each in (plain, encrypted):
            each.end()
        for thread in threads:
            thread.join(30)
    finally:
        endpoint.kill()

    assert connected.is_set()
    assert not (endpoint.base / "plain").exists()
    (trouble,) = (news["trouble"] for news in told if "trouble" in news)
    assert "cannot be reached (it closes the connection; perhaps it wants an encrypted one" in trouble


def test_a_file_without_certificates_is_told(closed: Endpoint, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")

    with pytest.raises(Refused, match=r"cannot read .*empty.pem: it contains no PEM certificate"):
        Courier(order(closed, tmp_path, ca=str(tmp_path / "empty.pem")), tell=lambda told: None).run()


def test_a_spool_that_cannot_be_made_is_one_warning(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("no folder")

    with pytest.warns(RuntimeWarning, match="the collector cannot be used"):
        profiler = Profiler(tmp_path / "out", framework="none", collector="h:1", spool=str(tmp_path / "file"))
    profiler.stop()
    del profiler
    gc.collect()

    assert capfd.readouterr().err == ""


def test_a_wish_that_nobody_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Trainings(tmp_path, 1)
    known.begin()
    command = known.ask("training", 5)
    assert [each.id for each in known.waiting()] == [command.id]
    known.settle(command.id, SENT)  # then the connection breaks
    assert known.waiting() == []
    assert known.latest("training").state == SENT

    monkeypatch.setattr(trainings, "_PATIENCE_SECONDS", 0.0)
    known.waiting()

    assert known.latest("training").state == REFUSED


@pytest.mark.parametrize("given", ["../../etc", "/etc/x", "a/../../b", "..\\..\\c", ".ssh/keys", "a\0b", "x" * 5000])
def test_runs_stay_below_the_base_dir(given: str, tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()

    assert folder_of(base, given).resolve().is_relative_to(base)
    assert [path.name for path in tmp_path.iterdir()] == ["base"]
    assert not any(part.startswith(".") for part in safe_path(given).split("/"))


def test_a_run_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")

    with pytest.raises(NoPlace):
        folder_of(tmp_path, "a/b")


def test_a_service_that_does_not_answer_costs_the_training_nothing(tmp_path: Path) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        address = f"127.0.0.1:{deaf.getsockname()[1]}"
        alone = Profiler(tmp_path / "alone", framework="none")
        collected = Profiler(tmp_path / "out", framework="none", collector=address, spool=str(tmp_path / "spool"))
        costs: dict[Profiler, list[float]] = {alone: [], collected: []}
        for _ in range(5):
            for profiler, found in costs.items():
                began = time.thread_time()
                for _ in range(20_000):
                    with profiler.op("decode", type="data"):
                        pass
                found.append(time.thread_time() - began)
                profiler.step()
        began = time.monotonic()
        for profiler in costs:
            profiler.stop()
        assert collected._attachment is not None
        collected._attachment.close()
        took = time.monotonic() - began
        assert list((tmp_path / "spool").glob("*/*.segment"))  # it waits there

    usual, with_collector = (statistics.median(found) for found in costs.values())
    assert with_collector < 1.5 * usual + 0.01
    assert took < 2


def test_ascend_devices_are_asked_through_their_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "npu-smi"
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        "  'info -l') printf '\\tNPU ID                         : 3\\n\\tChip Count  : 1\\n';;\n"
        "  *usages*) printf '\\tHBM Capacity(MB)   : 65536\\n\\tAicore Usage Rate(%%)  : 87\\n';;\n"
        "  *power*) printf '\\tPower Dissipation(W)   : 91.5\\n';;\n"
        "esac\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    values = {name: value for sample in device_samplers() for name, value in sample().items()}

    assert {name: value for name, value in values.items() if name.startswith("npu")} == {
        "npu3/percent": 87,
        "npu3/power": 91.5,
    }


def test_a_running_training_is_profiled_from_the_page(tmp_path: Path) -> None:
    endpoint = Endpoint(tmp_path / "service", workers=1, reload_interval=0.5, token=SECRET)
    (endpoint.settings.workspace / "run").mkdir()
    (endpoint.settings.workspace / "log" / "gunicorn").mkdir()
    launch(endpoint.settings)

    def ask(path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{endpoint.settings.port}/v1/{path}",
            data=None if body is None else orjson.dumps(body),
            headers={"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return orjson.loads(answer.read())

    arguments = [str(tmp_path / "out"), endpoint.address, SECRET, str(tmp_path / "spool")]
    training = subprocess.Popen([sys.executable, "-c", TRAINING, *arguments], stdout=subprocess.PIPE, cwd="/")
    try:
        eventually(lambda: any(each["step"] > 0 for each in ask("collectors")["collectors"]))
        (connected,) = ask("collectors")["collectors"]
        assert connected["run_name"] == "net/first"
        assert connected["can_profile"]
        assert connected["pid"] == training.pid
        ask(f"collectors/{connected['id']}/profile", {"steps": 7})
        eventually(lambda: ask("profiles")["profiles"])
        eventually(lambda: ask("collectors")["collectors"][0]["profile"]["state"] == "recorded")
        training.kill()  # without any farewell
        training.wait()
        (profile,) = ask("profiles")["profiles"]
        assert profile["run"] == connected["run"]
        eventually(lambda: ask(f"profiles/{profile['id']}").get("state") == "ready")
        summary = ask(f"profiles/{profile['id']}")
        assert summary["totals"]["steps"] == 7
        assert [each["type"] for each in summary["top_types"]] == ["MatMul"]
        assert summary["top_types"][0]["count"] == 7
        tags = {each["tag"] for each in ask(f"runs/{connected['run']}/tags")["scalars"]}
        assert {"system/cpu/percent", "system/cpu/core0", "system/memory/used", "system/process/memory"} <= tags
        eventually(lambda: ask("collectors")["collectors"] == [])
        eventually(lambda: not list((tmp_path / "spool").glob("*/*.segment")))
    finally:
        training.kill()
        state = read(endpoint.settings.workspace, endpoint.settings.port)
        assert state is not None
        end(state)


@pytest.mark.parametrize(
    ("ending", "state", "reason"),
    [
        ("", "finished", None),
        ("raise ValueError('bad batch')", "failed", "ValueError: bad batch"),
        ("import os; os.kill(os.getpid(), 9)", "failed", "the process ended without a word; was it killed?"),
    ],
)
def test_the_service_learns_how_a_training_ended(
    closed: Endpoint, tmp_path: Path, ending: str, state: str, reason: str | None
) -> None:
    program = (
        "import time\nfrom mindinsight_like import Profiler\n"
        f"p = Profiler({str(tmp_path / 'out')!r}, framework='none', collector={closed.address!r}, run='net',"
        f" start_profile=False, token={SECRET!r}, spool={str(tmp_path / 'spool')!r})\n"
        f"time.sleep(4)\n{ending}"
    )
    subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)

    def states() -> list[Any]:
        return [orjson.loads(path.read_bytes()) for path in (closed.base / "net").glob("mindinsight_like.state.*")]

    eventually(lambda: [each["state"] for each in states()] == [state])
    (content,) = states()
    assert content.get("reason") == reason
    assert content["ended"] > content["started"]


@pytest.mark.parametrize("framework", ["none", "torch"])
def test_a_training_that_has_only_what_collectors_need_is_collected(
    framework: str, closed: Endpoint, tmp_path: Path
) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('not here', name='numpy')")
    program = (
        "import sys, time, types\nfrom mindinsight_like import Profiler\n"
        f"sys.modules['torch'] = types.ModuleType('torch')\n"
        f"p = Profiler({str(tmp_path / 'out')!r}, framework={framework!r}, collector={closed.address!r}, run='net',"
        f" start_profile=False, token={SECRET!r}, spool={str(tmp_path / 'spool')!r})\n"
        "for _ in range(40):\n    time.sleep(0.1)\n    p.step()"
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environ, timeout=60)

    said = "files of torch are not sent, since numpy is not installed"
    assert answer.returncode == 0
    assert answer.stderr.count("Warning") == answer.stderr.count(said) == (framework == "torch")
    assert len(list((closed.base / "net").glob("*tfevents*"))) == 1  # one collector from beginning to end


def test_an_environment_without_grpc_is_told_once_and_trains_on(tmp_path: Path) -> None:
    (tmp_path / "grpc.py").write_text("raise ImportError('not here', name='grpcio')")
    program = (
        "import time\nfrom mindinsight_like import Profiler\n"
        f"p = Profiler({str(tmp_path / 'out')!r}, framework='none', collector='127.0.0.1:{free_port()}',"
        f" spool={str(tmp_path / 'spool')!r})\n"
        "for _ in range(30):\n    with p.op('x'): time.sleep(0.1)\n    p.step()\nprint('trained')"
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environ, timeout=30)

    assert answer.stdout == "trained\n"
    assert answer.stderr.count("the collector needs grpcio: pip install") == 1
    assert list((tmp_path / "out").glob("*.mi-trace"))
