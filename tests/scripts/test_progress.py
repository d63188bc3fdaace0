"""What the person waiting for `app index` or `app export` sees."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from mindinsight_like.export.exporting import Exported, ExportProgress
from mindinsight_like.scripts.progress import ExportDisplay, ProgressDisplay
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


def test_an_export_tells_of_tags_and_values() -> None:
    clock: Iterator[float] = iter([0, 0.2, 3])
    out = Terminal()
    display = ExportDisplay(out, clock=lambda: next(clock))

    display(ExportProgress(tags_done=1, tags_total=3, values_done=5_000, values_total=20_000))
    display.finish(Exported(runs=1, tags=3, files=1_200, errors=0), "out")

    assert out.getvalue() == (
        "\r\x1b[K[########......................]  25%  1/3 tags  5,000/20,000 values"
        "\r\x1b[KWrote 3 tags of 1 run to 1,200 files in out in 3.0 s\n"
    )


def test_a_bar_can_be_taken_away() -> None:
    out = Terminal()

    ProgressDisplay(out).wipe()

    assert out.getvalue() == "\r\x1b[K"
