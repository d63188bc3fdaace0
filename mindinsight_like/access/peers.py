"""User id at the other end of a loopback connection.

The kernel knows the owner of every socket. Netlink's sock_diag looks one socket up by its addresses in a hash table;
where it is missing (gVisor, some containers), /proc/net/tcp and tcp6 list all of them. Either way the peer's own socket
is asked for: local address = the peer's, remote address = ours.

Only a socket that a process still holds open (inode not 0) counts. The kernel reports uid 0 for orphaned and
TIME_WAIT sockets, so a client that sends its request and closes would otherwise pass for root.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import struct
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST = 1
_NLMSG_ERROR = 2
_ANY_STATE = 0xFFFFFFFF
_NO_COOKIE = b"\xff" * 8
_HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_REQUEST = struct.Struct("=BBBxI")  # inet_diag_req_v2: family, protocol, ext, states; then the addresses
_ADDRESSES = struct.Struct("=2s2s16s16sI8s")  # inet_diag_sockid: ports, addresses, interface, cookie
_ANSWER = struct.Struct("=BBBB48xIIIII")  # inet_diag_msg: family, state, .., expires, rqueue, wqueue, uid, inode
_LISTEN = 10
_ALL_UIDS = 2**32 - 1
_OVERFLOW_UID = Path("/proc/sys/kernel/overflowuid")

Address = tuple[str, int]


class Connected(Protocol):
    """A connected socket, or what stands in for one."""

    def getpeername(self) -> Any:
        """The address of the other end."""

    def getsockname(self) -> Any:
        """Our own address."""

    def __hash__(self) -> int: ...


class PeerUsers:
    """Finds the user ids of peers; one for each process, used by any number of threads."""

    def __init__(self, *, proc: Path = Path("/proc"), use_netlink: bool = True) -> None:
        self._proc = proc
        self._has_netlink = use_netlink
        self._has_answered = False  # sock_diag knew a socket, so that "no such entry" means no such socket
        self._unknown_uid = _overflow_uid(proc)
        self._lock = threading.Lock()
        self._known: WeakKeyDictionary[Connected, int] = WeakKeyDictionary()

    def of_socket(self, connection: Connected) -> int | None:
        """The uid of whoever opened the other end, None when nobody can tell; looked up once for each connection."""
        with self._lock:
            uid = self._known.get(connection)
        if uid is None:
            try:
                peer, own = connection.getpeername(), connection.getsockname()
            except OSError:  # it was closed in the meantime
                return None
            uid = self.between((peer[0], peer[1]), (own[0], own[1]))
            if uid is not None:
                with self._lock:
                    self._known[connection] = uid
        return uid

    def between(self, peer: Address, own: Address) -> int | None:
        """The uid that owns the socket bound to `peer` and connected to `own`."""
        uid = self._look_up(peer, own)
        return None if uid == self._unknown_uid else uid

    def _look_up(self, peer: Address, own: Address) -> int | None:
        if self._has_netlink:
            try:
                uid = _by_netlink(peer, own)
                self._has_answered = True
                return uid
            except FileNotFoundError:  # no such socket; also what a kernel without TCP's part of sock_diag says
                if self._has_answered:
                    return None
            except OSError:
                self._has_netlink = self._has_answered
        return _by_proc(self._proc, peer, own)


def _by_netlink(peer: Address, own: Address) -> int | None:
    """Raises OSError when the kernel does not answer, FileNotFoundError when it knows no such socket."""
    source, target = _ip(peer[0]), _ip(own[0])
    family = socket.AF_INET if source.version == 4 else socket.AF_INET6
    ports = [struct.pack(">H", port) for port in (peer[1], own[1])]
    socket_id = _ADDRESSES.pack(*ports, source.packed, target.packed, 0, _NO_COOKIE)
    body = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, _ANY_STATE) + socket_id
    header = _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC, _NETLINK_SOCK_DIAG) as kernel:
        kernel.settimeout(1.0)
        kernel.send(header + body)
        answer = kernel.recv(4096)
    _, kind, _, _, _ = _HEADER.unpack_from(answer)
    if kind == _NLMSG_ERROR:
        (code,) = struct.unpack_from("=i", answer, _HEADER.size)
        raise OSError(-code, os.strerror(-code))
    if kind != _SOCK_DIAG_BY_FAMILY or len(answer) < _HEADER.size + _ANSWER.size:
        raise OSError(errno.EPROTO, os.strerror(errno.EPROTO))
    _, state, _, _, _, _, _, uid, inode = _ANSWER.unpack_from(answer, _HEADER.size)
    answer_ports = answer[_HEADER.size + 4 :][:4]
    # Without a connection the kernel falls back to whoever listens on that port.
    if inode == 0 or state == _LISTEN or answer_ports != b"".join(ports):
        return None
    return int(uid)


def _by_proc(proc: Path, peer: Address, own: Address) -> int | None:
    source, target = _ip(peer[0]), _ip(own[0])
    lookups = [("tcp6", f"{_hex6(source)}:{peer[1]:04X}", f"{_hex6(target)}:{own[1]:04X}")]
    if source.version == 4:
        lookups.insert(0, ("tcp", f"{_hex(source.packed)}:{peer[1]:04X}", f"{_hex(target.packed)}:{own[1]:04X}"))
    for name, local, remote in lookups:
        try:
            with (proc / "net" / name).open(encoding="ascii") as table:
                uid = _owner(table, local, remote)
        except (OSError, ValueError):
            continue
        if uid is not None:
            return uid
    return None


def _owner(table: Iterable[str], local: str, remote: str) -> int | None:
    pair = f" {local} {remote} "
    for line in table:
        if pair in line:
            fields = line.split()
            if fields[9] != "0":  # the inode
                return int(fields[7])
    return None


def _ip(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address as the kernel has it: IPv4 over an IPv6 socket is IPv4."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    return ip if mapped is None else mapped


def _hex(packed: bytes) -> str:
    """As /proc/net shows it: each 32-bit word in the byte order of the machine."""
    words = [packed[at : at + 4] for at in range(0, len(packed), 4)]
    return "".join(f"{struct.unpack('=I', word)[0]:08X}" for word in words)


def _hex6(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    return _hex(ip.packed if ip.version == 6 else b"\0" * 10 + b"\xff\xff" + ip.packed)


def _overflow_uid(proc: Path) -> int | None:
    """The uid that stands for all users without a number in this user namespace; None where each has one."""
    try:
        if any(int(line.split()[2]) == _ALL_UIDS for line in (proc / "self/uid_map").read_text().splitlines()):
            return None
        return int(_OVERFLOW_UID.read_text())
    except (OSError, ValueError, IndexError):
        return None
