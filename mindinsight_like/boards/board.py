"""The board whose notes, labels and saved views this folder uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import Busy, NotFound, StorageFull
from mindinsight_like.http.index_access import current_boards
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, text
from mindinsight_like.http.response_types import Count, response_type
from mindinsight_like.http.responses import json_response, unless_same
from mindinsight_like.store.annotations import boards
from mindinsight_like.store.annotations.tables import UserDataUnusable

bp = Blueprint("board", __name__)

_ID = text("id", "ID of the offered board.")
_ERRORS = (NotFound, Busy, UserDataUnusable, StorageFull)


@response_type
class BoardSummary:
    """The owner of notes, labels and saved views."""

    id: str
    base_dirs: Annotated[Sequence[str], Meta(description="Directories that belong to it, as far as known.")]
    notes: Count
    labelled: Annotated[int, Meta(ge=0, description="Number of runs with labels.")]
    views: Count


@response_type
class BoardOffer(BoardSummary):
    """A board whose runs are those of this directory, which may have been moved."""

    same_runs: Annotated[int, Meta(ge=0, description="Number of runs of this directory that it knows.")]
    runs: Annotated[int, Meta(ge=0, description="Number of runs of this directory.")]
    is_checked: Annotated[
        bool, Meta(description="False if only the names of the runs are the same; their logs could not be compared.")
    ]


@response_type
class Board(BoardSummary):
    """The board of this directory."""

    offer: Annotated[BoardOffer | None, Meta(description="Another board that this directory may belong to.")]
    problem: Annotated[str, Meta(description="Why notes, labels and views cannot be read; empty otherwise.")]


@bp.get("/board")
@Operation(answer=Board)
def board(params: Params) -> Response:
    """The board that this directory belongs to, and another one it may belong to."""
    return unless_same(_state())


@bp.put("/board")
@Operation(answer=Board, parameters=(_ID,), errors=_ERRORS)
def use(params: Params) -> Response:
    """Use the notes, labels and views of the offered board; those of this directory are added to them."""
    current_boards().use(_offered(params[_ID]))
    return json_response(_state())


@bp.post("/board/decline")
@Operation(answer=Board, parameters=(_ID,), errors=_ERRORS)
def decline(params: Params) -> Response:
    """Do not offer this board again."""
    current_boards().decline(_offered(params[_ID]))
    return json_response(_state())


def _offered(board: str) -> str:
    """The id, if that board is offered: visitors may not look into any other."""
    offer = current_boards().offer()
    if offer is None or offer.board.id != board:
        raise NotFound("This board is no longer offered.")
    return board


def _state() -> Board:
    current = current_boards()
    return Board(
        **_summary(current.current()),
        offer=_offer(current.offer()),
        problem=current.database.problem(),
    )


def _summary(board: boards.Board) -> dict[str, Any]:
    return vars(
        BoardSummary(
            id=board.id,
            base_dirs=board.base_dirs,
            notes=board.notes,
            labelled=board.labelled,
            views=board.views,
        )
    )


def _offer(offer: boards.Offer | None) -> BoardOffer | None:
    if offer is None:
        return None
    return BoardOffer(
        **_summary(offer.board),
        same_runs=offer.same_runs,
        runs=offer.runs,
        is_checked=offer.is_checked,
    )
