"""The index reader and the annotations of this process, for routes."""

from __future__ import annotations

from mindinsight_like.http.app_state import current_state
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.boards import Boards
from mindinsight_like.store.reader import IndexReader


def current_reader() -> IndexReader:
    return current_state().source.get()


def current_annotations() -> Annotations:
    return current_state().source.annotations()


def current_boards() -> Boards:
    return current_state().source.boards()
