"""Who may send to the collector's endpoint, what it refuses, and whom what it writes belongs to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.profiler.collector.courier import Courier, Refused
from mindinsight_like.profiler.collector.endpoint.arrivals import Arrivals
from mindinsight_like.profiler.collector.endpoint.ledger import Ledger
from mindinsight_like.profiler.collector.endpoint.peers import address_of
from mindinsight_like.profiler.collector.endpoint.permissions import make_folders
from mindinsight_like.profiler.collector.endpoint.quiet_log import QuietLog
from mindinsight_like.profiler.collector.messages import METHOD, VERSION, message_class
from mindinsight_like.profiler.collector.spool import Kind, SpoolWriter
from mindinsight_like.profiler.collector.start_message import CourierConfig
from mindinsight_like.profiler.collector.tokens import sending_token
from tests.profiler.collector.endpoints import Endpoint, eventually

FULL, READ, SEND = "full-full-full-full", "read-read-read-read", "send-send-send-send"
Start = Callable[..., Endpoint]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Endpoint] = []

    def endpoint(**settings: Any) -> Endpoint:
        started.append(Endpoint(tmp_path / f"service{len(started)}", **settings))
        started[-1].start()
        started[-1].wait_until_open()
        return started[-1]

    yield endpoint
    for each in started:
        each.kill()


def log_of(endpoint: Endpoint) -> str:
    return (endpoint.settings.workspace / "log" / "collector.log").read_text()


def hello(run: str = "a") -> bytes:
    message = message_class("FromTraining")()
    message.hello.version, message.hello.sender, message.hello.run, message.hello.host = VERSION, "0" * 16, run, "here"
    return bytes(message.SerializeToString())


def send(endpoint: Endpoint, *messages: bytes, token: str = "") -> tuple[list[Any], Any, str]:
    """What the endpoint answers to raw messages, and the status and details at the end."""
    with grpc.insecure_channel(endpoint.address) as channel:
        call = channel.stream_stream(
            METHOD, request_serializer=bytes, response_deserializer=message_class("FromService").FromString
        )
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        answers = call(iter(messages), metadata=metadata, timeout=20)
        received = []
        try:
            for answer in answers:
                received.append(answer)
        except grpc.RpcError as error:
            return received, error.code(), error.details()
        return received, grpc.StatusCode.OK, ""


def test_each_token_lets_send_or_not(start: Start) -> None:
    endpoint = start(token=FULL, read_token=READ, collector_token=SEND)

    statuses = [send(endpoint, hello(), token=token)[1:] for token in (FULL, SEND, READ, "wrong-wrong-wrong", "")]

    assert [status.name for status, _ in statuses] == [
        "OK", "OK", "PERMISSION_DENIED", "UNAUTHENTICATED", "UNAUTHENTICATED"
    ]  # fmt: skip
    assert "for reading" in statuses[2][1]
    assert "wrong-wrong" not in log_of(endpoint)


def test_wrong_tokens_are_limited_and_right_ones_are_not(start: Start) -> None:
    endpoint = start(token=FULL, collector_token=SEND)

    statuses = [send(endpoint, hello(), token=f"wrong-wrong-wrong-{number}")[1] for number in range(12)]

    assert [each.name for each in statuses] == ["UNAUTHENTICATED"] * 10 + ["RESOURCE_EXHAUSTED"] * 2
    assert send(endpoint, hello(), token=SEND)[1] == grpc.StatusCode.OK
    assert log_of(endpoint).count("invalid token") == 1


AS_NOBODY = """
import grpc, os, sys
from mindinsight_like.profiler.collector.messages import METHOD
def calling(address):
    return grpc.insecure_channel(address).stream_stream(METHOD, request_serializer=bytes, response_deserializer=bytes)
try:
    list(calling("127.0.0.1:1")(iter([b""]), timeout=5))  # imports what it needs: this Python may be out of reach soon
except grpc.RpcError:
    pass
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
call = calling(sys.argv[1])
metadata = (("authorization", f"Bearer {sys.argv[3]}"),) if sys.argv[3] else ()
try:
    print("taken", len(list(call(iter([bytes.fromhex(sys.argv[2])]), metadata=metadata, timeout=20))))
except grpc.RpcError as error:
    print(error.code().name, error.details())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_other_users_of_the_machine_cannot_send_without_a_token(start: Start) -> None:
    endpoint = start(collector_token=SEND)
    trusting = start(trusted_users="65534")

    def as_nobody(one: Endpoint, token: str = "") -> str:
        command = [sys.executable, "-c", AS_NOBODY, one.address, hello("theirs").hex(), token]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    refused, with_token, trusted = as_nobody(endpoint), as_nobody(endpoint, SEND), as_nobody(trusting)
    own = send(endpoint, hello("mine"))

    assert refused.startswith("UNAUTHENTICATED The service belongs to another user of this machine")
    assert "--collector-token" in refused
    assert with_token == trusted == "taken 1\n"
    assert own[1] == grpc.StatusCode.OK


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:127.0.0.1:4000", ("127.0.0.1", 4000)),
        ("ipv6:%5B::1%5D:4000", ("::1", 4000)),
        ("ipv6:[::ffff:127.0.0.1]:4000", ("::ffff:127.0.0.1", 4000)),
        ("unix:/tmp/x", ("", 0)),
        ("", ("", 0)),
    ],
)
def test_peers_are_read_as_grpc_writes_them(peer: str, address: tuple[str, int]) -> None:
    assert address_of(peer) == address


def test_garbage_costs_one_line_of_the_log(start: Start) -> None:
    endpoint = start()
    whole = hello()
    cut = [whole[: len(whole) // 2], b"\xff" * 50, b"\x0a\xff\xff\xff\xff\x0f", os.urandom(300)]
    garbage = cut * 10

    statuses = [send(endpoint, each)[1] for each in garbage]
    later = send(endpoint, hello(), b"\xff" * 50)

    assert {each.name for each in statuses} == {"INVALID_ARGUMENT"}
    assert (len(later[0]), later[1].name) == (1, "INVALID_ARGUMENT")
    log = log_of(endpoint)
    assert "Traceback" not in log
    assert log.count("that no collector sends") == 1
    assert len(log.splitlines()) < 8


def test_messages_with_odd_contents_are_answered_and_cost_no_traceback(start: Start) -> None:
    endpoint = start()
    odd = message_class("FromTraining")()
    odd.hello.version, odd.hello.sender, odd.hello.run, odd.hello.host = VERSION, "\0" * 100, "a\0/../b", "\0"
    odd.hello.mark, odd.hello.output_path = "..", "a\0b"
    state = message_class("FromTraining")()
    state.state.step, state.state.dropped = 2**63 - 1, 2**64 - 1
    piece = message_class("FromTraining")()
    piece.batch.spool, piece.batch.run, piece.batch.output_path = "cd" * 8, "a\0", "x\0"
    entry = piece.batch.entries.add(sequence=2**64 - 1)
    entry.piece.path, entry.piece.offset, entry.piece.version = "x\0.pt.trace.json", 2**62, 2**63 - 1
    others = [batch(sample(2)), state, piece]
    whole = [odd.SerializeToString(), *(each.SerializeToString() for each in others)]
    random = Random(1)

    statuses = {send(endpoint, *whole)[1].name}
    for _ in range(150):
        messages = [bytearray(each) for each in whole]
        changed = random.choice(messages)
        changed[random.randrange(len(changed))] = random.randrange(256)
        statuses.add(send(endpoint, *map(bytes, messages))[1].name)

    assert statuses <= {"OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION"}
    assert "Traceback" not in log_of(endpoint)


def test_what_is_left_out_of_a_log_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    import logging

    now = [0.0]
    quiet = QuietLog(logging.getLogger("quiet"), pause_seconds=60, clock=lambda: now[0])

    for _ in range(5):
        quiet.warning("a", "first")
    quiet.warning("b", "other")
    now[0] = 61.0
    quiet.warning("a", "later")

    assert [each.getMessage() for each in caplog.records] == ["first", "other", "later (4 more like this before)"]


def sample(count: int, **changed: Any) -> dict[str, Any]:
    return {"time": 1.0, "step": 0, "values": {f"m{number}": float(number) for number in range(count)}} | changed


def batch(*samples: dict[str, Any]) -> Any:
    message = message_class("FromTraining")()
    message.batch.spool, message.batch.run, message.batch.name = "ab" * 8, "a", "here.1"
    for number, each in enumerate(samples, 1):
        entry = message.batch.entries.add(sequence=number)
        entry.sample.time, entry.sample.step = each["time"], each["step"]
        entry.sample.names.extend(each["values"])
        entry.sample.values.extend(each["values"].values())
    return message


def test_a_sample_with_too_many_metrics_is_refused_with_a_reason(start: Start) -> None:
    endpoint = start()

    answers, _, _ = send(endpoint, hello(), batch(sample(4097)).SerializeToString())

    assert answers[-1].acknowledged.refused == "A sample has 4,097 metrics; the limit is 4,096."
    assert answers[-1].acknowledged.sequence == 0
    assert not list(endpoint.base.rglob("*tfevents*"))


def test_the_sender_says_why_a_sample_is_refused(start: Start, tmp_path: Path) -> None:
    endpoint = start()
    left = SpoolWriter(tmp_path / "spool", server=endpoint.address, run="a", name="here.1")
    left.put(Kind.SAMPLE, sample(5000))
    left.close()
    told: list[dict[str, Any]] = []
    order = CourierConfig(
        server=endpoint.address, spool=str(tmp_path / "spool"), token="", run="b", ca="", host="here", process=1
    )
    courier = Courier(order, tell=told.append)
    import threading

    thread = threading.Thread(target=courier.run)
    thread.start()
    try:
        eventually(lambda: any("trouble" in news for news in told))
    finally:
        courier.end()
        thread.join(30)

    assert any("A sample has 5,000 metrics" in news.get("trouble", "") for news in told)


@pytest.mark.parametrize(
    ("values", "reason"),
    [({"x" * 101: 1.0}, "has 101 characters"), ({"": 1.0}, "has 0 characters")],
)
def test_odd_names_of_metrics_are_refused_or_kept_never_dropped(
    tmp_path: Path, values: dict[str, float], reason: str
) -> None:
    (tmp_path / "base").mkdir()
    arrivals = Arrivals(Ledger(tmp_path / "ledger.sqlite", tmp_path / "base"), BaseDirs(str(tmp_path / "base")))

    with pytest.raises(ValueError, match=reason):
        arrivals.take(batch(sample(1, values=values)).batch)
    sequence = arrivals.take(batch(sample(1, values={"gpu 0:mem@x": 1.0})).batch)

    (file,) = (tmp_path / "base").rglob("*tfevents*")
    assert sequence == 1
    assert b"system/gpu_0_mem_x" in file.read_bytes()


def test_names_without_values_are_refused(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    arrivals = Arrivals(Ledger(tmp_path / "ledger.sqlite", tmp_path / "base"), BaseDirs(str(tmp_path / "base")))
    message = batch(sample(3))
    del message.batch.entries[0].sample.values[2]

    with pytest.raises(ValueError, match="3 metric names, but 2 values"):
        arrivals.take(message.batch)


@pytest.mark.parametrize(
    ("base_mode", "file_mode", "folder_mode"),
    [
        (0o755, 0o644, 0o755),
        (0o750, 0o640, 0o750),
        (0o700, 0o600, 0o700),
        (0o2775, 0o664, 0o2775),
        (0o777, 0o664, 0o775),
    ],
)
def test_files_have_the_permissions_of_the_base_dir(
    tmp_path: Path, base_mode: int, file_mode: int, folder_mode: int
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    base.chmod(base_mode)
    before = os.umask(0o077)  # as the service has it
    try:
        arrivals = Arrivals(Ledger(tmp_path / "ledger.sqlite", base), BaseDirs(str(base)))
        message = batch(sample(3))
        message.batch.run = "net/first"
        piece = message.batch.entries.add(sequence=2).piece
        piece.path, piece.content, piece.is_last, piece.version = "inside/x.pt.trace.json", b"{}", True, 1
        arrivals.take(message.batch)
    finally:
        os.umask(before)

    modes = {path.relative_to(base).name: stat.S_IMODE(path.stat().st_mode) for path in base.rglob("*")}
    files = {name: mode for name, mode in modes.items() if "." in name}
    assert set(files.values()) == {file_mode}
    assert len(files) == 2
    assert {modes[name] for name in ("net", "first", "inside")} == {folder_mode}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to any group")
def test_files_have_the_group_of_their_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, -1, 65534)

    make_folders(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").stat().st_gid == 65534


def test_the_token_of_a_sender_comes_from_call_file_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text(f"# ours\n{SEND}\n")
    found = []
    monkeypatch.setenv("MINDINSIGHT_TOKEN", FULL)
    found.append(sending_token())
    monkeypatch.setenv("MINDINSIGHT_COLLECTOR_TOKEN_FILE", str(tmp_path / "token"))
    found.append(sending_token())
    monkeypatch.setenv("MINDINSIGHT_COLLECTOR_TOKEN", "environment")
    found += [sending_token(), sending_token(file=str(tmp_path / "token")), sending_token("given")]

    assert found == [FULL, SEND, "environment", SEND, "given"]


def test_app_collect_does_not_show_its_token(start: Start, tmp_path: Path) -> None:
    endpoint = start(token=FULL, collector_token=SEND)
    command = [sys.executable, "-m", "mindinsight_like", "collect", "--run", "a", "--server", endpoint.address]
    collector = subprocess.Popen(
        [*command, "--spool", str(tmp_path / "s"), "--token", SEND], stdout=subprocess.PIPE, text=True
    )
    assert collector.stdout is not None
    try:
        assert collector.stdout.readline() == "connected\n"
        arguments = Path(f"/proc/{collector.pid}/cmdline").read_bytes()
    finally:
        collector.terminate()
        collector.wait(30)
        collector.stdout.close()

    assert SEND.encode() not in arguments
    with pytest.raises(Refused, match="Invalid token"):
        wrong = CourierConfig(
            server=endpoint.address, spool=str(tmp_path / "t"), token="x" * 16, run="b", ca="", host="h", process=1
        )
        Courier(wrong, tell=lambda told: None).run()
