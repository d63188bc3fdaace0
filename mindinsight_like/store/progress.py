"""Loading progress of a base dir: written by the loader, shown to users."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Progress:
    runs_done: int = 0
    runs_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Progress:
        return cls(**json.loads(text))
