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

from mindinsight_like.conf.settings import SettingsError
from mindinsight_like.service.errors import OperationError

_COMMANDS = {
    "start": "start the service for a folder of training logs and return when it answers",
    "stop": "end a service and all its processes",
    "status": "show which services run and how far they have loaded",
    "index": "load a folder once into the index, then exit",
    "export": "write what runs logged into files: CSV, Parquet, NumPy, JSON, pictures, sounds",
    "parse_summary": "write scalars and images of one folder as MindInsight's command of this name does",
    "collect": "send metrics of this machine to a service, beside a training",
    "demo": "train a small model several times and log it in every dialect, to have something to look at",
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
        return command(arguments) if command else 0
    except (OperationError, SettingsError) as error:
        print(f"{parser.prog} {arguments.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


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
