"""Service information and loading progress."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.access.tokens import Role
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import Count, Timestamp, response_type
from mindinsight_like.http.responses import json_response, unless_same
from mindinsight_like.http.roles import current_role, current_session
from mindinsight_like.native import missing
from mindinsight_like.store.database.database import DatabaseKind

bp = Blueprint("service", __name__)


@response_type
class LoadingProgress:
    """How far loading has come."""

    state: Literal["loading", "rebuilding", "idle"]
    runs_done: Count
    runs_total: Count
    bytes_done: Count
    bytes_total: Count


@response_type
class ProjectDir:
    """A base directory under the name that its runs have as `project`."""

    name: str
    base_dir: str


@response_type
class ServiceInfo:
    """The running service."""

    name: str
    version: str
    summary_base_dir: str
    projects: Annotated[list[ProjectDir], Meta(description="Base directories if there are several; the first first.")]
    started_at: Timestamp
    store: DatabaseKind
    has_checksums: Annotated[
        bool, Meta(description="Whether rows of the index are verified when read; if not, damage may go unnoticed.")
    ]
    native: Annotated[bool, Meta(description="Whether all native modules are in use, not their Python references.")]
    reload_interval: Annotated[
        float, Meta(description="Seconds between two scans for new data; 0: logs are loaded once, at startup.")
    ]
    loading: LoadingProgress
    access: Annotated[
        Literal["full", "read"], Meta(description="What the client's token allows: everything, or only reading.")
    ]
    signed_in: Annotated[bool, Meta(description="Whether the client is signed in by a cookie.")]
    kinds: Annotated[list[str], Meta(description="Kinds of data that at least one run has.")]


@bp.get("/service")
@Operation(answer=ServiceInfo)
def service(params: Params) -> Response:
    """The running service and its loading progress."""
    state = current_state()
    settings = state.settings
    index = current_reader().service()
    loading = index.loading
    return unless_same(
        ServiceInfo(
            name="mindinsight-like",
            version=state.version,
            # A name that is not UTF-8 is shown as well as JSON can.
            summary_base_dir=_shown(settings.summary_base_dir),
            projects=[
                ProjectDir(name=name, base_dir=_shown(path))
                for name, path in (
                    (settings.first_project, settings.summary_base_dir),
                    *((each.name, each.path) for each in settings.projects),
                )
                if settings.projects
            ],
            started_at=state.started_at,
            store=index.store,
            has_checksums=index.has_checksums,
            native=not missing(),
            reload_interval=settings.reload_interval,
            loading=LoadingProgress(
                state=loading.state,
                runs_done=loading.runs_done,
                runs_total=loading.runs_total,
                bytes_done=loading.bytes_done,
                bytes_total=loading.bytes_total,
            ),
            access="full" if current_role() is Role.FULL else "read",
            signed_in=current_session() is not None,
            kinds=index.kinds,
        )
    )


def _shown(path: Path) -> str:
    return os.fsencode(path).decode(errors="replace")


@response_type
class SignedOut:
    signed_in: bool


@bp.post("/sign-out")
@Operation(answer=SignedOut, only_reads=True)
def sign_out(params: Params) -> Response:
    """Removes the sign-in cookie."""
    response = json_response(SignedOut(signed_in=False))
    if (session := current_session()) is not None:
        response.delete_cookie(session.cookie, path=session.path, httponly=True, samesite="Strict")
    return response
