"""Who is at the other end of a connection."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mindinsight_like.access.peers import PeerUsers

WAYS = [pytest.param(True, id="netlink"), pytest.param(False, id="proc")]
LOOPBACK = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
AS_NOBODY = """
import encodings.idna, os, socket, sys  # all of them before: this Python may be out of reach for others
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
connection = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
connection.connect((sys.argv[1], int(sys.argv[2])))
connection.sendall(b"x")
sys.stdin.read()
"""


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as each:
        yield each


def listen(stack: ExitStack, family: int, host: str) -> socket.socket:
    try:
        listener = stack.enter_context(socket.socket(family))
        listener.bind((host, 0))
    except OSError:
        pytest.skip(f"no {host} on this machine")
    listener.listen()
    listener.settimeout(20)
    return listener


def connected(stack: ExitStack, listener: socket.socket, client: socket.socket, host: str) -> socket.socket:
    stack.enter_context(client)
    client.connect((host, listener.getsockname()[1]))
    return stack.enter_context(listener.accept()[0])


@pytest.mark.parametrize("use_netlink", WAYS)
@pytest.mark.parametrize(("family", "host"), LOOPBACK)
def test_our_own_connections_are_ours(stack: ExitStack, family: int, host: str, use_netlink: bool) -> None:
    listener = listen(stack, family, host)
    accepted = connected(stack, listener, socket.socket(family), host)

    assert PeerUsers(use_netlink=use_netlink).of_socket(accepted) == os.geteuid()


@pytest.mark.parametrize("use_netlink", WAYS)
def test_ipv4_over_an_ipv6_socket_is_found(stack: ExitStack, use_netlink: bool) -> None:
    listener = listen(stack, socket.AF_INET, "127.0.0.1")
    accepted = connected(stack, listener, socket.socket(socket.AF_INET6), "::ffff:127.0.0.1")

    assert PeerUsers(use_netlink=use_netlink).of_socket(accepted) == os.geteuid()


@pytest.mark.parametrize("use_netlink", WAYS)
@pytest.mark.parametrize(("family", "host"), LOOPBACK)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_other_users_are_told_apart(stack: ExitStack, family: int, host: str, use_netlink: bool) -> None:
    listener = listen(stack, family, host)
    command = [sys.executable, "-c", AS_NOBODY, host, str(listener.getsockname()[1])]
    client = subprocess.Popen(command, stdin=subprocess.PIPE)
    try:
        accepted = stack.enter_context(listener.accept()[0])
        accepted.recv(1)

        assert PeerUsers(use_netlink=use_netlink).of_socket(accepted) == 65534
    finally:
        client.communicate()


@pytest.mark.parametrize("use_netlink", WAYS)
@pytest.mark.parametrize("is_drained", [False, True])
def test_a_closed_connection_is_nobodys(stack: ExitStack, use_netlink: bool, is_drained: bool) -> None:
    """The kernel says uid 0 of sockets that no process holds any more: who closes early must not pass for root."""
    listener = listen(stack, socket.AF_INET, "127.0.0.1")
    client = socket.socket()
    accepted = connected(stack, listener, client, "127.0.0.1")
    client.sendall(b"x")
    client.close()
    if is_drained:
        accepted.recv(1)
    time.sleep(0.05)

    assert PeerUsers(use_netlink=use_netlink).of_socket(accepted) is None


@pytest.mark.parametrize("use_netlink", WAYS)
def test_a_listener_on_the_peers_port_is_not_the_peer(stack: ExitStack, use_netlink: bool) -> None:
    listener = listen(stack, socket.AF_INET, "127.0.0.1")
    other = listen(stack, socket.AF_INET, "127.0.0.1")

    assert PeerUsers(use_netlink=use_netlink).between(other.getsockname(), listener.getsockname()) is None


def test_each_connection_is_looked_up_once(stack: ExitStack, tmp_path: Path) -> None:
    listener = listen(stack, socket.AF_INET, "127.0.0.1")
    client = socket.socket()
    accepted = connected(stack, listener, client, "127.0.0.1")
    users = PeerUsers()
    before = users.of_socket(accepted)
    client.close()

    assert users.of_socket(accepted) == before == os.geteuid()


def test_without_netlink_and_proc_nobody_is_known(stack: ExitStack, tmp_path: Path) -> None:
    listener = listen(stack, socket.AF_INET, "127.0.0.1")
    accepted = connected(stack, listener, socket.socket(), "127.0.0.1")

    assert PeerUsers(proc=tmp_path, use_netlink=False).of_socket(accepted) is None


def test_a_user_without_a_number_in_this_namespace_is_unknown(stack: ExitStack, tmp_path: Path) -> None:
    """In a user namespace, everybody outside of it has the same number."""
    (tmp_path / "self").mkdir()
    (tmp_path / "self/uid_map").write_text("         0       1000          1\n")
    (tmp_path / "net").mkdir()
    outside = Path("/proc/sys/kernel/overflowuid").read_text().strip()
    row = "   0: 0100007F:1000 0100007F:2000 01 00000000:00000000 00:00000000 00000000 {} 0 77 1 0 20 4 30 10 -1\n"
    users = PeerUsers(proc=tmp_path, use_netlink=False)

    owners = []
    for uid in (outside, "1000"):
        (tmp_path / "net/tcp").write_text("head\n" + row.format(uid))
        owners.append(users.between(("127.0.0.1", 0x1000), ("127.0.0.1", 0x2000)))

    assert owners == [None, 1000]
