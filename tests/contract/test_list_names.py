"""Saves that name a list, which is found or created. Random sequences: test_model.py."""

import pytest

from tests.contract.conftest import PLENTY, bounds, new_item
from tests.contract.test_model import profile_events
from wishwell.errors import LimitReached
from wishwell.profiles.pages import PageRequest
from wishwell.profiles.search import Search
from wishwell.wishlists import lists, saving


def named(bench, profile, product, name, limits=PLENTY, **fields):
    new = new_item(product, list_name=name, **fields)
    ids = bench.new_id(), limits, bench.clock.tick(), [bench.new_id()]
    return bench.write(saving.save, profile, new, *ids)[0]


def lists_of(bench, profile):
    page = bench.read(lists.page, profile, PageRequest(None, 250, Search()))
    return {made.name: made.item_count for made in page.records}


@pytest.mark.parametrize("name", ["Birthday", "birthday", "BIRTHDAY", "Straße", "STRASSE"])
def test_name_finds_the_list_that_a_sign_in_would_merge(bench, name):
    """A list's name is compared as at sign-in, and the oldest of several lists is taken.
    Rule: item-lists."""
    profile = bench.new_customer()
    for made in ("Garden", "Birthday", "Straße", "BIRTHDAY"):
        bench.new_list(profile, made)
    before = lists_of(bench, profile)
    item = named(bench, profile, 1, name)
    oldest = "Birthday" if name.lower() == "birthday" else "Straße"
    assert lists_of(bench, profile) == before | {oldest: 1}
    assert named(bench, profile, 1, name).list_ids == item.list_ids
    bench.check(profile)


def test_missing_list_is_created_once_with_its_event(event_bench):
    """A missing list is created with the save, its event comes first, and further saves find it.
    Rules: item-lists, event-transaction."""
    profile = event_bench.new_customer()
    other = event_bench.new_list(profile, "Other").id
    first = named(event_bench, profile, 1, "Later", list_ids=(other,), tags=("gift",))
    names = ["LATER", "New", "new", "later"]
    wanted = [new_item(n, list_name=name) for n, name in enumerate(names, 2)]
    ids = [[event_bench.new_id() for _ in names] for _ in range(2)]
    now = event_bench.clock.tick()
    several = event_bench.write(saving.save_many, profile, wanted, ids[0], PLENTY, now, ids[1])
    assert lists_of(event_bench, profile) == {"Other": 1, "Later": 3, "New": 2}
    [later] = {*first.list_ids} - {other}
    assert [item.list_ids == [later] for item in several] == [True, False, False, True]
    types = [event["type"] for event in profile_events(event_bench, profile)]
    created = ["list.created", "item.created"]
    assert types == ["list.created", *created, "list.created", *["item.created"] * 4]
    event_bench.check(profile)


@pytest.mark.parametrize("limit", ["lists", "items", "list_items", "entries"])
def test_save_that_exceeds_a_limit_leaves_no_list(bench, limit):
    """A save beyond the limit of lists, items or entries changes nothing, and names the field.
    Rules: item-lists, profile-limits."""
    profile = bench.new_customer()
    named(bench, profile, 1, "Full")
    limits = bounds(99)._replace(**{limit: 1})
    name = "Full" if limit == "list_items" else "New"
    with pytest.raises(LimitReached) as refused:
        named(bench, profile, 2, name, limits)
    assert refused.value.message.startswith("listName: ") is (limit in ("list_items", "entries"))
    assert (bench.holds(profile)[0], lists_of(bench, profile)) == (1, {"Full": 1})
    bench.check(profile)
