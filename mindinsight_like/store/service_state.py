"""State of the service as its index tells: loading, idle or rebuilding, and which kinds of data there are."""

from __future__ import annotations

from dataclasses import asdict, replace

from mindinsight_like.errors import Rebuilding
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.names import COUNTED_KINDS
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.result_types import Loading, ServiceState
from mindinsight_like.store.run_catalogue import RunCatalogue
from mindinsight_like.store.run_totals import RunTotals


def read_service_state(connection: IndexConnection) -> ServiceState:
    return replace(_read_or_rebuilding(connection), has_checksums=connection.database.has_checksums())


def _read_or_rebuilding(connection: IndexConnection) -> ServiceState:
    replacement = connection.location.rebuilding
    if replacement.folder.is_dir():
        return ServiceState(
            connection.database.kind, _rebuilding(IndexConnection(replacement)), _kinds_or_none(connection)
        )
    try:
        return _read(connection)
    except Rebuilding:  # asked for, but not begun yet
        return ServiceState(connection.database.kind, Loading("rebuilding"))


def _rebuilding(replacement: IndexConnection) -> Loading:
    """How far the index is that will replace this one."""
    try:
        rows = replacement.query("SELECT value FROM meta WHERE key = 'loading'")
    except Rebuilding:
        rows = []
    progress = asdict(Progress.from_text(rows[0][0])) if rows and rows[0][0] else {}
    return Loading("rebuilding", **progress)


def _read(connection: IndexConnection) -> ServiceState:
    rows = connection.query("SELECT value FROM meta WHERE key = 'loading'")
    if not rows:
        return ServiceState(connection.database.kind, Loading("loading"))
    totals = RunCatalogue(connection).totals()
    if rows[0][0]:
        loading = Loading("loading", **asdict(Progress.from_text(rows[0][0])))
    else:
        loading = Loading("idle", totals.runs, totals.runs, totals.bytes, totals.bytes)
    return ServiceState(connection.database.kind, loading, _kinds(totals))


def _kinds_or_none(connection: IndexConnection) -> list[str]:
    try:
        return _kinds(RunCatalogue(connection).totals())
    except Rebuilding:
        return []


def _kinds(totals: RunTotals) -> list[str]:
    return [name for name in COUNTED_KINDS.values() if name in totals.kinds]
