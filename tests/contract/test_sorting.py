"""Items sorted by the price and title of their products, in pages and on lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.contract.conftest import PLENTY
from wishwell import products
from wishwell.products import ProductData, sorting
from wishwell.products.money import Money
from wishwell.profiles.pages import CursorSigner, PageRequest
from wishwell.wishlists import item_changes, items, lists
from wishwell.wishlists.lists import ListFields

TITLES = ["Äpfel", "apfel", "Birne", "zebra", "x" * 255, None]
PRICES = [("9.90", "EUR"), ("10", "EUR"), ("10.0000", "EUR"), ("5", "USD"), ("0", "EUR"), None]


@pytest.fixture(scope="module")
def stocked(bench):
    """A customer with 36 items, one for each title and price, on one list."""
    store = bench.new_store()
    owner, given = bench.new_customer(store), []
    made = bench.write(
        lists.create, owner, ListFields("All"), bench.new_id(), PLENTY, bench.clock.tick()
    )
    for number, (title, price) in enumerate((t, p) for t in TITLES for p in PRICES):
        data = ProductData(title=title, price=price and Money(*price))
        given.append(products.NewProduct(str(number + 1), data))
    new_ids = [bench.new_id() for _ in given]
    bench.write(products.put, store, given, new_ids, bench.clock.tick())
    for number in range(len(given)):
        bench.clock.tick()
        bench.save(owner, number + 1, list_ids=(made.id,))
    return owner, made


def walk(bench, owner, by, size, cursor=None, way="next"):
    """Yields pages; each cursor passes through its text form, as in a request."""
    signer = CursorSigner([b"key"])
    while True:
        page = bench.read(in_order, owner, PageRequest(cursor, size), by)
        yield page
        if (at := getattr(page, way)) is None:
            return
        text = signer.sign(at, "x")
        assert len(text) <= 200 and "=" not in text
        cursor = signer.verify(text, "x")


async def in_order(tx, owner, asked, by):
    if by == "oldest":
        asked = PageRequest(asked.cursor, asked.limit, asked.search, oldest_first=True)
        return await items.page(tx, owner, asked)
    return await sorting.page(tx, owner, asked, by, included=False)


def expected(by):
    """Returns the product ids in order."""
    every = [(t, p) for t in TITLES for p in PRICES]
    numbers = range(len(every))
    if by == "oldest":
        return [str(number + 1) for number in numbers]
    if by == "title":
        plain = ["apfel", "apfel", "birne", "zebra", "x" * 99, "~"]
        keys = [(plain[TITLES.index(title)], 0.0) for title, _ in every]
    else:
        keys = [(p[1], float(p[0])) if p else ("ZZZ", 0.0) for _, p in every]
    return [str(number + 1) for number in sorted(numbers, key=lambda n: (keys[n], -n))]


@given(by=st.sampled_from(["price", "title", "oldest"]), size=st.integers(1, 40))
@strategies.examples(15)
def test_sorted_pages_have_each_item_once_in_both_directions(bench, stocked, by, size):
    """Pages of any size have all items in order; walking backwards yields the same pages.
    Rule: item-sort."""
    owner, _ = stocked
    pages = [*walk(bench, owner, by, size)]
    assert [item.product_id for page in pages for item in page.records] == expected(by)
    assert all(page.records for page in pages) and pages[0].previous is None
    if len(pages) > 1:
        back = [*walk(bench, owner, by, size, pages[-1].previous, "previous")]
        assert [page.records for page in back[::-1]] == [page.records for page in pages[:-1]]


@pytest.mark.parametrize("by", ["price", "title", "oldest"])
@pytest.mark.parametrize("fate", ["deleted", "repriced"])
def test_sorted_pages_stay_right_while_items_change(bench, by, fate):
    """While the items at the edge of each page are deleted, or move to the front, the others are
    returned exactly once. Rule: item-sort."""
    store = bench.new_store()
    owner = bench.new_customer(store)

    def put(number, title, price):
        data = ProductData(title=title, price=Money(price, "EUR"))
        new = [products.NewProduct(str(number), data)]
        bench.write(products.put, store, new, [bench.new_id()], bench.clock.tick())

    for number in range(1, 13):
        put(number, f"title {number:02}", f"{number}.00")
        bench.save(owner, number)
    seen, touched = [], set()
    for page in walk(bench, owner, by, 3):
        seen += [item.product_id for item in page.records]
        if page.records:
            edge = page.records[-1]
            touched.add(edge.product_id)
            if fate == "deleted":
                bench.write(item_changes.delete, owner, edge.id, bench.clock.tick())
            else:
                put(edge.product_id, "a title", "0.50")
    rest = [str(number) for number in range(1, 13) if str(number) not in touched]
    assert [product for product in seen if product not in touched] == rest
    assert len(seen) == len({*seen})


def test_page_whose_items_were_deleted_has_a_previous_page(bench):
    """A cursor to a page that has become empty leads to the other side. Rule: item-sort."""
    owner = bench.new_customer()
    for number in range(3):
        bench.save(owner, number + 1)
    first, second = walk(bench, owner, "price", 2)
    bench.write(item_changes.delete, owner, second.records[0].id, bench.clock.tick())
    empty = bench.read(in_order, owner, PageRequest(first.next, 2), "price")
    assert (empty.records, empty.next) == ([], None)
    back = bench.read(in_order, owner, PageRequest(empty.previous, 2), "price")
    assert back.records == first.records


def test_list_is_sorted_like_pages(bench, stocked):
    """A list sorts its items by price and title as pages do. Rule: list-sort."""
    owner, made = stocked
    for by in ("price", "title"):
        found = bench.run(
            bench.db.read(sorting.find, owner, made.id, by, PageRequest(None, 250), included=False)
        )
        assert [item.product_id for item in found.wishlist.items] == expected(by)
