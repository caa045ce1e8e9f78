"""analytics.js: what each tool receives, and what it must not."""

import pytest

from tests.conftest import slow

from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor

pytestmark = pytest.mark.xdist_group("shop-browser")

TOOLS = (
    "<script>window.got = []; {}"
    "window.fbq = (...it) => got.push(['fbq', ...it]);"
    "window.analytics = {{ track: (...it) => got.push(['segment', ...it]) }};</script>"
)
GTAG = "window.gtag = (...it) => got.push(['gtag', ...it]);"
DETAIL = """{ productId: 7, quantity: 2,
  product: { title: 'Lamp', price: 49.9, currency: 'EUR', url: 'https://shop.example/lamp' } }"""
FIRE = (
    "type => document.dispatchEvent(new CustomEvent(`wishlist-${type}`, { detail: "
    + DETAIL
    + " }))"
)


def sent(visitor, to="", gtag=GTAG, path="/", body=""):
    """Returns what the tools receive for a save and a removal, with dataLayer's pushes."""
    src = "/apps/wishlist/assets/analytics.js"
    tag = f'<script type="module" src="{src}" {to}></script>'
    page = visitor.open(body, scripts=(), path=path, head=TOOLS.format(gtag) + tag)
    page.evaluate("window.dataLayer ??= []")
    page.wait_for_load_state("load")
    for type in ("added", "removed"):
        page.evaluate(FIRE, type)
    return page.evaluate("[got, dataLayer]")


@pytest.mark.slow
def test_each_tool_receives_events_in_its_own_format(visitor):
    """By default gtag, Meta and Segment receive the events that they define."""
    item = {"item_id": "7", "item_name": "Lamp", "price": 49.9, "quantity": 2}
    ga4 = {"currency": "EUR", "value": 99.8, "items": [item]}
    got, layer = sent(visitor)
    assert [entry[:3] for entry in got] == [
        ["gtag", "event", "add_to_wishlist"],
        ["fbq", "track", "AddToWishlist"],
        ["segment", "Product Added to Wishlist", got[2][2]],
        ["gtag", "event", "remove_from_wishlist"],
        ["segment", "Product Removed from Wishlist", got[4][2]],
    ]
    items = [{k: v for k, v in one.items() if v is not None} for one in got[0][3].pop("items")]
    assert got[0][3] | {"items": items} == ga4
    assert got[1][3] == {
        "content_ids": ["7"],
        "content_name": "Lamp",
        "content_type": "product",
        "currency": "EUR",
        "value": 99.8,
    }
    assert (got[2][2]["product_id"], got[2][2]["price"], got[2][2]["quantity"]) == ("7", 49.9, 2)
    assert layer == []


@pytest.mark.slow
def test_only_the_named_tools_receive_events(visitor):
    """Only the tools in `to` receive events; without gtag, dataLayer does."""
    got, layer = sent(visitor, to='to="datalayer fbq"')
    assert [entry[0] for entry in got] == ["fbq"]
    events = [entry.get("event") for entry in layer]
    assert events == [None, "add_to_wishlist", None, "remove_from_wishlist"]
    got, layer = sent(visitor, gtag="")
    assert {entry[0] for entry in got} == {"fbq", "segment"} and len(layer) == 4


@pytest.mark.parametrize(
    ("path", "body"), [("/", "<wishlist-shared></wishlist-shared>"), slow("/l/wwshr_abc", "")]
)
def test_page_of_a_shared_list_sends_nothing(visitor, path, body):
    """The page of a shared list sends nothing, because its URL is a secret."""
    assert sent(visitor, path=path, body=body) == [[], []]
