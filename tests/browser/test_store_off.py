"""A shop whose wishlists are turned off, with a real service."""

import pytest
from playwright.sync_api import expect

from tests.api.conftest import soon

from .conftest import BASE
from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor

pytestmark = pytest.mark.xdist_group("shop-browser")

HEART = (
    '<wishlist-button product-id="91">Save</wishlist-button><wishlist-count></wishlist-count>'
    '<wishlist-button product-id="92"></wishlist-button>'
)


@pytest.mark.slow
def test_hearts_and_count_hide_while_the_store_is_off(own_shop, visitor):
    """While the store is off, hearts and the count are hidden, and the page shows no message.
    Afterwards they show what was saved. Rule: store-off."""
    page = visitor.open(HEART)
    hearts, count = page.locator("wishlist-button"), page.locator("wishlist-count")
    with page.expect_response(lambda r: r.request.method == "POST"):
        hearts.first.click()
    expect(count).to_have_text("1")
    profile = f"{own_shop.url}{BASE}/api/profile"
    for switch, status in (("--off", 404), ("--on", 200)):
        own_shop.shop.update(switch)
        soon(lambda status=status: page.request.get(profile).status == status)
        visitor.open(HEART, page=page)
        for element in (hearts.first, hearts.last, count):
            expect(element).to_be_visible(visible=switch == "--on")
        expect(page.get_by_role("alert")).to_have_count(0)
    expect(hearts.first).to_have_attribute("saved", "")
    expect(count).to_have_text("1")
