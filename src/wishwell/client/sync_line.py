"""The client that blocks. ``make format`` writes it: change ``asynchronous_line.py``."""

import time
from collections.abc import Iterator
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

    def __init__(self, http: httpx2.Client, terms: Terms, profile: str | None) -> None:
        self.http = http
        self.terms = terms
        self.profile = profile

    def result(self, call: Call[T]) -> T:
        talk = conversation.about(call, self.terms)
        outcome: Reply | Lost | None = None
        while True:
            try:
                step = talk.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                outcome = None
            else:
                outcome = self._outcome(step)

    def _outcome(self, attempt: Attempt) -> Reply | Lost:
        try:
            answer = self.http.request(**transport.request(attempt, self.profile))
        except httpx2.RequestError as error:
            return transport.lost(error)
        return transport.reply(answer)

    def pages(self, call: Call[Page[T]], direction: Direction) -> Iterator[Page[T]]:
        following: Call[Page[T]] | None = call
        while following is not None:
            page = self.result(following)
            yield page
            following = calls.onward(following, page, direction)

    def all(self, call: Call[Page[T]], direction: Direction) -> Iterator[T]:
        following: Call[Page[T]] | None = call
        while following is not None:
            page = self.result(following)
            yield from calls.in_order(page, direction)
            following = calls.onward(following, page, direction)
