"""The exceptions of calls, as a tree. ``except WishwellError`` catches them all."""

from typing import Final, cast

from wishwell_client.records import BadField, ErrorCode, OrderOutcome


class WishwellError(Exception):
    """A call failed. Raised directly for statuses without a subclass, such as 500.

    ``status`` and ``code`` are None without a response of the service. ``code`` is a stable name of
    the cause; a newer service may have others. ``details`` are all bad fields of a refused body.
    ``request_id`` finds the request in the service's log.
    ``retry_after`` is the response's ``Retry-After`` in seconds, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
        code: ErrorCode | str | None = None,
        details: tuple[BadField, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.code = code
        self.details = details

    def __str__(self) -> str:
        about = [str(self.status)] if self.status is not None else []
        about += [f"request {self.request_id}"] if self.request_id else []
        return f"{self.message} ({', '.join(about)})" if about else self.message


class Invalid(WishwellError):
    """400, and other 4xx statuses without a class of their own: the request is invalid."""


class OrdersRefused(Invalid):
    """200 with refused orders: ``put_many`` applied the others. ``outcomes``: of all orders, in the
    order sent. ``code`` is that of the first refused order, ``details`` are of all."""

    def __init__(self, outcomes: tuple[OrderOutcome, ...]) -> None:
        refused = [outcome for outcome in outcomes if outcome.result == "refused"]
        details = tuple(field for outcome in refused for field in outcome.details or ())
        reason = f"; {details[0].field}: {details[0].message}" if details else ""
        message = f"{len(refused)} of {len(outcomes)} orders were refused{reason}"
        code = cast("ErrorCode | None", refused[0].code)
        super().__init__(message, status=200, code=code, details=details)
        self.outcomes = outcomes


class Unauthorized(WishwellError):
    """401: the token is missing or invalid, for example expired. Request a new one."""


class Forbidden(WishwellError):
    """403: the token doesn't permit this operation."""


class NotFound(WishwellError):
    """404: the record doesn't exist, or belongs to another profile."""


class Conflict(WishwellError):
    """409: the request conflicts with the current state, for example with a duplicate item."""


class Gone(WishwellError):
    """410: events after ``from_`` were removed. Read all records again."""


class RateLimited(WishwellError):
    """429: a rate limit is exceeded. The request had no effect."""


class Unavailable(WishwellError):
    """503: the service can't reach its database, or is overloaded.

    The message says whether the request had no effect or an unknown outcome.
    """


class ConnectionFailed(WishwellError):
    """There was no response. If a connection was established, the outcome is unknown."""


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
    """Returns the exception class of a status that isn't 2xx."""
    return BY_STATUS.get(status, Invalid if 400 <= status < 500 else WishwellError)
