"""`app board`: which board a folder's notes, labels and views belong to."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.service.preflight import check_store

if TYPE_CHECKING:
    from mindinsight_like.conf.settings import Settings
    from mindinsight_like.store.annotations.boards import Board, Boards, Offer


def add_arguments(parser: ArgumentParser) -> None:
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--use", metavar="ID", help="use this board for the directory; the directory's own notes are merged into it"
    )
    choice.add_argument("--decline", metavar="ID", help="do not suggest this board for the directory again")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_settings(parser, "config", "workspace", "summary_base_dir", "store_url")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_store(settings.store_url)

    from mindinsight_like.errors import ServiceError

    boards = boards_of(settings)
    try:
        if arguments.use:
            boards.use(arguments.use)
        elif arguments.decline:
            boards.decline(arguments.decline)
    except ServiceError as error:
        raise OperationError(str(error)) from error
    current, offer, all_boards = boards.current(), boards.offer(), boards.all()
    if problem := boards.database.problem():
        raise OperationError(problem)
    if arguments.json:
        body = {
            "board": asdict(current),
            "offer": asdict(offer) if offer else None,
            "boards": [*map(asdict, all_boards)],
        }
        print(json.dumps(body, indent=2))
        return 0
    print(f"Board of {settings.summary_base_dir}: {current.id} ({_counts(current)})")
    if offer is not None:
        print(offer_text(offer, settings))
    others = [board for board in all_boards if board.id != current.id]
    if others:
        print("Other boards:")
    for board in others:
        print(f"  {board.id}: {_counts(board)}; {', '.join(board.base_dirs) or 'directory unknown'}")
    return 0


def boards_of(settings: Settings) -> Boards:
    from mindinsight_like.store.annotations.boards import Boards
    from mindinsight_like.store.database.location import IndexLocation

    location = IndexLocation.of_settings(settings)
    return Boards(location, settings.board_id)


def offer_text(offer: Offer, settings: Settings) -> str:
    """What is offered, and the commands that accept and decline it."""
    import shlex

    board = offer.board
    where = f" at {', '.join(board.base_dirs)}" if board.base_dirs else ""
    words = [
        "app",
        "board",
        "--summary-base-dir",
        str(settings.summary_base_dir),
        "--workspace",
        str(settings.workspace),
    ]
    command = shlex.join(words) + (" --store-url ..." if settings.store_url else "")
    return (
        f"This directory looks like board {board.id}{where}: {offer.same_runs:,} of {offer.runs:,} runs are the same.\n"
        f"To use its {_counts(board)}:\n  {command} --use {board.id}\n"
        f"To keep them separate:\n  {command} --decline {board.id}"
    )


def _counts(board: Board) -> str:
    arranged = f", {board.arranged:,} arranged runs" if board.arranged else ""
    return f"{board.notes:,} notes, {board.labelled:,} labelled runs, {board.views:,} views{arranged}"
