"""Visitors' hearts on a platform that removes cookies, with a real proxy, service and browser.

The rules of the key itself: tests/api/test_visitor_keys.py.
"""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.api.test_visitor_keys import Front
from tests.app_proxy import BASE, AppProxy
from tests.conftest import ROOMY, SEALING_KEY, slow
from tests.servers import SECRETS, Service, wait_until

pytestmark = pytest.mark.xdist_group("shop-browser")

SCRIPT = f'<script type="module" src="{BASE}/assets/wishwell.js"></script>'
COUNT = "<wishlist-count></wishlist-count>"


def html(*products: int, more: str = "") -> str:
    hearts = "".join(f'<wishlist-button product-id="{n}"></wishlist-button>' for n in products)
    return f"<!doctype html><html lang=en><title>A shop</title>{SCRIPT}{hearts}{more}"


class Device:
    """A browser on the shop's pages."""

    def __init__(self, front: Front, context) -> None:
        self.front, self.context = front, context
        self.urls: list[str] = []
        self.wrong: list[str] = []
        context.set_default_timeout(10_000)
        context.on("request", lambda request: self.urls.append(f"{request.method} {request.url}"))
        context.on("weberror", lambda error: self.wrong.append(str(error.error)))

    def open(self, path: str = "/1-2", page=None):
        page = page or self.context.new_page()
        page.goto(self.front.origin + path)
        return page

    def stored(self, page) -> dict[str, str] | None:
        """Returns the visitor's key and address in localStorage."""
        known = page.evaluate(f"localStorage['wishwell:{BASE}'] ?? null")
        visitor = json.loads(known or "{}").get("visitor")
        if visitor:
            SECRETS.add(visitor["key"])
        return visitor

    def await_stored(self, page) -> dict[str, str]:
        """Waits for the visitor's key and address: the page stores them after the response."""
        page.wait_for_function(f"localStorage['wishwell:{BASE}']?.includes('wwvis_')")
        visitor = self.stored(page)
        assert visitor
        return visitor

    def to_service(self) -> list[str]:
        """Returns the requests at the service's own address, without preflights."""
        return [url.replace(self.front.service.url, "") for url in self.urls
                if self.front.service.url in url and not url.startswith("OPTIONS")]  # fmt: skip


@pytest.fixture(scope="module")
def front():
    settings = {"WISHWELL_SEALING_KEYS": SEALING_KEY}
    with Service(settings) as service, AppProxy(service).running() as proxy:
        page = html(1, more="<wishlist-page></wishlist-page>").replace("wishwell.js", "page.js")
        proxy.pages = {"": html(1, 2), "/count": html(more=COUNT), "/list": page}
        yield Front(service, proxy, *ROOMY)


@pytest.fixture
def new_device(front, chromium):
    """A factory for browsers without any data."""
    made: list[Device] = []
    front.proxy.customer, front.proxy.strips_origin = "", False
    front.proxy.forwarded.clear()

    def make() -> Device:
        made.append(Device(front, chromium.new_context()))
        return made[-1]

    yield make
    for device in made:
        device.context.close()
        assert device.wrong == []
        # The key is in bodies only.
        assert not [url for url in device.urls if "wwvis_" in url]


@pytest.fixture
def device(new_device) -> Device:
    return new_device()


def heart(page, product: int = 1):
    return page.locator(f'wishlist-button[product-id="{product}"]').get_by_role("button")


def shows(page, *, saved: bool, product: int = 1) -> None:
    expect(heart(page, product)).to_have_attribute("aria-pressed", str(saved).lower())


def press(page, product: int = 1) -> None:
    """Presses a heart, and waits until the response has arrived."""
    saving = lambda one: one.request.method in ("POST", "DELETE") and "/items" in one.url  # noqa: E731
    with page.expect_response(saving):
        heart(page, product).click()


def settled(page) -> None:
    """Waits until the page has no open request."""
    page.wait_for_load_state("networkidle")


def test_visitors_save_is_shown_after_a_reload_and_in_another_tab(front, device):
    """A save without sign-in is shown after a reload and in a second tab, by requests to the
    service; the token is in memory only. Rule: storefront-visitor-key."""
    page = device.open()
    press(page)
    shows(page, saved=True)
    assert front.proxy.sent("POST /items") == [201]
    visitor = device.await_stored(page)
    assert visitor["service"] == front.service.url
    page.reload()
    shows(page, saved=True)
    press(page, 2)
    second = device.open()
    shows(second, saved=True)
    shows(second, saved=True, product=2)
    press(second, 2)
    shows(page, saved=False, product=2)
    assert front.proxy.sent("POST /items") == [201]
    assert {line.partition("?")[0] for line in device.to_service()} == {
        f"POST {BASE}/api/visitor/token",
        *(f"{method} /api/2025-04/items" for method in ("GET", "POST", "DELETE")),
    }
    kept = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
    assert "eyJhbGci" not in kept and device.context.cookies() == []
    assert device.stored(second) == visitor


def test_visitor_without_items_causes_no_request(front, device):
    """Somebody who has saved nothing loads no key's module, and a page without hearts requests
    nothing. Rule: storefront-visitor."""
    page = device.open("/count")
    page.wait_for_timeout(600)
    settled(page)
    assert front.proxy.forwarded == []
    device.open(page=page)
    shows(page, saved=False)
    settled(page)
    assert [line for line, _ in front.proxy.forwarded] == ["GET /items"]
    assert device.to_service() == []
    assert not [url for url in device.urls if "visitor.js" in url]
    assert page.evaluate("localStorage.length") == 0


@pytest.mark.parametrize("strips", [False, slow(True)])
def test_sign_in_sends_the_key_once_and_the_next_shopper_sees_nothing(front, device, strips):
    """The first page after the sign-in sends the key by the proxy and forgets it; whoever uses the
    browser afterwards, signed in or not, sees nothing of it.
    Rules: storefront-visitor-key, storefront-sign-in."""
    front.proxy.strips_origin = strips
    customer = f"4{strips:d}"
    page = device.open()
    press(page)
    key = device.await_stored(page)["key"]
    front.proxy.customer = customer
    device.open(page=page)
    shows(page, saved=True)
    settled(page)
    assert device.stored(page) is None
    assert front.items_of(customer) == [1]
    links = len(front.proxy.sent("POST /visitor/link"))
    page.reload()
    shows(page, saved=True)
    press(page, 2)
    assert front.items_of(customer) == [1, 2]
    assert len(front.proxy.sent("POST /visitor/link")) == links
    for following in ("", f"5{strips:d}", ""):
        front.proxy.customer = following
        page.reload()
        settled(page)
        shows(page, saved=False)
        assert device.stored(page) is None
    assert front.items_of(f"5{strips:d}") == []
    assert front.refused(key, "session_closed")


@pytest.mark.slow
def test_open_tab_of_the_visitor_follows_the_sign_in(front, device):
    """A tab whose token was linked away in another one shows the customer's list at its next
    request. Rule: storefront-visitor-key."""
    page = device.open()
    press(page)
    second = device.open()
    shows(second, saved=True)
    front.proxy.customer = "61"
    device.open(page=page)
    shows(page, saved=True)
    press(second, 2)
    shows(second, saved=True, product=2)
    assert wait_until(lambda: front.items_of("61") == [1, 2], seconds=30)
    assert device.stored(second) is None


@pytest.mark.slow
def test_refused_key_is_forgotten_and_the_press_saved(front, device):
    """After a revocation, a press on the open page is saved for a new session with a new key, and
    what the page showed of the old one disappears.
    Rules: storefront-visitor-key, token-revoked."""
    page = device.open()
    press(page)
    key = device.await_stored(page)["key"]
    page.reload()
    shows(page, saved=True)
    settled(page)
    front.service.quick("token", "revoke", front.session(key), "--store", front.shop.handle)
    assert wait_until(lambda: front.refused(key), seconds=30, every=0.2)
    heart(page, 2).click()
    shows(page, saved=True, product=2)
    stored = lambda: (device.stored(page) or {"key": key})["key"]  # noqa: E731
    assert wait_until(lambda: stored() != key, seconds=30)
    new = stored()
    shows(page, saved=False)
    page.reload()
    shows(page, saved=True, product=2)
    shows(page, saved=False)
    listed = front.client(new).get("/items").json()["data"]
    assert [item["productId"] for item in listed] == [2]


def test_blocked_storage_shows_the_message_of_blocked_cookies(front, device):
    """If the page can't keep the key, the heart shows the message of blocked cookies and isn't
    saved; later presses send nothing. Rule: storefront-visitor-key."""
    device.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })"
    )
    page = device.open()
    heart(page).click()
    expect(page.get_by_role("alert")).to_have_text(
        "Your browser blocks cookies. Allow them and try again."
    )
    shows(page, saved=False)
    saves = len(front.proxy.sent("POST /items"))
    heart(page, 2).click()
    expect(page.get_by_role("alert")).to_have_count(2)
    assert len(front.proxy.sent("POST /items")) == saves == 1


@pytest.mark.slow
def test_all_methods_and_the_wishlist_page_work_with_the_key(front, device):
    """Lists, changes and removals work at the service's address, and the wishlist page shows the
    visitor's items. Rule: storefront-visitor-key."""
    page = device.open()
    press(page)
    done = page.evaluate(
        f"""import('{BASE}/assets/wishwell.js').then(async ({{ wishlist }}) => {{
          const list = await wishlist.lists.create({{ name: 'Birthday' }});
          const [item] = (await wishlist.items.list()).data;
          await wishlist.items.update(item.id, {{ quantity: 3 }});
          await wishlist.items.setLists(item.id, [list.id]);
          const found = await wishlist.lists.find(list.id);
          return [found.items.length, found.items[0].quantity];
        }})"""
    )
    assert done == [1, 3]
    device.open("/list", page)
    expect(page.get_by_text("Birthday").first).to_be_visible()
    hosted = device.open(f"{BASE}/")  # its policy names the service's address
    expect(hosted.get_by_text("Birthday").first).to_be_visible()
    assert front.proxy.sent("POST /items") == [201]
    assert front.proxy.sent("POST /lists") == []


@pytest.mark.slow
def test_response_without_shopper_changes_nothing(front, device):
    """An unknown path is a 404 for the caller only: the page keeps its shopper, and requests
    nothing. Rule: storefront-no-token."""
    front.proxy.customer = "71"
    page = device.open()
    press(page)
    settled(page)
    before = len(front.proxy.forwarded)
    seen = page.evaluate(
        f"""import('{BASE}/assets/wishwell.js').then(async ({{ wishlist }}) => {{
          let changes = 0;
          wishlist.addEventListener('shopper', () => changes++);
          const status = await wishlist.call('GET', 'nothing/here').catch((error) => error.status);
          await new Promise((resolve) => setTimeout(resolve, 500));
          return [status, changes];
        }})"""
    )
    assert seen == [404, 0]
    assert len(front.proxy.forwarded) == before + 1
