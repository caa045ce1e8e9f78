"""The checker accepts correct histories and rejects wrong ones."""

from dataclasses import replace

import pytest

from tests.linearizability import checker, specification
from tests.linearizability.history import Call, Operation
from tests.linearizability.specification import Session, Specification
from tests.profile_model import Model
from wishwell import ids

CUSTOMER, SESSION = "gid://shopify/Customer/1", "gid://wishwell/Session/1"
SECOND = 1_000_000_000


def empty():
    return Specification({CUSTOMER: Model(), SESSION: Model()}, {SESSION: Session(100)})


class Past:
    """A correct sequential history: the model itself answers each call."""

    item = ""

    def __init__(self):
        self.state, self.operations, self.at = empty(), [], 1_800_000_000_000
        self.new_id = ids.UUID7(lambda: self.at)

    def do(self, kind, scope=CUSTOMER, target="", **given):
        self.at += 1
        call, number = Call(kind, scope, True, target, given), len(self.operations)
        now = ids.timestamp(self.at)
        self.state, shown = specification.perform(self.state, call, now, self.new_id())[0]
        begun = number * SECOND
        operation = Operation(number, 0, call, begun, begun + SECOND // 2, shown())
        self.operations.append(operation)
        return operation


def ok(*operations):
    return not checker.unexplained(list(operations), empty())


@pytest.fixture
def past():
    """A history with an item of a customer."""
    past = Past()
    past.item = past.do("save", product=1, quantity=1).answer.data["id"]
    assert ok(*past.operations)
    return past


def test_lost_update_is_found(past):
    """After two concurrent acknowledged changes, a read that shows only one is rejected."""
    one, two = (
        past.do("change", target=past.item, **to) for to in ({"quantity": 7}, {"tags": ["a"]})
    )
    both = (replace(o, invoked=one.invoked, returned=two.returned) for o in (one, two))
    read = past.do("get_item", target=past.item)
    history = past.operations[0], *both
    assert ok(*history, read)
    lost = replace(read.answer, data=read.answer.data | {"tags": []})
    assert not ok(*history, replace(read, answer=lost))


def test_stale_read_is_found(past):
    """A read that began after a change's response and shows the old state is rejected; a concurrent
    one isn't."""
    old = past.do("get_item", target=past.item)
    change = past.do("change", target=past.item, quantity=7)
    stale = replace(old, number=9, invoked=change.returned + 1, returned=change.returned + 2)
    assert not ok(*past.operations, stale)
    assert ok(*past.operations, replace(stale, invoked=change.invoked, returned=change.returned))


def test_partial_link_is_found(past):
    """After a link, a page without the session's item is rejected."""
    past.do("save", SESSION, product=9)
    past.do("link", None, session=SESSION, customer=CUSTOMER)
    page = past.do("items_page", limit=250)
    assert ok(*past.operations)
    torn = replace(page, answer=replace(page.answer, data=page.answer.data[1:]))
    assert not ok(*past.operations[:-1], torn)
