"""Boards: user data follows a folder to another path, without a word in the folder itself."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import NotFound
from mindinsight_like.loader.once import load_index
from mindinsight_like.loader.user_data import UserDataKeeper
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.boards import Boards
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.writers.encoding import tensorboard

from .test_annotations_migration import write_old_file

Locate = Callable[[Path], IndexLocation]


@pytest.fixture
def locate(tmp_path: Path, store_url: str) -> Iterator[Locate]:
    """Where index and user data of a base dir are, in one workspace."""
    made: list[IndexLocation] = []

    def location(base_dir: Path) -> IndexLocation:
        made.append(IndexLocation.of(base_dir, tmp_path / "workspace", store_url))
        return made[-1]

    open_database(location(tmp_path).user_data).erase()
    yield location
    open_database(made[0].user_data).erase()
    for each in made:
        open_database(each.database).erase()


def write_runs(base_dir: Path, *names: str, start: float = 1_760_000_000.0) -> None:
    for number, name in enumerate(names):
        folder = base_dir / name
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / tensorboard.file_name(start, host="host")).open("wb") as log:
            log.write(tensorboard.frame(tensorboard.opening(start + number)))
            scalar = tensorboard.scalar("loss", float(number))
            log.write(tensorboard.frame(tensorboard.event([scalar], step=1, wall_time=start + number)))


def look(location: IndexLocation, *, board_id: str = "", times: int = 1) -> Boards:
    """The loader loads the folder and looks after its user data."""
    load_index(location)
    settings = Settings(
        summary_base_dir=location.base_dir,
        workspace=location.workspace,
        store_url=location.store_url,
        board_id=board_id,
    )
    keeper = UserDataKeeper(settings, threading.Event())
    for _ in range(times):
        keeper.look()
    return Boards(location, board_id)


@pytest.fixture
def moved(tmp_path: Path, locate: Locate) -> tuple[IndexLocation, IndexLocation]:
    """A folder with notes before and after it was moved."""
    base_dir = tmp_path / "old"
    write_runs(base_dir, "a", "b", "c/d")
    before = locate(base_dir)
    annotations = Annotations(before)
    annotations.annotate(run_id("a"), note="keep", labels=["best"])
    annotations.save_view("losses", "/scalars")
    look(before)
    base_dir.rename(tmp_path / "new")
    return before, locate(tmp_path / "new")


def test_a_moved_folder_is_offered_its_data_and_takes_it_by_one_call(
    moved: tuple[IndexLocation, IndexLocation],
) -> None:
    before, after = moved
    files = sorted(after.base_dir.rglob("*"))
    boards = look(after)

    offer = boards.offer()
    assert offer is not None
    assert (offer.board.id, offer.board.base_dirs) == (before.origin, (str(before.base_dir),))
    assert (offer.same_runs, offer.runs, offer.is_checked) == (3, 3, True)
    assert (offer.board.notes, offer.board.labelled, offer.board.views) == (1, 1, 1)
    annotations = Annotations(after)
    assert (annotations.of_runs(), annotations.version()) == ({}, 0)

    boards.use(offer.board.id)
    assert annotations.of_runs()[run_id("a")].note == "keep"
    assert [view.name for view in annotations.views()] == ["losses"]
    assert annotations.version() > 0
    assert boards.offer() is None
    assert look(after).offer() is None
    assert sorted(after.base_dir.rglob("*")) == files  # nothing is written into the base dir


def test_another_folder_in_the_old_place_begins_anew(moved: tuple[IndexLocation, IndexLocation]) -> None:
    before, after = moved
    look(after).use(before.origin)
    write_runs(before.base_dir, "a", "b", start=1_770_000_000.0)
    assert look(before).offer() is None
    assert Annotations(before).of_runs() == {}
    Annotations(before).annotate(run_id("a"), note="another a")
    assert Annotations(after).of_runs()[run_id("a")].note == "keep"


def test_declining_is_remembered(moved: tuple[IndexLocation, IndexLocation]) -> None:
    before, after = moved
    boards = look(after)
    boards.decline(before.origin)
    boards.decline(before.origin)
    assert boards.offer() is None
    assert look(after).offer() is None
    assert Annotations(after).of_runs() == {}
    assert [board.id for board in boards.all()] == [before.origin]  # nothing is lost, `app board --use` finds it


def test_what_was_noted_before_the_offer_was_seen_is_added(moved: tuple[IndexLocation, IndexLocation]) -> None:
    before, after = moved
    own = Annotations(after)
    own.annotate(run_id("a"), note="new", labels=["fast"])
    own.annotate(run_id("b"), note="only here")
    own.save_view("images", "/images")
    boards = look(after)
    offer = boards.offer()
    assert offer is not None
    boards.use(offer.board.id)
    found = own.of_runs()
    assert (found[run_id("a")].note, found[run_id("a")].labels) == ("keep\n\nnew", ("best", "fast"))
    assert found[run_id("b")].note == "only here"
    assert {view.name for view in own.views()} == {"losses", "images"}
    assert [board.id for board in boards.all()] == [before.origin]


def test_logs_that_only_have_the_same_names_are_not_offered(tmp_path: Path, locate: Locate) -> None:
    write_runs(tmp_path / "one", "run1", "run2")
    write_runs(tmp_path / "two", "run1", "run2", start=1_770_000_000.0)
    Annotations(locate(tmp_path / "one")).annotate(run_id("run1"), note="x")
    look(locate(tmp_path / "one"))
    assert look(locate(tmp_path / "two")).offer() is None


def test_a_folder_that_grew_and_lost_runs_is_still_known(tmp_path: Path, locate: Locate) -> None:
    write_runs(tmp_path / "old", "a", "b", "c", "d")
    Annotations(locate(tmp_path / "old")).annotate(run_id("a"), note="x")
    look(locate(tmp_path / "old"))
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    shutil.rmtree(tmp_path / "new" / "d")
    with next((tmp_path / "new" / "a").iterdir()).open("ab") as log:
        log.write(tensorboard.frame(tensorboard.event([tensorboard.scalar("loss", 1.0)], step=2, wall_time=1.0)))
    write_runs(tmp_path / "new", "e", "f", start=1_770_000_000.0)
    offer = look(locate(tmp_path / "new")).offer()
    assert offer is not None
    assert (offer.same_runs, offer.runs) == (3, 5)


def test_copies_that_both_have_data_are_left_in_peace(tmp_path: Path, locate: Locate) -> None:
    write_runs(tmp_path / "one", "a", "b")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    for name in ("one", "two"):
        Annotations(locate(tmp_path / name)).annotate(run_id("a"), note=name)
        look(locate(tmp_path / name))
    assert look(locate(tmp_path / "one"), times=2).offer() is None
    assert look(locate(tmp_path / "two"), times=2).offer() is None


def test_old_data_of_a_folder_that_moved_before_the_update_is_offered_by_names(tmp_path: Path, locate: Locate) -> None:
    location = locate(tmp_path / "new")
    if location.store_url:
        pytest.skip("files of SQLite")
    write_old_file(locate(tmp_path / "gone"))
    write_runs(tmp_path / "new", "lenet/first", "lenet/second", "resnet", "more")
    offer = look(location).offer()
    assert offer is not None
    assert (offer.board.base_dirs, offer.same_runs, offer.runs, offer.is_checked) == ((), 3, 4, False)


def test_a_named_board_is_the_same_at_every_path(tmp_path: Path, locate: Locate) -> None:
    write_runs(tmp_path / "one", "a")
    write_runs(tmp_path / "two", "a", start=1_770_000_000.0)
    one, two = locate(tmp_path / "one"), locate(tmp_path / "two")
    assert Boards(one, "team").claim() == ""
    Annotations(one, "team").annotate(run_id("a"), note="shared")
    assert Boards(two, "team").claim() == ""
    assert Annotations(two, "team").of_runs()[run_id("a")].note == "shared"
    assert Annotations(two).of_runs()[run_id("a")].note == "shared"  # the folder belongs to it from now on
    assert look(two, board_id="team").offer() is None


def test_naming_a_board_takes_the_folders_notes_along(tmp_path: Path, locate: Locate) -> None:
    write_runs(tmp_path / "one", "a")
    one = locate(tmp_path / "one")
    Annotations(one).annotate(run_id("a"), note="mine")
    assert Boards(one, "team").claim() == ""
    assert Annotations(one, "team").of_runs()[run_id("a")].note == "mine"
    assert [board.id for board in Boards(one).all()] == ["team"]

    # A board that has data of its own is not mixed with the folder's without being asked for.
    write_runs(tmp_path / "two", "b")
    two = locate(tmp_path / "two")
    Annotations(two).annotate(run_id("b"), note="of two")
    assert Boards(two, "team").claim() == two.origin
    assert set(Annotations(two, "team").of_runs()) == {run_id("a")}
    assert set(Annotations(one).of_runs()) == {run_id("a")}


def test_a_board_that_is_not_there_cannot_be_used(tmp_path: Path, locate: Locate) -> None:
    location = locate(tmp_path / "one")
    Annotations(location).annotate("a", note="x")
    for board in ("unknown", "\0"):
        with pytest.raises(NotFound):
            Boards(location).use(board)
