"""The command line: `app` and `mindinsight-like` are both this program."""

from __future__ import annotations

import os
import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from mindinsight_like.conf.settings import TABLE, SettingsError, load
from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.arguments import hide_secrets

_COMMANDS = {
    "start": "start the service for a directory of training logs; returns once it is ready",
    "stop": "stop a service and all its processes",
    "status": "show running services and their loading progress",
    "backup": "save all notes, labels and saved views of a workspace to a file",
    "restore": "restore notes, labels and saved views from a backup",
    "board": "show or change the board that a directory's notes belong to",
    "index": "load a directory into the index once, then exit",
    "export": "export logged data to files: CSV, Parquet, NumPy, JSON, images, audio",
    "parse_summary": "export scalars and images of one directory, like MindInsight's command of this name",
    "collect": "send metrics of this machine to a service while a training runs",
    "demo": "train a small model several times and log it in every supported format",
}


class _Parser(ArgumentParser):
    """Says what is wrong in one line, with exit code 1 like every other failure."""

    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: {message} (see {self.prog} --help)\n")


class _Version(Action):
    def __call__(self, parser: ArgumentParser, *arguments: Any) -> NoReturn:
        from importlib.metadata import version  # costs more than the rest of this module

        print(f"mindinsight-like {version('mindinsight-like')}")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named in the arguments and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    os.umask(0o077)  # index, logs and state are this user's own
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # folders may have names that are not valid text
    # Nothing here multiplies matrices; numpy's waiting threads would only cost time, in our processes' children too.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser, command = _parser(words)
    if not words or words == ["help"]:
        parser.print_help()
        return 0
    arguments = parser.parse_args(words)
    try:
        if argv is None:
            hide_secrets(_secrets(arguments.command), check=_check_secret)
        return command(arguments) if command else 0
    except (OperationError, SettingsError) as error:
        print(f"{parser.prog} {arguments.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _secrets(command: str) -> dict[str, str]:
    """The variables that stand for flags with secrets."""
    if command == "collect":
        return {"--token": "MINDINSIGHT_COLLECTOR_TOKEN"}
    return {setting.flag: setting.variable for setting in TABLE if setting.is_secret}


def _check_secret(flag: str, value: str) -> None:
    """Raise SettingsError while the mistake can still be told by the flag."""
    load({setting.name: value for setting in TABLE if setting.flag == flag and setting.is_secret}, {})


def _parser(words: list[str]) -> tuple[ArgumentParser, Callable[[Namespace], int] | None]:
    """The parser and what runs the chosen command; only that command's module is imported."""
    program = Path(sys.argv[0]).name
    parser = _Parser(
        prog=program if program in ("app", "mindinsight-like") else "app",
        description="A board for the training logs of MindSpore, TensorBoard and VisualDL.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", required=True)
    run: Callable[[Namespace], int] | None = None
    for name, summary in _COMMANDS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        sub = choices.add_parser(name, help=summary, description=description, allow_abbrev=False)
        if words and words[0] == name:
            module = import_module(f"mindinsight_like.scripts.{name}")
            module.add_arguments(sub)
            run = module.run
    return parser, run


if __name__ == "__main__":
    sys.exit(main())
