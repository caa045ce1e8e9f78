"""At the start: whether the API takes the proxy's settings, so that the log says at once if not."""

import asyncio
import contextlib

import structlog

from wishwell.proxy import who
from wishwell.proxy.allowed import API
from wishwell.proxy.answers import Answer, reason
from wishwell.proxy.inside import Inside
from wishwell.proxy.settings import PREFIX, Settings
from wishwell.proxy.upstream import Unanswered, Unreached, Upstream

_PATIENCE = 1.0
"""Seconds that the start waits for the answer. An API that is away holds nothing up."""

_SHORTEST, _LONGEST = 1.0, 60.0
"""Seconds between two tries: each pause is twice the one before."""

log = structlog.get_logger("wishwell.proxy")


class Check:
    """Reads as a customer of the platform, with the admin token: that needs both to be right.

    A shop whose set-up is wrong still gets its assets, and its visitors where only the platform is
    another: so this is told, and stops nothing.
    """

    def __init__(self, upstream: Upstream | Inside, settings: Settings) -> None:
        self._upstream = upstream
        self._settings = settings
        self._task: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()

    def begin(self) -> None:
        """Asks, and asks again until the API has answered; once, however often it is called."""
        if self._task is None:
            self._task = asyncio.create_task(self._until_known())

    async def patiently(self) -> None:
        """``begin``, and waits for the first answer, a second at most."""
        self.begin()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._tried.wait(), _PATIENCE)

    def end(self) -> None:
        """Asks no more."""
        if self._task is not None:
            self._task.cancel()

    async def _until_known(self) -> None:
        pause = _SHORTEST
        while (wrong := await self._wrong()) is None:
            if not self._tried.is_set():
                log.warning("api_away", reason=f"{PREFIX}API, {self._settings.api}: no answer yet")
            self._tried.set()
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST)
        if wrong:
            log.error("refused_by_api", reason=wrong)
        self._tried.set()

    async def _wrong(self) -> str | None:
        """What is wrong with the settings, or nothing; None if the API does not say."""
        settings = self._settings
        lines = f"authorization: Bearer {settings.token}\r\n"
        # Reading makes no record, and the customer need not be there.
        lines += f"profile: {who.gid(settings.platform, '0')}\r\n"
        try:
            answer = await self._upstream.send("GET", f"{API}items?limit=1", lines.encode())
        except (Unreached, Unanswered):
            return None
        if answer.status == 429 or answer.status >= 500:
            return None
        if answer.status == 200:
            return ""
        return f"{self._blamed(answer)} The API says: {reason(answer)}"

    def _blamed(self, answer: Answer) -> str:
        settings = self._settings
        if answer.status in (401, 403):
            return f"{PREFIX}TOKEN is not an admin token of the API at {settings.api}."
        if answer.status == 400:
            return f"{PREFIX}PLATFORM is {settings.platform}, and the store's is another one."
        return f"{PREFIX}API is {settings.api}, where there is no Wishwell API."
