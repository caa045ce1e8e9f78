"""The exceptions of a call, as a tree: ``except WishwellError`` catches all of them."""

from typing import Final


class WishwellError(Exception):
    """A call failed. Raised itself for errors without a class below, such as 500.

    ``status`` is None if there was no answer. ``request_id`` is the id in the service's log.
    ``retry_after`` is the number of seconds that the service asked to wait, or None.
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
    """400, and each 4xx without a class of its own: the request breaks a rule."""


class Unauthorized(WishwellError):
    """401: no token, or one that is not valid any more. Ask for a new one."""


class Forbidden(WishwellError):
    """403: this token may not do this."""


class NotFound(WishwellError):
    """404: there is no such record, or it is another profile's."""


class Conflict(WishwellError):
    """409: the change would make two items the same."""


class Gone(WishwellError):
    """410: events after this ``from_`` are no longer kept. Read the records anew."""


class RateLimited(WishwellError):
    """429: too many requests. Nothing was done."""


class Unavailable(WishwellError):
    """503: the service can't reach its database, or is too busy. The message says whether nothing
    was done, or that it is not known."""


class ConnectionFailed(WishwellError):
    """There was no answer. If a connection was made, it is not known whether anything was done."""


BY_STATUS: Final = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    429: RateLimited,
    503: Unavailable,
}


def kind_of(status: int) -> type[WishwellError]:
    """The exception of a status that is not 2xx."""
    return BY_STATUS.get(status, Invalid if 400 <= status < 500 else WishwellError)
