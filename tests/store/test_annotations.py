"""Notes, labels and saved views: kept over restarts and over a deleted index, on both databases."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from mindinsight_like.errors import BadParameter, NotFound
from mindinsight_like.store.annotations import Annotation, Annotations
from mindinsight_like.store.database import open_database
from mindinsight_like.store.location import IndexLocation


@pytest.fixture
def annotations(location: IndexLocation) -> Iterator[Annotations]:
    yield Annotations(location)
    open_database(location.annotations).erase()


def test_nothing_is_made_by_looking(annotations: Annotations, location: IndexLocation) -> None:
    assert (annotations.version(), annotations.of_runs(), annotations.views()) == (0, {}, [])
    assert not open_database(location.annotations).exists()


def test_notes_and_labels_are_kept_apart_from_the_index(annotations: Annotations, location: IndexLocation) -> None:
    annotations.annotate("a", note=" 学习率太高 ")
    annotations.annotate("a", labels=["best", "best", " ", "checked\0"])
    annotations.annotate("b", labels=["x"])
    annotations.annotate("b", labels=[])
    if location.folder.exists():
        shutil.rmtree(location.folder)
    again = Annotations(location)
    assert again.of_runs() == {"a": Annotation("学习率太高", ("best", "checked"))}
    assert again.of_runs(["b", "c"]) == {}
    assert again.version() == 4


def test_views_are_saved_changed_and_deleted(annotations: Annotations) -> None:
    first = annotations.save_view("losses", "/scalars?q=loss")
    annotations.save_view("images", "/images")
    changed = annotations.save_view("all losses", "/scalars?q=loss&s=0.5", first.id)
    assert changed.created_at == first.created_at
    assert [(view.name, view.address) for view in annotations.views()] == [
        ("all losses", "/scalars?q=loss&s=0.5"),
        ("images", "/images"),
    ]
    annotations.delete_view(first.id)
    assert [view.name for view in annotations.views()] == ["images"]
    with pytest.raises(NotFound):
        annotations.delete_view(first.id)
    with pytest.raises(NotFound):
        annotations.save_view("x", "/scalars", first.id)


@pytest.mark.parametrize("address", ["https://elsewhere", "//elsewhere", "/\\elsewhere", "scalars", ""])
def test_views_lead_nowhere_else(annotations: Annotations, address: str) -> None:
    with pytest.raises(BadParameter, match="below this service"):
        annotations.save_view("x", address)


def test_what_is_too_long_is_refused(annotations: Annotations) -> None:
    with pytest.raises(BadParameter, match="note"):
        annotations.annotate("a", note="x" * 20_001)
    with pytest.raises(BadParameter, match="labels"):
        annotations.annotate("a", labels=["x" * 101])
    with pytest.raises(BadParameter, match="name"):
        annotations.save_view(" ", "/scalars")
    assert annotations.of_runs() == {}
