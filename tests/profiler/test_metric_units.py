"""Metrics of collectors have units, whatever rank they are of."""

from __future__ import annotations

import os
import time

import pytest

from mindinsight_like.profiler.collector.device_metrics import _SMI_VALUES, _questions
from mindinsight_like.profiler.collector.metrics import Metrics
from mindinsight_like.profiler.jobs.metric_units import unit_of


@pytest.mark.parametrize("rank", [None, 12])
def test_every_metric_of_this_machine_has_a_unit_unless_it_is_a_number_of_things(rank: int | None) -> None:
    metrics = Metrics(os.getpid(), rank=rank)
    time.sleep(0.01)  # rates are those since the sample before

    names = metrics.sample()["values"]

    assert [name for name in names if not unit_of(f"system/{name}")] == [
        name for name in names if name.endswith("process/threads")
    ]


def test_every_metric_of_devices_has_a_unit() -> None:
    names = {*_SMI_VALUES.values(), *(name for name, _ in _questions(None, None))}

    assert all(unit_of(f"system/{device}/{name}") for name in names for device in ("gpu0", "rank3/npu12"))


@pytest.mark.parametrize(
    ("tag", "unit"),
    [
        ("system/cpu/core17", "%"),
        ("system/rank0/process/memory", "B"),
        ("system/network/sent", "B/s"),
        ("system/gpu1/temperature", "°C"),
        ("system/my_cpu/percentile", ""),
        ("system/cpu", ""),
    ],
)
def test_units_are_told_by_the_end_of_the_tag(tag: str, unit: str) -> None:
    assert unit_of(tag) == unit
