"""Errors a client of the service may see, and the one JSON shape they travel in."""

from __future__ import annotations


class ServiceError(Exception):
    """Base of all errors a client may see: `code` is stable for programs, the message is for people."""

    status = 500
    code = "internal"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.details = details


class BadParameter(ServiceError):
    """A parameter the client has to correct; the message names it and says what is allowed."""

    status = 400
    code = "bad_parameter"


class TokenNeeded(ServiceError):
    status = 401
    code = "token_needed"


class NotAllowed(ServiceError):
    status = 403
    code = "not_allowed"


class NotFound(ServiceError):
    status = 404
    code = "not_found"


class RunNotFound(ServiceError):
    status = 404
    code = "run_not_found"


class BlobGone(ServiceError):
    """Bytes that were in a log file are not there any more."""

    status = 410
    code = "blob_gone"


class TooLarge(ServiceError):
    status = 413
    code = "too_large"


class Unreadable(ServiceError):
    """What was logged is there, but it is not what it should be; the message says in which way."""

    status = 422
    code = "bad_data"


class Busy(ServiceError):
    """Too much is being done already; the client may ask again later."""

    status = 503
    code = "busy"


class StillLoading(ServiceError):
    """The answer is not known yet; the client may ask again in a moment."""

    status = 503
    code = "still_loading"


def error_body(error: ServiceError) -> dict[str, object]:
    return {"error": {"code": error.code, "message": str(error), "details": error.details}}
