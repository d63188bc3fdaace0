"""`make look`, or `python -m tests.look`: look at every page in every state; fails when something is wrong with one."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.chromium import NoChromium
from tests.conftest import ROOT
from tests.ui.conftest import served

from .looking import LANGUAGES, Found, Look, Task, look_at_all
from .pages import addresses, analyse_profiles, wait_until_loaded
from .sheets import write_sheets
from .states import STATES, make

_AT_ONCE = 12  # pages of one browser, as one that runs for long grows


def _report(problems: list[Found]) -> None:
    """Each problem once, with how often and where first."""
    places: dict[str, list[Look]] = defaultdict(list)
    for found in problems:
        places[found.problem].append(found.look)
    for problem, looks in sorted(places.items(), key=lambda item: -len(item[1])):
        print(f"  {problem}\n      {looks[0]}{f' and {len(looks) - 1} more' if len(looks) > 1 else ''}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make look", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "look", help="folder of the contact sheets")
    parser.add_argument("--state", action="append", choices=tuple(STATES), help="only these states; repeatable")
    parser.add_argument("--page", action="append", help="only addresses that contain this; repeatable")
    parser.add_argument("--language", action="append", choices=tuple(LANGUAGES), help="only these languages")
    parser.add_argument("--jobs", type=int, default=2, help="browsers at a time")
    options = parser.parse_args()
    started = time.monotonic()
    pictures = options.out / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    looks: list[Look] = []
    problems: list[Found] = []
    for state in options.state or STATES:
        with served(make(state, options.out / "runs")) as board:
            wait_until_loaded(board.address)
            if state == "demo":
                analyse_profiles(board.address)
            pages = [
                page
                for page in addresses(board.address)
                if not options.page or any(each in page for each in options.page)
            ]
            tasks = [
                Task(state, board.address, pages[first : first + _AT_ONCE], language, pictures)
                for language in options.language or LANGUAGES
                for first in range(0, len(pages), _AT_ONCE)
            ]
            fresh = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(options.jobs, mp_context=fresh) as pool:
                for seen, found in pool.map(look_at_all, tasks):
                    looks += seen
                    problems += found
        print(f"{state}: {len(pages)} pages, {sum(look.state == state for look in looks)} pictures", flush=True)
    write_sheets(options.out, looks, problems)
    _report(problems)
    spent = time.monotonic() - started
    print(f"{len(looks)} pictures, {len(problems)} problems, {spent / 60:.1f} min; see {options.out / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NoChromium as reason:
        sys.exit(str(reason))
