"""Which files of a run carry on one curve, and which were written beside each other."""

from __future__ import annotations

import pytest

from mindinsight_like.store.series.writer_streams import FileSeries, lanes

_MS = "events.out.events.summary"
_TF = "events.out.tfevents"


def _series(
    name: str,
    walls: tuple[float, float] = (0, 10),
    steps: tuple[int, int] = (0, 100),
    *,
    rank: int | None = None,
    folder: str = "",
    sub: str = "",
) -> FileSeries:
    return FileSeries(
        run="run",
        folder_source=folder,
        file=0,
        file_name=f"some/run/{name}",
        rank=rank,
        by_rank=_MS in name,
        kind=0,
        tag="loss",
        sub=sub,
        number=0,
        points=3,
        first_step=steps[0],
        last_step=steps[1],
        first_wall=walls[0],
        last_wall=walls[1],
        min=None,
        max=None,
        last_value=None,
        non_finite=0,
        superseded=0,
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param([_series(f"{_TF}.1.host.7.0")], {"": [1]}, id="one file"),
        pytest.param(
            [_series(f"{_TF}.2.host.9.0", (20, 30), (50, 150)), _series(f"{_TF}.1.host.7.0", (0, 10))],
            {"": [2, 1]},
            id="a resumed run in the order of time",
        ),
        pytest.param(
            [_series(f"{_TF}.1.host.7.0", (0, 10)), _series(f"{_TF}.2.host.9.0", (20, 30))],
            {"": [1, 2]},
            id="a run started over",
        ),
        pytest.param(
            [_series(f"{_TF}.1.host.7.0", (0, 10)), _series(f"{_TF}.1.host.7.1", (5, 15), (60, 90))],
            {"": [1, 2]},
            id="a second file of one process",
        ),
        pytest.param(
            [_series(f"{_TF}.1.host.7.0"), _series(f"{_TF}.1.host.8.0")],
            {"host.7": [1], "host.8": [2]},
            id="two processes on one host, as torch names them",
        ),
        pytest.param(
            [_series(f"{_TF}.1.alpha.7.0.v2"), _series(f"{_TF}.1.beta.7.0.v2")],
            {"alpha.7": [1], "beta.7": [2]},
            id="two hosts, as TensorFlow 2 names them",
        ),
        pytest.param(
            [_series(f"{_TF}.1.alpha"), _series(f"{_TF}.1.beta")],
            {"alpha": [1], "beta": [2]},
            id="two hosts, as tensorboardX names them",
        ),
        pytest.param(
            [_series(f"{_TF}.1.host.7.0", (0, 10)), _series(f"{_TF}.1.host.8.0", (1, 11), (50, 90))],
            {"": [1, 2]},
            id="files that begin at different steps follow each other",
        ),
        pytest.param(
            [_series(f"{_MS}.1.0.host_MS", rank=0), _series(f"{_MS}.1.1.host_MS", rank=1)],
            {"rank 0": [1], "rank 1": [2]},
            id="two ranks",
        ),
        pytest.param(
            [
                _series(f"{_MS}.1.1.host_MS", (0, 10), rank=1),
                _series(f"{_MS}.9.1.host_MS", (20, 30), rank=1),
                _series(f"{_MS}.1.0.host_MS", (1, 11), rank=0),
                _series(f"{_MS}.9.0.host_MS", (21, 31), rank=0),
            ],
            {"rank 0": [3, 4], "rank 1": [1, 2]},
            id="two ranks, resumed",
        ),
        pytest.param(
            [_series(f"{_MS}.1.0.host_MS", (0, 10), rank=0), _series(f"{_MS}.5.0.host_MS", (5, 15), rank=0)],
            {"": [1, 2]},
            id="one rank is one curve",
        ),
        pytest.param(
            [_series(f"{_MS}.1.host_MS", (0, 10)), _series(f"{_MS}.20.host_MS", (20, 30))],
            {"": [1, 2]},
            id="names without a rank",
        ),
        pytest.param(
            [_series("vdlrecords.1.log", sub="sin"), _series("vdlrecords.1.log", sub="cos")],
            {"cos": [2], "sin": [1]},
            id="add_scalars of VisualDL",
        ),
        pytest.param(
            [_series(f"{_TF}.1.host.7.0"), _series(f"{_TF}.1.host.7.1", folder="sin")],
            {"": [1], "sin": [2]},
            id="add_scalars of torch",
        ),
        pytest.param(
            [
                _series(f"{_TF}.1.host.7.1", folder="sin"),
                _series(f"{_TF}.1.host.8.1", folder="sin"),
                _series(f"{_TF}.1.host.7.2", folder="cos"),
            ],
            {"cos": [3], "sin · host.7": [1], "sin · host.8": [2]},
            id="add_scalars of two processes",
        ),
        pytest.param([], {}, id="nothing"),
    ],
)
def test_curves(found: list[FileSeries], expected: dict[str, list[int]]) -> None:
    numbered = [series._replace(file=number) for number, series in enumerate(found, 1)]

    curves = lanes(numbered)

    assert [lane.source for lane in curves] == list(expected)
    assert {lane.source: [series.file for series in lane.series] for lane in curves} == expected


def test_the_order_in_which_files_are_listed_does_not_matter() -> None:
    found = [
        _series(f"{_TF}.{start}.host.{process}.0", (start, start + 10)) for start in (1, 30) for process in (5, 6, 7)
    ]

    curves = lanes(found)

    assert lanes(found[::-1]) == curves
    assert [lane.source for lane in curves] == ["host.5", "host.6", "host.7"]
