"""The Python client of the API, blocking and asynchronous.

    with Wishwell("https://wishes.example", token, profile="gid://shopify/Customer/7") as wishes:
        item = wishes.items.create(632910392, quantity=2)

See ``docs/client.md`` of the project.

Start with ``_async/client.py``; the build generates ``_sync`` from ``_async``. ``records.py`` and
``_async/operations.py`` are generated from the API's description. ``retries.py`` decides
about retries, ``_async/transport.py`` sends calls, and ``calls.py`` and ``answers.py`` encode and
decode them.
"""

from wishwell_client import records
from wishwell_client._async.client import AsyncWishwell
from wishwell_client._sync.client import Wishwell
from wishwell_client.answers import Feed, Page
from wishwell_client.calls import UNSET
from wishwell_client.errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    OrdersRefused,
    RateLimited,
    Unauthorized,
    Unavailable,
    WishwellError,
)
from wishwell_client.records import *  # noqa: F403
from wishwell_client.version import __version__

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
    "OrdersRefused",
    "Page",
    "RateLimited",
    "Unauthorized",
    "Unavailable",
    "Wishwell",
    "WishwellError",
    "__version__",
]
__all__ += records.__all__
