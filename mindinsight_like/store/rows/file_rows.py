"""Rows of log files: what is known of each file, so that the loader reads on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.store import run_states
from mindinsight_like.store.database.database import Connection, Row, marks
from mindinsight_like.store.database.location import run_id
from mindinsight_like.store.files import Pace, TrackedFile
from mindinsight_like.store.rows import tracker_rows

_FILE_COLUMNS = (
    "id, run, name, dialect, rank, created_at, size, mtime_ns, position, damaged, damages, mark, partial, display_name,"
    " inode, ctime_ns, checksum, verified, first_wall, last_wall, first_step, last_step, points, hidden"
)


def tracked_files(connection: Connection) -> dict[str, TrackedFile]:
    """Every log file the index knows, by name."""
    rows = connection.execute(
        "SELECT files.id, COALESCE(runs.name, tracker_logs.run), files.name, dialect, rank, files.created_at, size,"
        " mtime_ns, position, damaged, damages, mark, partial, files.display_name, inode, ctime_ns, checksum, verified,"
        " first_wall, last_wall, first_step, last_step, points,"
        f" {tracker_rows.COLUMNS}"
        " FROM files LEFT JOIN runs ON runs.id = files.run LEFT JOIN tracker_logs ON tracker_logs.file = files.id"
    )
    writer_states = run_states.stored(connection)
    return {row[2]: _tracked(row, writer_states.get(row[0])) for row in rows}


def store_files(connection: Connection, files: Sequence[TrackedFile]) -> None:
    """Insert the rows of some files, or bring them up to date."""
    connection.execute_many(
        f"INSERT INTO files ({_FILE_COLUMNS}) VALUES ({marks(_FILE_COLUMNS.split())})"
        " ON CONFLICT (id) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,"
        " position = excluded.position, damaged = excluded.damaged, damages = excluded.damages,"
        " mark = excluded.mark, partial = excluded.partial, display_name = excluded.display_name,"
        " inode = excluded.inode, ctime_ns = excluded.ctime_ns, checksum = excluded.checksum,"
        " verified = excluded.verified, first_wall = excluded.first_wall, last_wall = excluded.last_wall,"
        " first_step = excluded.first_step, last_step = excluded.last_step, points = excluded.points,"
        " hidden = excluded.hidden",
        [
            (
                file.id,
                run_id(file.run),
                file.name,
                int(file.dialect),
                file.rank,
                file.created_at,
                file.size,
                file.mtime_ns,
                file.position,
                int(file.damaged),
                file.damages,
                file.mark,
                int(file.is_partial),
                file.display_name,
                file.inode,
                file.ctime_ns,
                file.checksum,
                int(file.is_verified),
                *Pace.unpack(file.pace),
                int(file.is_hidden),
            )
            for file in files
        ],
    )
    tracker_rows.store_logs(connection, files)


def _tracked(row: Row, writer_state: WriterState | None) -> TrackedFile:
    file, run, name, dialect, rank, created_at, size, mtime_ns, position, damaged, damages, mark, *rest = row
    partial, title, inode, ctime_ns, checksum, verified, *rest = rest
    pace, (_, cursor, document_bytes, store, is_store) = rest[:5], rest[5:]
    return TrackedFile(
        name,
        run,
        Dialect(dialect),
        rank,
        created_at,
        size,
        mtime_ns,
        position,
        bool(damaged),
        damages,
        bytes(mark),
        file,
        bool(partial),
        title,
        inode,
        ctime_ns,
        checksum,
        bool(verified),
        Pace(*pace).pack(),
        writer_state,
        bytes(cursor or b""),
        document_bytes or 0,
        store or "",
        bool(is_store),
    )
