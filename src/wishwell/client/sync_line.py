"""The blocking client. Written by ``make format`` from asynchronous_line.py."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import httpx2

from wishwell.client import transport
from wishwell.client.answers import Page
from wishwell.client.calls import Call
from wishwell.client.conversation import Conversation, Terms

T = TypeVar("T")


class Line:
    """Connections, with the profile that calls act for."""

    def __init__(self, http: httpx2.Client, terms: Terms, profile: str | None) -> None:
        self.http = http
        self.terms = terms
        self.profile = profile

    def result(self, call: Call[T]) -> T:
        """Sends a call, with retries, and returns its result. Raises ``WishwellError``."""
        talk = Conversation(call, self.terms)
        request = transport.request(call, talk.request_id, self.profile)
        while True:
            try:
                answer = self.http.request(**request)
            except httpx2.RequestError as error:
                seconds = talk.pause(error)
            else:
                if talk.is_done(answer):
                    return talk.result(answer)
                seconds = talk.pause(answer)
            time.sleep(seconds)

    def pages(self, call: Call[Page[T]]) -> Iterator[Page[T]]:
        """Yields the pages from the call's to the oldest (cursor pagination)."""
        while True:
            page = self.result(call)
            yield page
            if page.next is None:
                return
            call = replace(call, params={**call.params, "page": page.next})

    def all(self, call: Call[Page[T]]) -> Iterator[T]:
        """Yields the records of the pages from the call's to the oldest."""
        for page in self.pages(call):
            yield from page


class Part:
    """Base class of the operations of a resource."""

    def __init__(self, line: Line) -> None:
        self._line = line
