"""Limits for wrong tokens."""

from __future__ import annotations

from mindinsight_like.access.attempts import WrongTokens


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_after_some_wrong_tokens_an_address_has_to_wait() -> None:
    clock = Clock()
    wrong = WrongTokens(most=3, pause_seconds=10, clock=clock)

    first = [wrong.add("10.0.0.1") for _ in range(3)]
    further = [wrong.add("10.0.0.1") for _ in range(3)]
    other = wrong.add("10.0.0.2")
    clock.now = 10
    after_the_pause = [wrong.add("10.0.0.1"), wrong.add("10.0.0.1")]
    clock.now = 1000
    much_later = [wrong.add("10.0.0.1") for _ in range(4)]

    assert (first, further, other) == ([0, 0, 0], [10, 10, 10], 0)
    assert after_the_pause == [0, 10]
    assert much_later == [0, 0, 0, 10]


def test_networks_of_ipv6_count_as_one_address() -> None:
    wrong = WrongTokens(most=1, pause_seconds=10, clock=Clock())

    waits = [wrong.add(address) for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "::ffff:10.0.0.1")]

    assert waits == [0, 10, 0, 0]
    assert wrong.add("10.0.0.1") == 10


def test_memory_is_bounded_and_odd_addresses_are_harmless() -> None:
    wrong = WrongTokens(most_addresses=100)

    for number in range(10_000):
        wrong.add(f"10.1.{number // 256}.{number % 256}")
    for odd in ("", "x" * 1_000_000, "fe80::1%eth0", "unix:"):
        wrong.add(odd)

    assert len(wrong) == 100
