"""Detect code, command line and environment of the running program, without help from the user."""

from __future__ import annotations

import os
import platform
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_MOST_DIFF = 200_000  # characters
_SECONDS = 10
_PLAIN_DIFF = ("--no-ext-diff", "--no-color")
# Values after such names are for nobody else's eyes; those of --tokenizer and --max-tokens are.
_SECRET = re.compile(
    r"token$|secret|passw|passphrase|(?:^|[-_.])(?:pass|pwd|auth)$|(?:api|access|private|auth|account)[-_]?key|credential",
    re.IGNORECASE,
)
# What is secret whatever it is called: keys of well-known services, and what follows the name of a scheme.
_KEY = re.compile(r"\b(?:hf_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA)[\w-]{16,}|(?<=\bBearer )\S+")
# What decides where and how training runs, and holds no secrets.
_VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "ASCEND_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "RANK_SIZE",
    "CONDA_DEFAULT_ENV",
    "SLURM_JOB_ID",
)


def code() -> dict[str, Any]:
    """The script, its command line and, in a git checkout, the commit with what differs from it."""
    script = Path(sys.argv[0]).absolute() if sys.argv and sys.argv[0] else None
    where = script.parent if script is not None and script.is_file() else Path.cwd()
    info: dict[str, Any] = {"command": command_line(sys.argv), "working_directory": os.fspath(Path.cwd())}
    if script is not None and script.is_file():
        info["script"] = os.fspath(script)
    commit = _git(where, "rev-parse", "HEAD")
    if not commit:  # as with an installed program that is started in the checkout it works on
        where, commit = Path.cwd(), _git(Path.cwd(), "rev-parse", "HEAD")
    if commit:
        changes = "\n".join(filter(None, (_git(where, "diff", "HEAD", *_PLAIN_DIFF), _never_added(where, script))))
        info |= {
            "commit": commit,
            "branch": _git(where, "rev-parse", "--abbrev-ref", "HEAD") or "",
            "repository": _without_password(_git(where, "config", "--get", "remote.origin.url") or ""),
            "is_dirty": bool(changes or _git(where, "status", "--porcelain", "--untracked-files=no")),
            "diff": changes
            if len(changes) <= _MOST_DIFF
            else f"{changes[:_MOST_DIFF]}\n... {len(changes):,} characters",
        }
    return {key: value for key, value in info.items() if value not in ("", None)}


def _never_added(where: Path, script: Path | None) -> str | None:
    """A script that git does not know yet, as a difference that adds it; None for one that it knows or is to ignore."""
    if script is None or not _git(where, "ls-files", "--others", "--exclude-standard", "--", os.fspath(script)):
        return None
    name = os.path.relpath(script, where)
    return _git(where, "diff", "--no-index", *_PLAIN_DIFF, "--", os.devnull, name, differs=True)


def environment() -> dict[str, Any]:
    """The machine, the Python and the packages that are in use."""
    return {
        "host": socket.gethostname(),
        "user": os.environ.get("USER", ""),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "variables": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "packages": _packages(),
    }


def command_line(arguments: list[str]) -> str:
    """The command as one would type it; what looks like a password is left out."""
    words: list[str] = []
    hide_next = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if hide_next and not argument.startswith("-"):
            words.append("***")
        elif equals and _SECRET.search(name):
            words.append(f"{name}=***")
        else:
            words.append(_KEY.sub("***", _without_password(argument)))
        hide_next = argument.startswith("-") and not equals and bool(_SECRET.search(name))
    return shlex.join(words)


def _packages() -> dict[str, str]:
    """The versions of imported packages, as far as they say one."""
    versions = {}
    for name, module in sorted(sys.modules.copy().items()):
        if "." in name or name.startswith("_") or not isinstance(module, ModuleType):
            continue
        # Not by getattr: modules that load lazily would load, warn or raise what they like.
        version = vars(module).get("__version__")
        if isinstance(version, str):
            versions[name] = str(version)
    return versions


def _git(folder: Path, *arguments: str, differs: bool = False) -> str | None:
    """What git says, or None where there is no git, no checkout or no answer in time; `differs` if it answers 1."""
    try:
        answer = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            timeout=_SECONDS,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() if answer.returncode == int(differs) else None


def _without_password(address: str) -> str:
    """An address of the net without the user's password, or without the user where that may be a token."""
    return re.sub(r"://(?!git@)[^/@\s]*@", "://", address)
