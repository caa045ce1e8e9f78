"""The checker itself: what is right passes, and each kind of what is wrong is found."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import strategies
from tests.linearizability import checker, specification
from tests.linearizability.history import Answer, Call, Operation, partitions
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


scopes = st.sampled_from([CUSTOMER, CUSTOMER, SESSION])
extras = st.sampled_from(
    [("link",), ("renew",), ("purge",), ("items_page",), ("lists_page",), ("look",)]
)
plans = st.tuples(
    strategies.sequences,
    st.lists(st.tuples(st.integers(0, 30), extras), max_size=8),
    st.lists(scopes, min_size=60, max_size=60),
)


def lived(plan):
    """A history of all kinds of requests, from the strategies of the contract's model."""
    steps, more, owners = plan
    steps = list(steps)
    for at, extra in more:
        steps.insert(min(at, len(steps)), extra)
    past = Past()
    for step, owner in zip(steps, owners, strict=False):
        apply(past, step, owner)
    return past


def apply(past, step, owner):
    model = past.state.profiles[owner]
    match step:
        case ("new_list", name):
            past.do("new_list", owner, name=name)
        case ("items_page" | "lists_page" as kind,):
            past.do(kind, owner, limit=250)
        case ("look",):
            past.do("get_list", owner, model.list_at(0), sort="customer")
        case ("purge",):
            past.do("purge", SESSION)
        case (kind,):
            past.do(kind, None, session=SESSION, customer=CUSTOMER)
        case _:
            edit(past, model, step, owner)


def edit(past, model, step, owner):
    match step:
        case ("save", product, variant, quantity, tags, on, note):
            chosen = list(dict.fromkeys(model.list_at(at) for at in on))
            given = {"product": product, "variant": variant, "quantity": quantity}
            past.do("save", owner, on=chosen, tags=tags, note=note, **given)
        case ("change", at, product, variant, quantity, tags, note):
            given = {"product": product, "variant": variant, "quantity": quantity}
            given |= {"tags": tags, "note": note}
            past.do("change", owner, model.item_at(at), **given)
        case ("delete", at):
            past.do("delete", owner, model.item_at(at))
        case ("delete_many", ats):
            past.do("delete_many", owner, ids=[model.item_at(at) for at in ats])
        case ("set_lists", at, on):
            chosen = list(dict.fromkeys(model.list_at(other) for other in on))
            past.do("set_lists", owner, model.item_at(at), on=chosen)
        case ("rename", at, name):
            past.do("rename", owner, model.list_at(at), name=name)
        case ("drop_list", at):
            past.do("drop_list", owner, model.list_at(at))
        case ("order", at, ats):
            past.do("order", owner, model.list_at(at), ids=[model.item_at(n) for n in ats])


@pytest.mark.slow
@given(plans)
@settings(max_examples=75, deadline=None)
def test_what_happened_one_after_the_other_passes(plan):
    """Any sequence, answered by the model; and with one outcome unknown, it still does."""
    past = lived(plan)
    assert past.ok()
    at = len(past.operations) // 2
    middle = past.operations[at]
    # Who never heard of a record can't name it: a later call by its id would be no history.
    made = middle.answer.data.get("id") if isinstance(middle.answer.data, dict) else None
    assume(not made or all(made not in repr(o.call) for o in past.operations[at + 1 :]))
    lost = replace(middle, returned=math.inf, answer=None)
    assert verdict([lost if o is middle else o for o in past.operations]).ok


@pytest.mark.slow
@given(plans, st.data())
@settings(max_examples=50, deadline=None)
def test_neighbours_at_once_pass_in_any_order(plan, data):
    """What passes one after the other passes when neighbours overlap, in any order of asking."""
    past = lived(plan)
    for at in range(0, len(past.operations) - 3, 3):
        some = at_once(*past.operations[at : at + 3])
        past.operations[at : at + 3] = data.draw(st.permutations(some))
    assert past.ok()


def lost(records):
    return records[1:]


def doubled(records):
    return [records[0], *records]


def disordered(records):
    return [*records[1:], records[0]]


def dirty(records):
    return [records[0] | {"quantity": records[0]["quantity"] + 1}, *records[1:]]


def untagged(records):
    return [*records[:-1], records[-1] | {"tags": ["never"]}]


def elsewhere(records):
    return [records[0] | {"listIds": [*records[0]["listIds"], "other"]}, *records[1:]]


def untouched(records):
    return [records[0] | {"updatedAt": "2000-01-01T00:00:00.000Z"}, *records[1:]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutation", [lost, doubled, disordered, dirty, untagged, elsewhere, untouched]
)
@given(plan=plans)
@settings(max_examples=30, deadline=None)
def test_any_false_record_of_a_page_is_found(mutation, plan):
    """At the end of any history, and although its last three requests came at once."""
    past = lived(plan)
    page = past.do("items_page", limit=250)
    assume(len(page.answer.data) >= 2)
    before = [*past.operations[:-4], *at_once(*past.operations[-4:-1])]
    data = mutation(page.answer.data)
    false = replace(page, answer=replace(page.answer, data=data))
    assert verdict([*before, page]).ok
    assert not verdict([*before, false]).ok


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


def test_item_twice_is_found(past):
    """Two saves of a product at once that both say that they made it."""
    first = past.do("save", product=4)
    second = replace(_changed(first, id=past.source.new_id()), number=9)
    assert not verdict([*past.operations, second]).ok


def test_item_twice_on_a_page_is_found(past):
    """A page that shows one item two times."""
    page = past.do("items_page", limit=250)
    data = [*page.answer.data, page.answer.data[-1]]
    twice = replace(page, answer=replace(page.answer, data=data))
    assert not verdict([*past.operations[:-1], twice]).ok


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


def test_dirty_read_is_found(past):
    """A read of a quantity that a refused change would have set."""
    past.do("change", target=past.ids[0], product=2, quantity=9)
    assert past.operations[-1].answer == Answer(409)
    past.do("get_item", target=past.ids[0])
    dirty = _changed(past.operations[-1], quantity=9)
    assert not verdict([*past.operations[:-1], dirty]).ok


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


def test_lists_of_before_the_wait_are_found(past):
    """The answer of a change shows lists of before an edit, and the edit shows nothing of it."""
    edit = past.do("set_lists", target=past.ids[0], on=[])
    change = past.do("change", target=past.ids[0], quantity=7)
    torn = _changed(change, listIds=[past.made])
    assert not verdict([*past.operations[:-2], *at_once(edit, torn)]).ok


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


def test_item_of_a_save_without_an_answer_may_be_seen_but_only_one(past):
    """The id that nobody was told is taken for the one of the unknown save."""
    save = past.do("save", product=9, quantity=2)
    page = past.do("items_page", limit=250)
    unknown = replace(save, returned=math.inf, answer=None)
    assert verdict([*past.operations[:-2], unknown, page]).ok
    twice = [page.answer.data[0] | {"id": past.source.new_id()}, *page.answer.data]
    doubled = replace(page, answer=replace(page.answer, data=twice))
    assert not verdict([*past.operations[:-2], unknown, doubled]).ok


def test_profiles_are_judged_apart_unless_linked():
    """Two parts without a link, one with it."""
    past = Past()
    past.do("save", product=1)
    past.do("save", SESSION, product=1)
    assert len(partitions(past.operations)) == 2
    past.do("link", None, session=SESSION, customer=CUSTOMER)
    assert len(partitions(past.operations)) == 1


def test_picture_is_short_and_says_why(past):
    """Only what a failure needs, its timeline, and what was expected."""
    for _ in range(10):
        past.do("get_item", target=past.ids[1])
    old = past.do("get_item", target=past.ids[0])
    change = past.do("change", target=past.ids[0], quantity=7)
    at = change.returned + 1
    past.operations.append(replace(old, number=99, invoked=at, returned=at + 1))
    past.operations.append(replace(old, number=100, invoked=at + 2, returned=at + 3))
    small = checker.reduced(past.operations, empty(), specification.step, specification.harmless)
    assert [o.number for o in small] == [0, 1, 2, 3, change.number, 99]
    text = checker.picture(small, empty(), specification.step)
    assert "99: quantity: expected 7, answered 1" in text
    assert text.count("|\n") == 0 and text.count(" c0 |") == 6
