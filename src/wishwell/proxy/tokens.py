"""Profile tokens, kept for the last shoppers, and the links of visitors who sign in."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import jwt
import msgspec
import structlog

from wishwell.proxy.allowed import API
from wishwell.proxy.answers import (
    Answer,
    Refused,
    Relayed,
    away,
    late,
    misconfigured,
    reason,
    redirected,
)
from wishwell.proxy.inside import Inside
from wishwell.proxy.upstream import Unanswered, Unreached, Upstream

V = TypeVar("V")
_EARLY = 300
"""Seconds before a token's end at which it is renewed."""

_SHORTEST, _LONGEST = 1.0, 60.0
"""Seconds until a link that failed is tried again: each pause is twice the one before."""

log = structlog.get_logger("wishwell.proxy")


class Unknown(Exception):
    """The API knows no such session, or no more: it was linked or purged."""


class Issued(msgspec.Struct):
    """A token, and the GID of the profile that it is for."""

    token: str
    profile: str


class _Envelope(msgspec.Struct):
    data: Issued


class _Held(NamedTuple):
    token: str
    renew_at: float
    ends_at: float


class _PutOff(NamedTuple):
    """When a link that failed may be tried again, and how long that pause is."""

    until: float
    seconds: float


_issued = msgspec.json.Decoder(_Envelope)


class Tokens:
    """Asks for tokens with the admin token, keeps the last ``most``, and asks once at a time.

    Every method raises ``Refused`` or ``Relayed`` when the API can't be reached or gives no token.
    """

    def __init__(
        self,
        upstream: Upstream | Inside,
        admin_token: str,
        most: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._upstream = upstream
        self._authorization = f"authorization: Bearer {admin_token}\r\n".encode()
        self._most = most
        self._clock = clock
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._flights: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._linked: OrderedDict[str, None] = OrderedDict()
        self._put_off: OrderedDict[str, _PutOff] = OrderedDict()

    async def get(self, gid: str, request_id: str) -> str:
        """A token of a profile. Raises ``Unknown`` too."""
        held = self._held.get(gid)
        if held is not None and self._clock() < held.renew_at:
            self._held.move_to_end(gid)
            return held.token
        try:
            return await self._once((gid, ""), lambda: self._renew(gid, request_id))
        except (Refused, Relayed):
            if held is None or self._clock() >= held.ends_at:
                raise
            return held.token  # it is good for some minutes yet, and the API may be back by then

    def drop(self, gid: str, token: str) -> None:
        """Forgets a token that the API refused, unless a newer one is there already."""
        held = self._held.get(gid)
        if held is not None and held.token == token:
            del self._held[gid]

    async def begin(self, request_id: str) -> str:
        """A new session; its GID. Its token is kept."""
        issued = await self._ask({}, request_id, again=False)
        self._keep(issued)
        return issued.profile

    async def link(self, session: str, customer: str, request_id: str) -> bool:
        """Moves what a session holds to a customer; harmless for one that is gone, or linked.

        False if that is not done, as the API failed: it is not tried again before a pause is over,
        from 1 s after the first time to 60 s. It raises nothing.
        """
        if session in self._linked:
            return True
        key, put_off = (session, customer), self._put_off.get(session)
        # Nobody else waits for what has failed before.
        if put_off and (self._clock() < put_off.until or key in self._flights):
            return False
        try:
            await self._once(key, lambda: self._link(session, customer, request_id))
        except (Refused, Relayed):
            return False
        return True

    async def _link(self, session: str, customer: str, request_id: str) -> str:
        asked = {"customer": customer, "session": session}
        try:
            issued = await self._ask(asked, request_id, again=True)
        except Unknown:
            issued = None
        except (Refused, Relayed) as error:
            self._put_off_link(session, request_id, error)
            raise
        self._held.pop(session, None)
        self._put_off.pop(session, None)
        # The browser may send the cookie again before it has seen that it is removed.
        _remember(self._linked, session, None, self._most)
        if issued is None:
            return ""
        self._keep(issued)
        return issued.token

    def _put_off_link(self, session: str, request_id: str, error: Refused | Relayed) -> None:
        before = self._put_off.get(session)
        seconds = min(before.seconds * 2, _LONGEST) if before else _SHORTEST
        put_off = _PutOff(self._clock() + seconds, seconds)
        _remember(self._put_off, session, put_off, self._most)
        why = error.message if isinstance(error, Refused) else reason(error.answer)
        log.warning("link_put_off", requestId=request_id, seconds=seconds, reason=why)

    async def _renew(self, gid: str, request_id: str) -> str:
        kind = "session" if "/Session/" in gid else "customer"
        try:
            issued = await self._ask({kind: gid}, request_id, again=True)
        except Unknown:
            self._held.pop(gid, None)
            raise
        self._keep(issued)
        return issued.token

    async def _once(self, key: tuple[str, str], work: Callable[[], Awaitable[str]]) -> str:
        """Joins the work of this key that is under way, or begins it."""
        flight = self._flights.get(key)
        if flight is None:

            async def fly() -> str:
                try:
                    return await work()
                finally:
                    del self._flights[key]

            flight = self._flights[key] = asyncio.create_task(fly())
        # One who goes away must not take the others' token along.
        return await asyncio.shield(flight)

    def _keep(self, issued: Issued) -> None:
        lives, now = lifetime(issued.token), self._clock()
        held = _Held(issued.token, now + lives - _EARLY, now + lives)
        _remember(self._held, issued.profile, held, self._most)

    async def _ask(self, asked: dict[str, str], request_id: str, *, again: bool) -> Issued:
        lines = self._authorization + f"x-request-id: {request_id}\r\n".encode()
        lines += b"content-type: application/json\r\n"
        body = msgspec.json.encode(asked)
        path = f"{API}profiles/token"
        answer = await reached(self._upstream.send("POST", path, lines, body, again=again))
        if answer.status == 201:
            return _issued.decode(answer.body).data
        if answer.status == 404:
            raise Unknown
        if answer.status == 429 or answer.status >= 500:
            raise Relayed(answer)
        # The admin token, or the platform's name, is not what the store knows.
        log.error("refused_by_api", requestId=request_id, reason=reason(answer))
        raise misconfigured()


async def reached(asked: Awaitable[Answer]) -> Answer:
    """An answer of the API.

    Raises ``Refused``: 503 when it was not reached, 504 without answer, 502 for a redirect.
    """
    try:
        answer = await asked
    except Unreached as error:
        log.warning("api_away", reason=str(error))
        raise away() from None
    except Unanswered as error:
        log.warning("api_late", reason=str(error))
        raise late() from None
    if 300 <= answer.status < 400:
        log.error("api_redirects", status=answer.status)
        raise redirected()
    return answer


def _remember(known: OrderedDict[str, V], key: str, value: V, most: int) -> None:
    """Keeps the newest ``most``."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)


def lifetime(token: str) -> float:
    """Seconds that a fresh token lives, by its own times, whatever this machine's clock says."""
    claims = jwt.decode(token, options={"verify_signature": False})
    return float(claims["exp"] - claims["iat"])
