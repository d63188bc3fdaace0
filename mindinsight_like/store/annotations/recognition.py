"""Recognise a folder that was moved: same run names, and logs that begin with the same bytes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mindinsight_like.logs.paths import open_log
from mindinsight_like.store.annotations.boards import Board, Boards, Offer
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.database.database import Connection
from mindinsight_like.store.database.location import IndexLocation, run_id

_HEAD_BYTES = 4096
_FEWEST_SHARED = 0.5  # of the runs of the board or of the folder, whichever has fewer
_MOST_COMPARED = 100  # runs whose logs are opened to compare them
_AT_ONCE = 1000  # runs whose heads are noted in one transaction


class RunHead(NamedTuple):
    """How the first log of a run begins; appending to a log does not change it."""

    run: str
    file: str
    length: int  # 0: nothing to compare
    digest: str


class RunHeads:
    """Reads the heads of runs that the index knows."""

    def __init__(self, location: IndexLocation) -> None:
        self._connection = IndexConnection(location)
        self._dirs = location.dirs

    def changed(self, since: int) -> tuple[int, list[str]]:
        """The index's version, and the runs that changed after another one."""
        rows = self._connection.query("SELECT value FROM meta WHERE key = 'version'")
        runs = self._connection.query("SELECT id FROM runs WHERE version > ? AND parent IS NULL", (since,))
        return (int(rows[0][0]) if rows else 0), [run for (run,) in runs]

    def is_loading(self) -> bool:
        rows = self._connection.query("SELECT value FROM meta WHERE key = 'loading'")
        return not rows or bool(rows[0][0])

    def of(self, runs: Sequence[str]) -> list[RunHead]:
        """The heads of some runs."""
        first: dict[str, tuple[float, str]] = {}
        for run, name, created_at in self._connection.query_many(
            "SELECT run, name, COALESCE(created_at, mtime_ns / 1e9) FROM files WHERE run IN ({})", runs
        ):
            first[run] = min(first.get(run, (created_at, name)), (created_at, name))
        return [RunHead(run, name, *self._head(name, _HEAD_BYTES)) for run, (_, name) in first.items()]

    def is_same(self, head: RunHead) -> bool:
        """Whether the log of a head is here, too."""
        return self._head(head.file, head.length) == (head.length, head.digest)

    def _head(self, file: str, length: int) -> tuple[int, str]:
        try:
            handle = open_log(self._dirs.path_of(file))
        except OSError:
            return 0, ""
        try:
            # A name from the other folder must not lead out of this one.
            content = os.pread(handle, length, 0) if self._dirs.holds(file, handle) else b""
        except OSError:
            return 0, ""
        finally:
            os.close(handle)
        return (len(content), hashlib.blake2b(content, digest_size=16).hexdigest()) if content else (0, "")


def note_heads(boards: Boards, board: str, heads: RunHeads, runs: Iterable[str]) -> None:
    """Remember how the logs of runs of a board begin; a run is looked at once."""
    connection = boards.database.reading()
    if connection is None:
        return
    noted_runs = {
        run for (run,) in connection.execute("SELECT run FROM board_runs WHERE board = ? AND length > 0", (board,))
    }
    new_runs = [run for run in runs if run not in noted_runs]
    for start in range(0, len(new_runs), _AT_ONCE):
        batch = [head for head in heads.of(new_runs[start : start + _AT_ONCE]) if head.length]
        if not batch:
            continue
        with boards.database.writing() as writer:
            writer.execute_many(
                "INSERT INTO board_runs (board, run, file, length, digest) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (board, run) DO UPDATE SET file = excluded.file, length = excluded.length,"
                " digest = excluded.digest",
                [(board, *head) for head in batch],
            )


def offers(boards: Boards, heads: RunHeads) -> list[Offer]:
    """The boards whose runs are in this folder, the one with the most of them first."""
    here = set(heads.changed(0)[1])
    connection = boards.database.reading()
    if not here or connection is None:
        return []
    candidates = [_offer(connection, board, heads, here) for board in boards.candidates()]
    return sorted((offer for offer in candidates if offer is not None), key=lambda offer: -offer.same_runs)


def _offer(connection: Connection, board: Board, heads: RunHeads, here: set[str]) -> Offer | None:
    rows = connection.execute("SELECT run, file, length, digest FROM board_runs WHERE board = ?", (board.id,))
    board_heads = {row[0]: RunHead(*row) for row in rows}
    if not board_heads:  # of a release that did not note heads: the names of its runs have to do
        runs = connection.execute("SELECT run FROM runs WHERE board = ?", (board.id,))
        board_heads = {run: RunHead(run, "", 0, "") for (run,) in runs if run != run_id(".")}
    shared = [run for run in board_heads if run in here]
    if not shared or len(shared) < _FEWEST_SHARED * min(len(board_heads), len(here)):
        return None
    compared = [board_heads[run] for run in shared if board_heads[run].length][:: max(1, len(shared) // _MOST_COMPARED)]
    same = sum(map(heads.is_same, compared))
    if same < _FEWEST_SHARED * len(compared):
        return None
    share = same / len(compared) if compared else 1.0
    return Offer(board, round(share * len(shared)), len(here), bool(compared))
