"""Route that downloads a recording as a Chrome trace."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import partial

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import BlobGone, Unreadable
from mindinsight_like.http.compression import squeezed
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.responses import conditional_response
from mindinsight_like.jobs.folder import READY
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.jobs.chrome_json import chrome_json
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.profiler.routes.answering import ERRORS, AnalysisStatus, answered, current_analyses
from mindinsight_like.profiler.traces import files

bp = Blueprint("profile_downloads", __name__)

_CHROME_READERS = ("kineto", "chrome", "paddle_json")  # of files that are trace events already
_PIECE_BYTES = 2**20
_GZIP_START = b"\x1f\x8b"


@bp.get("/profiles/<id>/trace")
@Operation(
    answer=None,
    errors=(BlobGone, *ERRORS),
    waiting=AnalysisStatus,
    other_formats={"application/gzip": "The gzipped JSON file."},
)
def profile_trace(params: Params, id: str) -> Response:
    """The recording as gzipped Chrome trace events, for Perfetto and others.

    A file that is such already is sent as it is; others are converted, once they are analysed. So is one of which the
    analysis could not read all: other viewers might refuse it.
    """
    analyses = current_analyses()
    profile = analyses.find(id)
    if profile.source.reader in _CHROME_READERS and len(profile.source.files) == 1 and not _is_damaged(profile):
        return conditional_response(
            profile.content, lambda: _download(profile, _packed_file(profile, analyses.base_dir))
        )
    return answered(id, partial(_converted, profile))


def _converted(profile: IndexedProfile, opened: Opened) -> Response:
    opened.analysed.verify()  # before the first piece is sent
    return _download(profile, squeezed(chrome_json(opened.analysed.columns)))


def _is_damaged(profile: IndexedProfile) -> bool:
    """Whether its analysis, where there is one, has lost something."""
    analyses = current_analyses()
    status = analyses.status(profile)
    opened = analyses.open(profile) if status is not None and status.state == READY else None
    return isinstance(opened, Opened) and bool(opened.analysed.trace.losses)


def _packed_file(profile: IndexedProfile, base_dir: str) -> Iterable[bytes]:
    """The file, gzipped on the way where it is not."""
    (name,) = profile.source.files
    try:
        handle = files.Files(base_dir).handle(name)
    except files.Unreadable as error:
        raise Unreadable(str(error)) from error
    except OSError as error:
        raise BlobGone(f"the file cannot be opened: {error.strerror}") from error
    is_packed = os.pread(handle, 2, 0) == _GZIP_START
    return _pieces(handle) if is_packed else squeezed(_pieces(handle))


def _pieces(handle: int) -> Iterator[bytes]:
    with os.fdopen(handle, "rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _download(profile: IndexedProfile, pieces: Iterable[bytes]) -> Response:
    answer = Response(pieces, content_type="application/gzip")
    stem = re.sub(r"[^A-Za-z0-9.-]+", "_", profile.name).strip("._").removesuffix(".gz").removesuffix(".json")
    answer.headers["Content-Disposition"] = f'attachment; filename="{stem[:100] or "trace"}.json.gz"'
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer
