"""Peak FLOP/s of known devices, from their data sheets.

TFLOP/s without sparsity, by the data type of the inputs, of what one device of a recording is (of cards with two
processors, half). What matrix units can do where they take the type as it is; so float32 is without TF32. The first
pattern that is found in the name of a device counts. What no data sheet says is left out.
"""

from __future__ import annotations

import re
from typing import Final

_Peaks = dict[str, float]


def _peaks(half: float, **more: float) -> _Peaks:
    """For devices that are as fast in bfloat16 as in float16."""
    return {"float16": half, "bfloat16": half, **more}


_H100_SXM: Final = _peaks(989.4, float8=1978.9, float32=66.9, float64=66.9)
_H100_NVL: Final = _peaks(835.5, float8=1671.0, float32=60.0, float64=60.0)
_MI300X: Final = _peaks(1307.4, float8=2614.9, float32=163.4, float64=163.4)

_TABLE: Final[tuple[tuple[str, _Peaks], ...]] = (
    (r"\bV100S-PCIE", {"float16": 130.0, "float32": 16.4, "float64": 8.2}),
    (r"\bV100-SXM2", {"float16": 125.0, "float32": 15.7, "float64": 7.8}),
    (r"\bV100-PCIE", {"float16": 112.0, "float32": 14.0, "float64": 7.0}),
    (r"\bT4$", {"float16": 65.0, "float32": 8.1}),
    (r"\bA10$", _peaks(125.0, float32=31.2)),
    (r"\bA30$", _peaks(165.0, float32=10.3, float64=10.3)),
    (r"\bA40$", _peaks(149.7, float32=37.4)),
    (r"\bA[18]00\b", _peaks(312.0, float32=19.5, float64=19.5)),
    (r"\bL4$", _peaks(121.0, float8=242.5, float32=30.3)),
    (r"\bL40S$", _peaks(362.0, float8=733.0, float32=91.6)),
    (r"\bRTX 3090$", _peaks(71.0, float32=35.6)),
    (r"\bRTX 4090$", _peaks(165.2, float32=82.6)),  # adding up in float32, as frameworks do
    (r"\bH20$", _peaks(148.0, float8=296.0, float32=44.0)),
    (r"\bH100 PCIe$", _peaks(756.0, float8=1513.0, float32=51.0, float64=51.0)),
    (r"\bH[12]00 NVL$", _H100_NVL),
    (r"\bH100 80GB HBM3$|\bH100 SXM", _H100_SXM),
    (r"\bH200$", _H100_SXM),
    (r"\bB200$", _peaks(2250.0, float8=4500.0)),
    (r"\bMI210$", _peaks(181.0, float32=45.3, float64=45.3)),
    (r"\bMI250X", _peaks(191.5, float32=47.85, float64=47.85)),
    (r"\bMI300X|\bMI325X", _MI300X),
    (r"\bAscend ?910A\b", {"float16": 256.0}),
    (r"\bAscend ?310P3\b", {"float16": 70.0}),
    (r"\bTPU v4$", {"bfloat16": 275.0}),
    (r"\bTPU v5 ?(?:e|lite)$", {"bfloat16": 197.0}),
    (r"\bTPU v5p?$", {"bfloat16": 459.0}),
    (r"\bTPU v6 ?(?:e|lite)$", {"bfloat16": 918.0}),
)


def peaks_of(device: str) -> _Peaks:
    """TFLOP/s by data type; empty for a device that is not in the table."""
    name = device.strip()
    return next((peaks for pattern, peaks in _TABLE if re.search(pattern, name, re.IGNORECASE)), {})
