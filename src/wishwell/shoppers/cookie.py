"""The visitor's cookie: a session's GID, when it was set, and a signature over both."""

import functools
import hashlib
import hmac
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec
from jwt.utils import base64url_decode, base64url_encode

from wishwell.stores.store_secrets import CookieSecret

MAX_AGE = 7_776_000
"""Seconds: 90 days. Past them a cookie is nobody's."""

_DAY = 86_400
_SKEW = 60
"""Seconds by which a date may be ahead and stays."""

_SPREAD = 10
"""Seconds until a new secret signs. By then every process knows it: one that did not would take the
cookie of a visitor who has just come away."""

_PLAIN, _HOST = b"wishwell", b"__Host-wishwell"
_LONGEST = 1_000
MOST = 10_000
"""Cookies, and as many shoppers, that a process remembers over all stores: HMACs and base64 were
the better part of what the storefront adds to a read (contract: storefront-remembered)."""


class Visitor(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"session": "s", "since": "t"},
):
    """Who a cookie names: a session, and the epoch second at which the cookie was set."""

    session: str
    since: int
    v: Literal[1] = 1

    # contract: storefront-cookie-ahead
    def is_due(self, now: int) -> bool:
        """Whether the cookie is to be set again, so that it lives on, or as it is dated ahead."""
        return not -_SKEW <= now - self.since <= _DAY


_decoder = msgspec.json.Decoder(Visitor)


class Signer:
    """Writes and reads the cookie of one store, by its id.

    ``secrets``: the newest first. It signs, and those that it replaced are accepted for as long as
    a cookie from before is good (contract: storefront-cookie).
    """

    def __init__(self, secrets: Sequence[CookieSecret], store: str) -> None:
        self._secrets = secrets
        self._before = b"cookie\n" + store.encode() + b"\n"

    def value(self, session: str, now: int) -> str:
        """The cookie's value for a session, set at the epoch second ``now``."""
        return self._written(self._signing(now), Visitor(session, now)).decode()

    def visitor(self, value: bytes, now: int) -> Visitor | None:
        """Whom a value names; None if it is not one of ours, letter for letter, or too old.

        One that is dated ahead is good: it was signed while the clock was wrong. So a leaked secret
        can't be used any longer by dating cookies ahead, a replaced one is good for no longer than
        a cookie from before.
        """
        try:
            visitor, replaced_at = self._verified(value)
        except (ValueError, msgspec.DecodeError):
            return None
        since = visitor.since if replaced_at is None else min(visitor.since, replaced_at // 1000)
        return visitor if now - since <= MAX_AGE else None

    @functools.lru_cache(maxsize=MOST)  # noqa: B019 - a signer that is gone is soon forgotten
    def _verified(self, value: bytes) -> tuple[Visitor, int | None]:
        """The visitor, and when the secret was replaced that signed. Raises ``ValueError`` and
        ``msgspec.DecodeError``."""
        visitor = _decoder.decode(base64url_decode(value[:_LONGEST].partition(b".")[0]))
        # One after the other whatever matches: how many secrets there are is no secret.
        good = [
            hmac.compare_digest(self._written(secret, visitor), value) for secret in self._secrets
        ]
        return visitor, self._secrets[good.index(True)].replaced_at

    def _signing(self, now: int) -> CookieSecret:
        for secret, before in pairwise(self._secrets):
            if not -_SKEW <= now - (before.replaced_at or 0) // 1000 <= _SPREAD:
                return secret
        return self._secrets[-1]

    @functools.lru_cache(maxsize=MOST)  # noqa: B019
    def shopper(self, gid: str) -> bytes:
        """What tells a page whether two answers are of the same shopper, and no more."""
        key = self._secrets[0].secret.encode()
        return base64url_encode(hmac.digest(key, b"shopper\n" + gid.encode(), hashlib.sha256))[:16]

    def _written(self, secret: CookieSecret, visitor: Visitor) -> bytes:
        content = base64url_encode(msgspec.json.encode(visitor))
        signature = hmac.digest(secret.secret.encode(), self._before + content, hashlib.sha256)
        return content + b"." + base64url_encode(signature)


def name(*, secure: bool) -> bytes:
    """The cookie's name. The prefix keeps a subdomain from planting one."""
    return _HOST if secure else _PLAIN


def line(value: str, *, secure: bool) -> bytes:
    """The ``Set-Cookie`` of a value; of an empty one, the line that removes the cookie."""
    age = MAX_AGE if value else 0
    end = "; Secure" if secure else ""
    attributes = f"={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{end}"
    return name(secure=secure) + attributes.encode()


def values(headers: Sequence[bytes], wanted: bytes) -> list[bytes]:
    """Every value that the ``Cookie`` headers give to a name, in order."""
    found = []
    for header in headers:
        for pair in header.split(b";"):
            key, equals, value = pair.partition(b"=")
            if equals and key.strip(b" \t") == wanted:
                found.append(value.strip(b" \t"))
    return found
