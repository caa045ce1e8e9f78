"""Attempts to send deliveries: their results, and when to retry. No I/O."""

import contextlib
import email.utils
import random
import re
from collections.abc import Mapping
from datetime import UTC
from typing import Literal, NamedTuple, get_args

from wishwell.events import Event

Status = Literal["pending", "delivered", "failed", "skipped", "by_hand"]
STATUSES: tuple[Status, ...] = get_args(Status)

# rule: delivery-schedule
BACKOFF_SECONDS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Backoff: seconds before each retry, without jitter. After the last one, the delivery fails."""

_JITTER_FRACTION = 0.1
"""Maximum jitter, as a fraction of the wait, including one by ``Retry-After``."""

_MAX_WAIT_SECONDS = 86_400
_RATE_LIMITED_SECONDS = 60
"""Seconds to wait after a 429 that doesn't say how long."""

_RATE_LIMITED_STATUS = 429
_KEY_REFUSED_STATUSES = (401, 403)
_EVENT_REFUSED_STATUSES = (400, 409, 413, 415, 422)
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

    ``finished_at``: milliseconds since 1970. ``wait_seconds``: seconds until the receiver wants
    another request, or 0. ``has_format``: whether the webhook has a format. ``decided_outcome``:
    the outcome, if the status doesn't say so. ``answer``: see ``Delivery``.
    """

    delivery: ClaimedDelivery
    finished_at: int
    status: int | None = None
    wait_seconds: int = 0
    has_format: bool = False
    decided_outcome: Status | None = None
    answer: str = ""

    @property
    def is_key_refused(self) -> bool:
        """Whether the tool doesn't accept the webhook's key."""
        return self.has_format and self.status in _KEY_REFUSED_STATUSES

    @property
    def counts_as_try(self) -> bool:
        """Whether this was one of the attempts that a delivery has."""
        return self.status != _RATE_LIMITED_STATUS and not self.is_key_refused

    # rule: delivery-schedule
    @property
    def outcome(self) -> Status:
        """The resulting status of the delivery."""
        if self.decided_outcome is not None:
            return self.decided_outcome
        if self.status is not None and 200 <= self.status < 300:
            return "delivered"
        if self.delivery.event is None or (
            self.has_format and self.status in _EVENT_REFUSED_STATUSES
        ):
            return "failed"
        is_last = self.counts_as_try and self.delivery.attempts >= len(BACKOFF_SECONDS)
        return "failed" if is_last else "pending"


# rule: delivery-schedule
def compute_next_retry(attempt: Attempt) -> int:
    """Returns the time of the next retry (backoff with jitter), in milliseconds since 1970."""
    backoff = BACKOFF_SECONDS[attempt.delivery.attempts] if attempt.counts_as_try else 0
    wait_ms = max(backoff, attempt.wait_seconds) * 1000
    jitter = 1 + _JITTER_FRACTION * random.random()  # noqa: S311
    return attempt.finished_at + round(wait_ms * jitter)


# rule: delivery-schedule
def parse_retry_after(status: int, headers: Mapping[str, str], now: int) -> int:
    """Returns for how many seconds, at most a day, a receiver wants no requests, by its answer; 0
    if none.

    ``now``: milliseconds since 1970, for a ``Retry-After`` with a time (RFC 9110, 10.2.3).
    """
    header = headers.get("retry-after", "")
    if status == _RATE_LIMITED_STATUS:  # Brevo's own header
        header = header or headers.get("x-sib-ratelimit-reset", "")
    seconds = _RATE_LIMITED_SECONDS if status == _RATE_LIMITED_STATUS else 0
    if re.fullmatch("[0-9]+", header):
        digits = header.lstrip("0")[:6] or "0"  # six digits are more than a day
        seconds = max(int(digits), int(status == _RATE_LIMITED_STATUS))
    elif header:
        with contextlib.suppress(ValueError, OverflowError):
            retry_at = email.utils.parsedate_to_datetime(header)
            retry_at = retry_at if retry_at.tzinfo else retry_at.replace(tzinfo=UTC)
            seconds = max(seconds and 1, -(-round(retry_at.timestamp() * 1000 - now) // 1000))
    return min(seconds, _MAX_WAIT_SECONDS)
