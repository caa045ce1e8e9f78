"""Runs several concurrent clients on one session and one customer of the program, and records a
history.

Each client's requests are drawn from a seeded source and from ids seen so far; the interleaving is
the machine's. A nemesis occasionally locks a profile for some milliseconds, like a slow write, so
that writes wait for each other.
"""

from __future__ import annotations

import asyncio
import functools
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.faults.load import Answer as Response
from tests.faults.load import Client
from tests.linearizability.harness import Actors, Harness
from tests.linearizability.history import Answer, Call, Operation, records
from tests.profile_model import GONE
from tests.servers import PREFIX
from wishwell import ids
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock
from wishwell.wishlists import purge

PRODUCTS = (1, 2, 3, 4)
NAMES = ("Birthday", "birthday", "Garden")
KINDS = {
    "save": 6, "change": 4, "set_lists": 4, "delete": 2, "delete_many": 2, "new_list": 1,
    "rename": 2, "drop_list": 1, "order": 4, "replace_items": 3, "remove_items": 2, "move": 6,
    "get_item": 3, "get_list": 3, "items_page": 4, "lists_page": 2,
}  # fmt: skip
ANYWHERE = KINDS.keys() - {"save", "new_list", "items_page", "lists_page"}
"""Operations that an admin token may do on records without naming their profile."""


Edge = tuple[str, bool]
"""A cursor's meaning: a record's id, and whether newer records are requested."""


_WAYS = {
    "save": "POST /items",
    "change": "PATCH /items/{}",
    "delete": "DELETE /items/{}",
    "delete_many": "DELETE /items",
    "set_lists": "PUT /items/{}/lists",
    "get_item": "GET /items/{}",
    "items_page": "GET /items",
    "new_list": "POST /lists",
    "rename": "PATCH /lists/{}",
    "drop_list": "DELETE /lists/{}",
    "order": "PUT /lists/{}/items/order",
    "replace_items": "PUT /lists/{}/items",
    "remove_items": "DELETE /lists/{}/items",
    "move": "PUT /lists/{list}/items/{}",
    "get_list": "GET /lists/{}",
    "lists_page": "GET /lists",
    "link": "POST /profiles/token",
    "renew": "POST /profiles/token",
}
_FIELDS = {"product": "productId", "variant": "variantId", "on": "listIds", "ids": "itemIds"}


def _request(call: Call, cursor: str | None = None) -> tuple[str, str, Any]:
    """Returns a call's method, path and body; ``cursor`` is the encoded one."""
    method, _, path = _WAYS[call.kind].partition(" ")
    path = PREFIX + path.format(call.target, **call.arguments)
    given = {k: v for k, v in call.arguments.items() if v is not None}
    if method == "GET":
        words: dict[str, Any] = {name: given[name] for name in ("limit", "sort") if name in given}
        if "query" in given:
            field, wanted = given["query"]
            many = ",".join(map(str, wanted)) if isinstance(wanted, tuple) else wanted
            words["query"] = f"{field}:{many}"
        if cursor:
            words["page"] = cursor
        return method, f"{path}?{urlencode(words)}" if words else path, None
    body = {_FIELDS.get(k, k): None if v == "clear" else v for k, v in given.items() if k != "list"}
    return method, path, body or None


def _answer(call: Call, got: Response) -> tuple[Answer, dict[Edge, str]]:
    """Returns the response without parts that a model can't predict, and a page's cursors."""
    if got.status >= 300 or got.status == 204 or call.kind in ("link", "renew"):
        return Answer(got.status), {}
    body = json.loads(got.body)
    data, links = body["data"], body.get("pageInfo", {})
    cursors = {}
    if isinstance(data, list) and data:
        edges = {"next": (data[-1]["id"], False), "previous": (data[0]["id"], True)}
        cursors = {edges[name]: sealed for name, sealed in links.items()}
    return Answer(got.status, data, "next" in links, "previous" in links), cursors


@dataclass
class Known:
    """Ids and cursors that clients have seen; targets are taken from here, current or outdated."""

    items: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    cursors: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def note(self, call: Call, answer: Answer, cursors: dict[Edge, str]) -> None:
        for record in records(answer.data):
            held = self.items if "productId" in record else self.lists
            if record["id"] not in held:
                held.append(record["id"])
        bound = (call.scope, call.kind, call.arguments.get("query"))
        self.cursors |= {(*bound, edge): sealed for edge, sealed in cursors.items()}


class Run:
    """A single history: the actors, the ids and cursors seen, and the operations."""

    def __init__(self, harness: Harness, who: Actors, db: Database, seed: int) -> None:
        self.harness, self.who, self.db = harness, who, db
        self.random = random.Random(seed)
        self.anywhere = self.random.choice((0, 25))
        self.known = Known()
        self.operations: list[Operation] = []

    async def ask(self, number: int, client: Client, call: Call) -> None:
        """Sends a call and records it."""
        given = call.arguments
        cursor = self.known.cursors.get(
            (call.scope, call.kind, given.get("query"), given.get("cursor"))
        )
        method, path, body = _request(call, cursor)
        invoked = time.monotonic_ns()
        got = await client.ask(method, path, body, 20.0, **self._headers(call))
        returned = time.monotonic_ns()
        answer, cursors = _answer(call, got)
        self._note(number, call, invoked, returned, answer)
        self.known.note(call, answer, cursors)

    def _headers(self, call: Call) -> dict[str, str]:
        if call.by_token and call.scope:
            return {"Authorization": f"Bearer {self.who.tokens[call.scope]}"}
        named = {"Profile": call.scope} if call.scope and call.kind not in ("link", "renew") else {}
        return {"Authorization": f"Bearer {self.who.admin}"} | named

    async def purge(self, number: int) -> None:
        """Runs the purge as `wishwell purge` does."""
        invoked = time.monotonic_ns()
        clock = ReferenceClock(ids.wall_clock)
        sessions = functools.partial(purge.sessions, self.db, self.harness.settings)
        async for _ in clock.guarded(self.db, sessions):
            pass
        self._note(
            number, Call("purge", self.who.session), invoked, time.monotonic_ns(), Answer(200)
        )

    def _note(self, client: int, call: Call, invoked: int, returned: int, answer: Answer) -> None:
        number = len(self.operations)
        self.operations.append(Operation(number, client, call, invoked, returned, answer))

    # --------------------------------------------------------------------------- drawing

    def draw(self) -> Call:
        """Returns a random call by an actor that may send it."""
        scope, by_token = self.random.choices(
            [(self.who.customer, True), (self.who.session, True), (self.who.customer, False),
             (self.who.session, False), (None, False)],
            (38, 30, 6, 8, self.anywhere),
        )[0]  # fmt: skip
        kinds = {k: w for k, w in KINDS.items() if scope is not None or k in ANYWHERE}
        [kind] = self.random.choices(list(kinds), list(kinds.values()))
        target = ""
        if kind in ("rename", "drop_list", "order", "replace_items", "remove_items", "get_list"):
            target = self._one(self.known.lists)
        elif kind in ("change", "delete", "set_lists", "move", "get_item"):
            target = self._one(self.known.items)
        return Call(kind, scope, by_token, target, self._arguments(kind, scope))

    def _one(self, known: list[str]) -> str:
        return self.random.choice(known) if known and self.random.random() < 0.97 else GONE

    def _some(self, known: list[str], most: int) -> list[str]:
        return self.random.sample(known, min(self.random.randint(1, most), len(known))) or [GONE]

    def _arguments(self, kind: str, scope: str | None) -> dict[str, Any]:
        pick, chance = self.random.choice, self.random.random
        match kind:
            case "save":
                return {
                    "product": pick(PRODUCTS),
                    "quantity": pick((None, self.random.randint(1, 99))),
                    "tags": pick((None, None, ["gift"], ["gift", "a"])),
                    "note": pick((None, None, "for Anna", "")),
                    "on": pick((None, self._some(self.known.lists, 1)))
                    if self.known.lists
                    else None,
                }
            case "change":
                patch: dict[str, Any] = {"quantity": self.random.randint(1, 99)}
                if chance() < 0.2:
                    patch["note"] = pick(("for Anna", ""))
                if chance() < 0.3:
                    patch = {"product": pick(PRODUCTS)}
                elif chance() < 0.3:
                    patch |= {"variant": pick((1, "clear"))}
                return patch | ({"tags": pick(([], ["b"]))} if chance() < 0.3 else {})
            case "delete_many" | "order" | "replace_items" | "remove_items":
                takes_all = kind == "remove_items" and chance() < 0.3
                return {"all": True} if takes_all else {"ids": self._some(self.known.items, 3)}
            case "set_lists":
                return {"on": pick(([], self._some(self.known.lists, 2)))}
            case "new_list" | "rename":
                return {"name": pick(NAMES)}
            case "move":
                after = pick(("clear", self._one(self.known.items)))
                return {"list": self._one(self.known.lists), "after": after}
            case "get_list":
                return {"sort": pick(("recently_saved", "oldest_saved", "customer"))}
            case "items_page" | "lists_page":
                return self._page(kind, scope)
        return {}

    def _page(self, kind: str, scope: str | None) -> dict[str, Any]:
        given: dict[str, Any] = {"limit": self.random.choice((1, 2, 50))}
        if kind == "items_page" and self.random.random() < 0.4:
            made = ("list", self._one(self.known.lists))
            given["query"] = self.random.choice((("product", (1, 3)), ("tag", "gift"), made))
        edges = [b[-1] for b in self.known.cursors if b[:3] == (scope, kind, given.get("query"))]
        if edges and self.random.random() < 0.6:
            given["cursor"] = self.random.choice(edges)
        return given


async def histories(harness: Harness, many: int) -> list[Run]:
    """Runs ``many`` histories one after the other, each with its own seed."""
    clients = [harness.client() for _ in range(7)]
    try:
        async with harness.database() as db:
            return [await history(harness, db, clients, seed) for seed in range(1, many + 1)]
    finally:
        for client in clients:
            client.close()


async def history(harness: Harness, db: Database, clients: list[Client], seed: int) -> Run:
    """Runs one history with up to ``len(clients)`` concurrent clients; the last one sets up and
    ends it."""
    chance = random.Random(seed)
    idle = chance.choices((0, 5, 100), (70, 15, 15))[0]
    run = Run(harness, await harness.actors(clients[-1], idle), db, seed)
    await _begin(run, clients[-1])
    several = clients[: chance.randint(3, min(6, len(clients)))]
    plans: list[list[Call | str]] = [[] for _ in several]
    for _ in range(chance.randint(8, 25)):
        chance.choice(plans).append("any")
    link = {"session": run.who.session, "customer": run.who.customer}
    rare: list[Call | str] = []
    rare += [Call("link", None, arguments=link)] * chance.choice((0, 1, 1, 2))
    if idle:
        renew = Call("renew", None, arguments={"session": run.who.session})
        rare += ["purge", *["purge"] * chance.randint(0, 1), *[renew] * chance.randint(0, 1)]
    for one in rare:
        plan = chance.choice(plans)
        plan.insert(chance.randint(0, len(plan)), one)
    tasks = [
        _client(run, number, client, plan)
        for number, (client, plan) in enumerate(zip(several, plans, strict=False))
    ]
    nemesis = asyncio.create_task(_nemesis(run, chance)) if chance.random() < 0.5 else None
    await asyncio.gather(*tasks)
    if nemesis is not None:
        await nemesis
    await _end(run, clients[-1])
    return run


async def _begin(run: Run, client: Client) -> None:
    """Gives both profiles common and different items, on lists that a link merges."""
    for gid, products in ((run.who.session, (1, 2)), (run.who.customer, (1, 3))):
        if run.who.idle == 5 and gid == run.who.session:
            continue  # the purge takes this session only if it is empty
        name = {"name": "Birthday" if gid == run.who.session else "birthday"}
        await run.ask(9, client, Call("new_list", gid, True, arguments=name))
        for product in products:
            given = {"product": product, "on": run.known.lists[-1:]}
            await run.ask(9, client, Call("save", gid, True, arguments=given))


async def _client(run: Run, number: int, client: Client, plan: list[Call | str]) -> None:
    for what in plan:
        if what == "purge":
            await run.purge(number)
        else:
            await run.ask(number, client, what if isinstance(what, Call) else run.draw())


async def _nemesis(run: Run, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 3)):
        await run.harness.hold(chance.choice(run.who.keys), chance.uniform(0.001, 0.006))


async def _end(run: Run, client: Client) -> None:
    """Reads everything at the end."""
    for gid in (run.who.session, run.who.customer):
        for kind in ("items_page", "lists_page"):
            await run.ask(9, client, Call(kind, gid, True, arguments={"limit": 250}))
        for made in list(run.known.lists):
            await run.ask(9, client, Call("get_list", gid, True, made, {"sort": "customer"}))
