"""The menu of a heart with `choose-list`, with a real service."""

import time

import pytest
from playwright.sync_api import expect

from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor
from .test_pages import violations

pytestmark = pytest.mark.xdist_group("shop-browser")

HEART = '<wishlist-button product-id="{}" choose-list></wishlist-button>'


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))


def test_new_list_keeps_the_mark_of_a_bought_item(own_shop, visitor):
    """A list that the menu creates contains the item, which stays marked as bought. The open menu,
    with and without the field for a name, has no violations of axe."""
    own_shop.shop.update("--purchases", "on")
    member = own_shop.shop.customer("991")
    saved = member.http.post("/items", json={"productId": 91}).json()["data"]["id"]
    line = {"productId": 91, "quantity": 1}
    order = {"orderId": "A1", "profile": own_shop.shop.gid("991"), "status": "paid"}
    order |= {"placedAt": now(), "updatedAt": now(), "lines": [line]}
    # The service knows within seconds that the store counts purchases.
    for _ in range(50):
        answer = own_shop.shop.admin.put("/orders", json={"orders": [order]})
        if answer.status_code == 200:
            break
        time.sleep(0.1)
    assert answer.json()["data"][0]["matched"] == 1
    visitor.sign_in("991")
    page = visitor.open(HEART.format(91))
    page.locator("wishlist-button >> button").first.click()
    page.get_by_role("dialog").wait_for()
    new = page.get_by_role("button", name="New list")
    expect(new).to_be_enabled()
    assert violations(page) == []
    new.click()
    page.get_by_label("List name").fill("Again")
    assert violations(page) == []
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("checkbox", name="Again")).to_be_checked()
    item = member.http.get(f"/items/{saved}").json()["data"]
    [again] = member.http.get("/lists").json()["data"]
    assert (item["listIds"], item["purchased"]["quantity"]) == ([again["id"]], 1)


@pytest.mark.slow
def test_menu_is_a_sheet_on_phones_and_next_to_the_heart_elsewhere(new_visitor):
    """On a phone the menu is as wide as the window and at its bottom; in a wide window it is next to
    the heart."""
    for width in (360, 1280):
        visitor = new_visitor(viewport={"width": width, "height": 700})
        page = visitor.open(HEART.format(92))
        button = page.locator("wishlist-button >> button").first
        button.click()
        page.get_by_role("button", name="New list").wait_for()
        menu = page.locator("wishlist-button >> [part=menu]")
        box, heart = menu.bounding_box(), button.bounding_box()
        if width == 360:
            assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 360, 700)
        else:
            assert box["width"] < 400 and 0 <= box["y"] - heart["y"] - heart["height"] < 20
        button.press("Escape") if width == 1280 else page.mouse.click(180, 20)
        expect(menu).to_have_count(0)
        expect(button).to_have_attribute("aria-expanded", "false")
