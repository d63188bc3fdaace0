"""Read all logs of other trackers below a folder, as the loader lets them be read: `python -m … FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.trackers.reader import Log
from mindinsight_like.trackers.registry import reader_of
from mindinsight_like.trackers.source import LocalSource
from tests.trackers.reading import found_logs


def main(folder: Path) -> None:
    source = LocalSource(BaseDirs(str(folder.resolve())))
    points = 0
    for dialect, found in found_logs(folder):
        reader = reader_of(dialect)
        cursor, is_partial = b"", True
        while is_partial:
            members = reader.members(source, found.name)
            versions = {name: version for name in members if (version := source.version(name)) is not None}
            part = reader.read(Log(source, found.name, versions, cursor))
            points += sum(len(run.points.values) for run in part.runs if run.points is not None)
            cursor, is_partial = part.cursor, part.is_partial
        source.close()
    print(points)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
