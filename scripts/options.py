"""Settings as command line options, straight from the table."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from mindinsight_like.conf.settings import TABLE, Settings, load


def add_settings(parser: ArgumentParser, *names: str) -> None:
    """One option for each named setting, all of them when none is named."""
    for setting in TABLE:
        if not names or setting.name in names:
            default = f" (default: {setting.default})" if setting.default else ""
            parser.add_argument(setting.flag, metavar=setting.metavar, help=setting.help + default)


def load_settings(arguments: Namespace) -> Settings:
    """The effective settings for the options given."""
    return load(vars(arguments), os.environ)
