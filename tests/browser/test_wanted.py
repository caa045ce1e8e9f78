"""Wish counts on a shop's product pages, with a real service and a real browser."""

import datetime

import pytest
from playwright.sync_api import expect

from tests.conftest import ROOMY, SIGNING_KEY, Shop
from tests.servers import Service, free_port, wait_until
from wishwell.reports.tally import FOREVER

from .conftest import BASE
from .test_pages import violations

pytestmark = pytest.mark.xdist_group("shop-browser")

WISHES = {1: 0, 2: 9, 3: 100, 4: 12_345}
ONE = '<wishlist-wanted product-id="{}" {}></wishlist-wanted>'
PAGE = (
    '<!doctype html><html lang="{lang}"><title>Shop</title><meta name="viewport" '
    'content="width=device-width"><main><h1>Shop</h1>{elements}</main>'
    '<script type="module" src="/apps/wishlist/assets/wanted.js"></script>'
)


class Wanted:
    """A shop: the test sets its pages, and the service serves its storefront."""

    def __init__(self, service, chromium):
        port = free_port()
        service.settings["WISHWELL_PORT"] = str(port)
        service.quick("init")
        service.start()
        self.url = f"http://localhost:{port}"
        self.shop = Shop(service, *ROOMY, "--host", self.url)
        [[store]] = service.rows(f"SELECT id FROM stores WHERE handle = '{self.shop.handle}'")
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        at = now.replace("+00:00", "Z")
        service.rows(
            "INSERT INTO counts (store_id, day, number, began_at, ended_at, customers, "
            "visitors, added, lists, customers_wishing, visitors_wishing) VALUES "
            f"('{store}', '{at[:10]}', 1, '{at}', '{at}', 9, 0, 9, 0, 9, 0)"
        )
        rows = ", ".join(
            f"('{store}', {FOREVER}, '{product}', '', 1, {wishes}, 0, 0)"
            for product, wishes in WISHES.items()
        )
        service.rows(
            "INSERT INTO wish_counts (store_id, until, product_id, variant_id, since, customers, "
            f"visitors, added) VALUES {rows}"
        )
        self.service, self.context, self.asked = service, chromium.new_context(), []
        self.context.on("request", self._note)

    def _note(self, request):
        if f"{BASE}/api/" in request.url:
            self.asked.append(request.url.partition("/api/")[2])

    def allow(self):
        """Lets the store show its wish counts."""
        self.shop.update("--show-wishes", "on")
        wait_until(lambda: self.shop.admin.get("/wishes?products=1").status_code == 200, seconds=30)

    def open(self, *elements, lang="en"):
        page = self.context.new_page()
        body = PAGE.format(lang=lang, elements="".join(elements))
        page.route(f"{self.url}/", lambda route: route.fulfill(body=body, content_type="text/html"))
        with page.expect_response(lambda answer: "/api/wishes" in answer.url):
            page.goto(f"{self.url}/")
        return page


@pytest.fixture(scope="module")
def wanted(chromium):
    settings = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    with Service(settings | {"WISHWELL_SIGNING_KEYS": SIGNING_KEY}) as service:
        made = Wanted(service, chromium)
        yield made
        made.context.close()


@pytest.fixture
def showing(wanted):
    """The shop, whose wish counts may be shown."""
    wanted.allow()
    return wanted


def texts(page):
    return page.locator("wishlist-wanted").all_text_contents()


def test_element_is_empty_until_the_store_allows_wish_counts(wanted):
    """The element is empty until the store allows it. Rule: show-wishes."""
    page = wanted.open(ONE.format(3, ""))
    assert texts(page) == [""]
    wanted.allow()
    expect(wanted.open(ONE.format(3, "")).locator("wishlist-wanted")).not_to_be_empty()


def test_all_elements_of_a_page_share_one_request(showing):
    """All elements of a page share one request, without a session and cached by the browser, and
    use the page's language.
    Rule: show-wishes."""
    products = (4, 3, 3, 2, 1, "x y")
    showing.asked.clear()
    page = showing.open(*(ONE.format(product, "") for product in products))
    line = "{}+ people have this on their wishlist"
    said = [line.format("10,000"), *[line.format("100")] * 2, "", "", ""]
    expect(page.locator("wishlist-wanted")).to_have_text(said)
    assert showing.asked == ["wishes?products=1,2,3,4"]
    assert violations(page) == [] and showing.context.cookies() == []
    german = showing.open(
        *(ONE.format(product, "") for product in reversed(products)), lang="de-DE"
    )
    last = german.locator("wishlist-wanted").last
    expect(last).to_have_text("10.000+ Personen haben das auf ihrem Merkzettel")

    def from_cache():
        page = showing.open(*(ONE.format(product, "") for product in products))
        return page.evaluate("performance.getEntriesByType('resource').at(-1).transferSize") == 0

    # The browser writes its cache in the background, so the first page after may still request.
    assert wait_until(from_cache, seconds=20)


def test_element_follows_changes_of_its_text_and_product(showing):
    """The shop sets the text, and the element follows a change of its `product` attribute."""
    page = showing.open(ONE.format(3, 'label="Beliebt: {count}"'))
    element = page.locator("wishlist-wanted")
    expect(element).to_have_text("Beliebt: 100")
    element.evaluate("element => element.setAttribute('label', '{count}+')")
    expect(element).to_have_text("100+")
    element.evaluate("element => element.setAttribute('product-id', '4')")
    expect(element).to_have_text("10,000+")
    with page.expect_response("**/api/wishes*"):
        element.evaluate("element => element.setAttribute('product-id', '1')")
    expect(element).to_be_empty()


def test_more_than_250_products_are_requested_in_batches(showing):
    """More than 250 products are requested in batches. Rule: show-wishes."""
    showing.asked.clear()
    page = showing.open(*(ONE.format(product, "") for product in range(1, 301)))
    expect(page.locator("wishlist-wanted").nth(3)).not_to_be_empty()
    page.wait_for_load_state("networkidle")
    assert [asked.count(",") + 1 for asked in showing.asked] == [250, 50]


@pytest.mark.slow
def test_unreachable_storefront_leaves_the_element_empty_without_an_error(showing):
    """Without a storefront the element shows nothing, and no error reaches the page."""
    page = showing.context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(error))
    page.route("**/api/wishes*", lambda route: route.abort())
    body = PAGE.format(lang="en", elements=ONE.format(3, ""))
    page.route(f"{showing.url}/", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(f"{showing.url}/", wait_until="networkidle")
    assert (texts(page), wrong) == ([""], [])
