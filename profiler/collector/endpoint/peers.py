"""Loopback authentication: which local users may send without a token."""

from __future__ import annotations

import os
import re
import socket
from urllib.parse import unquote

from mindinsight_like.access.peers import Address, PeerUsers
from mindinsight_like.conf.settings import Settings

_PEER = re.compile(r"ipv[46]:\[?([0-9A-Fa-f:.%]+?)\]?:([0-9]{1,5})")
_NEEDED = "Access token required; the service printed it at startup."
_OF_ANOTHER_USER = (
    "The service belongs to another user of this machine: a token is needed (its --collector-token), or its"
    " --trusted-users has to name who trains."
)


class PeerCheck:
    """Tells senders that need no token from others; gRPC knows the address of a sender, the kernel whose it is."""

    def __init__(self, settings: Settings, *, users: PeerUsers | None = None) -> None:
        self._needs_token = settings.needs_token
        self._host, self._port = settings.host, settings.collector_port
        self._uids = settings.trusted_uids | {os.geteuid()}
        self._users = users or PeerUsers()

    @property
    def reason(self) -> str:
        """Why one without a token is refused."""
        return _NEEDED if self._needs_token else _OF_ANOTHER_USER

    def is_trusted(self, peer: str) -> bool:
        """Whether who is connected from this address, as gRPC writes it, may send without a token."""
        if self._needs_token:
            return False
        address = address_of(peer)
        if not address[0]:
            return False
        return any(self._users.between(address, own) in self._uids for own in self._own_addresses(address[0]))

    def _own_addresses(self, peer: str) -> list[Address]:
        """The addresses of ours that such a peer can be connected to: gRPC does not say which it was."""
        family = socket.AF_INET6 if ":" in peer and "." not in peer else socket.AF_INET
        try:
            resolved = socket.getaddrinfo(self._host, self._port, family, socket.SOCK_STREAM)
        except OSError:
            return []
        return sorted({(str(address[0]), int(address[1])) for *_, address in resolved})


def address_of(peer: str) -> Address:
    """Host and port in what gRPC calls a peer, such as ipv4:127.0.0.1:4000; without a host when it is none."""
    match = _PEER.fullmatch(unquote(peer))
    return (match[1], int(match[2])) if match else ("", 0)
