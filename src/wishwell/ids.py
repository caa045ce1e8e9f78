"""Identifiers: time-ordered UUIDs, GIDs, and the derived key of a profile.

Ids and times are made here and not in SQL, so that one statement works on both engines and tests
can control the clock.
"""

import functools
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

UUID_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
RECORD_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""A UUIDv7, as ``UUID7`` makes them; not ``NO_UUID``."""

_CUSTOMER_PATTERN = re.compile(r"gid://([a-z0-9-]+)/Customer/([A-Za-z0-9_-]{1,64})", re.ASCII)
_SESSION_PATTERN = re.compile(rf"gid://[a-z0-9-]{{1,40}}/Session/{UUID_PATTERN.pattern}", re.ASCII)
NO_UUID = "00000000-0000-0000-0000-000000000000"
"""An id that no record has (RFC 9562, 5.9)."""

DAY_MS = 86_400_000
LAST = 253_402_300_799_999
"""The end of the year 9999 in milliseconds since 1970, the last time that can be written."""

Clock = Callable[[], int]
"""Milliseconds since 1970, UTC."""


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


# contract: clock-steps
class UUID7:
    """Makes UUIDv7 strings (RFC 9562), each greater than the one before it in this process.

    Within one millisecond, and after the clock was set back, the 12 bits after the time count up
    (RFC 9562, 6.2, method 1) and overflow into the time.
    """

    def __init__(self, clock: Clock = wall_clock) -> None:
        self._clock = clock
        self._last = 0  # milliseconds << 12 | counter
        self._lock = threading.Lock()

    def __call__(self) -> str:
        with self._lock:
            # The counter starts at 0, so 4,096 ids fit before it overflows.
            self._last = max(self._last + 1, self._clock() << 12)
            last = self._last
        return _uuid7(last)


def uuid7_at(milliseconds: int) -> str:
    """A UUIDv7 of exactly this time, in no order among those of the same millisecond."""
    return _uuid7(milliseconds << 12 | int.from_bytes(os.urandom(2), "big") >> 4)


def uuid7_of(milliseconds: int, rest: int) -> str:
    """The UUIDv7 of this time and these 74 bits behind it."""
    return _uuid7(milliseconds << 12 | rest >> 62, rest & (1 << 62) - 1)


def _uuid7(time_and_counter: int, end: int | None = None) -> str:
    high, low = divmod(time_and_counter, 1 << 12)
    if end is None:
        end = int.from_bytes(os.urandom(8), "big") >> 2
    text = f"{high << 80 | 0x7 << 76 | low << 64 | 0b10 << 62 | end:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def time_of(uuid7: str) -> int:
    """The time in a UUIDv7, in milliseconds."""
    return int(uuid7[:8] + uuid7[9:13], 16)


def is_uuid(text: str) -> bool:
    """Whether ``text`` is a UUID in lower case with hyphens."""
    return UUID_PATTERN.fullmatch(text) is not None


# contract: store-isolation
@functools.lru_cache(maxsize=10_000)
def profile_key(store_id: str, gid: str) -> str:
    """The key of a profile, derived from store and GID (contract: profile-key)."""
    return str(uuid.uuid5(uuid.UUID(store_id), gid))


def session_gid(namespace: str, session: str) -> str:
    return f"gid://{namespace}/Session/{session}"


def customer_of(gid: str) -> tuple[str, str] | None:
    """The platform and the customer id in a customer GID; None for anything else."""
    match = _CUSTOMER_PATTERN.fullmatch(gid)
    return (match[1], match[2]) if match else None


def is_session(text: str) -> bool:
    """Whether it is the GID of a session, of any namespace."""
    return _SESSION_PATTERN.fullmatch(text) is not None


def is_gid(text: str) -> bool:
    """Whether it is the GID of a customer or session, of any platform or namespace."""
    return customer_of(text) is not None or is_session(text)


_DAY = (
    r"(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8])"
)
_LEAP_YEAR = r"[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00"
TIME_PATTERN = re.compile(
    rf"(?=19[7-9]|[2-9])(?:[0-9]{{4}}-(?:{_DAY})|(?:{_LEAP_YEAR})-02-29)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
"""The times that ``timestamp`` makes, from 1970 to 9999: no 31 February."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


# contract: record-times
def timestamp(milliseconds: int) -> str:
    """RFC 3339 in UTC with milliseconds and Z, as times are shown and stored."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


@functools.lru_cache(maxsize=64)  # many requests share a second
def _second(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()[:19]


def from_timestamp(text: str) -> int:
    """The milliseconds of a time that ``timestamp`` made."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def random_uuid() -> str:
    """A random UUID (version 4) that nobody can guess, and that does not show when it was made."""
    return str(uuid.uuid4())


def request_uuid() -> str:
    """A random UUID (version 4) that may be guessed."""
    # Every request needs one. uuid.uuid4 takes ten times as long, for a system call and an object.
    text = f"{random.getrandbits(128):032x}"
    variant = "89ab"[int(text[16], 16) & 3]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
