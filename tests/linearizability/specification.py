"""The sequential specification: what a request may do and respond, as a model of a session and a
customer.

``perform`` applies a call; ``step`` compares it with the response. Times that no response shows (of
a link or a delete) stay unknown until a record shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.linearizability.history import Answer, Call, Operation, records
from tests.profile_model import Model, Since, lowest
from wishwell.errors import Conflict, Invalid, NotFound

STATUSES = {NotFound: 404, Conflict: 409, Invalid: 400}
READS = frozenset({"get_item", "get_list", "items_page", "lists_page"})


class Mismatch(Exception):
    """The model doesn't allow this response in this state; the message says why."""


@dataclass
class Session:
    """A session; ``idle`` is the days since its last use as the purge sees them (0, 5 or 100)."""

    idle: int = 0
    closed: bool = False
    gone: bool = False


@dataclass
class Specification:
    """Profiles by GID. A customer always exists, because an empty one looks the same as none."""

    profiles: dict[str, Model] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)

    def copy(self) -> Specification:
        return Specification(
            {gid: model.copy() for gid, model in self.profiles.items()},
            {gid: replace(session) for gid, session in self.sessions.items()},
        )

    def key(self) -> Hashable:
        return (
            tuple(self.profiles[gid].key() for gid in sorted(self.profiles)),
            tuple((s.idle, s.closed, s.gone) for _, s in sorted(self.sessions.items())),
        )

    def ended(self, gid: str) -> bool:
        return gid in self.sessions and (self.sessions[gid].closed or self.sessions[gid].gone)

    def owner(self, call: Call) -> str | None:
        """Returns the owner of a call's record, or `None`."""
        if call.scope is not None:
            return call.scope
        for gid, model in self.profiles.items():
            if call.target in model.items or call.target in model.lists:
                return gid
        return None


Shown = Callable[[], Answer]
"""Makes the response once unknown times are known."""


def perform(
    world: Specification, call: Call, now: Any, new_id: str
) -> list[tuple[Specification, Shown]]:
    """Returns the possible next states with their responses; several where the rules permit
    them."""
    if call.kind == "purge":
        return _purge(world)
    if call.kind in ("link", "renew"):
        return [_token(world.copy(), call, now)]
    if call.scope is None and call.kind == "delete_many":
        after = world.copy()
        for model in after.profiles.values():
            for id in call.arguments["ids"]:
                model.forget(id)
        return [(after, lambda: Answer(204))]
    owner = world.owner(call)
    if owner is None:
        return [(world, lambda: Answer(404))]
    if world.ended(owner):
        status = 401 if call.by_token else 404
        return [(world, lambda: Answer(status))]
    after = world.copy()
    try:
        model = after.profiles[owner]
        shown = _read(model, call) if call.kind in READS else _write(model, call, now, new_id)
    except (NotFound, Conflict, Invalid) as error:
        status = STATUSES[type(error)]
        return [(world, lambda: Answer(status))]
    if call.scope is None:
        return [(after, lambda: _with_owner(shown(), owner))]
    return [(after, shown)]


def _with_owner(answer: Answer, gid: str) -> Answer:
    """Adds the owner to the records of a whole-store response."""
    if isinstance(answer.data, dict):
        data = answer.data | {"profile": gid}
        if "items" in data:
            data["items"] = [item | {"profile": gid} for item in data["items"]]
        return replace(answer, data=data)
    return answer


def _write(model: Model, call: Call, now: Any, new_id: str) -> Shown:
    given, target = call.arguments, call.target
    match call.kind:
        case "save":
            wanted = (given.get("product"), given.get("variant"), given.get("quantity"))
            on = given.get("on") or ()
            id, created = model.save(new_id, *wanted, given.get("tags"), on, now, given.get("note"))
            return lambda: Answer(201 if created else 200, model.shown(id))
        case "change":
            wanted = (given.get("product"), given.get("variant", "keep"), given.get("quantity"))
            model.change(target, *wanted, given.get("tags"), now, given.get("note"))
        case "set_lists":
            model.set_lists(target, given["on"], now)
        case "delete":
            model.delete(target)
            return lambda: Answer(204)
        case "delete_many":
            for id in given["ids"]:
                model.forget(id)
            return lambda: Answer(204)
        case "move":
            after = None if given["after"] == "clear" else given["after"]
            # The list may be touched later than the item that the response shows.
            model.put_item(given["list"], target, Since(), after)
        case _:
            return _write_list(model, call, now, new_id)
    return lambda: Answer(200, model.shown(target))


def _write_list(model: Model, call: Call, now: Any, new_id: str) -> Shown:
    given, target = call.arguments, call.target
    match call.kind:
        case "new_list":
            model.new_list(new_id, given["name"], now)
            return lambda: Answer(201, model.shown_list(new_id))
        case "rename":
            model.rename(target, given["name"], now)
            return lambda: Answer(200, model.shown_list(target))
        case "drop_list":
            model.drop_list(target)
            return lambda: Answer(204)
        case "order":
            model.order(target, given["ids"], now)
            return lambda: Answer(200, model.shown_list(target, "customer"))
        case "replace_items":
            # An item or the list may have been touched later than the other.
            model.replace_items(target, given["ids"], Since())
            return lambda: Answer(200, model.shown_list(target, "customer"))
        case "remove_items":
            model.remove_items(target, given.get("ids"), Since())
            return lambda: Answer(204)
        case _:
            raise ValueError(call.kind)


def _read(model: Model, call: Call) -> Shown:
    target = call.target
    if target and target not in (model.lists if call.kind == "get_list" else model.items):
        raise NotFound("", "item_not_found")
    if call.kind == "get_list":
        return lambda: Answer(200, model.shown_list(target, call.arguments["sort"]))
    if call.kind == "get_item":
        return lambda: Answer(200, model.shown(target))
    return lambda: _page(model, call)


def _page(model: Model, call: Call) -> Answer:
    given = call.arguments
    if call.kind == "lists_page":
        found = list(model.lists)
    else:
        found = [id for id in model.items if _matches(model, id, given.get("query"))]
    # A cursor's edge: a record's id, and whether newer records are requested.
    edge, backward = given.get("cursor") or (None, False)
    beside = [id for id in found if edge and (id <= edge if backward else id >= edge)]
    ahead = sorted((id for id in found if id not in beside), reverse=not backward)
    kept, more = ahead[: given["limit"]], len(ahead) > given["limit"]
    older, newer = (bool(beside), more) if backward else (more, bool(beside))
    show = model.shown_list if call.kind == "lists_page" else model.shown
    return Answer(200, [show(id) for id in sorted(kept, reverse=True)], older, newer)


def _matches(model: Model, id: str, query: tuple[str, Any] | None) -> bool:
    match query:
        case ("product", products):
            return model.items[id]["product"] in products
        case ("tag", tag):
            return tag in model.items[id]["tags"]
        case ("list", made):
            return id in model.lists.get(made, {"items": {}})["items"]
    return True


def _token(world: Specification, call: Call, now: Any) -> tuple[Specification, Shown]:
    session = world.sessions[call.arguments["session"]]
    if session.gone or (call.kind == "renew" and session.closed):
        return world, lambda: Answer(404)
    if call.kind == "renew":
        session.idle = 0
    elif not session.closed:
        customer = world.profiles[call.arguments["customer"]]
        customer.link(world.profiles[call.arguments["session"]], now)
        session.closed = True
    return world, lambda: Answer(201)


def _purge(world: Specification) -> list[tuple[Specification, Shown]]:
    """The purge removes an expired session, or leaves it for the next run."""
    ways = [world]
    for gid, session in world.sessions.items():
        model = world.profiles[gid]
        empty = not model.items and not model.lists and not session.closed
        if not session.gone and (session.idle == 100 or (session.idle == 5 and empty)):
            without = world.copy()
            without.sessions[gid].gone = True
            without.profiles[gid] = Model()
            ways.append(without)
    return [(way, lambda: Answer(200)) for way in ways]


def step(world: Specification, operation: Operation) -> list[Specification]:
    """Returns the states in which an operation may leave the world, several where the rules
    permit; raises Mismatch."""
    call, answer = operation.call, operation.answer
    if answer.status == 503:
        return [world]  # nothing was done
    data = answer.data if isinstance(answer.data, dict) else {}
    # The change happened at the shown updatedAt, or before it if the record's old one was later.
    now, new_id = data.get("updatedAt", Since()), data.get("id", "")
    ways, expected = [], None
    for after, shown in perform(world, call, now, new_id):
        if after is not world:
            _learn(after, answer.data)
        expected = shown()
        if expected == answer:
            ways.append(after)
    if not ways:
        raise Mismatch(f"expected {expected}, answered {answer}")
    return ways


def _learn(world: Specification, data: Any) -> None:
    """Fills in unknown times from the response's records."""
    for record in records(data):
        for model in world.profiles.values():
            held = model.items.get(record["id"]) or model.lists.get(record["id"])
            for name in ("created", "updated") if held else ():
                shown = record.get(f"{name}At", "")
                if isinstance(held[name], Since) and shown >= lowest(held[name]):
                    held[name] = shown
