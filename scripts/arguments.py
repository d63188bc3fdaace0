"""Keep secrets out of the process list: every user of the machine can read a process's arguments."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Container, Mapping, Sequence


def split_secrets(words: Sequence[str], flags: Container[str]) -> tuple[list[str], dict[str, str]]:
    """The words without these flags, and the values of the flags; each takes one, given as its own word or with =."""
    rest: list[str] = []
    values: dict[str, str] = {}
    remaining = iter(words)
    for word in remaining:
        flag, equals, value = word.partition("=")
        if flag not in flags:
            rest.append(word)
        elif equals:
            values[flag] = value
        else:
            last = next(remaining, None)
            if last is None:  # the parser says what is missing
                return list(words), {}
            values[flag] = last
    return rest, values


def hide_secrets(variables: Mapping[str, str], *, check: Callable[[str, str], None]) -> None:
    """Start this program anew, as the same process, with secret arguments as environment variables.

    `variables` has the variable of each flag; `check` gets each flag and its value first, and may raise. Does nothing
    where the command line has no such flag.
    """
    words = sys.argv[1:]
    rest, values = split_secrets(words, variables)
    for flag, value in values.items():
        check(flag, value)
    # As it was started: with the same interpreter, options and script or module.
    started = sys.orig_argv
    if not values or started[len(started) - len(words) :] != words:
        return
    command = [sys.executable, *started[1 : len(started) - len(words)], *rest]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, command, os.environ | {variables[flag]: value for flag, value in values.items()})
