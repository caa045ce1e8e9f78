"""Each example shop works in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Frame, expect

from tests.browser.conftest import heart, press, shows
from tests.conftest import slow

MUG = 101


def pressed(page, yes=True):
    expect(heart(page, MUG)).to_have_attribute("aria-pressed", str(yes).lower())


def sign(here, page, way):
    """Signs in or out; returns the saved products that the next page loads."""
    arrived: list[Frame] = []  # earlier responses belong to this page
    page.once("framenavigated", lambda frame: arrived.append(frame))
    with page.expect_response(lambda answer: bool(arrived) and here.is_read(answer)) as told:
        page.get_by_role("button", name=f"Sign {way}").click()
    return [item["productId"] for item in told.value.json()["data"]]


@pytest.mark.xdist_group("examples")
@pytest.mark.parametrize(
    "shop",
    [
        slow("nginx"),
        slow("fastapi"),
        slow("django"),
        slow("express"),
        slow("next"),
        slow("hydrogen"),
    ],
    indirect=True,
)
def test_visitors_wishlist_becomes_the_customers_and_disappears_at_sign_out(shop, new_customer):
    """A visitor's heart survives a reload, becomes the customer's on every device, and disappears
    at the sign-out."""
    here, elsewhere = new_customer(), new_customer()
    page = here.open()
    pressed(page, yes=False)
    press(page, MUG)
    page.reload()
    pressed(page)
    assert sign(here, page, "in") == [MUG]
    pressed(page)
    assert sign(elsewhere, elsewhere.open(), "in") == [MUG]
    assert sign(here, page, "out") == []
    pressed(page, yes=False)


@pytest.mark.xdist_group("examples")
@pytest.mark.parametrize("shop", [slow("next")], indirect=True)
def test_next_js_navigation_count_and_sharing_work(shop, new_customer):
    """Client-side navigation, the count, and sharing work with Next.js."""
    owner = new_customer(permissions=["clipboard-read", "clipboard-write"])
    page = owner.open()
    press(page, MUG)
    page.get_by_role("link", name=re.compile("^Wishlist.*1")).click()
    shows(page, f"Product {MUG}")
    page.get_by_role("button", name="New list").click()
    page.get_by_role("textbox").fill("Birthday")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="View all items").click()
    page.get_by_role("button", name=f"More options for Product {MUG}").click()
    page.get_by_role("checkbox", name="Birthday").check()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("tab", name="Birthday").click()
    page.get_by_role("button", name="List options").click()
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.get_by_role("dialog").get_by_role("button", name="Done").click()
    other = new_customer().context.new_page()
    other.goto(link)
    expect(other.get_by_role("heading", name="Birthday")).to_be_visible()
    shows(other, f"Product {MUG}")
    page.get_by_role("link", name="Shop").click()
    heart(page, MUG).click()
    expect(page.locator("wishlist-count")).to_have_attribute("empty", "")
