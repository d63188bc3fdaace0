"""Routes of the rules by which sub-runs of one training are one row of the runs table."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import Busy, Conflict, NotFound, StillLoading, StorageFull
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, flag, version
from mindinsight_like.http.response_types import Count, Version, response_type
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.lineage.table.folding.folded_runs import FoldedRuns
from mindinsight_like.lineage.table.folding.rules import LISTS
from mindinsight_like.store.annotations.tables import UserDataUnusable

from .current_tables import current_folded_runs, current_folding, current_runs

bp = Blueprint("folding", __name__)

_ERRORS = (StillLoading, Busy, UserDataUnusable, StorageFull)


@response_type
class FoldingRules:
    """By which directories runs are sub-runs of one training."""

    is_enabled: bool
    training: Annotated[
        list[str],
        Meta(description="Names of directories of a training; a row with those of its evaluation beside or below it."),
    ]
    evaluation: list[str]
    ranks: Annotated[list[str], Meta(description="Names before a number, as in `rank_0`, of siblings.")]
    versions: Annotated[
        list[str],
        Meta(
            description="Names before a number, as in `version_0`, of siblings of which the next one begins after the"
            " last one has ended: in the second half of its steps, or at most a tenth of them behind."
        ),
    ]
    sessions: Annotated[
        bool,
        Meta(description="Whether the only session of hyperparameters in a directory right below a run is in its row."),
    ]
    is_changed: Annotated[bool, Meta(description="Whether people have changed the built-in rules.")]
    version: Version
    rows: Annotated[Count, Meta(description="Rows of several runs now.")]
    folded: Annotated[Count, Meta(description="Runs that are shown in the row of another one now.")]


@bp.get("/runs/table/folding")
@Operation(answer=FoldingRules, errors=(StillLoading,))
def folding_rules(params: Params) -> Response:
    """The rules by which sub-runs of one training are one row."""
    return conditional_response(current_runs().state(), lambda: json_response(_rules()))


_ENABLED = flag("is_enabled", "Whether there are rows of several runs at all; unchanged if not given.")
_TRAINING = Repeated("training", "Names of directories of a training; unchanged if not given.")
_EVALUATION = Repeated("evaluation", "Names of directories of its evaluation; unchanged if not given.")
_RANKS = Repeated("ranks", "Names before the number of a rank; unchanged if not given, off if empty.")
_VERSIONS = Repeated("versions", "Names before the number of a version; unchanged if not given, off if empty.")
_SESSIONS = flag("sessions", "Whether sessions of hyperparameters are shown with their run; unchanged if not given.")
_SWITCHES = (_ENABLED, _SESSIONS)
_LISTS = (_TRAINING, _EVALUATION, _RANKS, _VERSIONS)
_VERSION = version("version", "Version of the rules that this change is based on.")


@bp.put("/runs/table/folding")
@Operation(
    answer=FoldingRules,
    parameters=(*_SWITCHES, *_LISTS, _VERSION),
    errors=(Conflict, *_ERRORS),
)
def change_folding_rules(params: Params) -> Response:
    """Change the rules for everyone; what is not given stays."""
    changes: dict[str, object] = {each.name: params[each] for each in _LISTS if params.has(each)}
    changes |= {each.name: params[each] for each in _SWITCHES if params.has(each)}
    current_folding().change(changes, version=params[_VERSION])
    return json_response(_rules())


@bp.delete("/runs/table/folding")
@Operation(answer=FoldingRules, errors=(NotFound, *_ERRORS))
def reset_folding_rules(params: Params) -> Response:
    """Back to the built-in rules."""
    current_folding().reset()
    return json_response(_rules())


def _rules() -> FoldingRules:
    settings, runs = current_folding(), current_folded_runs().get()
    rules, changed = settings.current(), settings.version()
    sizes = runs.rows.sizes if isinstance(runs, FoldedRuns) else None
    return FoldingRules(
        is_enabled=rules.is_enabled,
        sessions=rules.sessions,
        **{name: list(getattr(rules, name)) for name in LISTS},
        is_changed=changed > 0,
        version=changed,
        rows=0 if sizes is None else int((sizes > 1).sum()),
        folded=0 if sizes is None else int((sizes - 1).sum()),
    )
