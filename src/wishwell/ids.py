"""Identifiers: time-ordered UUIDs, GIDs, and the derived key of a profile.

Ids and times are made here, never in SQL, so that one statement serves both engines and tests
can stop the clock.
"""

import functools
import os
import re
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

UUID_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_CUSTOMER_PATTERN = re.compile(r"gid://([a-z0-9-]+)/Customer/([A-Za-z0-9_-]{1,64})", re.ASCII)
NO_UUID = "00000000-0000-0000-0000-000000000000"
"""What no record has (RFC 9562, 5.9)."""

MAX_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff"
"""What is behind all others (RFC 9562, 5.10)."""

Clock = Callable[[], int]
"""Milliseconds since 1970, UTC."""


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


# contract: clock-steps
class UUID7:
    """Makes UUIDv7 strings (RFC 9562), each greater than the one before it in this process.

    Within one millisecond, and while the clock is behind where it was, the 12 bits after the
    time count up (RFC 9562, 6.2, method 1), and run over into the time.
    """

    def __init__(self, clock: Clock = wall_clock) -> None:
        self._clock = clock
        self._last = 0  # milliseconds << 12 | counter
        self._lock = threading.Lock()

    def __call__(self) -> str:
        with self._lock:
            # Starting low in the counter leaves 4,000 ids before it runs into the next millisecond.
            self._last = max(self._last + 1, self._clock() << 12)
            last = self._last
        return _uuid7(last)


def uuid7_at(milliseconds: int) -> str:
    """A UUIDv7 of exactly this time: not ordered with others of the same millisecond."""
    return _uuid7(milliseconds << 12 | int.from_bytes(os.urandom(2), "big") >> 4)


def _uuid7(time_and_counter: int) -> str:
    high, low = divmod(time_and_counter, 1 << 12)
    random = int.from_bytes(os.urandom(8), "big") >> 2
    text = f"{high << 80 | 0x7 << 76 | low << 64 | 0b10 << 62 | random:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def time_of(uuid7: str) -> int:
    """The milliseconds that a UUIDv7 carries."""
    return int(uuid7[:8] + uuid7[9:13], 16)


def is_uuid(text: str) -> bool:
    """Whether ``text`` is a UUID in the one spelling that we hand out."""
    return UUID_PATTERN.fullmatch(text) is not None


# contract: store-isolation
def profile_key(store_id: str, gid: str) -> str:
    """The key of a profile: derived, never looked up (contract: profile-key)."""
    return str(uuid.uuid5(uuid.UUID(store_id), gid))


def session_gid(namespace: str, session: str) -> str:
    return f"gid://{namespace}/Session/{session}"


def customer_of(gid: str) -> tuple[str, str] | None:
    """The platform and the customer id in a customer GID; None for anything else."""
    match = _CUSTOMER_PATTERN.fullmatch(gid)
    return (match[1], match[2]) if match else None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


# contract: record-times
@functools.lru_cache(maxsize=64)  # many requests share a millisecond
def timestamp(milliseconds: int) -> str:
    """RFC 3339 in UTC with milliseconds and Z: as the API shows times, and as they are stored."""
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def from_timestamp(text: str) -> int:
    """The milliseconds of a time that ``timestamp`` has written."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def random_uuid() -> str:
    """A random UUID (version 4): for what must not tell when it was made."""
    # uuid.uuid4 builds an object first, which costs ten times as much; every request has one.
    text = os.urandom(16).hex()
    variant = "89ab"[int(text[16], 16) & 3]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
