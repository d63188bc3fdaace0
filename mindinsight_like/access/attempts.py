"""Rate limit for wrong tokens, per address.

Right tokens are never held up: behind a proxy everybody has one address. Guessing a token of 16 characters is hopeless
anyway; the limit spares the service work, and tells who guesses to stop.
"""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_MOST = 10  # wrong tokens at once
_PAUSE_SECONDS = 6.0  # after which one more is free
_MOST_ADDRESSES = 4096


class WrongTokens:
    """Counts wrong tokens by the address they come from; used by any number of threads."""

    def __init__(
        self,
        *,
        most: int = _MOST,
        pause_seconds: float = _PAUSE_SECONDS,
        most_addresses: int = _MOST_ADDRESSES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._pause, self._most_addresses = most, pause_seconds, most_addresses
        self._clock = clock
        self._lock = threading.Lock()
        self._free_at: OrderedDict[str, float] = OrderedDict()  # when an address will have its full number again

    def add(self, address: str) -> int:
        """One more from this address. Returns after how many seconds the next is welcome; 0: at once."""
        key, now = _network(address), self._clock()
        with self._lock:
            free_at = max(self._free_at.pop(key, now), now)
            wait = free_at - now - (self._most - 1) * self._pause
            if wait <= 0:  # those that are refused do not make the wait longer
                free_at += self._pause
            self._free_at[key] = free_at
            while len(self._free_at) > self._most_addresses:
                self._free_at.popitem(last=False)
        return max(0, math.ceil(wait))

    def __len__(self) -> int:
        return len(self._free_at)


def _network(address: str) -> str:
    """Who has one IPv6 address has 2^64 of them."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if ip.version == 6:
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)
