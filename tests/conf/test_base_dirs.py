"""How --summary-base-dir names one or several directories."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindinsight_like.conf.parsers import Project
from mindinsight_like.conf.settings import Settings, SettingsError, load


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("runs", "vision", "a=b", "x,y", "x,y=z"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def loaded(*given: str) -> tuple[Path, str, tuple[Project, ...]]:
    settings = load({"summary_base_dir": list(given)}, {})
    assert Settings.from_environment(settings.environment()) == settings
    return settings.summary_base_dir, settings.project, settings.projects


@pytest.mark.parametrize("name", ["runs", "a=b", "x,y", "x,y=z", "new", "new=", "=new"])
def test_one_directory_is_what_it_always_was(base: Path, name: str) -> None:
    assert loaded(name) == (base / name, "", ())
    assert load({}, {"MINDINSIGHT_SUMMARY_BASE_DIR": name}).summary_base_dir == base / name


def test_several_are_repeated_or_separated_by_commas(base: Path) -> None:
    expected = (base / "runs", "", (Project("v", base / "vision"),))

    assert loaded("runs", "v=vision") == expected
    assert loaded("runs,v=vision") == expected
    assert load({}, {"MINDINSIGHT_SUMMARY_BASE_DIR": "runs, v=vision"}).projects == expected[2]
    assert loaded("runs", "vision") == (base / "runs", "", (Project("vision", base / "vision"),))
    assert loaded("first=runs") == (base / "runs", "first", ())
    assert loaded("runs", "one=x,y", "two=a=b")[2] == (Project("one", base / "x,y"), Project("two", base / "a=b"))


def test_a_config_lists_them(base: Path) -> None:
    (base / "board.py").write_text("SUMMARY_BASE_DIR = ['runs', 'v=vision']\n")

    settings = load({"config": f"file:{base / 'board.py'}"}, {})

    assert (settings.summary_base_dir, settings.projects) == (base / "runs", (Project("v", base / "vision"),))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["runs", "a=vision", "a=x,y"], "one name for two directories"),
        (["runs", "runs=vision"], "one name for two directories"),
        (["runs", "v=runs"], "lies inside"),
        (["runs", "v=runs/below"], "lies inside"),
        (["runs", "v="], "needs a name"),
    ],
)
def test_directories_that_are_in_each_others_way_are_refused(base: Path, given: list[str], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        load({"summary_base_dir": given}, {})


def test_people_see_all_of_them(base: Path) -> None:
    settings = load({"summary_base_dir": ["first=runs", "v=vision"]}, {})

    assert settings.served == f"first={base / 'runs'}, v={base / 'vision'}"
    assert settings.first_project == "first"
