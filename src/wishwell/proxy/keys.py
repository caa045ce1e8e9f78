"""The key set that the shop's JWTs are signed with: from a file or a URL, and fetched again."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import jwt
import structlog

from wishwell.proxy import who
from wishwell.proxy.answers import Refused
from wishwell.proxy.upstream import Unanswered, Unreached, Upstream

_PAUSE = 60.0
"""Seconds between two fetches at least: an unknown ``kid`` costs a stranger nothing."""

_AGAIN = 1.0
"""The same after one that failed while there are no keys at all."""

log = structlog.get_logger("wishwell.proxy")


class KeySet:
    """Keys by ``kid``."""

    def __init__(
        self, place: str, timeout: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._place = place
        self._clock = clock
        self._upstream = (
            Upstream(place, timeout) if place.startswith(("http://", "https://")) else None
        )
        self._keys: dict[str, jwt.PyJWK] | None = None
        self._not_before = 0.0
        self._lock = asyncio.Lock()

    async def key(self, kid: str) -> jwt.PyJWK:
        """The key of a ``kid``. Raises ``Wrong``, and ``Refused`` while there are none at all."""
        if self._keys is None or kid not in self._keys:
            async with self._lock:
                if (self._keys is None or kid not in self._keys) and self._is_due():
                    await self._fetch()
        if self._keys is None:
            raise Refused(503, "Who you are can't be checked just now.", [(b"retry-after", b"1")])
        if kid not in self._keys:
            raise who.Wrong("its key is not known")
        return self._keys[kid]

    async def close(self) -> None:
        if self._upstream is not None:
            await self._upstream.close()

    def _is_due(self) -> bool:
        return self._clock() >= self._not_before

    async def _fetch(self) -> None:
        try:
            self._keys = who.public_keys(json.loads(await self._read()))
            self._not_before = self._clock() + _PAUSE
        except (OSError, ValueError, who.Wrong, Unreached, Unanswered) as error:
            log.error("key_set_away", reason=str(error) or type(error).__name__)
            self._not_before = self._clock() + (_AGAIN if self._keys is None else _PAUSE)

    async def _read(self) -> bytes:
        if self._upstream is None:
            return await asyncio.to_thread(Path(self._place).read_bytes)
        parts = urlsplit(self._place)
        # The path is the pool's own; the query is none by the setting's rule.
        answer = await self._upstream.send("GET", "" if parts.path else "/", b"accept: */*\r\n")
        if answer.status != 200:
            raise Unanswered(f"status {answer.status}")
        return answer.body
