"""Pagination: pages of any size show exactly the existing records in both directions, during
writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from tests import strategies
from tests.contract.conftest import PLENTY, Interleaved
from wishwell import products, profiles
from wishwell.products import shown
from wishwell.profiles import search
from wishwell.profiles.pages import Cursor, PageRequest
from wishwell.wishlists import item_changes, items, linking

QUERIES = {
    None: lambda item: True,
    "product:1,2,3,5,8,13": lambda item: item.product_id in ("1", "2", "3", "5", "8", "13"),
    "tag:even": lambda item: "even" in item.tags,
    "variant:1": lambda item: item.variant_id == "1",
}


@pytest.fixture(scope="module")
def stocked(bench):
    """A store with three profiles of 0, 7 and 23 items; every second item has a tag."""
    store = bench.new_store("stocked")
    owners = {}
    for count in (0, 7, 23):
        profile = bench.new_customer(store)
        owners[profile] = []
        for number in range(1, count + 1):
            bench.clock.tick()
            tags = ("even",) if number % 2 == 0 else ()
            owners[profile].append(bench.save(profile, number, number % 3 or None, 1, tags))
    return store, owners


def walk(bench, scope, size, query, cursor=None, way="next"):
    asked = search.Search() if query is None else search.parse(query, bench.store)
    found = []
    while True:
        page = bench.read(items.page, scope, PageRequest(cursor, size, asked))
        found.append(page)
        cursor = getattr(page, way)
        if cursor is None:
            return found


@given(
    size=st.integers(1, 30),
    query=st.sampled_from([*QUERIES]),
    whole=st.booleans(),
    who=st.integers(0, 2),
)
@strategies.examples(25)
def test_pages_of_any_size_have_exactly_the_records(bench, stocked, size, query, whole, who):
    """Walking forwards yields all records, newest first; walking backwards yields the same pages.
    Every cursor leads to a page with records."""
    store, owners = stocked
    profile = list(owners)[who]
    scope = profiles.WholeStore(store) if whole else profile
    held = [item for owner in owners if whole or owner == profile for item in owners[owner]]
    expected = sorted((item.id for item in held if QUERIES[query](item)), reverse=True)
    forwards = walk(bench, scope, size, query)
    assert [item.id for page in forwards for item in page.records] == expected
    assert [len(page.records) for page in forwards[:-1]] == [size] * (len(forwards) - 1)
    assert forwards[0].previous is None
    assert forwards[-1].next is None
    assert all(page.previous for page in forwards[1:])
    if len(forwards) > 1:
        back = walk(bench, scope, size, query, forwards[-1].previous, "previous")
        ids = [[item.id for item in page.records] for page in forwards[:-1]]
        assert [[item.id for item in page.records] for page in back[::-1]] == ids


@pytest.mark.parametrize("query", [None, "tag:kept"])
@pytest.mark.parametrize("backward", [False, True])
def test_page_whose_records_were_deleted_has_a_previous_page(bench, backward, query):
    """A page whose records were all deleted is empty and has a cursor back, as long as there is a
    page to go back to.
    Rule: cursor-pagination."""
    profile = bench.new_customer()
    kept = {1: ("kept",), 4: ("kept",)}
    saved = [bench.save(profile, n, tags=kept.get(n, ())).id for n in range(1, 5)]
    near = saved if backward else saved[::-1]  # in the direction of the walk
    asked = search.Search() if query is None else search.parse(query, bench.store)

    def page(cursor):
        found = bench.read(items.page, profile, PageRequest(cursor, 1, asked))
        ahead, back = (found.previous, found.next) if backward else (found.next, found.previous)
        return [item.id for item in found.records], ahead, back

    cursor = Cursor(near[1], backward)
    assert page(cursor)[0] == [near[3] if query else near[2]]
    bench.write(item_changes.delete_many, profile, near[2:], bench.clock.tick())
    records, ahead, back = page(cursor)
    assert (records, ahead) == ([], None)
    assert back.backward is not backward
    assert page(back)[0] == [near[0] if query else near[1]]
    bench.write(item_changes.delete_many, profile, near[:2], bench.clock.tick())
    assert page(cursor) == ([], None, None)


@pytest.mark.parametrize("backward", [False, True])
def test_page_has_no_cursor_to_a_page_whose_records_were_deleted(bench, backward):
    """A page has no cursor to a page whose records were deleted. Rule: cursor-pagination."""
    profile = bench.new_customer()
    saved = [bench.save(profile, product).id for product in (1, 2)]
    edge, left = saved if backward else saved[::-1]
    bench.write(item_changes.delete, profile, edge, bench.clock.tick())
    asked = PageRequest(Cursor(edge, backward), 1, search.Search())
    page = bench.read(items.page, profile, asked)
    assert ([item.id for item in page.records], page.next, page.previous) == ([left], None, None)


def test_empty_page_is_a_snapshot_when_a_link_commits_between_its_statements(bench):
    """An empty page is a snapshot: a link between its two statements doesn't produce an
    inconsistent page."""
    session, customer = bench.new_session(), bench.new_customer()
    now = bench.clock.tick()
    older, edge = bench.save(session, 1).id, bench.save(customer, 2).id

    async def link_and_delete():
        await bench.db.write(linking.link, session, customer, PLENTY, now)
        await bench.db.write(item_changes.delete, customer, edge, bench.clock.tick())

    asked = PageRequest(Cursor(edge, False), 10, search.Search())

    async def read(tx):
        # SQLite runs reads on the event loop; writes between their statements are awaited here.
        return await items.page(Interleaved(tx, "page", link_and_delete), customer, asked)

    found = bench.read(read)
    assert [item.id for item in found.records] == [older]


@pytest.mark.parametrize("limit", [2, 250])
def test_page_with_products_is_the_same_joined_or_read_separately(bench, limit):
    """A page with products is the same whether joined, or read by a separate statement as on a
    cluster.
    Rule: engines-alike."""
    profile, now = bench.new_customer(), bench.clock.tick()
    facts = products.ProductData(title="A", available=True)
    blue = products.Variant("8", title="Blue", available=False)
    known = [
        products.NewProduct("1", facts, (products.Variant("80", title="no"), blue)),
        products.NewProduct("2", products.ProductData(), (blue,)),
        products.NewProduct("3", products.ProductData()),
    ]
    bench.write(products.put, bench.store, known, [bench.new_id() for _ in known], now)
    for product, variant in ((1, None), (1, 8), (1, 9), (2, 8), (2, None), (3, None), (4, None)):
        bench.save(profile, product, variant)
    asked = PageRequest(None, limit, search.Search())
    for scope in (profile, profiles.WholeStore(bench.store)):
        joined = bench.read(shown.page, scope, asked)
        assert joined == bench.read(shown.including(items.page), scope, asked)
        assert any(item.product is not UNSET for item in joined.records) == (limit > 2)
