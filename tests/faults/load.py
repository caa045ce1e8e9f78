"""Load with a journal: saves, changes, deletes, list edits and links, with their outcomes.

Every worker owns its profiles and makes one request at a time, so the expected data is known
exactly. A record whose request didn't end with 2xx is never used again, so that a late effect would
be noticed.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import secrets
import time
from typing import Any

from bench.client import Answer, parsed, request
from tests.faults.journal import Entry, Expected, Journal
from tests.servers import PREFIX

OWNER_SPACE = 1_000_000
"""A product's number encodes its owner: owner * OWNER_SPACE + n."""

PATIENCE = 20.0
"""Seconds until the client gives up: four times the longest permitted duration."""


class Unsent(Exception):
    """The request couldn't be sent, because no connection was made."""


class Cut(Exception):
    """The request was sent at least in part, and no complete response came."""


class Client:
    """A single HTTP/1.1 connection, reopened when it breaks."""

    def __init__(self, host: str, port: int, headers: dict[str, str] | None = None) -> None:
        self.host, self.port = host, port
        self.headers = headers or {}
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(
        self, method: str, path: str, body: Any = None, patience: float = PATIENCE, **more: str
    ) -> Answer:
        """Returns the response; raises ``Unsent``, ``Cut``, or ``TimeoutError`` after ``patience``
        seconds."""
        headers = self.headers | {name.replace("_", "-"): value for name, value in more.items()}
        content = request(method, path, headers, body)
        try:
            async with asyncio.timeout(patience):
                await self._connect()
                return await self._exchange(content)
        except TimeoutError:
            self.close()
            raise
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise Cut(type(error).__name__) from error

    async def _connect(self) -> None:
        if self._writer and not self._writer.is_closing() and not self._reader.at_eof():
            return
        self.close()
        try:
            self._reader, self._writer = await asyncio.open_connection(self.host, self.port)
        except OSError as error:
            raise Unsent(type(error).__name__) from error

    async def _exchange(self, content: bytes) -> Answer:
        self._writer.write(content)
        received = b""
        while (whole := parsed(received)) is None:
            piece = await self._reader.read(262_144)
            if not piece:
                raise EOFError
            received += piece
        if whole.headers.get("connection") == "close":
            self.close()
        return whole

    def close(self) -> None:
        if self._writer is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._writer.transport.abort()
        self._reader = self._writer = None


class Worker:
    """A well-behaved caller with its own customer, making one request at a time."""

    def __init__(self, journal: Journal, client: Client, admin: str, owner: int, seed: int) -> None:
        self.journal, self.client, self.admin = journal, client, admin
        self.owner = owner
        self.stop = False
        self.random = random.Random(seed)
        self.gid = f"gid://shopify/Customer/torture-{owner}-{secrets.token_hex(3)}"
        self.products = itertools.count(owner * OWNER_SPACE + 1)
        self.mine = journal.expected.setdefault(self.gid, {})
        self.lists = journal.lists.setdefault(self.gid, set())
        journal.owners[self.gid] = owner

    async def request(self, what: str, method: str, path: str, body: Any, gid: str) -> tuple:
        """Makes a request and records it; returns the outcome and the response, if any."""
        headers: dict[str, Any] = {"Authorization": f"Bearer {self.admin}"}
        headers |= {"Profile": gid} if gid else {}
        began = time.monotonic()
        answer, why = None, ""
        try:
            answer = await self.client.ask(method, PREFIX + path, body, **headers)
        except Unsent as error:
            outcome, why = "unsent", str(error)
        except Cut as error:
            outcome, why = "unknown", str(error)
        except TimeoutError:
            outcome, why = "unknown", "hung"
            self.journal.complaints.append(f"{what}: no answer in {PATIENCE:g} s")
        else:
            # A 503 without "Nothing was done" leaves the outcome unknown.
            refused = answer.status < 500 or b"Nothing was done" in answer.body
            outcome = "done" if answer.status < 300 else "refused" if refused else "unknown"
            self._judge(what, answer)
        ms = (time.monotonic() - began) * 1000
        status = answer.status if answer else 0
        self.journal.entries.append(Entry(began, what, status, outcome, ms, why))
        if outcome != "done":
            await asyncio.sleep(0.05)
        return outcome, answer

    def _judge(self, what: str, answer: Answer) -> None:
        if answer.status in (429, 503) and "retry-after" not in answer.headers:
            self.journal.complaints.append(f"{what}: {answer.status} without Retry-After")
        if answer.status >= 400:
            if answer.status not in (429, 503):
                self.journal.complaints.append(f"{what}: {answer.status} {answer.body[:200]!r}")
            with contextlib.suppress(ValueError, KeyError):
                json.loads(answer.body)["error"]["requestId"]
                return
            self.journal.complaints.append(f"{what}: {answer.status} without the envelope")

    async def step(self) -> None:
        settled = [p for p, e in self.mine.items() if e.last == "done" and e.item]
        acts: tuple[Any, ...] = (self.save, self.change, self.delete, self.list_edit, self.link)
        [act] = self.random.choices(acts, (8, 4, 2, 3, 1))
        if act in (self.save, self.link) or not settled:
            await (act if act == self.link else self.save)()
        else:
            await act(self.random.choice(settled))

    async def save(self) -> None:
        product, quantity = next(self.products), self.random.randint(1, 9)
        await self._save(self.gid, self.mine, product, quantity)

    async def _save(self, gid: str, into: dict, product: int, quantity: int) -> bool:
        body = {"productId": product, "quantity": quantity}
        outcome, answer = await self.request("save", "POST", "/items", body, gid)
        after: Any = (quantity, frozenset())
        states: set[Any] = {"done": {after}, "unknown": {None, after}}.get(outcome, {None})
        item = answer.data()["id"] if outcome == "done" else None
        into[product] = Expected(states, outcome, item)
        return outcome == "done"

    def _settle(self, product: int, outcome: str, after: Any) -> None:
        expected = self.mine[product]
        expected.last = outcome
        if outcome == "done":
            expected.states = {after}
        elif outcome == "unknown":
            [expected.before] = expected.states
            expected.states = expected.states | {after}

    async def change(self, product: int) -> None:
        expected = self.mine[product]
        [(_, lists)] = expected.states
        quantity = self.random.randint(10, 99)
        body = {"quantity": quantity}
        path = f"/items/{expected.item}"
        outcome, _ = await self.request("change", "PATCH", path, body, self.gid)
        self._settle(product, outcome, (quantity, lists))

    async def delete(self, product: int) -> None:
        path = f"/items/{self.mine[product].item}"
        outcome, _ = await self.request("delete", "DELETE", path, None, self.gid)
        self._settle(product, outcome, None)
        if outcome == "done":
            self.mine[product].item = None

    async def list_edit(self, product: int) -> None:
        if len(self.lists) < 3:
            body = {"name": f"list {len(self.lists)}"}
            outcome, answer = await self.request("list", "POST", "/lists", body, self.gid)
            if outcome == "done":
                self.lists.add(answer.data()["id"])
            return
        expected = self.mine[product]
        [(quantity, _)] = expected.states
        chosen = self.random.sample(sorted(self.lists), self.random.randint(0, 2))
        path = f"/items/{expected.item}/lists"
        outcome, _ = await self.request("lists", "PUT", path, {"listIds": chosen}, self.gid)
        self._settle(product, outcome, (quantity, frozenset(chosen)))

    async def link(self) -> None:
        """Saves three products as a visitor, then signs in; the link must be atomic."""
        outcome, answer = await self.request("token", "POST", "/profiles/token", None, "")
        if outcome != "done":
            return
        session = answer.data()["profile"]
        theirs: dict[int, Expected] = {}
        self.journal.expected[session] = theirs
        self.journal.owners[session] = self.owner
        for _ in range(3):
            await self._save(session, theirs, next(self.products), 3)
        body = {"customer": self.gid, "session": session}
        outcome, _ = await self.request("link", "POST", "/profiles/token", body, "")
        if outcome == "done":
            self.mine.update(theirs)
            theirs.clear()
            self.journal.ended.add(session)
        elif outcome == "unknown":
            self.journal.undecided.append((session, self.gid))


async def run(workers: list[Worker], seconds: float, pause: float = 0.0) -> None:
    """Runs all workers concurrently for ``seconds``; each completes its last request."""
    end = time.monotonic() + seconds

    async def one(worker: Worker) -> None:
        while time.monotonic() < end and not worker.stop:
            await worker.step()
            if pause:
                await asyncio.sleep(pause * worker.random.uniform(0.5, 1.5))

    await asyncio.gather(*(one(worker) for worker in workers))
    for worker in workers:
        worker.client.close()
