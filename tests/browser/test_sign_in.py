"""Hearts on a platform that drops cookies: a visitor's press asks for a sign-in and is saved
afterwards.

The platform (tests/app_proxy.py) signs who the customer is and forwards no cookies.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from playwright.sync_api import expect

from tests.app_proxy import BASE, KEY, SHOP, AppProxy, common, signed
from tests.servers import Service, wait_until

pytestmark = pytest.mark.xdist_group("shop-browser")

SCRIPT = f'<script type="module" src="{BASE}/assets/wishwell.js"></script>'
SIGN_IN = '<form method="post"><button>Sign in</button></form>'
# The sign-in page has the script too, and a page without a heart follows it.
PAGES = {"/account/login": SCRIPT + SIGN_IN, "/account": SCRIPT}
AUTO = 'sign-in="/account/login"'


class Platform(AppProxy):
    """The shop's domain; ``hearts`` are those on the product page.

    The platform keeps the shop's host, so the service's address is unknown (storefront-platform).
    """

    hearts, host = "", SHOP

    def answer(self, path: str) -> tuple[int, dict[str, str], str]:
        page = PAGES.get(path, SCRIPT + self.hearts)
        html = f"<!doctype html><html lang=en><title>A shop</title>{page}"
        return 200, {"Content-Type": "text/html"}, html

    @property
    def saves(self) -> list[int]:
        return self.sent("POST /items")


@pytest.fixture(scope="module")
def service():
    with Service() as service:
        (service.folder / "secret").write_text(KEY)
        options = ("--platform-shop", SHOP, "--platform-secret-file", "secret")
        service.quick("store", "update", "default", *options)
        asked = f"{service.url}{BASE}/api/items?{signed(common(''))}"
        headers = {"Sec-Fetch-Site": "same-origin", "Host": SHOP}
        save = {"productId": 1}

        # Until the service sees the change, a visitor may still start a session.
        def is_refused():
            return httpx2.post(asked, json=save, headers=headers).status_code == 401

        assert wait_until(is_refused, seconds=30, every=0.1)
        yield service


@pytest.fixture
def platform(service):
    with Platform(service).running() as platform:
        yield platform
        customer = service.client(service.admin_token(), "gid://shopify/Customer/42")
        for item in customer.get("/items").json()["data"]:
            customer.delete(f"/items/{item['id']}")


@pytest.fixture
def page(platform, chromium):
    """A page of the platform's shop, in a first-time visitor's browser."""
    context = chromium.new_context()
    context.set_default_timeout(10_000)
    made = context.new_page()
    wrong = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    yield made
    context.close()
    assert wrong == []


def show(page, platform, *hearts, path="/products/mug"):
    heart = '<wishlist-button product-id="{}" {}></wishlist-button>'
    platform.hearts = "".join(heart.format(*one) for one in enumerate(hearts, 1))
    with page.expect_response(lambda answer: "/api/items" in answer.url):
        page.goto(platform.origin + path)


def saved(page, *, is_saved, product=1):
    button = page.locator(f'wishlist-button[product-id="{product}"]').get_by_role("button")
    expect(button).to_have_attribute("aria-pressed", str(is_saved).lower())


def stored(page):
    return page.evaluate("Object.values(sessionStorage)")


def test_press_of_a_visitor_is_saved_once_after_the_sign_in(platform, page):
    """A press leads to the sign-in and back to the page, and is saved once: not again after it is
    removed and the page reloaded.
    Rule: storefront-platform."""
    path = "/products/mug?colour=blue#reviews"
    show(page, platform, f'{AUTO} sign-in-return="return_url"', path=path)
    page.get_by_role("button", name="Save to wishlist").click()
    page.wait_for_url("**/account/login?*")
    query = dict(parse_qsl(urlsplit(page.url).query))
    assert query == {"return_url": path}
    page.reload()  # still signed out, so the save is pending
    assert platform.saves == [401]
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{path}")
    saved(page, is_saved=True)
    # The heart is filled before the answer, until which the change is stored.
    page.wait_for_function("!sessionStorage.length")
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.get_by_role("button").click()
    show(page, platform, AUTO)
    saved(page, is_saved=False)
    page.wait_for_timeout(300)
    assert platform.saves == [401, 201]


@pytest.mark.slow
def test_pending_save_is_stored_on_a_page_without_a_heart(platform, page):
    """The pending save works on a page without the product, such as the platform's account page."""
    show(page, platform, AUTO, f'{AUTO} variant-id="21" match="product"')
    page.get_by_role("button").nth(1).click()
    page.wait_for_url("**/account/login")
    with page.expect_response(
        lambda answer: answer.request.method == "POST" and BASE in answer.url
    ):
        page.get_by_role("button", name="Sign in").click()
    show(page, platform, AUTO, AUTO)
    saved(page, is_saved=False)
    saved(page, is_saved=True, product=2)
    assert platform.saves == [401, 201]


@pytest.mark.slow
def test_pending_save_expires_after_half_an_hour(platform, page):
    """A pending save expires after half an hour, because somebody else may sign in later in this
    tab."""
    show(page, platform, AUTO)
    page.get_by_role("button").click()
    page.wait_for_url("**/account/login")
    page.evaluate(
        """() => {
          const [at, product] = JSON.parse(sessionStorage['wishwell:/apps/wishlist']);
          sessionStorage['wishwell:/apps/wishlist'] = JSON.stringify([at - 30 * 60_000, product]);
        }"""
    )
    platform.customer = "42"
    show(page, platform, AUTO)
    saved(page, is_saved=False)
    assert (stored(page), platform.saves) == ([], [401])


def test_shop_can_prevent_the_event_and_use_its_own_sign_in(platform, page):
    """A shop can prevent the event and use its own sign-in; `refresh` then saves the pending product."""
    show(page, platform, AUTO)
    here = page.url
    page.evaluate(
        """() => document.addEventListener('wishlist-sign-in', (event) => {
          event.preventDefault();
          window.asked = event.detail;
        })"""
    )
    page.get_by_role("button").click()
    page.wait_for_function("window.asked")
    assert page.evaluate("window.asked.url") == f"{platform.origin}/account/login"
    assert str(page.evaluate("window.asked.productId")) == "1"
    saved(page, is_saved=False)
    platform.customer = "42"
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(({ wishlist }) => wishlist.refresh())"
    )
    saved(page, is_saved=True)
    assert wait_until(lambda: platform.saves == [401, 201], seconds=30)
    assert page.url == here
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("attribute", ["", 'sign-in="javascript:document.title=1"'])
def test_heart_shows_an_alert_when_the_shop_has_no_sign_in_page(platform, page, attribute):
    """Without a sign-in page, an accessible alert with the shop's text appears; the last press is
    still saved after a sign-in."""
    show(page, platform, attribute, f'{attribute} label-sign-in="Bitte anmelden"')
    first, second = page.get_by_role("button").all()
    first.click()
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("Sign in to save this item")
    expect(alert).to_be_visible()
    second.click()
    expect(alert).to_have_text(["Sign in to save this item", "Bitte anmelden"])
    assert page.title() == "A shop"
    platform.customer = "42"
    first.click()
    saved(page, is_saved=True)
    saved(page, is_saved=True, product=2)
    expect(alert).to_have_count(0)
    assert wait_until(lambda: platform.saves == [401, 401, 201, 201], seconds=30)
