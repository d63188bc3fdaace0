"""Configuration of a courier, the first message that it receives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CourierConfig:
    """For whom it collects, where that is to go, and what it may use."""

    server: str
    run: str
    spool: str
    token: str
    ca: str
    host: str
    process: int  # of the training; 0: there is none
    rank: int = 0
    ranks: int = 1
    output_path: str = ""
    training_spool: str = ""
    since: float = 0.0  # when the training began to collect, in seconds since 1970
    interval: float = 1.0
    limit: int = 0  # bytes of the spool; 0: as usual
