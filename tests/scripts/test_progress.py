"""What the person waiting for `app index` sees."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from mindinsight_like.scripts.progress import ProgressDisplay
from mindinsight_like.store.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(out: io.StringIO, times: list[float], steps: list[Progress]) -> str:
    clock: Iterator[float] = iter(times)
    display = ProgressDisplay(out, clock=lambda: next(clock))
    for step in steps:
        display(step)
    display.finish()
    return out.getvalue()


HALF = Progress(runs_done=1, runs_total=4, bytes_done=1_500_000, bytes_total=3_000_000)
ALL = Progress(runs_done=4, runs_total=4, bytes_done=3_000_000, bytes_total=3_000_000)


def test_a_terminal_gets_a_bar_that_is_wiped_at_the_end() -> None:
    text = shown(Terminal(), [0, 0.2, 0.21, 2], [HALF, ALL])

    assert text == (
        "\r\x1b[K[###############...............]  50%  1/4 folders  1.5/3.0 MB"
        "\r\x1b[KLoaded 4 folders, 3.0 MB in 2.0 s\n"
    )


def test_elsewhere_a_line_now_and_then() -> None:
    text = shown(io.StringIO(), [0, 1, 6, 7, 8], [HALF, HALF, ALL])

    assert text == " 50%  1/4 folders  1.5/3.0 MB\nLoaded 4 folders, 3.0 MB in 8.0 s\n"


@pytest.mark.parametrize("out", [Terminal(), io.StringIO()])
def test_nothing_to_load_is_said(out: io.StringIO) -> None:
    assert shown(out, [0, 1], []).endswith("Nothing new to load\n")
