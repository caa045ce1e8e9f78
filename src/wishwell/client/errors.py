"""What a call can fail with, as a tree: ``except WishwellError`` catches all of it."""

from typing import Final


class WishwellError(Exception):
    """A call that failed. Raised itself for what has no name below: 500, or no answer of the API.

    ``status`` is None when there was no answer, ``request_id`` the one in the service's log,
    ``retry_after`` the seconds that the service asked to wait, if it did.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        about = [str(self.status)] if self.status is not None else []
        about += [f"request {self.request_id}"] if self.request_id else []
        return f"{self.message} ({', '.join(about)})" if about else self.message


class Invalid(WishwellError):
    """400, and each 4xx without a name of its own: the request breaks a rule."""


class Unauthorized(WishwellError):
    """401: no token, or one that is no good any more. Ask for a new one."""


class Forbidden(WishwellError):
    """403: this token may not do this."""


class NotFound(WishwellError):
    """404: there is no such record, or it is another profile's."""


class Conflict(WishwellError):
    """409: the change would make two items the same."""


class RateLimited(WishwellError):
    """429: too many requests. Nothing was done."""


class Unavailable(WishwellError):
    """503: the service can't reach its database, or is too busy. Its message says whether that is
    sure: nothing was done."""


class ConnectionFailed(WishwellError):
    """No answer came. Whether anything was done is not known, unless no connection was made."""


BY_STATUS: Final = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
    503: Unavailable,
}


def kind_of(status: int) -> type[WishwellError]:
    """The exception of a status that is not 2xx."""
    return BY_STATUS.get(status, Invalid if 400 <= status < 500 else WishwellError)
