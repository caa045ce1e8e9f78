"""The checker itself: what is right passes, and each kind of what is wrong is found."""

import math
from dataclasses import replace

import pytest

from tests.linearizability import checker, specification
from tests.linearizability.history import Answer, Call, Operation
from tests.linearizability.specification import Session, Specification
from tests.profile_model import Model
from wishwell import ids

CUSTOMER, SESSION = "gid://shopify/Customer/1", "gid://wishwell/Session/1"
SECOND = 1_000_000_000


class Source:
    """Times and ids, in order."""

    def __init__(self):
        self.at = 1_800_000_000_000
        self.new_id = ids.UUID7(lambda: self.at)

    def now(self):
        self.at += 1
        return ids.timestamp(self.at)


def empty():
    return Specification({CUSTOMER: Model(), SESSION: Model()}, {SESSION: Session(100)})


class Past:
    """A sequential history that is right: each call is answered by the model itself."""

    made: str
    ids: list[str]

    def __init__(self):
        self.state, self.source, self.operations = empty(), Source(), []

    def do(self, kind, scope=CUSTOMER, target="", **given):
        call = Call(kind, scope, True, target, given)
        self.state, shown = specification.perform(
            self.state, call, self.source.now(), self.source.new_id()
        )[0]
        at = len(self.operations)
        operation = Operation(at, 0, call, at * SECOND, at * SECOND + SECOND // 2, shown())
        self.operations.append(operation)
        return operation

    def ok(self):
        return verdict(self.operations).ok


def verdict(operations):
    born = specification.unattributed(operations)
    return checker.check(operations, empty(), lambda state, o: specification.step(state, o, born))


def at_once(*operations):
    """The same answers, all asked for before the first of them came."""
    first, last = min(o.invoked for o in operations), max(o.returned for o in operations)
    return [replace(o, client=n, invoked=first, returned=last) for n, o in enumerate(operations)]


@pytest.fixture
def past():
    """A list with three items of a customer, in an order of theirs."""
    past = Past()
    past.do("new_list", name="x")
    made = past.operations[0].answer.data["id"]
    for product in (1, 2, 3):
        past.do("save", product=product, quantity=1, on=[made])
    past.made, past.ids = made, [o.answer.data["id"] for o in past.operations[1:]]
    assert past.ok()
    return past


def test_lost_update_is_found(past):
    """Two changes at once, both answered; later only one of two fields is there."""
    past.do("change", target=past.ids[0], quantity=7)
    held = past.state
    past.do("change", target=past.ids[0], tags=["a"])
    past.do("get_item", target=past.ids[0])
    past.operations[-3:-1] = at_once(*past.operations[-3:-1])
    *before, one, two, last = past.operations
    assert not verdict([*before, one, two, _changed(last, tags=[])]).ok
    assert held is not past.state


def _changed(operation, **fields):
    return replace(operation, answer=replace(operation.answer, data=operation.answer.data | fields))


def test_stale_read_is_found(past):
    """A read that began after a change was answered, and shows what was before; not one beside."""
    old = past.do("get_item", target=past.ids[0])
    change = past.do("change", target=past.ids[0], quantity=7)
    stale = replace(old, number=9, invoked=change.returned + 1, returned=change.returned + 2)
    assert not verdict([*past.operations, stale]).ok
    beside = replace(stale, invoked=change.invoked, returned=change.returned)
    assert verdict([*past.operations, beside]).ok


def test_broken_order_is_found(past):
    """Two orders at once; the list is shown in a mixture of them."""
    a, b, c = past.ids
    past.do("order", target=past.made, ids=[a, b, c])
    past.do("order", target=past.made, ids=[c, b, a])
    past.operations[-2:] = at_once(*past.operations[-2:])
    last = past.do("get_list", target=past.made, sort="customer")
    shown = {item["id"]: item for item in last.answer.data["items"]}
    for mixed, right in (([c, b, a], True), ([b, a, c], False), ([a, c, b], False)):
        seen = _changed(last, items=[shown[id] for id in mixed])
        assert verdict([*past.operations[:-1], seen]).ok is right


def test_half_a_link_is_found(past):
    """After a link, the session's item is with the customer; not at the session, and not nowhere."""
    past.do("save", SESSION, product=9)
    past.do("link", None, session=SESSION, customer=CUSTOMER)
    page = past.do("items_page", limit=250)
    assert past.ok()
    torn = replace(page, answer=replace(page.answer, data=page.answer.data[1:]))
    assert not verdict([*past.operations[:-1], torn]).ok
    served = past.do("items_page", SESSION, limit=250)
    assert served.answer == Answer(401)
    assert not verdict([*past.operations[:-1], replace(served, answer=Answer(200, []))]).ok


def test_unknown_outcome_may_be_done_late_or_never_but_not_undone(past):
    """A delete without an answer: seen at once, later or never; not seen and then unseen."""
    there = past.do("get_item", target=past.ids[0])
    delete = replace(past.do("delete", target=past.ids[0]), returned=math.inf, answer=None)
    gone = past.do("get_item", target=past.ids[0])
    before = past.operations[:-3]
    later = replace(there, number=9, invoked=gone.returned + 1, returned=gone.returned + 2)
    assert verdict([*before, delete, gone]).ok
    assert verdict([*before, delete, later]).ok
    assert not verdict([*before, delete, gone, later]).ok
