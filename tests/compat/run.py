"""`make compat`: try the writers beside the originals, each in an environment of its own; README.md tells more.

Writes what was tried to docs/tested-versions.md. The exit code is 1 when something failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCUMENT = ROOT / "docs" / "tested-versions.md"
EXAMPLES = {"recording.md": "example.py", "profile-your-training.md": "profiled.py"}  # with what runs and checks them
TIMEOUT_SECONDS = 900
LEFT_OUT = shutil.ignore_patterns(
    ".*", "node_modules", "build", "*-data", "__pycache__", "*.so", "_*.c", "*.egg-info", "runs-demo*", "tests"
)
# An example may say in which environment it is tried: <!-- try in torch -->, in the line before it.
EXAMPLE = re.compile(r"<!-- try in (\w+) -->\n```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Environment:
    """Libraries that are installed together, and what is tried there."""

    name: str
    libraries: tuple[str, ...]  # each imported before and after ours
    checks: tuple[str, ...] = ()  # folders here with scripts check_*.py
    noted: tuple[str, ...] = ()  # distributions whose versions are listed
    examples: tuple[str, ...] = ()  # modules of examples/, each of which must keep the promises of its docstring
    variables: dict[str, str] = field(default_factory=dict)


ENVIRONMENTS = (
    Environment(
        "torch",
        ("torch", "tensorboard", "tensorboardX", "lightning", "transformers", "keras"),
        ("tensorboard", "lightning", "huggingface", "keras", "profiler"),
        ("torch", "tensorboard", "tensorboardX", "lightning", "transformers", "keras", "onnx"),
        (
            "plain_python",
            "two_machines",
            "train_pytorch",
            "train_lightning",
            "train_huggingface",
            "tensorboardx_calls",
            "visualdl_pytorch",
        ),
    ),
    Environment(
        "visualdl",
        ("visualdl", "paddle"),
        ("visualdl", "profiler"),
        ("visualdl", "paddlepaddle"),
        ("train_paddle", "visualdl_guide", "visualdl_mnist"),
    ),
    Environment(
        "mindspore",
        ("mindspore",),
        ("mindspore", "profiler"),
        ("mindspore",),
        ("train_mindspore", "mindinsight_r03"),
    ),
    Environment("mindinsight", ("mindinsight",), ("mindinsight",), ("mindinsight",)),
    Environment(
        "tensorflow",
        ("tensorflow", "jax", "keras"),
        ("keras", "profiler"),
        ("tensorflow-cpu", "keras", "jax", "tensorboard"),
        ("train_keras", "train_jax"),
        {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "2"},
    ),
)


@dataclass(frozen=True)
class Result:
    """What came of one trial; `said` are the last lines that it printed."""

    what: str
    passed: bool
    said: str
    seconds: float


def main() -> int:
    arguments = _parser().parse_args()
    folder = arguments.data.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build(folder)
    for old in folder.glob("failed-*.txt"):
        old.unlink()
    notes = folder / "results.json"
    known = json.loads(notes.read_text()) if notes.exists() else {}
    is_fine = True
    for environment in ENVIRONMENTS:
        if environment.name not in arguments.only:
            continue
        known[environment.name] = tried = try_out(environment, folder, wheel)
        notes.write_text(json.dumps(known, indent=1))
        is_fine = is_fine and all(result["passed"] for result in tried["results"])
    write(known)
    return 0 if is_fine else 1


def build(folder: Path) -> Path:
    """The wheel of the package as it is now, made from a copy, so that nothing is left in the sources."""
    with_sources = folder / "sources"
    shutil.rmtree(with_sources, ignore_errors=True)
    shutil.copytree(ROOT, with_sources, ignore=LEFT_OUT, symlinks=True)
    target = folder / "wheel"
    shutil.rmtree(target, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(target), str(with_sources)], check=True)
    (wheel,) = target.glob("*.whl")
    return wheel


def try_out(environment: Environment, folder: Path, wheel: Path) -> dict[str, Any]:
    """Versions and results of everything that is tried in an environment."""
    python = install(environment, folder, wheel)
    variables = {**os.environ, **environment.variables, "MINDINSIGHT_WORKSPACE": str(folder / "workspace")}
    results = []

    def trial(what: str, *command: str) -> None:
        results.append(run(what, [str(python), *command], variables, folder))
        print(f"{environment.name}: {what}: {'passed' if results[-1].passed else 'FAILED'}: {results[-1].said}")
        sys.stdout.flush()

    for library in environment.libraries:
        for order in ("first", "second"):
            trial(f"`{library}` imported {order}", str(HERE / "together.py"), order, library)
    for name in environment.checks:
        for script in sorted((HERE / name).glob("check_*.py")):
            trial(f"`{name}/{script.name}`", str(script))
    for title, checker, code in examples(environment.name):
        program = folder / "example.py"
        program.write_text(code)
        trial(f"example for {title}", str(HERE / checker), str(program))
    for name in environment.examples:
        trial(f"`examples/{name}.py`", str(HERE.parent / "examples" / "promises.py"), str(ROOT / f"examples/{name}.py"))
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True
    )
    installed = {each["name"].lower().replace("_", "-"): each["version"] for each in json.loads(listed.stdout)}
    noted = {name: installed[name.lower()] for name in (*environment.noted, "protobuf", "numpy", "pillow")}
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "python": platform.python_version(),
        "versions": noted,
        "results": [vars(result) for result in results],
    }


def install(environment: Environment, folder: Path, wheel: Path) -> Path:
    """The Python of an environment that has what its requirements say, and our package as it is now."""
    home = folder / environment.name
    python = home / "bin" / "python"
    requirements = HERE / "requirements" / f"{environment.name}.txt"
    stamp = home / "requirements.txt"  # a copy, made when they were installed
    pip = [str(python), "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        print(f"{environment.name}: installing", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([*pip, "--requirement", str(requirements), str(wheel)], check=True)
        stamp.write_text(requirements.read_text())
    subprocess.run([*pip, "--force-reinstall", "--no-deps", str(wheel)], check=True)
    # What the package needs may have changed since the environment was made.
    subprocess.run([*pip, "--requirement", str(requirements), str(wheel)], check=True)
    return python


def run(what: str, command: list[str], variables: dict[str, str], folder: Path) -> Result:
    """Run one trial in an empty folder; the output of a failure is kept."""
    scratch = folder / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=scratch, env=variables, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
        )
        passed, output, errors = done.returncode == 0, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        passed, output, errors = False, f"took more than {TIMEOUT_SECONDS} s", ""
    took = time.perf_counter() - began
    if not passed:
        name = re.sub(r"\W+", "-", what).strip("-")
        (folder / f"failed-{name}.txt").write_text(f"{output}\n{errors}")
    lines = (output if passed else output + errors).strip().splitlines()
    return Result(what, passed, "; ".join(" ".join(line.split()) for line in lines[-2:]), round(took, 1))


def examples(name: str) -> Iterator[tuple[str, str, str]]:
    """The examples of the documentation that are tried in an environment: their titles, who runs them, and they."""
    for document, checker in EXAMPLES.items():
        for section in (ROOT / "docs" / document).read_text().split("\n## ")[1:]:
            for environment, code in EXAMPLE.findall(section):
                if environment == name:
                    yield section.partition("\n")[0], checker, code


def write(known: dict[str, dict[str, Any]]) -> None:
    """Put the tables into the document, between its two marks."""
    begin, end = "<!-- results: written by make compat -->", "<!-- end of results -->"
    text = DOCUMENT.read_text()
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    parts = [table(each.name, known[each.name]) for each in ENVIRONMENTS if each.name in known]
    DOCUMENT.write_text("\n".join([head + begin, *parts, end + tail]))


def table(name: str, content: dict[str, Any]) -> str:
    """What was tried in one environment."""
    listed = ", ".join(f"{each} {version}" for each, version in content["versions"].items())
    rows = [
        f"| {one['what']} | {'passed' if one['passed'] else '**failed**'} | {_cell(one['said'])} | {one['seconds']} |"
        for one in content["results"]
    ]
    versions = textwrap.fill(f"Python {content['python']}, {listed}.", 120, break_on_hyphens=False)
    title = f"### {name}, {content['date']}\n\n{versions}\n"
    return "\n".join([f"\n{title}", "| tried | result | it said | s |", "| --- | --- | --- | --- |", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")[:200]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python tests/compat/run.py", description=__doc__)
    names = [environment.name for environment in ENVIRONMENTS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="which environments (all)")
    parser.add_argument("--data", type=Path, default=ROOT / "compat-data", help="folder for them (compat-data)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
