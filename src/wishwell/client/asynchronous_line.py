"""The connections of the client for asyncio, and what it does when one is lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import httpx2

from wishwell.client import calls, conversation, transport
from wishwell.client.calls import Call, Direction
from wishwell.client.conversation import Attempt, Lost, Pause, Reply, Terms
from wishwell.client.records import (
    Page,
)

T = TypeVar("T")


class Line:
    """The connections, and the profile that they act for."""

    def __init__(self, http: httpx2.AsyncClient, terms: Terms, profile: str | None) -> None:
        self.http = http
        self.terms = terms
        self.profile = profile

    async def result(self, call: Call[T]) -> T:
        talk = conversation.about(call, self.terms)
        outcome: Reply | Lost | None = None
        while True:
            try:
                step = talk.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                outcome = None
            else:
                outcome = await self._outcome(step)

    async def _outcome(self, attempt: Attempt) -> Reply | Lost:
        try:
            answer = await self.http.request(**transport.request(attempt, self.profile))
        except httpx2.RequestError as error:
            return transport.lost(error)
        return transport.reply(answer)

    async def pages(self, call: Call[Page[T]], direction: Direction) -> AsyncIterator[Page[T]]:
        following: Call[Page[T]] | None = call
        while following is not None:
            page = await self.result(following)
            yield page
            following = calls.onward(following, page, direction)

    async def all(self, call: Call[Page[T]], direction: Direction) -> AsyncIterator[T]:
        following: Call[Page[T]] | None = call
        while following is not None:
            page = await self.result(following)
            for record in calls.in_order(page, direction):
                yield record
            following = calls.onward(following, page, direction)
