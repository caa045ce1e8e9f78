"""Retries: what comes after each attempt of a call, and the errors. No I/O."""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import httpx2
import msgspec

from wishwell.client import errors
from wishwell.client.calls import Call
from wishwell.client.errors import ConnectionFailed, WishwellError

T = TypeVar("T")

_draw = random.SystemRandom().random

FIRST_BACKOFF: Final = 0.2
LONGEST_BACKOFF: Final = 10.0
"""Seconds: the longest first pause, which doubles with each attempt up to the second value."""

# Nothing of the request was sent: there was no connection, or none free in the pool.
_NOT_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
)


@dataclass(frozen=True)
class Terms:
    """How often to retry, and how many seconds a single pause may last."""

    retries: int
    longest_wait: float

    def __post_init__(self) -> None:
        if self.retries < 0 or self.longest_wait < 0:
            raise ValueError("retries and longest_wait must be 0 or more")


class Conversation(Generic[T]):
    """The attempts of one call. ``draw`` gives numbers from 0 to 1, for the jitter."""

    def __init__(self, call: Call[T], terms: Terms, draw: Callable[[], float] = _draw) -> None:
        # One id for all attempts, made here, so that it is known even if no answer arrives.
        self.request_id = str(uuid.uuid4())
        self._call = call
        self._terms = terms
        self._draw = draw
        self._tried = 0
        self._perhaps_done = False

    def is_done(self, answer: httpx2.Response) -> bool:
        """Whether the call was done, by this attempt or one before it."""
        gone = answer.status_code == 404 and self._perhaps_done and self._call.gone_is_done
        return answer.is_success or gone

    def result(self, answer: httpx2.Response) -> T:
        """The result of a call that is done. Raises ``WishwellError`` if it can't be read."""
        try:
            return self._call.read(answer.content)
        except msgspec.DecodeError as error:
            raise WishwellError(
                f"The answer is not from this API: {error}",
                status=answer.status_code,
                request_id=answer.headers.get("X-Request-Id", self.request_id),
            ) from error

    def pause(self, outcome: httpx2.Response | httpx2.RequestError) -> float:
        """Seconds until the next attempt after a refusal or a loss.

        Raises the ``WishwellError`` if there is none, and an error in the request itself again.
        """
        if isinstance(outcome, httpx2.Response):
            error = _refusal(outcome, self.request_id)
            # A proxy may have lost the service's answer, or the service the database's.
            perhaps_done = error.status == 503
            harmless = error.status == 429 or (perhaps_done and self._call.repeatable)
        else:
            if isinstance(outcome, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
                raise outcome
            reason = str(outcome) or type(outcome).__name__
            error = ConnectionFailed(f"No answer: {reason}", request_id=self.request_id)
            error.__cause__ = outcome
            perhaps_done = not isinstance(outcome, _NOT_SENT)
            harmless = self._call.repeatable or not perhaps_done
        asked, longest = error.retry_after or 0, self._terms.longest_wait
        if self._tried == self._terms.retries or asked > longest or not harmless:
            raise error
        # After ten doublings it is LONGEST_BACKOFF anyway. The bound prevents an overflow.
        bound = min(FIRST_BACKOFF * 2.0 ** min(self._tried, 10), LONGEST_BACKOFF)
        self._tried += 1
        self._perhaps_done = self._perhaps_done or perhaps_done
        # On top of what the service asks for, or all who were refused would come back at once.
        return min(asked + self._draw() * bound, longest)


class _Detail(msgspec.Struct, rename="camel"):
    message: str
    request_id: str


class _Envelope(msgspec.Struct):
    error: _Detail


def _refusal(answer: httpx2.Response, request_id: str) -> WishwellError:
    try:
        detail = msgspec.json.decode(answer.content, type=_Envelope).error
        message, request_id = detail.message, detail.request_id
    except msgspec.DecodeError:
        # The answer of a proxy on the way.
        message = "The answer is not from this API."
        request_id = answer.headers.get("X-Request-Id", request_id)
    later = answer.headers.get("Retry-After", "")
    return errors.kind_of(answer.status_code)(
        message,
        status=answer.status_code,
        request_id=request_id,
        # Not a date, which this service does not send.
        retry_after=int(later) if later.isascii() and later.isdigit() and len(later) < 10 else None,
    )
