"""Shopper's actions in the demo shop."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.conftest import slow

from .conftest import BASE, Demo, cards, heart, press, shows

pytestmark = pytest.mark.xdist_group("browser")

CUP, LAMP, THROW = "Morning mug", "Dome lamp", "Wool throw"


def pressed(page, product, yes=True, **options):
    expect(heart(page, product)).to_have_attribute("aria-pressed", str(yes).lower(), **options)


def wishlist_requests(shopper):
    """Returns the wishlist requests so far: method, path and status."""
    api = f"{shopper.url}{BASE}/api/"
    return [
        (answer.request.method, answer.url.removeprefix(api), answer.status)
        for answer in shopper.responses
        if answer.url.startswith(api)
    ]


def test_visitors_saved_items_survive_a_reload(shopper):
    """Without an account, saved hearts and the wishlist page survive a reload."""
    page = shopper.open()
    press(page, 101, 103)
    page.reload()
    pressed(page, 101)
    pressed(page, 103)
    pressed(page, 102, yes=False)
    shopper.go(page, "/wishlist")
    shows(page, THROW, CUP)


@pytest.mark.slow
def test_product_saved_in_several_colours_is_one_card(shopper):
    """A product saved from the grid and then in several colours stays one item; a full heart
    removes it."""
    page = shopper.open()
    press(page, 102)
    grid, wishes = shopper.open(), shopper.open("/wishlist")
    colour_of = cards(wishes).locator(".variant")
    card = cards(wishes).element_handle()
    expect(colour_of).to_have_count(0)
    shopper.go(page, "/products/lamp?variant=1022")
    pressed(page, 102)
    expect(colour_of).to_have_count(0)  # viewing a colour doesn't choose it
    for colour, variant in (("Ink", 1023), ("Honey", 1021)):
        with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            page.get_by_role("link", name=colour).click()
        expect(page.get_by_role("heading", name=f"Colour: {colour}")).to_be_visible()
        assert page.url.endswith(f"?variant={variant}")
        pressed(page, 102)
        expect(colour_of).to_have_text([colour])
        assert card.evaluate("card => card.isConnected")
    pressed(grid, 102)
    page.reload()
    heart(page, 102).click()  # opens the menu of lists, because the product is saved
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.get_by_role("button", name="Remove from wishlist").click()
    pressed(grid, 102, yes=False)
    expect(cards(wishes)).to_have_count(0)
    page.get_by_role("link", name="Oat").click()
    pressed(page, 102, yes=False)  # choosing a colour changes nothing if nothing is saved
    press(page, 102)
    expect(colour_of).to_have_text(["Oat"])


@pytest.fixture(scope="module")
def other_demo(chromium):
    """A shop for two tests: the first needs an empty store, the second stops the service."""
    with Demo({}) as demo:
        yield demo


def test_sign_in_merges_the_list_and_sign_out_hides_it(other_demo, new_shopper):
    """Merged items appear once; after signing out, and for the next customer, nothing is shown."""
    at_work, shopper = new_shopper(other_demo), new_shopper(other_demo)
    page = at_work.open()
    at_work.sign_in(page, "Mira")
    at_work.go(page, "/")
    press(page, 102, 103)

    page = shopper.open()
    press(page, 101, 102)
    shopper.sign_in(page, "Mira")
    expect(cards(page)).to_have_count(3)
    saved = cards(page).locator(".name").all_inner_texts()
    assert sorted(saved) == sorted([CUP, LAMP, THROW])
    assert not [c for c in shopper.context.cookies() if c["name"] == "wishwell"]
    for tab in (page, at_work.open("/wishlist")):
        expect(cards(tab)).to_have_count(3)

    shopper.sign_out(page)
    for product in (101, 102, 103):
        pressed(page, product, yes=False)
    shopper.go(page, "/wishlist")
    expect(page.get_by_role("heading", name="Your wishlist is empty")).to_be_visible()

    shopper.sign_in(page, "Jonas")
    expect(page.get_by_role("heading", name="Your wishlist is empty")).to_be_visible()
    shopper.go(page, "/")
    for product in (101, 102, 103):
        pressed(page, product, yes=False)


@pytest.mark.slow
def test_open_tab_shows_nothing_of_a_customer_who_signed_out(shopper):
    """A tab left open shows nothing of the previous customer once it is used."""
    page = shopper.open()
    shopper.sign_in(page, "Mira")
    shopper.go(page, "/")
    if heart(page, 104).get_attribute("aria-pressed") == "false":
        press(page, 104)
    stale, wishes = shopper.open(), shopper.open("/wishlist")
    pressed(stale, 104)
    expect(cards(wishes)).not_to_have_count(0)
    shopper.sign_out(page)
    press(stale, 112)
    pressed(stale, 104, yes=False)
    shows(wishes, "Field notebook")
    shopper.go(page, "/wishlist")
    shows(page, "Field notebook")


def test_heart_reverts_with_an_error_when_the_service_is_down(other_demo, new_shopper):
    """A heart reverts and an error appears when the service is down, after the retries; only the
    page's clock is advanced."""
    shopper = new_shopper(other_demo)
    shopper.expected.add(502)
    page = shopper.context.new_page()
    page.clock.install()
    shopper.go(page, "/")
    pressed(page, 101, yes=False)
    other_demo.end_service()
    sent = []
    page.on("request", lambda request: sent.append(request.method))

    def answered():
        return [method for method, *_ in wishlist_requests(shopper)].count("POST")

    heart(page, 101).click()
    pressed(page, 101)
    notice = page.locator("wishlist-toast [role=status]")
    deadline = time.monotonic() + 30
    while not notice.inner_text():
        assert time.monotonic() < deadline
        if sent.count("POST") == answered():  # otherwise the page's clock would run during the wait
            page.clock.run_for(500)
        else:
            page.wait_for_timeout(20)
    expect(notice).to_contain_text("Try again")
    expect(page.locator("#notice")).to_be_empty()
    pressed(page, 101, yes=False)
    tries = [status for method, _, status in wishlist_requests(shopper) if method == "POST"]
    assert len(tries) > 5
    assert set(tries) == {502}
    page.get_by_role("button", name="Close").click()
    expect(notice).to_be_empty()


@pytest.mark.parametrize("path", ["/sign-in", slow("/sign-out")])
def test_cross_site_form_can_neither_sign_in_nor_out(shopper, path):
    """The shop refuses a cross-site form by the browser's Sec-Fetch-Site (CSRF)."""
    page = shopper.open()
    answer = page.request.post(
        shopper.url + path, form={"customer": "1001"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status == 403
    assert not [c for c in shopper.context.cookies() if c["name"] == "shop_session"]
