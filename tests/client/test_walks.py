"""Page walks return every saved record."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import examples


def check(resource, saved, limit, **query):
    """Asserts that all records come newest first, and that each page has a cursor to the one
    before."""
    newest_first = saved[::-1]
    assert list(resource.all(limit=limit, **query)) == newest_first
    pages = list(resource.pages(limit=limit, **query))
    assert [record for page in pages for record in page] == newest_first
    assert all(len(page) == limit for page in pages[:-1])
    assert pages[-1].next is None
    assert pages[0].previous is None
    for before, page in itertools.pairwise(pages):
        assert resource.list(page=page.previous, limit=limit, **query).data == before.data
    for number, page in enumerate(pages[:-1], 1):
        onward = list(resource.all(page=page.next, limit=limit, **query))
        assert onward == newest_first[number * limit :]


@examples(8)
@given(
    products=st.lists(st.integers(1, 10**6), unique=True, max_size=9),
    limit=st.integers(1, 5),
    tagged=st.sets(st.integers(0, 8)),
)
def test_walk_returns_everything_that_was_saved(connect, roomy_shop, products, limit, tagged):
    """Walks over all items, over a query's items, and over lists return what was saved."""
    customer = connect(roomy_shop.service.url, roomy_shop.customer().token)
    saved = [
        customer.items.create(product, tags=["gift"] if number in tagged else [])
        for number, product in enumerate(products)
    ]
    check(customer.items, saved, limit)
    gifts = [item for item in saved if item.tags]
    check(customer.items, gifts, limit, query="tag:gift")
    made = [customer.lists.create("a") for _ in saved]
    check(customer.lists, made, limit)


def test_walk_over_a_lists_items_keeps_the_lists_order(connect, shop):
    """Pages of a list's items follow the list's order, and each has a cursor to the one before."""
    customer = connect(shop.service.url, shop.customer().token)
    wishlist = customer.lists.create("a")
    saved = [customer.items.create(product, list_ids=[wishlist.id]) for product in range(1, 6)]
    order = [item.id for item in (saved[3], saved[0], saved[4], saved[1], saved[2])]
    customer.lists.order(wishlist.id, item_ids=order)
    pages = list(customer.lists.item_pages(wishlist.id, sort="customer", limit=2))
    assert [[item.id for item in page] for page in pages] == [order[:2], order[2:4], order[4:]]
    page = customer.lists.list_items(
        wishlist.id, sort="customer", limit=2, page=pages[1].previous, include="product"
    )
    assert [item.id for item in page] == order[:2]
    assert len(customer.lists.list_items(wishlist.id)) == 5
