"""`make docs`: every link and anchor of the documentation leads somewhere, in both languages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


def build(source: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(source / "mkdocs.yml")]
    environ = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([*command, "--site-dir", str(site)], env=environ, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    result = build(ROOT, folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_all_pages_are_built_in_both_languages(site: Path) -> None:
    english = {page.stem for page in (ROOT / "docs").glob("*.md")}
    chinese = {page.stem for page in (ROOT / "docs" / "zh").glob("*.md")}

    assert chinese <= english
    assert english <= {page.stem for page in site.glob("*.html")}
    assert english <= {page.stem for page in (site / "zh").glob("*.html")}
    assert 'lang="zh"' in (site / "zh" / "install.html").read_text()


def test_both_languages_can_be_searched(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    locations = {entry["location"].partition("#")[0] for entry in entries}

    assert {"lineage.html", "zh/index.html"} <= locations


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    text = (site / "index.html").read_text()

    assert 'src="http' not in text
    assert 'rel="stylesheet" href="http' not in text


@pytest.mark.parametrize("link", ["[x](nowhere.md)", "[x](install.md#no-such-heading)", "![x](images/none.png)"])
def test_a_broken_link_fails_the_build(tmp_path: Path, link: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("install.md", "hooks.py"):
        shutil.copy(ROOT / "docs" / name, docs)
    (docs / "command-line.md").write_text("# Commands\n\n## Tokens\n")
    (docs / "index.md").write_text(f"# Home\n\n{link}\n")
    config = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(config)

    result = build(tmp_path, tmp_path / "site")

    assert result.returncode == 1
    assert link.partition("(")[2].strip(")").partition("#")[0] in result.stdout + result.stderr


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.name)
def test_links_outside_the_site_lead_to_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    targets = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text)}
    local = {target for target in targets if target and "://" not in target}

    assert {target for target in local if not (ROOT / target).exists()} == set()
