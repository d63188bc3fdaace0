"""An index to write to and to ask, on both databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.writer import IndexWriter

from .making import GrowingLog, Point


class Index:
    """The writer of an index and a reader beside it."""

    def __init__(self, location: IndexLocation) -> None:
        self.location = location
        self.writer = IndexWriter(location)
        self.reader = self.new_reader()

    def new_reader(self) -> IndexReader:
        """A reader that knows nothing yet, as another process would have."""
        location = self.location
        return IndexReader.open(location.base_dir, location.folder.parent.parent, location.store_url)

    def reopen(self) -> None:
        """The loader ends and starts again."""
        self.writer.close()
        self.writer = IndexWriter(self.location)

    def grow(self, log: GrowingLog, points: Sequence[Point] = (), *, starts_over: bool = False) -> TrackedFile:
        """Store further points of a log file."""
        return self.commit(log, log.update(points, starts_over=starts_over))

    def commit(self, log: GrowingLog, update: FileUpdate) -> TrackedFile:
        (log.file,) = self.writer.commit([update])
        return log.file

    def id_of(self, name: str) -> str:
        """The id of the run with this name."""
        (found,) = [run.id for run in self.reader.runs.find()[1] if run.name == name]
        return found

    def points(self, run: str, tag: str) -> list[tuple[int, float]]:
        """Every point of the one curve that the run has under the tag."""
        (curve,) = self.reader.scalars([self.id_of(run)], [tag], max_points=None)
        return list(zip(curve.steps.tolist(), curve.values.tolist(), strict=True))


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Each store suite test runs once on every database."""
    if request.param == "sqlite":
        return ""
    url: str = request.getfixturevalue("postgresql_url")
    return url


@pytest.fixture
def location(tmp_path: Path, store_url: str) -> Iterator[IndexLocation]:
    base_dir = tmp_path / "logs"
    base_dir.mkdir()
    place = IndexLocation.of(base_dir, tmp_path / "workspace", store_url)
    yield place
    open_database(place.database).erase()


@pytest.fixture
def index(location: IndexLocation) -> Iterator[Index]:
    made = Index(location)
    yield made
    made.writer.close()
