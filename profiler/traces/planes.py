"""Lines of XPlanes by the native scanner or its Python reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindinsight_like.native import implementation, is_native
from mindinsight_like.profiler.traces.reference.planes import Line, text_of

NATIVE: bool
if TYPE_CHECKING:
    from mindinsight_like.profiler.traces.reference.planes import scan_line
else:
    _module = implementation(
        "mindinsight_like.profiler.traces._planes", "mindinsight_like.profiler.traces.reference.planes"
    )
    scan_line = _module.scan_line
    NATIVE = is_native(_module)

__all__ = ["NATIVE", "Line", "scan_line", "text_of"]
