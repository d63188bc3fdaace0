"""Folder names of XLA recordings."""

from __future__ import annotations

import time


def folder_name(recording: str, place: str) -> str:
    """The time as TensorBoard shows it, then that in the recording's name, then the rank if there are several."""
    nanoseconds = recording.rpartition(".")[2]
    return "_".join(filter(None, (time.strftime("%Y_%m_%d_%H_%M_%S"), nanoseconds, place)))
