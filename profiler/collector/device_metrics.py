"""Metrics of NVIDIA and Ascend devices; none where the machine has no such device."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

_SMI_SECONDS: Final = 5.0  # npu-smi is a program that takes a while: not more often than this
_SMI_PATIENCE: Final = 5.0
_SMI_VALUES: Final = {  # what npu-smi calls it: what we call it
    "aicore usage rate(%)": "percent",
    "hbm usage rate(%)": "memory_percent",
    "memory usage rate(%)": "memory_percent",
    "power dissipation(w)": "power",
    "npu real-time power(w)": "power",
    "temperature(c)": "temperature",
    "npu temperature (c)": "temperature",
}

Sampler = Callable[[], dict[str, float]]


def device_samplers() -> list[Sampler]:
    """One for each kind of device that the machine has."""
    return [sampler for sampler in (_nvidia(), _ascend()) if sampler is not None]


def _nvidia() -> Sampler | None:
    try:
        import pynvml

        pynvml.nvmlInit()
        handles = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]
    except Exception:  # neither the package nor the driver need be there
        return None

    def sample() -> dict[str, float]:
        values: dict[str, float] = {}
        for number, handle in enumerate(handles):
            for name, ask in _questions(pynvml, handle):
                with contextlib.suppress(Exception):  # not every device answers every question
                    values[f"gpu{number}/{name}"] = float(ask())
        return values

    return sample if handles else None


def _questions(nvml: Any, handle: Any) -> Iterator[tuple[str, Callable[[], float]]]:
    yield "percent", lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu
    yield "memory_used", lambda: nvml.nvmlDeviceGetMemoryInfo(handle).used
    yield "power", lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000
    yield "temperature", lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)
    yield "clock_mhz", lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)


def _ascend() -> Sampler | None:
    program = shutil.which("npu-smi")
    if program is None:
        return None
    devices = re.findall(r"NPU ID\s*:\s*(\d+)", _run_tool(program, "info", "-l"))
    sampled_at = -_SMI_SECONDS

    def sample() -> dict[str, float]:
        nonlocal sampled_at
        if time.monotonic() - sampled_at < _SMI_SECONDS:
            return {}
        sampled_at = time.monotonic()
        values: dict[str, float] = {}
        for device in devices:
            for topic in ("usages", "power", "temp"):
                output = _run_tool(program, "info", "-t", topic, "-i", device)
                values |= {f"npu{device}/{name}": value for name, value in _read(output)}
        return values

    return sample if devices else None


def _read(output: str) -> Iterator[tuple[str, float]]:
    """The values in lines such as `Aicore Usage Rate(%)   : 12`."""
    for what, number in re.findall(r"^\s*(\S[^:\n]*?)\s*:\s*(-?\d+(?:\.\d+)?)\s*$", output, re.MULTILINE):
        name = _SMI_VALUES.get(what.lower())
        if name is not None:
            yield name, float(number)


def _run_tool(program: str, *words: str) -> str:
    try:
        answer = subprocess.run(
            [program, *words], capture_output=True, text=True, errors="replace", timeout=_SMI_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout
