"""Retries: the attempts and pauses between a call and its result, and the errors.

A generator without input or output. It yields an ``Attempt`` or a ``Pause``, is sent the outcome
of the attempt, and returns the result of the call or raises a ``WishwellError``.
"""

import random
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec

from wishwell.client import errors
from wishwell.client.calls import Call
from wishwell.client.errors import ConnectionFailed, RateLimited, Unavailable, WishwellError

T = TypeVar("T")

_draw = random.SystemRandom().random

FIRST_BACKOFF: Final = 0.2
LONGEST_BACKOFF: Final = 10.0
"""Seconds: the longest first pause, which doubles with each attempt up to the second value."""


@dataclass(frozen=True)
class Terms:
    """How often to retry, and how many seconds a single pause may last."""

    retries: int
    longest_wait: float

    def __post_init__(self) -> None:
        if self.retries < 0 or self.longest_wait < 0:
            raise ValueError("retries and longest_wait must be 0 or more")


@dataclass(frozen=True)
class Attempt:
    """A call to send now, under this request id."""

    call: Call[Any]
    request_id: str


@dataclass(frozen=True)
class Pause:
    """Seconds to wait."""

    seconds: float


@dataclass(frozen=True)
class Reply:
    """An answer. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Lost:
    """No answer. ``sent`` is False only if nothing of the request can have arrived."""

    sent: bool
    error: Exception


Conversation = Generator[Attempt | Pause, Reply | Lost | None, T]


def about(call: Call[T], terms: Terms, draw: Callable[[], float] = _draw) -> Conversation[T]:
    """The conversation about a call. ``draw`` gives numbers from 0 to 1, for the jitter."""
    # One id for all attempts, made here, so that it is known even if no answer arrives.
    request_id = str(uuid.uuid4())
    perhaps_done = False
    for tried in range(terms.retries + 1):
        outcome = yield Attempt(call, request_id)
        assert outcome is not None
        if isinstance(outcome, Reply):
            if 200 <= outcome.status < 300:
                return _result(call, outcome, request_id)
            if outcome.status == 404 and perhaps_done and call.gone_is_done:
                return call.read(b"")
        error = _error(outcome, request_id)
        seconds = _pause(tried, error.retry_after, terms.longest_wait, draw)
        if tried == terms.retries or seconds is None or not _harmless(call, outcome, error):
            raise error
        perhaps_done = perhaps_done or _perhaps_done(outcome)
        yield Pause(seconds)
    raise AssertionError("the last attempt returns or raises")


def _perhaps_done(outcome: Reply | Lost) -> bool:
    """Whether the request may have been done in spite of this outcome.

    It may after a 503: a proxy may have lost the service's answer, or the service the database's.
    """
    return outcome.sent if isinstance(outcome, Lost) else outcome.status == 503


def _harmless(call: Call[Any], outcome: Reply | Lost, error: WishwellError) -> bool:
    """Whether the same request may be sent again after this outcome."""
    if isinstance(error, RateLimited):
        return True
    if isinstance(outcome, Lost):
        return call.repeatable or not outcome.sent
    return call.repeatable and isinstance(error, Unavailable)


def _pause(
    tried: int, asked: int | None, longest: float, draw: Callable[[], float]
) -> float | None:
    """Seconds until the next attempt; None if the service asks for more than ``longest``.

    The jitter is added to the time that the service asks for. Otherwise all clients that were
    refused would come back at once.
    """
    # After ten doublings it is LONGEST_BACKOFF anyway. The bound prevents an overflow.
    jitter = draw() * min(FIRST_BACKOFF * 2.0 ** min(tried, 10), LONGEST_BACKOFF)
    if asked is None:
        return min(jitter, longest)
    return None if asked > longest else min(asked + jitter, longest)


def _result(call: Call[T], reply: Reply, request_id: str) -> T:
    try:
        return call.read(reply.body)
    except msgspec.DecodeError as error:
        raise WishwellError(
            f"The answer is not from this API: {error}",
            status=reply.status,
            request_id=reply.headers.get("x-request-id", request_id),
        ) from error


class _Detail(msgspec.Struct, rename="camel"):
    message: str
    request_id: str


class _Envelope(msgspec.Struct):
    error: _Detail


def _error(outcome: Reply | Lost, request_id: str) -> WishwellError:
    if isinstance(outcome, Lost):
        reason = str(outcome.error) or type(outcome.error).__name__
        failed = ConnectionFailed(f"No answer: {reason}", request_id=request_id)
        failed.__cause__ = outcome.error
        return failed
    try:
        detail = msgspec.json.decode(outcome.body, type=_Envelope).error
        message, request_id = detail.message, detail.request_id
    except msgspec.DecodeError:
        # The answer of a proxy on the way.
        message = "The answer is not from this API."
        request_id = outcome.headers.get("x-request-id", request_id)
    return errors.kind_of(outcome.status)(
        message,
        status=outcome.status,
        request_id=request_id,
        retry_after=_seconds(outcome.headers.get("retry-after", "")),
    )


def _seconds(text: str) -> int | None:
    """Retry-After in seconds; None for a date, which this service does not send."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
