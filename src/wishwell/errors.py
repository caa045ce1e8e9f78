"""The errors of the service, as one tree: a request is refused, something can't be reached, or the
program is set up wrongly.

``message`` is written for the caller: it names the field and the rule, and no internals.
``http/responses.py`` has the status of each.
"""


class ServiceError(Exception):
    """The root. ``message`` may be shown to the caller."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestError(ServiceError):
    """The request is refused. Sending it again does not help."""


class Invalid(RequestError):
    """A field, parameter or header breaks a rule (contract: error-message)."""


class LimitReached(Invalid):
    """The profile holds as many items or lists as it may."""


class Unauthenticated(RequestError):
    """No token, or one that is malformed, expired, revoked or of a closed session."""


class SessionEnded(Unauthenticated):
    """The session was linked to a customer, or purged."""


class StoreDeleted(Unauthenticated):
    """The store was deleted, so that nothing of it can be written."""

    def __init__(self) -> None:
        super().__init__("The store was deleted.")


class Forbidden(RequestError):
    """The token is good, but may not do this."""


class NotFound(RequestError):
    """No such record, profile or path for this caller."""


class UnknownShare(NotFound):
    """A share's token that is wrong, expired or revoked, or whose list is gone."""


class Gone(RequestError):
    """What is asked for was there, and is not kept any more."""


class MethodNotAllowed(RequestError):
    """The path does not support the method; ``allowed`` are the methods that it supports."""

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.allowed = allowed


class Conflict(RequestError):
    """The change would make two items of a profile the same, or reserve more than is left."""


class TooLarge(RequestError):
    """The body is larger than 256 KiB."""


class HeadersTooLarge(RequestError):
    """The request line, the headers, or the trailers behind the body, are larger than 16 KiB."""


class BodyTimeout(RequestError):
    """The body did not arrive in time."""


class UnsupportedMedia(RequestError):
    """The body's content type is not JSON."""


class TooManyRequests(RequestError):
    """A rate limit is used up; it opens again in ``retry_after`` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


# contract: unavailable-nothing-done
class Unavailable(ServiceError):
    """The database, or a shop's key set, can't be reached or is too slow.

    Nothing was done; try again after a second.
    """


class Overloaded(Unavailable):
    """The process has as many requests in work as it may."""

    def __init__(self) -> None:
        super().__init__("Too many requests at once in this process.")


# contract: erase-writes
class BeingErased(Unavailable):
    """What there was of a customer is still being removed; nothing can be written before."""

    def __init__(self) -> None:
        super().__init__("This customer's data is being erased; try again in a minute.")


# contract: unavailable-unknown
class Undecided(Unavailable):
    """It is not known whether a write was done. Either all of it was done or nothing."""


class Misconfigured(ServiceError):
    """A setting, a command's argument or the database's schema stops the program."""
