"""The visitor's cookie: a session's GID, when it was set, and a signature over both."""

import functools
import hashlib
import hmac
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec
from jwt.utils import base64url_decode, base64url_encode

from wishwell import ids
from wishwell.stores.store_secrets import COOKIE_DAYS, CookieSecret

_DAY_SECONDS = 86_400
MAX_AGE = COOKIE_DAYS * _DAY_SECONDS
"""Seconds that a cookie is valid."""

_CLOCK_SKEW_SECONDS = 60
"""Seconds by which a cookie's date may be in the future (clock skew) without being replaced."""

_PROPAGATION_SECONDS = 10
"""Seconds until a new secret signs. By then every process has it: a process without it would remove
the cookie of a new visitor."""

_PLAIN, _HOST = b"wishwell", b"__Host-wishwell"
_MAX_BYTES = 1_000
MAX_CACHED = 10_000
"""Size of the LRU caches of cookies and of shoppers, each for all stores: without them, HMACs and
base64 take most of the time that the storefront adds to a read (rule: storefront-secrets)."""


class Visitor(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"session": "s", "since": "t"},
):
    """The content of a cookie: a session, and the epoch second at which the cookie was set."""

    session: str
    since: int
    v: Literal[1] = 1

    # rule: storefront-visitor
    def is_due(self, now: int) -> bool:
        """Returns whether to set the cookie again: to extend it, or to replace a future date."""
        return not -_CLOCK_SKEW_SECONDS <= now - self.since <= _DAY_SECONDS


_decoder = msgspec.json.Decoder(Visitor)


class Signer:
    """Writes and reads the cookies of one store, by its id.

    ``secrets``: the newest first, which signs. Replaced secrets are accepted until the cookies that
    they signed have expired (rule: storefront-visitor). ``kind``: what is signed, so that one kind
    isn't accepted as another.
    """

    def __init__(self, secrets: Sequence[CookieSecret], store: str, kind: str = "cookie") -> None:
        self._secrets = secrets
        self._prefix = f"{kind}\n{store}\n".encode()

    def value(self, session: str, now: int) -> str:
        """Returns the cookie's value for a session, set at the epoch second ``now``."""
        return self._sign(self._choose_secret(now), Visitor(session, now)).decode()

    def visitor(self, value: bytes, now: int) -> Visitor | None:
        """Returns the content of a cookie's value, or ``None`` if the value is invalid or expired.

        A cookie that names a customer is invalid. One dated in the future is valid, because it was
        signed while the clock was wrong. One under a replaced secret counts as set before the
        replacement, so that a future date doesn't extend the use of a leaked secret.
        """
        try:
            visitor, replaced_at = self.verified(value)
        except (ValueError, msgspec.DecodeError):
            return None
        since = visitor.since if replaced_at is None else min(visitor.since, replaced_at // 1000)
        return visitor if now - since <= MAX_AGE else None

    @functools.lru_cache(maxsize=MAX_CACHED)  # noqa: B019 - the cache of signers is bounded
    def verified(self, value: bytes) -> tuple[Visitor, int | None]:
        """Returns the visitor, and when the signing secret was replaced. Raises ``ValueError`` and
        ``msgspec.DecodeError``."""
        visitor = _decoder.decode(base64url_decode(value[:_MAX_BYTES].partition(b".")[0]))
        # Compares with every secret, so that the time doesn't depend on which one matches.
        matches = [
            hmac.compare_digest(self._sign(secret, visitor), value) for secret in self._secrets
        ]
        if not ids.is_session(visitor.session):
            raise ValueError("A customer's GID.")
        return visitor, self._secrets[matches.index(True)].replaced_at

    def _choose_secret(self, now: int) -> CookieSecret:
        for secret, older in pairwise(self._secrets):
            age = now - (older.replaced_at or 0) // 1000
            if not -_CLOCK_SKEW_SECONDS <= age <= _PROPAGATION_SECONDS:
                return secret
        return self._secrets[-1]

    @functools.lru_cache(maxsize=MAX_CACHED)  # noqa: B019
    def shopper(self, gid: str) -> bytes:
        """Returns a pseudonym of a shopper, by which a page can compare the shoppers of two
        responses."""
        key = self._secrets[0].secret.encode()
        return base64url_encode(hmac.digest(key, b"shopper\n" + gid.encode(), hashlib.sha256))[:16]

    def _sign(self, secret: CookieSecret, visitor: Visitor) -> bytes:
        content = base64url_encode(msgspec.json.encode(visitor))
        signature = hmac.digest(secret.secret.encode(), self._prefix + content, hashlib.sha256)
        return content + b"." + base64url_encode(signature)


def name(*, secure: bool) -> bytes:
    """Returns the cookie's name. The prefix ``__Host-`` prevents a subdomain from setting it."""
    return _HOST if secure else _PLAIN


def line(value: str, *, secure: bool) -> bytes:
    """Returns the ``Set-Cookie`` header for a value; for an empty one, it removes the cookie."""
    age = MAX_AGE if value else 0
    secure_attribute = "; Secure" if secure else ""
    attributes = f"={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure_attribute}"
    return name(secure=secure) + attributes.encode()


def values(headers: Sequence[bytes], cookie_name: bytes) -> list[bytes]:
    """Returns all values of a name in the ``Cookie`` headers, in order."""
    matches = []
    for header in headers:
        for pair in header.split(b";"):
            key, equals, value = pair.partition(b"=")
            if equals and key.strip(b" \t") == cookie_name:
                matches.append(value.strip(b" \t"))
    return matches
