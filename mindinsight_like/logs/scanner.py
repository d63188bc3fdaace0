"""The scanner: native, or the Python reference."""

from typing import TYPE_CHECKING

from mindinsight_like.native import implementation, is_native

NATIVE: bool
if TYPE_CHECKING:
    from mindinsight_like.logs.reference.scan import Scanner
else:
    _module = implementation("mindinsight_like.logs._scan", "mindinsight_like.logs.reference.scan")
    Scanner = _module.Scanner
    NATIVE = is_native(_module)

__all__ = ["NATIVE", "Scanner"]
