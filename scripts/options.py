"""Command line options, generated from the settings table."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from mindinsight_like.conf.locations import NOT_LOCAL, is_url
from mindinsight_like.conf.settings import TABLE, Settings, load


def add_settings(parser: ArgumentParser, *names: str) -> None:
    """One option for each named setting, all of them when none is named."""
    for setting in TABLE:
        if not names or setting.name in names:
            default = f" (default: {setting.default})" if setting.default else ""
            action = "append" if setting.name == "summary_base_dir" else "store"
            parser.add_argument(setting.flag, metavar=setting.metavar, help=setting.help + default, action=action)


def local_path(text: str) -> Path:
    """A folder or file that an argument names; a URL is refused."""
    if is_url(text):
        raise ArgumentTypeError(f"{text} {NOT_LOCAL}")
    return Path(text).expanduser()


def load_settings(arguments: Namespace) -> Settings:
    """The effective settings for the options given."""
    return load(vars(arguments), os.environ)
