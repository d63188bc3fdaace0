"""Records reach the file in order and whole, whatever happens to the process, its disk or its folder."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.writers.encoding.visualdl import frame
from mindinsight_like.writers.files.background import BackgroundFile

BEGINNING = """
import os, psutil, signal, sys, time, warnings
from pathlib import Path
from mindinsight_like.writers.files.background import BackgroundFile
from mindinsight_like.writers.encoding.visualdl import frame
warnings.simplefilter("always")
"""


def payloads(path: Path) -> list[bytes]:
    """What the file holds; the last record may be cut, the others must not."""
    content, found = path.read_bytes(), []
    while content:
        (length,) = struct.unpack_from("<Q", content)
        found.append(content[8 : 8 + length])
        assert len(found[-1]) == length
        content = content[8 + length :]
    return found


def run(program: str, folder: Path, *, status: int = 0) -> str:
    """Run a program in the folder; returns what it wrote to its error channel."""
    command = [sys.executable, "-c", BEGINNING + textwrap.dedent(program)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done.stderr


@pytest.fixture
def file(tmp_path: Path) -> Iterator[BackgroundFile]:
    file = BackgroundFile(tmp_path / "log", frame=frame)
    yield file
    file.close()


def eventually(path: Path, expected: list[bytes], *, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and payloads(path) == expected:
            return True
        time.sleep(0.02)
    return False


def test_records_stand_in_the_order_of_the_puts_after_a_flush(file: BackgroundFile) -> None:
    for number in range(3000):
        file.put_small(bytes, [number % 256] * 3)
    file.put(bytes.upper, b"last")

    file.flush()

    assert payloads(file.path) == [bytes([number % 256] * 3) for number in range(3000)] + [b"LAST"]


def test_the_thread_writes_by_itself_within_flush_secs(tmp_path: Path) -> None:
    file = BackgroundFile(tmp_path / "log", frame=frame, flush_secs=0.05)

    file.put(bytes, b"one")

    assert eventually(file.path, [b"one"])
    file.put(bytes, b"two")  # the thread has gone to sleep meanwhile and is woken again
    assert eventually(file.path, [b"one", b"two"])
    file.close()


def test_a_new_file_begins_with_its_opening_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "log"

    file = BackgroundFile(path, frame=frame, opening=lambda wall_time: b"opening")
    assert payloads(path) == [b"opening"]
    file.close()
    BackgroundFile(path, frame=frame, opening=lambda wall_time: b"opening").close()

    assert payloads(path) == [b"opening"]  # what has begun does not begin again


def test_a_lazy_file_is_made_with_its_first_record(tmp_path: Path) -> None:
    file = BackgroundFile(tmp_path / "log", frame=frame, opening=lambda wall_time: b"opening", lazy=True)
    file.flush()
    assert not file.path.exists()

    file.put(bytes, b"one")
    file.close()

    assert payloads(file.path) == [b"opening", b"one"]


def test_an_exclusive_file_must_be_new(file: BackgroundFile) -> None:
    with pytest.raises(FileExistsError):
        BackgroundFile(file.path, frame=frame, exclusive=True)


def test_nothing_is_made_without_a_disk(tmp_path: Path) -> None:
    file = BackgroundFile(tmp_path / "new" / "log", frame=frame, write_to_disk=False)

    file.put(bytes, b"one")
    file.flush()
    file.close()

    assert list(tmp_path.iterdir()) == []


def test_putting_does_not_wait_for_a_slow_disk(tmp_path: Path) -> None:
    is_free = threading.Event()

    def slow_frame(payload: bytes) -> bytes:
        is_free.wait(30)
        return frame(payload)

    file = BackgroundFile(tmp_path / "log", frame=slow_frame, flush_secs=0.01)
    started = time.monotonic()
    for _ in range(1000):
        file.put(bytes, b"x" * 100)
    took = time.monotonic() - started
    is_free.set()
    file.close()

    assert took < 5
    assert len(payloads(file.path)) == 1000


def test_large_records_are_not_lost_to_a_disk_that_is_merely_slow(tmp_path: Path) -> None:
    def slow_frame(payload: bytes) -> bytes:
        time.sleep(0.02)
        return frame(payload)

    file = BackgroundFile(tmp_path / "log", frame=slow_frame, flush_secs=0.01)
    for number in range(40):
        file.put(bytes, bytes([number]) * (5 << 20))
    file.put(bytes, bytes(100 << 20))
    file.put(bytes, b"after")
    file.close()

    found = payloads(file.path)
    assert [payload[0] for payload in found[:40]] == list(range(40))
    assert [len(payload) for payload in found[40:]] == [100 << 20, 5]


def test_nothing_recorded_makes_no_file(tmp_path: Path) -> None:
    file = BackgroundFile(tmp_path / "log", frame=frame, lazy=True)
    file.put(bytes, b"")
    file.close()

    assert not file.path.exists()


def test_a_file_may_be_closed_without_waiting(tmp_path: Path) -> None:
    file = BackgroundFile(tmp_path / "log", frame=frame, flush_secs=0.01)
    file.put(bytes, b"one")

    file.close(wait=False)

    assert eventually(file.path, [b"one"])
    with pytest.raises(ValueError, match="closed"):
        file.put(bytes, b"late")


def test_putting_into_a_closed_file_is_an_error(file: BackgroundFile) -> None:
    file.close()
    file.close()

    with pytest.raises(ValueError, match="closed"):
        file.put(bytes, b"late")


def test_a_record_that_cannot_be_encoded_is_left_out_and_logged(
    file: BackgroundFile, caplog: pytest.LogCaptureFixture
) -> None:
    file.put(bytes, b"one")
    file.put(bytes.fromhex, "no hex")
    file.put(bytes, b"two")
    file.flush()

    assert payloads(file.path) == [b"one", b"two"]
    assert "cannot encode a record" in caplog.text


def test_a_file_that_nobody_holds_any_more_is_still_written(tmp_path: Path) -> None:
    file = BackgroundFile(tmp_path / "log", frame=frame, flush_secs=0.05)
    file.put(bytes, b"one")

    del file
    gc.collect()

    assert eventually(tmp_path / "log", [b"one"])


def test_threads_may_put_at_the_same_time(file: BackgroundFile) -> None:
    def put(name: bytes) -> None:
        for number in range(500):
            file.put(bytes, name + number.to_bytes(2, "big"))

    threads = [threading.Thread(target=put, args=(name,)) for name in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.flush()

    found = payloads(file.path)
    assert len(found) == 1500
    for name in (b"a", b"b", b"c"):
        numbers = [int.from_bytes(payload[1:], "big") for payload in found if payload[:1] == name]
        assert numbers == list(range(500))


def test_flushing_in_a_signal_handler_does_not_hang(tmp_path: Path) -> None:
    run(
        """
        file = BackgroundFile(Path("log"), frame=frame)
        signal.signal(signal.SIGALRM, lambda *_: (file.put(bytes, b"signal"), file.flush()))
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.002)
        for number in range(3000):
            file.put(bytes, number.to_bytes(2, "big"))
            if not number % 100:
                file.flush()
        signal.setitimer(signal.ITIMER_REAL, 0)
        file.close()
        """,
        tmp_path,
    )

    numbers = [payload for payload in payloads(tmp_path / "log") if payload != b"signal"]
    assert numbers == [number.to_bytes(2, "big") for number in range(3000)]


# --- the end of a process ---------------------------------------------------------------------------------------------


# Programs in the background of a shell are begun without a handler.
INTERRUPT = "signal.signal(2, signal.default_int_handler); signal.raise_signal(2)"


@pytest.mark.parametrize(
    ("ending", "status"),
    [("", 0), ("raise RuntimeError('training failed')", 1), ("sys.exit(3)", 3), (INTERRUPT, -2)],
    ids=["end", "exception", "exit", "interrupt"],
)
def test_all_is_written_when_a_program_ends(tmp_path: Path, ending: str, status: int) -> None:
    run(
        f"""
        file = BackgroundFile(Path("log"), frame=frame, flush_secs=1000)
        for number in range(100):
            file.put(bytes, b"%d" % number)
        {ending}
        """,
        tmp_path,
        status=status,
    )

    assert payloads(tmp_path / "log") == [b"%d" % number for number in range(100)]


def test_what_exit_handlers_record_is_written(tmp_path: Path) -> None:
    run(
        """
        import atexit
        atexit.register(lambda: file.put(bytes, b"later"))  # runs after ours, which is registered with the first put
        file = BackgroundFile(Path("log"), frame=frame)
        file.put(bytes, b"one")
        """,
        tmp_path,
    )

    assert payloads(tmp_path / "log") == [b"one", b"later"]


def test_a_killed_process_loses_at_most_flush_secs(tmp_path: Path) -> None:
    program = """
    file = BackgroundFile(Path("log"), frame=frame, flush_secs=0.2)
    for number in range(100_000):
        file.put(bytes, b"%f" % time.time())
        time.sleep(0.002)
    """
    command = [sys.executable, "-c", BEGINNING + textwrap.dedent(program)]
    process = subprocess.Popen(command, cwd=tmp_path)
    try:
        log = tmp_path / "log"
        while not (log.exists() and log.stat().st_size > 1000):
            time.sleep(0.02)
        time.sleep(1)
    finally:
        process.kill()
        killed = time.time()
        process.wait()

    times = [float(payload) for payload in payloads(log)]
    assert times == sorted(times)
    assert killed - times[-1] < 0.2 + 0.5  # and some time to be scheduled in


def test_a_forked_process_writes_into_a_file_of_its_own(file: BackgroundFile) -> None:
    file.put(bytes, b"before")

    process = os.fork()
    if not process:
        try:
            assert file.path.name == f"log.{os.getpid()}"
            file.put(bytes, b"child")
            file.flush()
        finally:
            os._exit(0)
    os.waitpid(process, 0)
    file.put(bytes, b"after")
    file.flush()

    assert payloads(file.path) == [b"before", b"after"]
    assert payloads(file.path.with_name(f"log.{process}")) == [b"child"]


def test_a_forked_process_that_records_nothing_makes_no_file(file: BackgroundFile) -> None:
    file.put(bytes, b"before")

    process = os.fork()
    if not process:
        file.flush()
        os._exit(0)
    os.waitpid(process, 0)

    assert [path.name for path in file.path.parent.iterdir()] == ["log"]


def _record(file: BackgroundFile, number: int) -> None:
    file.put(bytes, b"%d" % number)


def test_processes_of_multiprocessing_write_all_before_they_end(file: BackgroundFile) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_record, args=(file, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)

    found = [payloads(file.path.with_name(f"log.{process.pid}")) for process in processes]
    assert found == [[b"0"], [b"1"], [b"2"]]


def test_forking_while_the_thread_writes_is_safe(tmp_path: Path) -> None:
    run(
        """
        file = BackgroundFile(Path("log"), frame=frame, flush_secs=0.01)
        children = []
        for number in range(40):
            for _ in range(200):
                file.put(bytes, b"parent")
            process = os.fork()
            if not process:
                file.put(bytes, b"child")
                file.flush()
                os._exit(0)
            children.append(process)
        for process in children:
            os.waitpid(process, 0)
            assert Path(f"log.{process}").stat().st_size == 13, process
        """,
        tmp_path,
    )

    assert payloads(tmp_path / "log") == [b"parent"] * 8000


# --- trouble with the disk --------------------------------------------------------------------------------------------


def test_a_full_disk_is_told_once_and_nothing_is_lost_when_there_is_room_again(tmp_path: Path) -> None:
    told = run(
        """
        import resource
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        file = BackgroundFile(Path("log"), frame=frame)
        for number in range(300):
            file.put(bytes, b"%0100d" % number)
            if not number % 50:
                file.flush()
        assert Path("log").stat().st_size == 9 * 108  # whole records only
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        file.put(bytes, b"end")
        file.close()
        """,
        tmp_path,
    )

    assert payloads(tmp_path / "log") == [b"%0100d" % number for number in range(300)] + [b"end"]
    assert told.count("File too large") == 1
    assert "training goes on" in told


def test_a_process_that_ends_with_a_full_disk_says_what_is_lost(tmp_path: Path) -> None:
    told = run(
        """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        file = BackgroundFile(Path("log"), frame=frame)
        for number in range(100):
            file.put(bytes, b"%0100d" % number)
        """,
        tmp_path,
    )

    assert payloads(tmp_path / "log") == [b"%0100d" % number for number in range(9)]
    assert "91 records" in told


def test_waiting_records_are_bounded(tmp_path: Path) -> None:
    told = run(
        """
        import resource
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        file = BackgroundFile(Path("log"), frame=frame)
        for number in range(200):
            file.put(bytes, bytes(1 << 20))
        held = psutil.Process().memory_info().rss
        assert held < 200 << 20, held
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        file.close()
        """,
        tmp_path,
    )

    assert 32 <= len(payloads(tmp_path / "log")) <= 80
    assert told.count("MB of records are waiting") == 1
    assert "were dropped" in told


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        (disk / "other").write_bytes(bytes(40 << 10))
        file = BackgroundFile(disk / "log", frame=frame)
        with pytest.warns(RuntimeWarning, match="No space left") as told:
            for number in range(1000):
                file.put(bytes, b"%0100d" % number)
                if not number % 100:
                    file.flush()
            file.flush()
        assert len(told) == 1
        assert len(payloads(disk / "log")) < 300

        subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
        file.close()

        assert payloads(disk / "log") == [b"%0100d" % number for number in range(1000)]
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_vanished_folder_is_told_once_and_used_again_when_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    file = BackgroundFile(folder / "log", frame=frame, opening=lambda wall_time: b"opening")
    file.put(bytes, b"gone")
    file.flush()
    (folder / "log").unlink()
    folder.rmdir()

    with pytest.warns(RuntimeWarning, match="folder of .* is gone") as told:
        for payload in (b"one", b"two"):
            file.put(bytes, payload)
            file.flush()
    folder.mkdir()
    file.close()

    assert len(told) == 1
    assert payloads(folder / "log") == [b"opening", b"one", b"two"]


def test_a_removed_file_is_begun_anew(file: BackgroundFile) -> None:
    file.put(bytes, b"gone")
    file.flush()
    file.path.unlink()

    file.put(bytes, b"one")
    file.flush()

    assert payloads(file.path) == [b"one"]


def test_a_folder_that_cannot_be_made_is_an_error_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(OSError):
        BackgroundFile(tmp_path / "file" / "log", frame=frame)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals of POSIX")
def test_many_records_wait_in_little_memory(tmp_path: Path) -> None:
    run(
        """
        file = BackgroundFile(Path("log"), frame=frame)
        before = psutil.Process().memory_info().rss
        for number in range(100_000):
            file.put_small(b"%d".__mod__, number)
        assert psutil.Process().memory_info().rss - before < 60 << 20
        file.close()
        """,
        tmp_path,
    )

    assert payloads(tmp_path / "log") == [b"%d" % number for number in range(100_000)]
