"""The connections of the client for asyncio: its calls, their retries, and walks over pages."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TypeVar

import httpx2

from wishwell.client import calls, transport
from wishwell.client.answers import Page
from wishwell.client.calls import Call, Direction
from wishwell.client.conversation import Conversation, Terms

T = TypeVar("T")


class Line:
    """The connections, and the profile that they act for."""

    def __init__(self, http: httpx2.AsyncClient, terms: Terms, profile: str | None) -> None:
        self.http = http
        self.terms = terms
        self.profile = profile

    async def result(self, call: Call[T]) -> T:
        """Sends a call until there is a result. Raises ``WishwellError``."""
        talk = Conversation(call, self.terms)
        request = transport.request(call, talk.request_id, self.profile)
        while True:
            try:
                answer = await self.http.request(**request)
            except httpx2.RequestError as error:
                seconds = talk.pause(error)
            else:
                if talk.is_done(answer):
                    return talk.result(answer)
                seconds = talk.pause(answer)
            await asyncio.sleep(seconds)

    def pages(self, call: Call[Page[T]], direction: Direction) -> AsyncIterator[Page[T]]:
        """All pages from the call's on in this direction. Raises ``ValueError`` at once."""
        calls.check_walk(call, direction)
        return self._pages(call, direction)

    def all(self, call: Call[Page[T]], direction: Direction) -> AsyncIterator[T]:
        """The records of these pages; a walk back ends with the newest."""
        return self._records(self.pages(call, direction), direction)

    async def _pages(self, call: Call[Page[T]], direction: Direction) -> AsyncIterator[Page[T]]:
        while True:
            page = await self.result(call)
            yield page
            cursor = page.next if direction == "next" else page.previous
            if cursor is None:
                return
            call = replace(call, params={**call.params, "page": cursor})

    async def _records(
        self, pages: AsyncIterator[Page[T]], direction: Direction
    ) -> AsyncIterator[T]:
        async for page in pages:
            for record in page.data if direction == "next" else page.data[::-1]:
                yield record


class AsyncPart:
    """The calls of one resource."""

    def __init__(self, line: Line) -> None:
        self._line = line
