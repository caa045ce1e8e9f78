"""The key sets that shops sign their customers' JWTs with: given as they are, or behind a URL."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import jwt
import msgspec
import structlog
from msgspec import Meta

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


class _Key(msgspec.Struct, omit_defaults=True):
    """What a key is made of. A set may hold keys for other uses; a shared secret in a public set
    is a trap, and a private part that it has by mistake can take seconds to read."""

    kid: Annotated[str, Meta(min_length=1)]
    kty: Literal["RSA", "EC"]
    alg: Literal["RS256", "ES256"] | None = None
    use: Literal["sig"] | None = None
    n: str | None = None
    e: str | None = None
    crv: str | None = None
    x: str | None = None
    y: str | None = None


class KeySets:
    """The key sets of all stores. A source is a URL, or the set itself: JSON, beginning with ``{``.

    One for each source that was ever asked for is kept.
    """

    def __init__(self, outbound: Outbound, clock: Callable[[], float] = time.monotonic) -> None:
        self._outbound = outbound
        self._clock = clock
        self._sets: dict[str, KeySet] = {}

    def check(self, name: str, source: str) -> None:
        """Raises ``Invalid``, which begins with ``name``, for a source that can't be used.

        A URL is not called.
        """
        if source.startswith(("http://", "https://")):
            self._outbound.check(name, source)
            return
        try:
            found = _keys(source)
        except ValueError as error:
            raise Invalid(f"{name}: is no key set; {error}.") from None
        if not found:
            raise Invalid(f"{name}: has no key with a kid for {' or '.join(PUBLIC)}.")

    async def key(self, source: str, kid: str) -> jwt.PyJWK:
        """The key of a ``kid``. Raises as ``KeySet.key`` does, and ``Wrong`` without a source."""
        if not source:
            raise Wrong("the shop has no key set")
        if source not in self._sets:
            self._sets[source] = KeySet(source, self._outbound, self._clock)
        return await self._sets[source].key(kid)


# contract: key-set-fetched
class KeySet:
    """Keys by ``kid``."""

    def __init__(self, source: str, outbound: Outbound, clock: Callable[[], float]) -> None:
        self._source = source
        self._outbound = outbound
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] | None = None
        self._not_before = -float("inf")
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, kid: str) -> jwt.PyJWK:
        """The key of a ``kid``.

        Raises ``Wrong`` if it is not known, and ``Unavailable`` while there are no keys.
        """
        if self._keys is None or kid not in self._keys:
            if self._fetching is None and self._clock() >= self._not_before:
                self._fetching = asyncio.create_task(self._fetch())
            if self._fetching is not None:
                # A caller who leaves takes the keys from nobody else.
                await asyncio.shield(self._fetching)
        if self._keys is None:
            raise Unavailable("Who you are can't be checked just now.")
        if kid not in self._keys:
            raise Wrong("its key is not known")
        return self._keys[kid]

    async def _fetch(self) -> None:
        try:
            self._keys = _keys(await self._read())
        except (ValueError, Unanswered) as error:
            # The rest of a URL may be a secret.
            place = "inline" if _is_inline(self._source) else urlsplit(self._source).hostname
            log.error("key_set_away", place=place, reason=str(error))
        finally:
            self._not_before = self._clock() + (_AGAIN if self._keys is None else _PAUSE)
            self._fetching = None

    async def _read(self) -> str | bytes:
        if _is_inline(self._source):
            return self._source
        answer = await self._outbound.call(
            "GET", self._source, seconds=_SECONDS, owner=self._source
        )
        if answer.status != 200:
            raise Unanswered(f"the status is {answer.status}")
        if not answer.whole:
            raise Unanswered(f"the answer is larger than {LARGEST // 1024} KiB")
        return answer.body


# contract: key-set-read
def public_keys(document: Any) -> dict[str, jwt.PyJWK]:
    """The keys of a key set (RFC 7517) that can be used here, by ``kid``. Raises ``ValueError``."""
    entries = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(entries, list):
        raise ValueError("it has no list of keys")
    keys = {}
    for entry in entries:
        try:
            members = msgspec.to_builtins(msgspec.convert(entry, _Key))
            key = jwt.PyJWK(members)
        except (msgspec.ValidationError, jwt.PyJWTError, ValueError, KeyError, TypeError):
            continue
        if key.algorithm_name in PUBLIC:
            keys[members["kid"]] = key
    return keys


def _is_inline(source: str) -> bool:
    return source.startswith("{")


def _keys(text: str | bytes) -> dict[str, jwt.PyJWK]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    return public_keys(document)
