"""Names, colours, owners, archived and hidden runs: kept, undone, merged, backed up and upgraded."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.errors import BadParameter, Conflict, NotFound
from mindinsight_like.store.annotations import Annotation, Annotations, LeftOut, RunSettings
from mindinsight_like.store.annotations.backups import read_all, read_file, replace_all, write_file
from mindinsight_like.store.annotations.boards import Boards
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id


@pytest.fixture
def annotations(location: IndexLocation) -> Iterator[Annotations]:
    open_database(location.user_data).erase()
    yield Annotations(location)
    open_database(location.user_data).erase()


def test_settings_are_kept_beside_notes_and_each_has_its_version(annotations: Annotations) -> None:
    noted = annotations.annotate("a", note="keep")
    saved = annotations.annotate("a", settings={"name": " the  best ", "colour": "#1F77B4", "owner": "Ada"})

    assert saved.settings[:3] == ("the best", "#1f77b4", "Ada")
    assert saved.note_version == noted.note_version
    assert saved.settings.version > saved.note_version
    assert annotations.of_runs() == {"a": saved}
    emptied = annotations.annotate(
        "a", settings={"name": "", "colour": "", "owner": ""}, settings_version=saved.settings.version
    )
    assert emptied.settings == RunSettings()
    assert annotations.of_runs(["a"])["a"].note == "keep"


def test_two_edits_of_one_setting_conflict_and_archiving_never_does(annotations: Annotations) -> None:
    annotations.annotate("a", settings={"name": "theirs"})

    with pytest.raises(Conflict) as refused:
        annotations.annotate("a", settings={"name": "mine", "is_archived": True})

    assert refused.value.details["conflicts"] == [
        {
            "field": "name",
            "yours": "mine",
            "current": "theirs",
            "version": annotations.of_runs()["a"].settings.version,
        }
    ]
    assert annotations.annotate("a", settings={"is_archived": True}).settings.is_archived
    assert annotations.annotate("a", settings={"name": "mine"}, settings_version=None).settings.name == "mine"


@pytest.mark.parametrize("values", [{"colour": "red"}, {"colour": "#12345"}, {"name": "x" * 201}, {"owner": "x" * 101}])
def test_what_is_no_setting_is_refused(annotations: Annotations, values: dict[str, str]) -> None:
    with pytest.raises(BadParameter):
        annotations.annotate("a", settings=values)
    with pytest.raises(BadParameter):
        annotations.annotate_all(["a", "b"], settings=values)
    assert annotations.of_runs() == {}


def test_many_runs_are_changed_at_once_and_that_is_undone_and_redone(annotations: Annotations) -> None:
    annotations.annotate("a", note="old", labels=["x"])
    runs = [f"run {number}" for number in range(2500)]

    changed = annotations.annotate_all(
        ["a", *runs], add_labels=["best"], settings={"is_archived": True, "owner": "Ada"}
    )

    assert changed.changed == 2501
    assert len(annotations.left_out().archived) == 2501
    assert annotations.of_runs(["a"])["a"].labels == ("x", "best")

    undone = annotations.undo(changed.undo)
    assert undone.changed == 2501
    assert annotations.of_runs().keys() == {"a"}
    assert annotations.of_runs()["a"][:2] == ("old", ("x",))
    with pytest.raises(NotFound):
        annotations.undo(changed.undo)

    assert annotations.undo(undone.undo).changed == 2501
    assert annotations.left_out().archived == frozenset(["a", *runs])


def test_undoing_leaves_what_was_changed_once_more(annotations: Annotations) -> None:
    changed = annotations.annotate_all(["a", "b"], settings={"owner": "Ada", "is_hidden": True})
    annotations.annotate("a", settings={"owner": "Grace"}, settings_version=None)

    assert annotations.undo(changed.undo).changed == 2

    assert annotations.of_runs() == {"a": annotations.of_runs()["a"]}
    assert annotations.of_runs()["a"].settings[:5] == ("", "", "Grace", False, False)


def test_a_change_that_changes_nothing_needs_no_undo_and_no_version(annotations: Annotations) -> None:
    annotations.annotate_all(["a"], settings={"is_archived": True})
    version = annotations.version()

    changed = annotations.annotate_all(["a"], settings={"is_archived": True})

    assert (changed.changed, changed.undo, annotations.version()) == (0, "", version)
    with pytest.raises(NotFound):
        annotations.undo("unknown\0token")


def test_another_board_cannot_undo_it(annotations: Annotations, location: IndexLocation) -> None:
    changed = annotations.annotate_all(["a"], settings={"is_archived": True})

    with pytest.raises(NotFound):
        Annotations(location, "other").undo(changed.undo)


def test_left_out_and_named_runs_are_found(annotations: Annotations) -> None:
    annotations.annotate_all(["a", "b"], settings={"is_archived": True})
    annotations.annotate_all(["b", "c"], settings={"is_hidden": True})
    annotations.annotate("a", settings={"name": "LeNet, Best"})

    assert annotations.left_out() == LeftOut(frozenset("ab"), frozenset("bc"))
    assert annotations.named(["best", "lenet"]) == ["a"]
    assert annotations.named(["best", "worst"]) == []
    assert annotations.named([]) == []


def test_settings_move_with_their_board(annotations: Annotations, location: IndexLocation) -> None:
    annotations.annotate("a", settings={"name": "mine", "is_archived": True})
    annotations.annotate("b", settings={"owner": "Ada"})
    Annotations(location, "team").annotate("a", settings={"name": "theirs", "colour": "#000000"})

    Boards(location).use("team")

    merged = annotations.of_runs()
    assert merged["a"].settings[:5] == ("theirs", "#000000", "", True, False)
    assert merged["b"].settings.owner == "Ada"
    assert Boards(location).current().arranged == 2


def test_settings_are_part_of_backups(annotations: Annotations, location: IndexLocation, tmp_path: Path) -> None:
    annotations.annotate("a", settings={"name": "mine", "is_hidden": True})
    connection = annotations.database.reading()
    assert connection is not None
    backup = read_all(connection)
    assert "1 arranged runs" in backup.summary
    write_file(backup, tmp_path / "backup.jsonl.gz")
    annotations.annotate_all(["a", "b"], settings={"is_hidden": False, "name": "lost"})

    with annotations.database.writing() as writer:
        replace_all(writer, read_file(tmp_path / "backup.jsonl.gz"), annotations.database.kind)

    assert {run: each.settings[:5] for run, each in annotations.of_runs().items()} == {
        "a": ("mine", "", "", False, True)
    }


def test_user_data_without_settings_is_upgraded(tmp_path: Path) -> None:
    """Version 2, made at commit a273bc9."""
    (tmp_path / "logs").mkdir()
    location = IndexLocation.of(tmp_path / "logs", tmp_path / "workspace")
    location.user_data.sqlite.parent.mkdir(parents=True)
    old_file = Path(__file__).parent / "data" / "userdata-2.sqlite.gz"
    location.user_data.sqlite.write_bytes(gzip.decompress(old_file.read_bytes()))
    annotations = Annotations(location, "team")

    before = annotations.of_runs()
    assert {run: each[:2] for run, each in before.items()} == {
        run_id("lenet/first"): ("学习率太高", ("best",)),
        run_id("resnet"): ("", ("checked",)),
    }
    annotations.annotate_all(list(before), settings={"is_archived": True})
    assert annotations.left_out().archived == before.keys()
    assert annotations.of_runs()[run_id("resnet")] != Annotation()
