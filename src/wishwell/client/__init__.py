"""The Python client of the API, blocking and asynchronous. Needs the extra ``client`` (httpx2).

    with Wishwell("https://wishes.example", token, profile="gid://shopify/Customer/7") as wishes:
        item = wishes.items.create(632910392, quantity=2)

See ``docs/client.md``. The service itself doesn't import this package.

Start with ``asynchronous.py``; its blocking twin ``sync.py`` is generated. ``*_operations.py`` and
``records.py`` are generated from the API's description. ``conversation.py`` decides about retries,
``*_line.py`` sends calls, ``calls.py`` and ``answers.py`` encode and decode them.
"""

try:
    import httpx2 as _  # noqa: F401
except ImportError as error:
    raise ImportError(
        "wishwell.client needs httpx2. Install it with: pip install httpx2"
    ) from error

from wishwell.client import records
from wishwell.client.answers import Feed, Page
from wishwell.client.asynchronous import AsyncWishwell
from wishwell.client.calls import UNSET
from wishwell.client.errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    RateLimited,
    Unauthorized,
    Unavailable,
    WishwellError,
)
from wishwell.client.records import *  # noqa: F403
from wishwell.client.sync import Wishwell

__all__ = [
    "UNSET",
    "AsyncWishwell",
    "Conflict",
    "ConnectionFailed",
    "Feed",
    "Forbidden",
    "Gone",
    "Invalid",
    "NotFound",
    "Page",
    "RateLimited",
    "Unauthorized",
    "Unavailable",
    "Wishwell",
    "WishwellError",
]
__all__ += records.__all__
