"""The service's errors as one tree: request errors (4xx), unavailability (503), misconfiguration.

``message`` is written for the caller: it names the field and the rule and reveals no internals.
``code`` is for programs; codes that share a status are listed together here, and docs/errors.md
explains each. ``http/responses.py`` maps each class to an HTTP status.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args

import msgspec

DOCS = "https://github.com/wishwell/wishwell/blob/main/docs/"
"""The documentation, which an installed wheel lacks. Messages put a page's name after it."""

InvalidCode = Literal[
    "invalid_request", "invalid_cursor", "placeholder_id", "profile_required", "item_limit_reached",
    "list_limit_reached", "list_item_limit_reached", "list_entry_limit_reached",
    "share_limit_reached", "reservation_limit_reached", "webhook_limit_reached",
    "precondition_unsupported",
]  # fmt: skip
UnauthenticatedCode = Literal[
    "token_missing", "token_invalid", "token_expired", "token_revoked", "session_closed",
    "store_deleted", "signature_invalid", "sign_in_required",
]  # fmt: skip
ForbiddenCode = Literal[
    "admin_token_required", "token_kind_not_allowed", "profile_header_not_allowed",
    "host_not_allowed", "origin_not_allowed", "own_list", "reservations_off",
]  # fmt: skip
NotFoundCode = Literal[
    "path_not_found", "item_not_found", "item_not_on_list", "list_not_found", "share_not_found",
    "shared_list_not_found", "reservation_not_found", "profile_not_found", "session_not_found",
    "product_not_found", "webhook_not_found", "delivery_not_found", "request_not_found",
    "export_not_found", "token_not_found", "store_not_found", "sign_in_path_missing",
    "order_not_found", "wishes_not_published", "store_off",
]  # fmt: skip
ConflictCode = Literal[
    "item_exists", "too_few_left", "webhook_off", "webhook_unsigned", "events_off",
    "sealing_keys_missing", "own_token", "request_not_pending", "purchases_off", "store_in_use",
]  # fmt: skip
TooManyCode = Literal["rate_limited", "rate_limited_without_token"]
UnsupportedCode = Literal["unsupported_media_type", "unsupported_encoding"]
UnavailableCode = Literal[
    "unavailable", "profile_being_erased", "journal_unavailable", "outcome_unknown",
]  # fmt: skip
Code = Literal[
    InvalidCode, UnauthenticatedCode, ForbiddenCode, NotFoundCode, "method_not_allowed",
    "request_timeout", ConflictCode, "events_removed", "body_too_large", UnsupportedCode,
    TooManyCode, "headers_too_large", "internal_error", UnavailableCode,
]  # fmt: skip
"""A stable name of an error's cause. Causes that a caller must not tell apart share one."""


class ServiceError(Exception):
    """Base class. ``message`` may be shown to the caller."""

    code: Code = "internal_error"

    def __init__(self, message: str, code: Code | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code


class RequestError(ServiceError):
    """The request is refused, and would be refused again if retried unchanged."""


MAX_BAD_FIELDS = 50
"""Most fields that an error names."""


FieldCode = Literal[
    "required", "unknown", "not_allowed", "repeated", "wrong_type", "too_long", "too_short",
    "too_large", "too_small", "invalid",
]  # fmt: skip

FIELD_CODES: Mapping[FieldCode, str] = {
    "required": "it is missing",
    "unknown": "the operation has no such field or parameter",
    "not_allowed": "it can't be sent or changed here",
    "repeated": "it was sent more than once, or is in an array twice",
    "wrong_type": "its JSON type is another",
    "too_long": "a text has too many characters, or an array too many elements",
    "too_short": "a text has too few characters, or an array too few elements",
    "too_large": "a number is too large",
    "too_small": "a number is too small",
    "invalid": "any other rule, which the message says",
}
"""Causes of a bad field, which docs/errors.md lists."""


PublishedFieldCode = Annotated[
    FieldCode, msgspec.Meta(title="FieldCode", description="Why a field is refused.")
]


class BadField(msgspec.Struct):
    """A field of a body, a query parameter or a header that breaks a rule."""

    field: str
    """Its path, such as `items[2].quantity`, or its name."""
    message: str
    """The rule that it breaks."""
    code: PublishedFieldCode


class Invalid(RequestError):
    """A field, parameter or header breaks a rule. ``cause``: the code of the field that the message
    names. ``details``: all bad fields, parameters or headers."""

    code: Code = "invalid_request"
    details: Sequence[BadField] = ()

    def __init__(
        self, message: str, code: Code | None = None, *, cause: FieldCode = "invalid"
    ) -> None:
        super().__init__(message, code)
        self.cause = cause


class LimitReached(Invalid):
    """A size limit is reached, such as a profile's items or lists, or a list's items or shares."""

    def __init__(self, message: str, code: InvalidCode) -> None:
        super().__init__(message, code)


class Unauthenticated(RequestError):
    """The token is missing, malformed, expired, revoked or belongs to a closed session."""

    code: Code = "token_invalid"


class OutdatedToken(Unauthenticated):
    """The token is genuine but has expired or was revoked, so the caller isn't guessing."""


class SessionEnded(Unauthenticated):
    """The session was merged into a customer (linked), purged or erased."""

    code = "session_closed"


class StoreDeleted(Unauthenticated):
    """The store was deleted, so its data can no longer be written."""

    code = "store_deleted"

    def __init__(self) -> None:
        super().__init__("The store was deleted.")


class Forbidden(RequestError):
    """The token is valid but doesn't permit this operation."""

    def __init__(self, message: str, code: ForbiddenCode) -> None:
        super().__init__(message, code)


class NotFound(RequestError):
    """The record, profile or path doesn't exist, or belongs to another profile."""

    def __init__(self, message: str, code: NotFoundCode) -> None:
        super().__init__(message, code)


_NOUNS: dict[str, NotFoundCode] = {
    code.removesuffix("_not_found"): code for code in get_args(NotFoundCode)
}


def no_record(noun: str) -> NotFound:
    """Returns the error for an unknown record; ``noun`` as in the codes, such as ``item``."""
    return NotFound(f"The {noun} doesn't exist.", _NOUNS[noun])


class UnknownShare(NotFound):
    """The share token is wrong, expired or revoked, or its list was deleted."""


class Gone(RequestError):
    """The resource existed but has been removed (410)."""

    code = "events_removed"


class MethodNotAllowed(RequestError):
    """The path doesn't support the method; ``allowed`` lists the methods that it does."""

    code = "method_not_allowed"

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.allowed = allowed


class Conflict(RequestError):
    """The request conflicts with the current state (409), such as a duplicate item, or reserving
    more than is left."""

    def __init__(self, message: str, code: ConflictCode) -> None:
        super().__init__(message, code)


class TooLarge(RequestError):
    """The body is larger than is allowed."""

    code = "body_too_large"


class HeadersTooLarge(RequestError):
    """The request line and headers, or the trailers after the body, exceed 16 KiB."""

    code = "headers_too_large"


class BodyTimeout(RequestError):
    """The body didn't arrive in time."""

    code = "request_timeout"


class UnsupportedMedia(RequestError):
    """The body's content type is not JSON, or the body is compressed."""

    code = "unsupported_media_type"


class TooManyRequests(RequestError):
    """A rate limit is exceeded; its window resets in ``retry_after`` seconds."""

    def __init__(self, message: str, retry_after: int, code: TooManyCode) -> None:
        super().__init__(message, code)
        self.retry_after = retry_after


# rule: write-durable
class Unavailable(ServiceError):
    """The database, or a shop's JSON Web Key Set, can't be reached or is too slow (503).

    The request had no effect, so a retry is safe; clients should back off for a second.
    """

    code: Code = "unavailable"


class Overloaded(Unavailable):
    """The process has reached its limit of concurrent requests (load shedding)."""

    def __init__(self) -> None:
        super().__init__("This process has too many requests in progress.")


# rule: erase-completes
class BeingErased(Unavailable):
    """The customer's previous data is still being erased; writes are refused until that is done."""

    code = "profile_being_erased"

    def __init__(self) -> None:
        super().__init__("This customer's data is being erased; try again in a minute.")


# rule: journal-first
class Unrecorded(Unavailable):
    """An act can't be appended to the journal, so it was not done."""

    code = "journal_unavailable"

    def __init__(self, path: str) -> None:
        super().__init__(f"The journal {path} can't be written, so nothing was done.")


# rule: write-durable
class Undecided(Unavailable):
    """The outcome of a commit is unknown: the transaction was applied either completely or not."""

    code = "outcome_unknown"


class Misconfigured(ServiceError):
    """A setting, a command-line argument or the database schema is invalid, so the program can't
    run."""
