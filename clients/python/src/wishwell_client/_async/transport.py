"""The transport of the client for asyncio: sends calls, waits between retries, walks pages."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TypeVar

import httpx2

from wishwell_client import arguments
from wishwell_client.answers import Page
from wishwell_client.calls import Call
from wishwell_client.retries import RetryPolicy, RetryState

T = TypeVar("T")


class Transport:
    """Connections, with the profile that calls act for."""

    def __init__(self, http: httpx2.AsyncClient, policy: RetryPolicy, profile: str | None) -> None:
        self.http = http
        self.policy = policy
        self.profile = profile

    async def result(self, call: Call[T]) -> T:
        """Sends a call, with retries, and returns its result. Raises ``WishwellError``."""
        state = RetryState(call, self.policy)
        request = arguments.request(call, state.request_id, self.profile)
        while True:
            try:
                answer = await self.http.request(**request)
            except httpx2.RequestError as error:
                seconds = state.backoff(error)
            else:
                if state.succeeded(answer):
                    return state.result(answer)
                seconds = state.backoff(answer)
            await asyncio.sleep(seconds)

    async def pages(self, call: Call[Page[T]]) -> AsyncIterator[Page[T]]:
        """Yields the pages from the call's to the oldest (cursor pagination)."""
        while True:
            page = await self.result(call)
            yield page
            if page.next is None:
                return
            call = replace(call, params={**call.params, "page": page.next})

    async def all(self, call: Call[Page[T]]) -> AsyncIterator[T]:
        """Yields the records of the pages from the call's to the oldest."""
        async for page in self.pages(call):
            for record in page:
                yield record


class AsyncResource:
    """Base class of the operations of a resource."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
