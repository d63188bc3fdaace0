"""Errors that clients of the service or users of the command line may see."""

from __future__ import annotations


class ServiceError(Exception):
    """Base of all errors a client may see: `code` is stable for programs, the message is for people."""

    status = 500
    code = "internal"
    retry_after_seconds: int | None = None  # when asking again may help

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.details = details


class OperationError(Exception):
    """A command cannot do what was asked; the message is what the user should read, its first line the reason."""


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


class ReadOnly(ServiceError):
    """The visitor's token is for reading."""

    status = 403
    code = "read_only"


class TooManyAttempts(ServiceError):
    """Too many wrong tokens came from this address; `retry_after` says how many seconds to wait."""

    status = 429
    code = "too_many_attempts"


class NotFound(ServiceError):
    status = 404
    code = "not_found"


class RunNotFound(ServiceError):
    status = 404
    code = "run_not_found"


class Conflict(ServiceError):
    """Something was changed by somebody else since; `conflicts` in the details has both versions."""

    status = 409
    code = "conflict"


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
    retry_after_seconds = 2


class DatabaseUnavailable(ServiceError):
    """The database server is away or does not answer; the client may try again in a moment."""

    status = 503
    code = "database_unavailable"
    retry_after_seconds = 1


class StorageFull(ServiceError):
    """Something could not be saved, as there is no room for it; nothing that was there before is lost."""

    status = 507
    code = "storage_full"


class StillLoading(ServiceError):
    """The answer is not known yet; the client may try again in a moment."""

    status = 503
    code = "still_loading"
    retry_after_seconds = 1


class Rebuilding(ServiceError):
    """A piece of the index is damaged and is being made anew from the logs; the client may try again in a moment."""

    status = 503
    code = "rebuilding"
    retry_after_seconds = 1
