"""Attempts to send deliveries: their results, and when to retry. No I/O."""

import contextlib
import email.utils
import random
import re
from collections.abc import Mapping
from datetime import UTC
from typing import Literal, NamedTuple

from wishwell.events import Event

Status = Literal["pending", "delivered", "failed", "skipped", "by_hand"]

# rule: delivery-schedule
BACKOFF_SECONDS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Backoff: seconds before each retry, without jitter. After the last one, the delivery fails."""

_JITTER = 0.1
"""Maximum jitter, as a fraction of the wait, including one by ``Retry-After``."""

_MAX_WAIT_SECONDS = 86_400
_RATE_LIMITED_SECONDS = 60
"""Seconds to wait after a 429 that doesn't say how long."""

_RATE_LIMITED = 429
_KEY_REFUSED = (401, 403)
_EVENT_REFUSED = (400, 409, 413, 415, 422)
"""Statuses after which a tool would refuse the same request again."""


class ClaimedDelivery(NamedTuple):
    """A claimed delivery. ``event`` is None for a test, or if the event is no longer stored."""

    id: str
    lease: str
    type: str
    attempts: int
    event: Event | None


class Attempt(NamedTuple):
    """The result of a send: the HTTP status, or None if there was no response.

    ``at``: milliseconds since 1970. ``wait``: seconds until the receiver wants another request, or
    0. ``formatted``: whether the webhook has a format. ``decided``: the outcome, if the status
    doesn't say so. ``answer``: see ``Delivery``.
    """

    delivery: ClaimedDelivery
    at: int
    status: int | None = None
    wait: int = 0
    formatted: bool = False
    decided: Status | None = None
    answer: str = ""

    @property
    def key_refused(self) -> bool:
        """Whether the tool doesn't accept the webhook's key."""
        return self.formatted and self.status in _KEY_REFUSED

    @property
    def counts(self) -> bool:
        """Whether this was one of the attempts that a delivery has."""
        return self.status != _RATE_LIMITED and not self.key_refused

    # rule: delivery-schedule
    @property
    def outcome(self) -> Status:
        """The resulting status of the delivery."""
        if self.decided is not None:
            return self.decided
        if self.status is not None and 200 <= self.status < 300:
            return "delivered"
        if self.delivery.event is None or (self.formatted and self.status in _EVENT_REFUSED):
            return "failed"
        last = self.counts and self.delivery.attempts >= len(BACKOFF_SECONDS)
        return "failed" if last else "pending"


# rule: delivery-schedule
def next_retry(attempt: Attempt) -> int:
    """Returns the time of the next retry (backoff with jitter), in milliseconds since 1970."""
    backoff = BACKOFF_SECONDS[attempt.delivery.attempts] if attempt.counts else 0
    wait = max(backoff, attempt.wait) * 1000
    return attempt.at + round(wait * (1 + _JITTER * random.random()))  # noqa: S311


# rule: delivery-schedule
def wait_seconds(status: int, headers: Mapping[str, str], now: int) -> int:
    """Returns for how many seconds, at most a day, a receiver wants no requests, by its answer; 0
    if none.

    ``now``: milliseconds since 1970, for a ``Retry-After`` with a time (RFC 9110, 10.2.3).
    """
    text = headers.get("retry-after", "")
    if status == _RATE_LIMITED:  # Brevo's own header
        text = text or headers.get("x-sib-ratelimit-reset", "")
    seconds = _RATE_LIMITED_SECONDS if status == _RATE_LIMITED else 0
    if re.fullmatch("[0-9]+", text):
        digits = text.lstrip("0")[:6] or "0"  # six digits are more than a day
        seconds = max(int(digits), int(status == _RATE_LIMITED))
    elif text:
        with contextlib.suppress(ValueError, OverflowError):
            at = email.utils.parsedate_to_datetime(text)
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            seconds = max(seconds and 1, -(-round(at.timestamp() * 1000 - now) // 1000))
    return min(seconds, _MAX_WAIT_SECONDS)
