"""The menu of a heart with `choose-list`, with a real service."""

import time

import pytest
from playwright.sync_api import expect

from tests.conftest import slow

from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor
from .test_count import TOAST
from .test_pages import violations

pytestmark = pytest.mark.xdist_group("shop-browser")

HEART = '<wishlist-button product-id="{}" choose-list></wishlist-button>'


SAVE = "async (item) => (await import('/apps/wishlist/assets/wishwell.js')).wishlist.save(item)"


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))


@pytest.mark.slow
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


@pytest.mark.parametrize("width", [360, slow(1280)])
def test_one_surface_answers_a_press(new_visitor, width):
    """Without a list, a press is answered by the toast alone; its second line asks a visitor to sign
    in, at the first save only. With a list, the menu alone says "Saved"; after it is closed by
    "Remove from wishlist", the toast offers the undo."""
    toast = TOAST.replace("></", " sign-in='/sign-in'></")
    body = "".join(HEART.format(id) for id in (93, 94, 95)) + toast
    page = new_visitor(viewport={"width": width, "height": 740}).open(body)
    hearts = page.locator("wishlist-button >> [part=button]")
    toasts, menu = page.locator("wishlist-toast >> [part=toast]"), page.get_by_role("dialog")
    hint = page.get_by_role("link", name="Sign in to keep your list on all your devices")
    hearts.nth(0).dblclick()  # the second click waits for the answer to the first, too
    expect(toasts).to_have_count(1)
    expect(toasts).to_contain_text("Saved to your wishlist")
    expect(hint).to_have_count(1)
    expect(menu).to_have_count(0)
    hearts.nth(1).click()
    expect(hint).to_have_count(0)
    expect(toasts).to_have_count(1)
    expect(menu).to_have_count(0)
    page.evaluate(SAVE, {"productId": 96, "listName": "Birthday"})
    toasts.get_by_role("button", name="Close").click()

    with page.expect_response(lambda answer: answer.request.method == "POST"):
        hearts.nth(2).click()
    expect(menu).to_have_accessible_name("Saved to your wishlist")
    expect(menu.get_by_text("Saved to your wishlist")).to_be_visible()
    expect(menu.get_by_role("checkbox", name="Birthday")).not_to_be_checked()
    expect(toasts).to_have_count(0)
    assert violations(page) == []
    menu.get_by_role("button", name="Remove from wishlist").click()
    expect(toasts).to_contain_text("Removed from your wishlist")
    expect(menu).to_have_count(0)
    toasts.get_by_role("button", name="Undo").click()
    expect(hearts.nth(2)).to_have_attribute("aria-pressed", "true")
    hearts.nth(2).click()
    expect(menu).to_have_accessible_name("Add to lists")


@pytest.mark.slow
def test_menu_is_a_sheet_on_phones_and_next_to_the_heart_elsewhere(new_visitor):
    """On a phone the menu is as wide as the window and at its bottom; in a wide window it is next to
    the heart."""
    for width in (360, 1280):
        visitor = new_visitor(viewport={"width": width, "height": 700})
        page = visitor.open(HEART.format(92))
        page.evaluate(SAVE, {"productId": 91, "listName": "Birthday"})
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
