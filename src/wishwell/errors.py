"""The service's errors as one tree: request errors (4xx), unavailability (503), misconfiguration.

``message`` is written for the caller: it names the field and the rule and reveals no internals.
``http/responses.py`` maps each class to an HTTP status.
"""

DOCS = "https://github.com/wishwell/wishwell/blob/main/docs/"
"""The documentation, which an installed wheel lacks. Messages put a page's name after it."""


class ServiceError(Exception):
    """Base class. ``message`` may be shown to the caller."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestError(ServiceError):
    """The request is refused, and would be refused again if retried unchanged."""


class Invalid(RequestError):
    """A field, parameter or header breaks a rule (rule: error-envelope)."""


class LimitReached(Invalid):
    """A size limit is reached, such as a profile's items or lists, or a list's items or shares."""


class Unauthenticated(RequestError):
    """The token is missing, malformed, expired, revoked or belongs to a closed session."""


class SessionEnded(Unauthenticated):
    """The session was merged into a customer (linked), purged or erased."""


class StoreDeleted(Unauthenticated):
    """The store was deleted, so its data can no longer be written."""

    def __init__(self) -> None:
        super().__init__("The store was deleted.")


class Forbidden(RequestError):
    """The token is valid but doesn't permit this operation."""


class NotFound(RequestError):
    """The record, profile or path doesn't exist, or belongs to another profile."""


class UnknownShare(NotFound):
    """The share token is wrong, expired or revoked, or its list was deleted."""


class Gone(RequestError):
    """The resource existed but is no longer stored (410)."""


class MethodNotAllowed(RequestError):
    """The path doesn't support the method; ``allowed`` lists the methods that it does."""

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.allowed = allowed


class Conflict(RequestError):
    """The request conflicts with the current state (409), such as a duplicate item, or reserving
    more than is left."""


class TooLarge(RequestError):
    """The body is larger than 256 KiB."""


class HeadersTooLarge(RequestError):
    """The request line and headers, or the trailers after the body, exceed 16 KiB."""


class BodyTimeout(RequestError):
    """The body didn't arrive in time."""


class UnsupportedMedia(RequestError):
    """The body's content type is not JSON."""


class TooManyRequests(RequestError):
    """A rate limit is exceeded; its window resets in ``retry_after`` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


# rule: unavailable-nothing-done
class Unavailable(ServiceError):
    """The database, or a shop's JSON Web Key Set, can't be reached or is too slow (503).

    The request had no effect, so a retry is safe; clients should back off for a second.
    """


class Overloaded(Unavailable):
    """The process has reached its limit of concurrent requests (load shedding)."""

    def __init__(self) -> None:
        super().__init__("This process has too many requests in progress.")


# rule: erase-completes
class BeingErased(Unavailable):
    """The customer's previous data is still being erased; writes are refused until that is done."""

    def __init__(self) -> None:
        super().__init__("This customer's data is being erased; try again in a minute.")


# rule: journal-first
class Unrecorded(Unavailable):
    """An act can't be appended to the journal, so it was not done."""

    def __init__(self, path: str) -> None:
        super().__init__(f"The journal {path} can't be written, so nothing was done.")


# rule: unavailable-nothing-done
class Undecided(Unavailable):
    """The outcome of a commit is unknown: the transaction was applied either completely or not."""


class Misconfigured(ServiceError):
    """A setting, a command-line argument or the database schema is invalid, so the program can't
    run."""
