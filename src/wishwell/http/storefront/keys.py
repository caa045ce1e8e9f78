"""The key sets that shops sign their customers' JWTs with: given as they are, or behind a URL."""

import asyncio
import contextlib
import functools
import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import jwt
import structlog

from wishwell.errors import Invalid, Unavailable
from wishwell.http.storefront.customers import PUBLIC, Wrong
from wishwell.outbound import Outbound
from wishwell.outbound.answer import LARGEST, Unanswered

_SECONDS = 5.0
"""A whole fetch: a visitor waits for it."""

_PAUSE = 60.0
"""Seconds between two fetches at least: an unknown ``kid`` costs a stranger nothing."""

_AGAIN = 1.0
"""The same after one that failed while there are no keys at all."""

log = structlog.get_logger("wishwell.storefront")


_MEMBERS = frozenset({"kid", "kty", "alg", "use", "n", "e", "crv", "x", "y"})
"""What a public key is made of. A private part, there by mistake, can take seconds to read."""


class KeySets:
    """The key sets of all stores. A source is a URL, or the set itself in JSON.

    One for each URL that was ever asked for is kept.
    """

    def __init__(self, outbound: Outbound, clock: Callable[[], float] = time.monotonic) -> None:
        self._outbound = outbound
        self._clock = clock
        self._sets: dict[str, _Fetched] = {}

    def check(self, name: str, source: str) -> None:
        """Raises ``Invalid``, which begins with ``name``, for a source that can't be used.

        A URL is not called.
        """
        if _is_url(source):
            self._outbound.check(name, source)
            return
        try:
            found = _keys(source)
        except ValueError as error:
            raise Invalid(f"{name}: is no key set; {error}.") from None
        if not found:
            raise Invalid(f"{name}: has no key with a kid for {' or '.join(PUBLIC)}.")

    async def key(self, source: str, kid: str) -> jwt.PyJWK:
        """The key of a ``kid``.

        Raises ``Wrong`` if it is not known, and ``Unavailable`` while there are no keys.
        """
        if not source:
            raise Wrong("the shop has no key set")
        if _is_url(source):
            if source not in self._sets:
                self._sets[source] = _Fetched(source, self._outbound, self._clock)
            keys = await self._sets[source].keys(kid)
        else:
            keys = _given(source)
        if kid not in keys:
            raise Wrong("its key is not known")
        return keys[kid]


# contract: key-set-fetched
class _Fetched:
    """The key set behind a URL."""

    def __init__(self, url: str, outbound: Outbound, clock: Callable[[], float]) -> None:
        self._url = url
        self._outbound = outbound
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] | None = None
        self._not_before = -float("inf")
        self._fetching: asyncio.Task[None] | None = None

    async def keys(self, kid: str) -> dict[str, jwt.PyJWK]:
        """The keys by ``kid``, fetched again if this one is missing. Raises ``Unavailable``."""
        if self._keys is None or kid not in self._keys:
            if self._fetching is None and self._clock() >= self._not_before:
                self._fetching = asyncio.create_task(self._fetch())
            if self._fetching is not None:
                # A caller who leaves takes the keys from nobody else.
                await asyncio.shield(self._fetching)
        if self._keys is None:
            raise Unavailable("Who you are can't be checked just now.")
        return self._keys

    async def _fetch(self) -> None:
        url = self._url
        try:
            answer = await self._outbound.call("GET", url, seconds=_SECONDS, owner=url)
            if answer.status != 200:
                raise Unanswered(f"the status is {answer.status}")
            if not answer.whole:
                raise Unanswered(f"the answer is larger than {LARGEST // 1024} KiB")
            self._keys = _keys(answer.body)
        except (ValueError, Unanswered) as error:
            # The rest of a URL may be a secret.
            log.error("key_set_away", place=urlsplit(url).hostname, reason=str(error))
        finally:
            self._not_before = self._clock() + (_AGAIN if self._keys is None else _PAUSE)
            self._fetching = None


# contract: key-set-read
def public_keys(document: Any) -> dict[str, jwt.PyJWK]:
    """The keys of a key set (RFC 7517) that can be used here, by ``kid``. Raises ``ValueError``."""
    entries = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(entries, list):
        raise ValueError("it has no list of keys")
    keys = {}
    for entry in entries:
        with contextlib.suppress(Exception):  # for other uses, or none at all
            key = jwt.PyJWK({name: entry[name] for name in _MEMBERS & entry.keys()})
            if key.key_id and key.algorithm_name in PUBLIC and key.public_key_use in (None, "sig"):
                keys[key.key_id] = key
    return keys


def _is_url(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _keys(text: str | bytes) -> dict[str, jwt.PyJWK]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    return public_keys(document)


_given = functools.lru_cache(maxsize=1_000)(_keys)
