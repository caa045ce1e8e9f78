"""JSON Web Key Sets (RFC 7517) of shops, which verify their customers' JWTs: stored, or fetched."""

import asyncio
import contextlib
import functools
import json
import time
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import Any
from urllib.parse import urlsplit

import jwt
import structlog
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from wishwell.errors import Invalid, Unavailable
from wishwell.fairness.fair_queue import CURRENT
from wishwell.outbound import Outbound
from wishwell.outbound.answer import MAX_ANSWER_BYTES, Unanswered
from wishwell.shoppers.customers import PUBLIC, InvalidEvidence

_FETCH_SECONDS = 5.0
"""Timeout of one fetch: a visitor may wait for it."""

_MIN_INTERVAL_SECONDS = 60.0
"""Rate limit of fetches: a stranger who sends JWTs with invented keys can't cause more."""

_RETRY_SECONDS = 1.0
"""Seconds until a failed fetch is retried while no keys are cached."""

_STALE_SECONDS = 3_600.0
"""Seconds that keys stay usable past ``max_age`` while every fetch fails."""

_MIN_RSA_BITS = 2_048
"""Minimum size of an RSA key (RFC 7518, section 3.3)."""

log = structlog.get_logger("wishwell.storefront")


_MEMBERS = frozenset({"kid", "kty", "alg", "use", "n", "e", "crv", "x", "y"})
"""Members of a public key. A private member, published by mistake, can take seconds to parse."""


class KeySets:
    """The key sets of all stores. A source is a URL, or the set itself in JSON.

    Caches the set of every URL that was ever used.
    """

    def __init__(
        self,
        outbound: Outbound,
        max_age: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``max_age``: seconds after which fetched keys are used only while their URL is down."""
        self._outbound = outbound
        self._fetched = functools.cache(lambda url: _Fetched(url, outbound, max_age, clock))

    def check(self, name: str, source: str) -> None:
        """Raises ``Invalid``, whose message begins with ``name``, for an unusable source.

        Doesn't fetch a URL.
        """
        if _is_url(source):
            self._outbound.check(name, source)
            return
        try:
            keys = _parse(source)
        except ValueError as error:
            raise Invalid(f"{name}: isn't a JSON Web Key Set; {error}.") from None
        if weak := _weak_key_ids(keys):
            raise Invalid(
                f"{name}: the RSA key {weak[0]} is shorter than {_MIN_RSA_BITS:,} bits. "
                "Replace it, or remove it from the set."
            )
        if not keys:
            raise Invalid(f"{name}: contains no key with a kid for {' or '.join(PUBLIC)}.")

    async def key(self, source: str, kid: str, failed: jwt.PyJWK | None = None) -> jwt.PyJWK:
        """Returns the key of a ``kid``.

        ``failed`` is this kid's key that just failed to verify a signature: the shop may have
        replaced it, so the set is fetched again if the rate limit allows. Raises
        ``InvalidEvidence`` for an unknown ``kid``, and ``Unavailable`` while no keys are cached.
        """
        if not source:
            raise InvalidEvidence("the shop has no key set")
        is_fetched = _is_url(source)
        keys = (
            await self._fetched(source).keys(kid, failed) if is_fetched else _parse_stored(source)
        )
        if kid not in keys:
            raise InvalidEvidence("its key (kid) isn't in the shop's key set")
        return keys[kid]


# rule: key-set-fetched
class _Fetched:
    """The key set of a URL.

    Each fetch creates new key objects. The cache of verified JWTs is keyed by them, so that no
    cached result outlives its fetch.
    """

    def __init__(
        self, url: str, outbound: Outbound, max_age: float, clock: Callable[[], float]
    ) -> None:
        self._url = url
        self._outbound = outbound
        self._max_age = max_age
        self._refresh_age = max_age / 2
        self._min_interval = min(_MIN_INTERVAL_SECONDS, self._refresh_age)
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] | None = None
        self._fetched_at = -float("inf")
        self._is_down = False
        self._not_before = -float("inf")
        self._fetching: asyncio.Task[None] | None = None

    async def keys(self, kid: str, failed: jwt.PyJWK | None) -> dict[str, jwt.PyJWK]:
        """Returns the keys by ``kid``. Raises ``Unavailable``.

        Concurrent callers share one fetch (single-flight). Waits for it only if the key of ``kid``
        is missing or ``failed``, or the keys are past ``max_age`` and the last fetch succeeded.
        """
        now = self._clock()
        age = now - self._fetched_at
        if age > self._max_age + _STALE_SECONDS:
            self._keys = None
        lacks_key = self._keys is None or self._keys.get(kid) in (None, failed)
        is_due = lacks_key or age >= self._refresh_age
        if is_due and self._fetching is None and now >= self._not_before:
            # With an empty context, because the fetch belongs to no single request.
            self._fetching = asyncio.create_task(self._fetch(), context=Context())
        is_needed = lacks_key or (age > self._max_age and not self._is_down)
        if is_needed and self._fetching is not None:
            # Shielded: the fetch continues for the others if this caller disconnects.
            await CURRENT.get().away(asyncio.shield(self._fetching))
        if self._keys is None:
            raise Unavailable(
                "The sign-in can't be verified now, because the shop's key set is unavailable."
            )
        return self._keys

    async def _fetch(self) -> None:
        url, began = self._url, self._clock()
        try:
            answer = await self._outbound.call("GET", url, seconds=_FETCH_SECONDS, owner=url)
            if answer.status != 200:
                raise Unanswered(f"the status is {answer.status}")
            if not answer.whole:
                raise Unanswered(f"the response is larger than {MAX_ANSWER_BYTES // 1024} KiB")
            keys = _parse(answer.body)
            self._keys, self._fetched_at = _without_weak(keys), began
            self._is_down = False
            if weak := _weak_key_ids(keys):
                log.warning("key_too_short", place=urlsplit(url).hostname, kid=weak[0])
        except (ValueError, Unanswered) as error:
            self._is_down = True
            # The rest of a URL may be a secret.
            log.error("key_set_away", place=urlsplit(url).hostname, reason=str(error))
        finally:
            pause = _RETRY_SECONDS if self._keys is None else self._min_interval
            self._not_before = self._clock() + pause
            self._fetching = None


# rule: key-set-fetched
def public_keys(document: Any) -> dict[str, jwt.PyJWK]:
    """Returns the usable keys of a key set (RFC 7517), by ``kid``, weak ones included.

    Raises ``ValueError``.
    """
    entries = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(entries, list):
        raise ValueError("it has no array `keys`")
    keys = {}
    for entry in entries:
        with contextlib.suppress(Exception):  # invalid entries are skipped
            key = jwt.PyJWK({name: entry[name] for name in _MEMBERS & entry.keys()})
            if key.key_id and key.algorithm_name in PUBLIC and key.public_key_use in (None, "sig"):
                keys[key.key_id] = key
    return keys


def _is_url(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _weak_key_ids(keys: Mapping[str, jwt.PyJWK]) -> list[str]:
    """Returns the ids of RSA keys that are too short."""
    return [
        kid
        for kid, key in keys.items()
        if isinstance(key.key, RSAPublicKey) and key.key.key_size < _MIN_RSA_BITS
    ]


def _without_weak(keys: Mapping[str, jwt.PyJWK]) -> dict[str, jwt.PyJWK]:
    weak = _weak_key_ids(keys)
    return {kid: key for kid, key in keys.items() if kid not in weak}


def _parse(text: str | bytes) -> dict[str, jwt.PyJWK]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it isn't JSON") from None
    return public_keys(document)


@functools.lru_cache(maxsize=1_000)
def _parse_stored(source: str) -> dict[str, jwt.PyJWK]:
    return _without_weak(_parse(source))
