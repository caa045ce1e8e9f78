"""The merchant's page in a real browser, with a real service that counts in the background."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Page, Route, expect

from tests.api.conftest import printed_until
from tests.conftest import ISSUED, ROOMY, SEALING_KEY, SIGNING_KEY, Shop, slow
from tests.platform import NEW, Platform
from tests.servers import Service, wait_until
from wishwell import __version__, ids
from wishwell.mailer.compose import TEXTS

from .conftest import CLICK, KEYS, use
from .test_pages import check_open_to_everybody

pytestmark = pytest.mark.xdist_group("shop-browser")

HEADINGS = {"Notices": "notices_heading", "Confirmation": "confirm_heading"}
PICTURE = "https://pictures.test/shirt.png"
MARKUP, FORMULA = "<img src=x onerror=alert(1)>" + "W" * 220, '=HYPERLINK("http://x"&A1)'
NOTE = "<script>alert(1)</script><a href=javascript:alert(1)>me</a>"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000b4944415478da6360000200000500017a5eab3f0000000049454e44ae426082"
)


class World:
    """A store where two customers and a visitor wish for products; two processes serve it."""

    def __init__(self, service: Service) -> None:
        self.service, self.platform = service, Platform(service, NEW, options=tuple(ROOMY))
        self.shop = self.platform.shop
        products = [
            {"productId": 1, "title": "Oslo shirt", "image": PICTURE, "url": "https://shop.test/1"}
            | {"price": {"amount": "1299.00", "currency": "EUR"}, "availability": "backorder"},
            {"productId": 2, "title": MARKUP, "image": "http://pictures.test/plain.png"},
            {"productId": 3, "title": FORMULA, "available": False},
        ]
        self.shop.admin.put("/products", json={"products": products}).raise_for_status()
        self.ann, self.ben = self.shop.customer("ann"), self.shop.customer("ben")
        birthday = {"name": "Birthday <b>30</b>"}
        list = self.ann.http.post("/lists", json=birthday).raise_for_status().json()["data"]["id"]
        for who, product, more in (
            (self.ann, 1, {"quantity": 2}),
            (self.ann, 2, {"note": NOTE, "listIds": [list]}),
            (self.ben, 1, {}),
            (self.ben, 3, {}),
            (self.shop.session(), 1, {}),
        ):
            who.http.post("/items", json={"productId": product, **more}).raise_for_status()
        email = {"email": "Ann@example.com"}
        self.ann.http.post("/profiles/identify", json=email).raise_for_status()
        self.counted()

    def counted(self) -> None:
        before = self.as_of()
        assert wait_until(lambda: self.as_of() != before, seconds=20)
        before = self.as_of()  # the first count may have begun earlier
        assert wait_until(lambda: self.as_of() != before, seconds=20)

    def as_of(self) -> str:
        return self.shop.admin.get("/reports/summary").json()["asOf"]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    keys = {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_SEALING_KEYS": SEALING_KEY}
    with Service(
        keys
        | {
            "WISHWELL_DATABASE_URL": "sqlite:///wishwell.db",
            "WISHWELL_COUNT_SECONDS": "1",
            "WISHWELL_LIMIT_ADDRESS": "10000",
            "WISHWELL_WEBHOOK_HTTP": "true",
            "WISHWELL_WEBHOOK_PRIVATE": "true",
        }
    ) as service:
        service.start()
        yield World(service)
        printed = service.output()
        assert not [token for token in ISSUED.pop(id(service), []) if token in printed]


class Merchant:
    """A browser on the page, and a record of everything it did."""

    def __init__(self, browser, url: str, **options) -> None:
        self.url, self.wrong, self.expected, self.sent = url, [], set(), []
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.context.set_default_timeout(10_000)
        self.context.on("console", self._said)
        self.context.on("weberror", lambda error: self.wrong.append(str(error.error)))
        self.context.on("dialog", self._asked)
        self.context.on("request", lambda request: self.sent.append(request))
        self.context.route(
            "https://pictures.test/**",
            lambda route: route.fulfill(body=PNG, content_type="image/png"),
        )
        self.page = self.context.new_page()

    def _asked(self, dialog) -> None:
        self.wrong.append(dialog.message)
        dialog.dismiss()

    def _said(self, message) -> None:
        refused = re.search(r"responded with a status of (\d+)|net::ERR_FAILED", message.text)
        if message.type == "error" and not (refused and refused[1] in self.expected):
            self.wrong.append(message.text)

    def open(self, token: str, view: str = "") -> Page:
        self.page.goto(f"{self.url}/admin/{view}")
        self.page.get_by_label("Admin or reports token").fill(token)
        self.page.get_by_role("button", name="Sign in").click()
        self.settled()
        return self.page

    def go(self, name: str) -> None:
        self.page.get_by_role("navigation").get_by_role("link", name=name).click()
        expect(self.page.get_by_role("heading", name=name, level=1)).to_be_visible()
        self.settled()

    def settled(self) -> None:
        self.page.locator("main[aria-busy=false]").wait_for()


@pytest.fixture
def new_merchant(chromium, world) -> Iterator:
    made: list[Merchant] = []

    def make(**options) -> Merchant:
        made.append(Merchant(chromium, world.service.url, **options))
        return made[-1]

    yield make
    for merchant in made:
        merchant.context.close()
    assert [wrong for merchant in made for wrong in merchant.wrong] == []


@pytest.fixture
def merchant(new_merchant) -> Merchant:
    return new_merchant()


def number(page: Page, name: str) -> str:
    return page.locator(".tile", has_text=name).locator(".big").inner_text()


def cells(page: Page, name: str) -> list[list[str]]:
    rows = page.get_by_role("table", name=name).get_by_role("row").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def is_signed_out(page: Page, words: str = "") -> None:
    expect(page.get_by_label("Admin or reports token")).to_be_focused()
    expect(page.locator("form")).to_contain_text(words)
    assert "Oslo" not in page.content() and "ann" not in page.content()


# ------------------------------------------------------------------------------------ views


@pytest.mark.parametrize("how", [slow(CLICK), KEYS])
def test_merchant_gets_from_the_most_wished_product_to_a_shoppers_email(world, merchant, how):
    """A merchant signs in and gets from the most wished-for product to a shopper's e-mail address,
    by mouse or by keyboard alone.
    Rule: admin-scope."""
    page = merchant.page
    page.goto(f"{merchant.url}/admin")
    expect(page.get_by_label("Admin or reports token")).to_be_focused()
    page.keyboard.type(world.shop.admin_token)
    page.keyboard.press("Enter")
    merchant.settled()
    assert [number(page, name) for name in ("Wishes", "Shoppers", "Added")] == ["5", "3", "5"]
    most = page.locator("section", has_text="Most wished for")
    expect(most.locator("li").first).to_have_text(re.compile(r"Oslo shirt\s*3 wishes"))
    use(how, most.get_by_role("link", name="Oslo shirt"))
    heading = page.get_by_role("heading", name="Oslo shirt", level=1)
    expect(heading).to_be_focused()
    merchant.settled()
    rows = cells(page, "Who wants this")
    assert rows[0] == ["Shopper", "Variant", "Quantity", "Saved", "Price alerts"]
    assert [row[0].split()[0] for row in rows[1:]] == ["Session", "Customer", "Customer"]
    assert (rows[3][0], rows[3][2]) == ("Customer ann", "2")
    use(how, page.get_by_role("link", name="Customer ann"))
    expect(page.get_by_role("heading", name=world.ann.gid)).to_be_visible()


@pytest.mark.slow
def test_products_are_searched_sorted_and_downloaded(world, merchant):
    """Products can be searched, sorted and downloaded; markup and formulas have no effect in page
    or file.
    Rule: admin-page."""
    page = merchant.open(world.shop.admin_token, "#/products")
    assert [row[:6] for row in cells(page, "Products by wishes")[1:]] == [
        ["Oslo shirt", "3", "3", "0", "€1,299.00", "Backorder"], [MARKUP, "1", "1", "0", "–", "–"],
        [FORMULA, "1", "1", "0", "–", "Out of stock"],
    ]  # fmt: skip
    assert page.locator(".scroll").evaluate("(table) => table.scrollWidth === table.clientWidth")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download CSV").click()
    text = kept.value.path().read_bytes().decode("utf-8-sig")
    assert re.fullmatch(
        r"wishes-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv", kept.value.suggested_filename
    )
    assert [row[1] for row in csv.reader(io.StringIO(text))] == [
        "title",
        "Oslo shirt",
        MARKUP,
        "'" + FORMULA,
    ]
    page.get_by_role("button", name="Added").click()
    expect(page.get_by_role("button", name="Added")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Period").select_option("Last 7 days")
    page.get_by_label("Search by title or ID").fill("oSLo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(2)
    assert page.url.endswith("#/products?sort=added&days=7&title=oSLo")
    page.get_by_label("Search by title or ID").fill(MARKUP)
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader", name=MARKUP)).to_be_visible()
    page.get_by_label("Search by title or ID").fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader", name=FORMULA)).to_be_visible()
    page.get_by_label("Search by title or ID").fill("nothing like it")
    page.get_by_role("button", name="Search").click()
    expect(
        page.get_by_role("heading", name="No wishes for products with “nothing like it”")
    ).to_be_visible()
    page.go_back()
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(2)
    page.get_by_role("button", name="Rising").first.click()
    expect(page.get_by_role("columnheader", name="Rising")).to_be_visible()
    expect(page.get_by_role("cell", name="+1", exact=True)).to_be_visible()
    assert cells(page, "Products by wishes")[1][4] == "+1"
    page.get_by_role("button", name="Visitors").click()
    expect(page.get_by_role("button", name="Visitors")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Search by title or ID").fill("")
    page.keyboard.press("Enter")
    page.get_by_label("Filter").select_option("Sold out")
    expect(page.get_by_role("rowheader")).to_have_text([re.compile("HYPERLINK")])
    page.get_by_label("Filter").select_option("Price dropped")
    expect(page.get_by_role("heading", name="No price has dropped")).to_be_visible()


def test_html_in_texts_of_shoppers_and_catalogues_is_escaped(world, merchant):
    """Text creates no elements; pictures load only by https, and links lead only to http or https.
    Rule: admin-page."""
    page = merchant.open(world.shop.admin_token)
    for view in ("overview", "products", "product?id=2", f"shoppers?id={world.ann.gid}"):
        page.goto(f"{merchant.url}/admin/#/{view}")
        page.get_by_text(MARKUP).first.wait_for()
        merchant.settled()
        found = page.evaluate("""[...document.querySelectorAll('main img, script, main b, a')].flatMap(
            (one) => [one.src, one.href]).filter((at) => at && !at.startsWith(location.origin + '/admin/'))""")
        assert {*found} <= {PICTURE, "https://shop.test/1"}, view
    expect(page.get_by_text(NOTE).first).to_be_visible()
    expect(page.get_by_role("heading", name="Birthday <b>30</b>")).to_be_visible()


@pytest.mark.slow
def test_numbers_of_the_chart_are_accessible(world, merchant):
    """The chart's numbers are available by hovering, arrow keys, screen reader and as a table."""
    page = merchant.open(world.shop.admin_token)
    slider, today = page.get_by_role("slider", name="Wishes by day"), time.strftime("%Y")
    says = re.compile(rf"{today}: wishes 5$")
    expect(slider).to_have_attribute("aria-valuetext", says)
    slider.focus()
    for key in ("ArrowRight", "Home", "ArrowLeft", "End"):
        page.keyboard.press(key)
        expect(page.locator(".tip")).to_have_text(says)
    slider.blur()
    expect(page.locator(".tip")).to_be_hidden()
    box = page.locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    expect(page.locator(".tip")).to_have_text(says)
    page.get_by_role("button", name="Removed").click()
    expect(page.get_by_role("slider", name="Removed by day")).to_have_attribute(
        "aria-valuetext", re.compile(": removed 0$")
    )
    page.get_by_text("View as table").click()
    assert [row[1:] for row in cells(page, "Removed by day")] == [
        ["Wishes", "Added", "Removed"],
        ["5", "5", "0"],
    ]


@pytest.mark.slow
def test_rising_products_are_compared_with_the_previous_period(world, merchant):
    """ "Rising" shows the service's comparison with the previous period, not the most added products.
    Rule: report-period."""
    rows = [{"productId": id, "title": f"No. {id}", "wishes": 9, "customers": 9, "visitors": 0, "added": 9 - id,
             "removed": 0, "rise": rise} for id, rise in ((3, 5), (1, 2), (2, -4))]  # fmt: skip
    answer = {"data": rows, "asOf": world.as_of(), "since": "2026-01-01"}
    merchant.page.route(
        "**/reports/products*sort=rising*", lambda route: route.fulfill(json=answer)
    )
    page = merchant.open(world.shop.admin_token)
    rising = page.locator("section", has_text="Rising").get_by_role("listitem")
    expect(rising).to_have_text([re.compile(r"No. 3\s*\+5"), re.compile(r"No. 1\s*\+2")])


@pytest.mark.slow
def test_broken_picture_leaves_an_empty_box_of_the_same_size(world, merchant):
    """A picture that can't be loaded leaves an empty box of the same size, and no broken image."""
    merchant.expected.add(None)
    page = merchant.page
    page.route(PICTURE, lambda route: route.abort())
    merchant.open(world.shop.admin_token, "#/products")
    box = page.get_by_role("rowheader", name="Oslo shirt").locator(".picture")
    expect(box.locator("img")).to_be_hidden()
    assert (box.bounding_box()["width"], box.bounding_box()["height"]) == (40, 40)
    page.unroute_all()
    page.get_by_role("button", name="Removed").click()  # the same picture is asked for again
    page.reload()
    expect(box.locator("img")).to_be_visible()


BROKEN_WORDS = """() => [...document.querySelectorAll('main *')].flatMap((element) => [...element.childNodes])
  .filter((node) => node.nodeType === 3).flatMap((node) => [...node.data.matchAll(/[^\\s-]+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  }).map(([word]) => word))"""


@pytest.mark.slow
def test_phone_breaks_no_word_and_shows_a_short_page(world, new_merchant):
    """On the smallest phone no word is broken, not even an e-mail address, and a product with many
    shoppers is a short page. Controls are large enough to tap."""
    merchant = new_merchant(viewport={"width": 360, "height": 640})
    merchant.expected.add("404")  # the product isn't in the catalogue
    crowd = [world.shop.customer(f"crowd{n}") for n in range(40)]
    for n, who in enumerate(crowd):
        who.http.post("/items", json={"productId": 4}).raise_for_status()
        email = {"email": f"ada.lovelace{n}@mail.example.com"}
        who.http.post("/profiles/identify", json=email).raise_for_status()
    page = merchant.open(world.shop.admin_token)
    for view, heading in (("store", "Admin tokens"), ("product?id=4", "Who wants this")):
        page.goto(f"{merchant.url}/admin/#/{view}")
        page.get_by_role("heading", name=heading).wait_for()
        merchant.settled()
        assert page.evaluate(BROKEN_WORDS) == [], view
    assert page.get_by_role("row").count() == 21
    assert page.evaluate("document.documentElement.scrollHeight") < 2_800
    page.get_by_role("button", name="Show more").click()
    expect(page.get_by_role("row")).to_have_count(41)
    assert page.locator("summary").bounding_box()["height"] >= 24
    page.evaluate(
        "document.querySelector('h2').style.cssText = 'width: 3ch; overflow-wrap: anywhere'"
    )
    assert page.evaluate(BROKEN_WORDS), "control: a broken word is found"
    for who in crowd:
        world.shop.acting_as(who.gid).delete("/profile").raise_for_status()
    world.counted()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_products_fit_on_a_phone(world, new_merchant, scheme):
    """The table of products needs no scrolling on the smallest phone, whatever the sort, and shows the
    sorted column; the store's name stays on one line."""
    merchant = new_merchant(viewport={"width": 360, "height": 640}, color_scheme=scheme)
    page = merchant.open(world.shop.admin_token)
    for sort, column in (("wishes", "Wishes"), ("removed", "Removed"), ("rising", "Rising")):
        page.goto(f"{merchant.url}/admin/#/products?sort={sort}")
        head = page.get_by_role("columnheader", name=column)
        head.wait_for()
        merchant.settled()
        box = head.bounding_box()
        assert box["x"] + box["width"] <= 360
        assert page.locator(".scroll").evaluate("it => it.scrollWidth - it.clientWidth") == 0
    title = page.locator("th .title").first
    title.evaluate("it => it.textContent = 'Handwoven extra-wide merino blanket '.repeat(6)")
    assert title.bounding_box()["height"] < 60
    assert page.locator("header .store").bounding_box()["height"] < 30


@pytest.mark.slow
def test_axis_labels_in_the_millions_are_not_cut_off(world, merchant):
    """Axis labels in the millions aren't cut off."""
    merchant.page.add_init_script("""
        const context = CanvasRenderingContext2D.prototype, { fillText } = context;
        window.drawn = {};
        context.fillText = function (text, ...at) {
          drawn[text] = this.measureText(text).width / devicePixelRatio;
          fillText.call(this, text, ...at);
        };""")
    day = {"day": time.strftime("%Y-%m-%d"), "wishes": 426_000_000, "added": 0, "removed": 0}
    answer = {"data": [day], "asOf": world.as_of(), "since": day["day"]}
    merchant.page.route("**/reports/days?*", lambda route: route.fulfill(json=answer))
    page = merchant.open(world.shop.admin_token)
    page.get_by_role("slider", name="Wishes by day").wait_for()
    assert wait_until(lambda: page.evaluate("'0' in drawn"), seconds=30)
    assert max(page.evaluate("Object.values(drawn)")) <= 56


@pytest.mark.slow
def test_numbers_and_chart_appear_before_a_slow_product_report(world, merchant):
    """Numbers and chart appear before the slow product report has arrived."""
    held: list[Route] = []
    merchant.page.route("**/reports/products*", lambda route: held.append(route))
    merchant.page.goto(f"{merchant.url}/admin/")
    merchant.page.get_by_label("Admin or reports token").fill(world.shop.admin_token)
    merchant.page.keyboard.press("Enter")
    expect(merchant.page.get_by_role("slider", name="Wishes by day")).to_be_visible()
    shoppers = merchant.page.locator(".tile", has_text="Shoppers").locator(".big")
    expect(shoppers).to_have_text("3")  # the chart may arrive first
    assert len(held) == 2
    assert merchant.page.get_by_role("link", name="Oslo shirt").count() == 0
    for route in held:
        route.continue_()
    expect(merchant.page.get_by_role("link", name="Oslo shirt").first).to_be_visible()


def test_shopper_is_found_by_id_and_erased_after_typing_the_gid(world, merchant):
    """A shopper is found by id, GID or e-mail address in any case; erasing them requires typing the
    GID. Its history says what is recorded and what to ask.
    Rules: admin-scope, profile-history."""
    world.shop.customer("carl").http.post("/items", json={"productId": 3}).raise_for_status()
    page = merchant.open(world.shop.admin_token, "#/shoppers")

    def find(text: str) -> None:
        page.get_by_label("Customer ID, GID or email").fill(text)
        page.get_by_role("button", name="Search").click()

    find("ANN@example.com")
    page.get_by_role("link", name=world.ann.gid).click()
    expect(page.get_by_role("heading", name=world.ann.gid)).to_be_visible()
    expect(page.get_by_text("Ann@example.com")).to_be_visible()
    expect(page.locator("details").get_by_text(NOTE)).to_be_visible()
    find(world.ben.gid)
    expect(page.get_by_role("heading", name=world.ben.gid)).to_be_visible()
    page.get_by_role("heading", name="History").click()
    expect(page.get_by_text("stored for the first time")).to_be_visible()
    expect(page.get_by_text("Were you signed in when you saved?")).to_be_visible()
    merchant.expected.add("400")
    find("ann smith")
    expect(page.locator(".notice")).to_contain_text("must be gid://shopify/Customer/<id>")
    find("nobody")
    expect(page.get_by_role("heading", name="No data for this shopper")).to_be_visible()
    carl = world.shop.gid("carl")
    find("carl")
    expect(page.get_by_role("heading", name=carl)).to_be_visible()
    with page.expect_download() as kept:
        page.get_by_role("button", name="Export").click()
    assert json.loads(kept.value.path().read_text())["data"]["profile"]["profile"] == carl
    page.get_by_role("button", name="Erase").click()
    erase = page.get_by_role("dialog").get_by_role("button", name="Erase")
    expect(page.get_by_role("textbox", name="To confirm, type")).to_be_focused()
    page.keyboard.type("carl")
    page.keyboard.press("Enter")
    expect(erase).to_be_disabled()
    page.keyboard.press("Escape")
    assert world.shop.acting_as(carl).get("/profile").json()["data"]["items"] == 1
    page.get_by_role("button", name="Erase").click()
    page.keyboard.type(carl)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text(f"{carl} was erased.")
    assert world.shop.acting_as(carl).get("/profile").json()["data"]["items"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "id", ["auth0|64f0", "VXNlcjoxMA==", "f:realm:7", "50%41f", "ada@mail.example"]
)
def test_shopper_with_an_id_of_another_sign_in_system_is_found(world, merchant, id):
    """A shopper is found by an id with special characters and by its GID, also when the id is an e-mail address,
    and the page's address shows the shopper again. Rules: customer-id, admin-page."""
    gid = ids.customer_gid(world.shop.platform, id)
    shopper = world.shop.acting_as(gid)
    shopper.post("/items", json={"productId": 3}).raise_for_status()
    page = merchant.open(world.shop.admin_token, "#/shoppers")
    for text in (id, gid):
        page.get_by_label("Customer ID, GID or email").fill(text)
        page.get_by_role("button", name="Search").click()
        expect(page.get_by_role("heading", name=gid)).to_be_visible()
        expect(page.get_by_text("1 wish", exact=False).first).to_be_visible()
        merchant.go("Shoppers")
    page.go_back()
    expect(page.get_by_role("heading", name=gid)).to_be_visible()
    expect(page.get_by_text("No data for this shopper")).to_be_hidden()
    shopper.delete("/profile").raise_for_status()


@pytest.mark.slow
def test_shoppers_are_listed_by_time_and_by_wishes_on_a_phone_too(world, new_merchant):
    """The view lists the shoppers who saved last, or those with the most wishes, which links lead to. On a
    phone nothing scrolls sideways, and a title of 250 letters makes no row or card of more than 150
    pixels. Rules: report-shoppers, admin-page."""
    merchant = new_merchant(viewport={"width": 360, "height": 640})
    shop = Shop(world.service, *ROOMY)
    products = [{"productId": 1, "title": "Handwoven merino blanket " * 10}]
    shop.admin.put("/products", json={"products": products}).raise_for_status()
    first, last = shop.customer("a" * 200), shop.customer("zoe")
    for who, wishes in ((first, (1, 2)), (last, (3,))):
        for product in wishes:
            who.http.post("/items", json={"productId": product}).raise_for_status()
    page = merchant.open(shop.admin_token, "#/shoppers")
    assert [row[0] for row in cells(page, "Shoppers")[1:]] == [
        "Customer zoe",
        f"Customer {'a' * 200}",
    ]

    def most() -> list[dict]:
        query = {"sort": "wishes"}
        return shop.admin.get("/reports/shoppers", params=query).raise_for_status().json()["data"]

    assert wait_until(lambda: [one["items"] for one in most()] == [2, 1], seconds=20)
    page.get_by_role("button", name="Most wishes").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("aaa")
    merchant.settled()
    assert [row[1] for row in cells(page, "Shoppers")[1:]] == ["2", "1"]
    height = "(row) => row.getBoundingClientRect().height"
    assert max(page.get_by_role("row").evaluate_all(f"(rows) => rows.map({height})")) < 150
    sideways = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(sideways) <= 0
    page.get_by_role("link", name="Customer aaa").click()
    wish = page.get_by_role("listitem", name="").filter(has_text="merino").first
    expect(wish).to_be_visible()
    assert wish.evaluate(height) < 150 and page.evaluate(sideways) <= 0


def test_staff_add_and_remove_a_wish_which_events_and_the_log_record(world, merchant):
    """Staff add a wish for a shopper and remove one after a question; both are events of the shopper, and
    log lines with the token's id. A bad product id is refused with the reason. Rule: admin-staff."""
    shop = Shop(world.service, *ROOMY, "--events", "on")
    dora, admin = shop.customer("dora"), shop.admin
    products = [{"productId": 1, "title": "Oslo shirt"}, {"productId": 3, "title": FORMULA}]
    admin.put("/products", json={"products": products}).raise_for_status()
    dora.http.post("/items", json={"productId": 3, "quantity": 2}).raise_for_status()
    token = shop.another_admin_token("staff")
    page = merchant.open(token, f"#/shoppers?id={dora.gid}")
    wishes = page.locator("section", has=page.get_by_role("heading", name="All wishes"))
    expect(wishes.get_by_role("listitem")).to_have_count(1)
    merchant.expected.add("400")
    page.get_by_label("Product ID").fill("linen shirt")
    page.get_by_role("button", name="Add a wish").click()
    expect(page.get_by_role("status")).to_contain_text("productId")
    page.get_by_label("Product ID").fill("1")
    page.get_by_label("Variant ID").fill("12")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("The wish was added.")
    expect(wishes.get_by_role("listitem").first).to_contain_text("Oslo shirt variant 12")
    expect(page.get_by_text("Customer · 2 wishes")).to_be_visible()
    remove = wishes.get_by_role("button", name=f"Remove {FORMULA}")
    remove.click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert dora.http.get("/profile").json()["data"]["items"] == 2
    remove.click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status")).to_have_text("The wish was removed.")
    expect(wishes.get_by_role("listitem")).to_have_count(1)
    [left] = dora.http.get("/items").json()["data"]
    assert (left["productId"], left["variantId"]) == (1, 12)

    def events() -> list[str]:
        found = admin.get("/events", params={"profile": dora.gid}).raise_for_status()
        types = [event["type"] for event in found.json()["data"]]
        return [type for type in types if type.startswith("item.")]

    names = ["item.created", "item.created", "item.deleted"]
    assert wait_until(lambda: events() == names, seconds=10)
    tokens = admin.get("/tokens")
    [token_id] = [one["id"] for one in tokens.json()["data"] if one["label"] == "staff"]
    printed_until(world.service, tokens)
    lines = [json.loads(line) for line in world.service.log_lines()]
    changes = [
        (line["method"], line["route"])
        for line in lines
        if line.get("token") == token_id and line.get("profile") == dora.gid
        and line["method"] != "GET" and line["status"] < 300
    ]  # fmt: skip
    assert changes == [("POST", "/items"), ("DELETE", "/items/{itemId}")]


@pytest.mark.slow
def test_other_token_of_the_store_is_revoked_after_a_confirmation(world, merchant):
    """Another token is revoked after a confirmation; the one in use can't be.
    Rule: admin-scope."""
    other = world.shop.client(world.shop.another_admin_token("left <i>behind</i>"))
    off, export = (
        world.platform.asks("shop/redact"),
        world.platform.asks("customers/data_request", "ann"),
    )
    world.platform.reaches(export, "exported")
    page = merchant.open(world.shop.admin_token, "#/store")
    page.get_by_text("More settings").click()
    expect(page.get_by_text(world.shop.id, exact=True)).to_be_visible()
    row = page.get_by_role("row", name="left <i>behind</i>")
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Cancel").click()
    assert other.get("/store").status_code == 200
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row.get_by_text("revoked")).to_be_visible()
    assert wait_until(lambda: other.get("/store").status_code == 401, seconds=30)
    expect(page.get_by_role("row", name="in use here").get_by_role("button")).to_have_count(0)
    with page.expect_download() as kept:
        page.get_by_role("row", name="customers/data_request").get_by_role(
            "button", name="Export"
        ).click()
    assert world.ann.gid in kept.value.path().read_text()
    asked = page.get_by_role("row", name="shop/redact").first
    asked.get_by_role("button", name="Keep store").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep store").click()
    expect(asked.get_by_text("called off")).to_be_visible()
    assert world.platform.all()[off]["state"] == "called_off"


LOOK = {
    "Shop name": ("shopName", "Small <b>Hours</b>"),
    "Logo": ("logoUrl", "https://shop.test/logo.svg"),
    "Accent colour": ("accent", "#8f1449"),
    "Shop address": ("shopUrl", "https://shop.test/"),
    "Cart address": ("cartUrl", "https://shop.test/cart?add={productId}&kind={variantId}"),
    "Language": ("language", "de"),
}


@pytest.mark.slow
def test_merchant_changes_the_look_and_texts_of_the_shops_pages(world, merchant):
    """Names, texts, language, notices and show-wishes are edited in a form, which names bad fields at the
    fields, offers the names of texts, sends only what was changed, and has no hosts, keys, secrets or webhook addresses.
    Rules: admin-scope, store-settings."""
    merchant.expected.add("400")
    page = merchant.open(world.shop.admin_token, "#/store")
    form = page.locator("form.settings")
    fields = form.locator("input, select")
    assert {name for name in fields.evaluate_all("(all) => all.map(({ name }) => name)") if name} == {
        *(field for field, _ in LOOK.values()), "showWishes", "notices"
    }  # fmt: skip
    for label, (_, value) in LOOK.items():
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_label("Show shoppers how many people want a product").check()
    form.get_by_label("Notices of price drops").select_option("opt-in")
    form.get_by_role("button", name="Add a text").click()
    offered = page.locator("#text-names option").evaluate_all(
        "(all) => all.map((one) => one.value)"
    )
    assert {"title", "heart", "mailSubject"} <= {*offered}
    name = form.get_by_label("Text’s name")
    assert name.get_attribute("list") == "text-names"
    name.fill("tittle")
    name.blur()
    expect(form.get_by_role("alert")).to_contain_text("No text has the name “tittle”")
    for label, value in (
        ("Text’s language", "de"),
        ("Text’s name", "title"),
        ("Your text", "Merkzettel"),
    ):
        form.get_by_label(label).fill(value)
    form.get_by_label("Accent colour", exact=True).fill("crimson")
    form.get_by_role("button", name="Save settings").click()
    accent = form.get_by_label("Accent colour", exact=True)
    expect(accent).to_have_attribute("aria-invalid", "true")
    expect(accent).to_be_focused()
    expect(form.locator("#about-accent")).to_contain_text("must be empty or a colour")
    before = world.shop.admin.get("/store").json()["data"]
    assert not before.get("look"), "a refused form changes nothing"
    accent.fill("#8f1449")
    form.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    expect(accent).not_to_have_attribute("aria-invalid", "true")
    store = world.shop.admin.get("/store").json()["data"]
    texts = {"texts": {"de": {"title": "Merkzettel"}}}
    assert store["look"] == dict(LOOK.values()) | texts
    assert (store["notices"], store["reporting"]["showWishes"]) == ("opt-in", True)
    form.get_by_label("Shop name").fill("")
    form.get_by_role("button", name="Remove").click()
    with page.expect_request(lambda request: request.method == "PATCH") as sent:
        form.get_by_role("button", name="Save settings").click()
    assert sent.value.post_data_json == {"look": {"shopName": "", "texts": {}}}
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    page.reload()
    expect(form.get_by_label("Shop name")).to_have_value("")
    expect(form.get_by_label("Language", exact=True)).to_have_value("de")
    world.shop.admin.patch("/store", json={"look": dict.fromkeys(
        (field for field, _ in LOOK.values()), ""), "notices": "opt-out", "reporting": {"showWishes": False}}
    ).raise_for_status()  # fmt: skip


class Receiver(BaseHTTPRequestHandler):
    """Answers deliveries with the status in the path."""

    def do_POST(self) -> None:
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
def test_webhooks_are_listed_with_their_state_and_last_problem(world, merchant):
    """The store's webhooks are listed by host, without the rest of the address, with their state, and why
    the last delivery failed or the webhook was turned off. The overview links to these warnings, which
    are next to the running version. Rules: admin-scope, store-status."""
    shop = Shop(world.service, *ROOMY, "--events", "on")
    page = merchant.open(shop.admin_token, "#/store")
    expect(page.get_by_role("heading", name="No webhooks")).to_be_visible()
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"127.0.0.1:{server.server_port}"
        for status in (204, 503, 410):
            body = {"url": f"http://{host}/{status}", "types": ["item.created"]}
            shop.admin.post("/webhooks", json=body).raise_for_status()
        shop.customer("carl").http.post("/items", json={"productId": 1}).raise_for_status()

        def states() -> list[tuple[bool, bool]]:
            webhooks = shop.admin.get("/webhooks").json()["data"]
            return [(one["enabled"], "failingSince" in one) for one in webhooks]

        assert wait_until(lambda: states()[:2] == [(False, True), (True, True)], seconds=30)
        server.shutdown()
    merchant.go("Products")
    merchant.go("Overview")
    page.get_by_role("link", name="2 warnings about this store").click()
    status = page.locator("#status")
    expect(status).to_contain_text(f"Wishwell {__version__}, commit ")
    expect(status.get_by_role("listitem")).to_have_text(
        [
            f"The webhook to {host} was turned off. The receiver answered 410 (Gone).",
            re.compile(rf"The webhook to {host} has failed since 2"),
        ]
    )
    merchant.settled()
    gone, failing, sound = cells(page, "Webhooks")[1:]
    assert gone == [host, "item.created", "off", "The receiver answered 410 (Gone)."]
    assert failing[2].startswith("failing since ")
    assert failing[3] == "The receiver answered 503"
    assert sound[2:] == ["on", "–"]


@pytest.mark.slow
def test_mails_are_listed_with_their_states_and_the_problem(world, merchant):
    """The page of mails lists them with counts by state, page by page, and shows the store's problem; a
    store without mails is told how to turn them on.
    Rules: mail-states, mail-paused."""
    page = merchant.open(world.shop.admin_token)
    merchant.go("Mails")
    expect(page.get_by_text("This store sends no mails to shoppers.")).to_be_visible()
    expect(page.get_by_role("heading", name="No mails yet")).to_be_visible()

    at = "2026-04-18T17:13:27.481Z"
    mail = {"profile": world.ann.gid, "kind": "notices", "createdAt": at, "items": ["a", "b"]}
    first = [mail | {"state": "sent", "sentAt": at}, mail | {"state": "waiting"}]
    last = [mail | {"state": "failed", "problem": "550 refused"}]

    def answer(route):
        is_last = "page=more" in route.request.url
        more = {} if is_last else {"pageInfo": {"next": "more"}}
        route.fulfill(json={"data": last if is_last else first} | more)

    def add_problem(route):
        body = route.fetch().json()
        body["data"]["mail"] = {
            "on": True,
            "pausedAt": at,
            "problem": "The server refused the password.",
        }
        route.fulfill(json=body)

    def count(route):
        names = ("sent", "waiting", "failed", "cancelled", "unsubscribed")
        numbers = {"2026-04-17": (0, 0, 0, 0, 0), "2026-04-18": (41, 3, 2, 1, 5)}
        days = [{"day": day} | dict(zip(names, row, strict=True)) for day, row in numbers.items()]
        route.fulfill(json={"data": days})

    page.route("**/api/*/mails?*", answer)
    page.route("**/api/*/mails/days", count)
    page.route("**/api/*/store", add_problem)
    page.get_by_role("button", name="Sign out").click()
    merchant.open(world.shop.admin_token)
    merchant.go("Mails")
    expect(page.get_by_text("The server refused the password.")).to_be_visible()
    expect(page.get_by_text(f"wishwell store mail resume {world.shop.handle}")).to_be_visible()
    assert [row[1:] for row in cells(page, "By day")[1:]] == [["41", "3", "2", "5"]]
    expect(page.get_by_text("Of the 2 mails shown: Waiting: 1 · Sent: 1")).to_be_visible()
    page.get_by_role("button", name="Show more").click()
    expect(page.get_by_text("Waiting: 1 · Sent: 1 · Failed: 1")).to_be_visible()
    assert [row[1:3] for row in cells(page, "Mails")[1:]] == [["Notices", "2"]] * 3
    expect(page.get_by_text("550 refused")).to_be_visible()

    merchant.expected.add("404")
    page.unroute_all()
    page.route("**/api/*/mails?*", lambda route: route.fulfill(status=404, json={"error": {}}))
    merchant.go("Overview")
    merchant.go("Mails")
    expect(page.get_by_text("This service sends no mails yet.")).to_be_visible()


@pytest.mark.slow
def test_mails_are_previewed_in_each_kind_and_language(world, merchant):
    """The page of mails opens a preview of the chosen kind and language, as shoppers see it.
    Rules: mail-form, admin-page."""
    page = merchant.open(world.shop.admin_token)
    merchant.go("Mails")
    for kind in ("Notices", "Confirmation"):
        for language in TEXTS:
            page.get_by_label("Kind").select_option(kind)
            page.get_by_label("Language").select_option(language)
            with page.expect_popup() as opened:
                page.get_by_role("button", name="Preview").click()
            mail = opened.value
            heading = mail.get_by_role("heading", level=1)
            expect(heading).to_have_text(TEXTS[language][HEADINGS[kind]])
            expect(mail.locator("html")).to_have_attribute("lang", language)
            assert heading.evaluate("h1 => getComputedStyle(h1).fontSize") == "24px"
            mail.close()


def test_reports_token_sees_numbers_and_no_shoppers(world, merchant):
    """A reports token sees Overview and Products without shoppers, by any URL.
    Rule: admin-scope."""
    merchant.expected.add("403")
    token = world.shop.another_admin_token("dashboard", "--for", "reports")
    page = merchant.open(token, f"#/shoppers?id={world.ann.gid}")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    assert page.get_by_role("navigation").get_by_role("link").all_inner_texts() == [
        "Overview",
        "Products",
    ]
    merchant.go("Products")
    first = time.strftime("from=%Y-%m-01", time.gmtime())
    with page.expect_request(lambda request: first in request.url):
        page.get_by_label("Period").select_option("This month")
    page.get_by_role("link", name="Oslo shirt").click()
    expect(page.get_by_role("heading", name="Oslo shirt", level=1)).to_be_visible()
    expect(page.get_by_label("Period")).to_have_value("month")
    expect(page.get_by_role("slider")).to_be_visible()
    merchant.settled()
    assert number(page, "Wishes") == "3"
    assert "Who wants" not in page.content() and "ann" not in page.inner_text("main")


@pytest.mark.parametrize("kind", ["customer", *map(slow, ("storefront", "unknown", "no token"))])
def test_token_of_another_kind_is_refused_with_an_explanation(world, merchant, kind):
    """Another token is refused with an explanation, and the field stays ready for input.
    Rule: admin-scope."""
    merchant.expected |= {"401", "403"}
    token, words = {
        "customer": lambda: (world.ann.token, "can’t be used here"),
        "storefront": lambda: (
            world.shop.another_admin_token("s", "--for", "storefront"),
            "can’t be used here",
        ),
        "unknown": lambda: (f"wwadm_{'x' * 49}", "token"),
        "no token": lambda: ("ein Schlüssel", "letters, digits"),
    }[kind]()
    page = merchant.page
    page.goto(f"{merchant.url}/admin/")
    page.get_by_label("Admin or reports token").fill(token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(words)
    is_signed_out(page)


# ------------------------------------------------------------------------------------ every state


def every_state(world: World, merchant: Merchant) -> Iterator[str]:
    page = merchant.page
    page.goto(f"{merchant.url}/admin/")
    yield "sign-in"
    page.route(
        "**/api/**", lambda route: route.fulfill(json={"data": [], "asOf": None, "since": None})
    )
    page.route("**/reports/summary*", answer_with_zeros)
    page.get_by_label("Admin or reports token").fill(world.shop.admin_token)
    page.keyboard.press("Enter")
    page.get_by_text("No data yet").wait_for()
    yield "before the first count"
    page.unroute_all()
    page.get_by_text("Oslo shirt").first.wait_for()  # the page polls until there is a count
    merchant.settled()
    yield "overview"
    page.get_by_role("button", name="Added").click()
    page.get_by_text("View as table").click()
    page.get_by_role("slider").focus()
    yield "chart"
    for name in ("Products", "Shoppers", "Mails", "Store"):
        merchant.go(name)
        yield name
    for view in (
        "products?title=zzz",
        "product?id=1",
        "product?id=77",
        f"shoppers?id={world.ann.gid}",
    ):
        page.goto(f"{merchant.url}/admin/#/{view}")
        page.wait_for_timeout(200)
        merchant.settled()
        yield view
    page.get_by_role("button", name="Erase").click()
    yield "question"
    page.keyboard.press("Escape")
    page.route("**/api/**/products*", lambda route: route.abort())
    page.get_by_role("navigation").get_by_role("link", name="Products").click()
    page.get_by_text("can’t be reached").wait_for()
    yield "unreachable"
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("Oslo shirt").wait_for()


def answer_with_zeros(route: Route) -> None:
    numbers = dict.fromkeys(("wishes", "customers", "visitors", "lists", "added", "removed"), 0)
    people = {"profiles": {"customers": 0, "visitors": 0}}
    route.fulfill(json={"data": numbers | people, "asOf": None, "since": None})


@pytest.mark.slow
def test_every_state_of_the_page_is_accessible(world, merchant):
    """Every state of the page is accessible."""
    # A product without data; an aborted request.
    merchant.expected |= {"404", None}
    check_open_to_everybody(merchant.page, every_state(world, merchant), 14)


# ------------------------------------------------------------------------------------ security


def test_token_is_only_in_memory(world, merchant):
    """The token is in no cookie, storage, URL or cache. Only pictures load from elsewhere, without
    a Referer.
    Rules: admin-token-in-memory, admin-page."""
    token = world.shop.admin_token
    page = merchant.open(token)
    field = {"type": "password", "autocomplete": "current-password", "name": None}
    for name in ("Products", "Shoppers", "Store", "Overview"):
        merchant.go(name)
    state = page.evaluate("""async () => [{ ...localStorage }, { ...sessionStorage }, document.cookie,
        await indexedDB.databases(), await caches.keys(), (await navigator.serviceWorker.getRegistrations()).length]""")
    assert state == [{}, {}, "", [], [], 0]
    assert merchant.context.cookies() == []
    assert token not in page.content() and token not in page.evaluate(
        "JSON.stringify(history.state) + location"
    )
    elsewhere = [
        request for request in merchant.sent if not request.url.startswith(f"{merchant.url}/")
    ]
    assert {request.url for request in elsewhere} == {PICTURE}
    for request in merchant.sent:
        headers = request.all_headers()
        assert token not in request.url and "referer" not in headers and "cookie" not in headers
        api = "/api/2025-04/" in request.url
        assert (token in headers.get("authorization", "")) == api, request.url
        if api:
            assert request.response().headers["cache-control"] == "no-store"
    page.get_by_role("button", name="Sign out").click()
    is_signed_out(page, "signed out")
    shown = page.get_by_label("Admin or reports token")
    assert {
        name: shown.get_attribute(name) for name in field
    } == field and shown.input_value() == ""


@pytest.mark.slow
def test_reload_keeps_the_sign_in_and_leaving_the_page_ends_it(world, merchant):
    """A reload keeps the sign-in and the view. Leaving the page or signing out ends it, also when the
    browser restores the page from its cache. While the page is open, nothing is stored.
    Rule: admin-token-in-memory."""
    page, stored = merchant.open(world.shop.admin_token, "#/products"), "sessionStorage.length"
    for _ in range(2):
        page.reload()
        expect(page.get_by_role("heading", name="Products", level=1)).to_be_visible()
        assert page.evaluate(stored) == 0
    page.goto(f"{merchant.url}/livez")
    page.goto(f"{merchant.url}/admin/#/products")
    is_signed_out(page)
    assert page.evaluate(stored) == 0
    merchant.open(world.shop.admin_token)
    page.goto(f"{merchant.url}/livez")
    page.go_back()
    is_signed_out(page)
    assert page.evaluate(stored) == 0
    merchant.open(world.shop.admin_token)
    page.get_by_role("button", name="Sign out").click()
    page.reload()
    is_signed_out(page)


@pytest.mark.slow
def test_revoked_token_ends_an_idle_page_within_5_seconds(world, new_merchant):
    """A revoked token signs an idle page out within 5 s, whichever process handled it, and closes
    an open dialog.
    Rules: admin-token-in-memory, token-revoked."""
    with world.service.beside() as other:
        other.start()
        pages = []
        for url in (world.service.url, other.url):
            merchant = new_merchant()
            merchant.url = url
            merchant.expected.add("401")
            pages.append(
                merchant.open(
                    world.shop.another_admin_token("lost"), f"#/shoppers?id={world.ann.gid}"
                )
            )
            pages[-1].get_by_role("button", name="Erase").click()
        tokens = world.shop.admin.get("/tokens").json()["data"]
        for token in [one for one in tokens if one["label"] == "lost"]:
            world.shop.admin.delete(f"/tokens/{token['id']}").raise_for_status()
        began = time.monotonic()
        for page in pages:
            expect(page.get_by_role("alert")).to_contain_text("no longer valid", timeout=5_000)
        assert time.monotonic() - began < 5
        for page in pages:
            is_signed_out(page)


def test_page_cannot_be_framed(world, merchant):
    """No page can frame the merchant's page, not even one of the same origin. Rule: admin-page."""
    page = merchant.page
    page.goto(f"{merchant.url}/livez")
    page.evaluate("""() => new Promise((shown) => {
        const frame = document.createElement('iframe');
        frame.onload = shown;
        frame.src = '/admin/';
        document.body.append(frame);
    })""")
    assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
    merchant.wrong = [wrong for wrong in merchant.wrong if "frame-ancestors" not in wrong]


def test_code_injected_into_the_page_does_not_run(world, merchant):
    """Injected inline code, event handlers and markup don't run, and nothing is sent to other
    origins.
    Rule: admin-page."""
    page = merchant.open(world.shop.admin_token)
    for attack in (
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }))",
        "document.body.innerHTML = '<img src=x onerror=alert(1)>'",
        "setTimeout('document.title = 1')",
        "document.body.setAttribute('onclick', 'document.title = 1'); document.body.click()",
        "document.body.append(Object.assign(document.createElement('form'), { action: 'https://evil.test' })).submit()",
        "document.body.append(Object.assign(new Image(), { src: 'http://evil.test/x.png' }))",
        "fetch('https://evil.test/')",
    ):
        page.evaluate(f"(async () => {{ {attack} }})().catch(() => {{}})")
    page.wait_for_timeout(300)
    assert page.title() == "Overview · Wishwell"
    asked = [request.failure for request in merchant.sent if "evil.test" in request.url]
    assert {*asked} <= {"csp"}
    assert page.locator("img[src=x]").count() == 0, "text became no markup"
    assert len(merchant.wrong) >= 6, "each was refused aloud"
    merchant.wrong.clear()


@pytest.mark.slow
def test_overview_shows_the_value_of_wishes_with_sold_out_ones_apart(world, merchant):
    """The overview shows price times quantity by currency, sold-out products apart, and no card before
    prices are known. Rule: report-value."""
    shop = Shop(world.service, *ROOMY)
    page = merchant.open(shop.admin_token)
    expect(page.locator("#value")).to_have_count(0)
    page.get_by_role("button", name="Sign out").click()
    products = [
        {"productId": 1, "price": {"amount": "19.90", "currency": "EUR"}},
        {"productId": 2, "price": {"amount": "5.00", "currency": "EUR"}, "available": False},
    ]
    shop.admin.put("/products", json={"products": products}).raise_for_status()
    carl = shop.customer("carl")
    for product in (1, 2):
        item = {"productId": product, "quantity": 3}
        carl.http.post("/items", json=item).raise_for_status()
    summary = lambda: shop.admin.get("/reports/summary").json()["data"]  # noqa: E731
    assert wait_until(lambda: summary().get("value") and summary()["wishes"] == 2, seconds=20)
    merchant.open(shop.admin_token)
    expect(page.locator("#value .big")).to_have_text("€59.70")
    expect(page.locator("#value")).to_contain_text("and €15.00 sold out")


@pytest.mark.slow
def test_overview_shows_the_earnings_of_wishes_when_purchases_are_on(world, merchant):
    """The overview of a store with purchases on shows what wishes earned, compared with the previous
    period, and the products that earned most; others have no such card. Rule: purchase-report."""
    shop = Shop(world.service, *ROOMY, "--purchases", "on")
    shop.admin.put("/products/1", json={"title": MARKUP}).raise_for_status()
    who = shop.customer("carl")
    who.http.post("/items", json={"productId": 1}).raise_for_status()
    price = {"amount": "19.90", "currency": "EUR"}
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))
    order = {
        "orderId": "1",
        "profile": who.gid,
        "placedAt": now,
        "updatedAt": now,
        "status": "paid",
        "lines": [{"productId": 1, "quantity": 3, "unitPrice": price}],
    }
    done = shop.admin.put("/orders", json={"orders": [order]}).raise_for_status().json()
    assert done["data"][0]["matched"] == 1
    merchant.expected.add("403")
    page = merchant.open(shop.another_admin_token("dashboard", "--for", "reports"))
    card = page.locator("#earned")
    expect(card.locator(".big")).to_have_text("€59.70")
    expect(card).to_contain_text("1 order with 3 wished-for units")
    expect(card.locator("li")).to_contain_text("WWW")
    expect(card).not_to_contain_text("mail")

    def add_mailed(route):
        body = route.fetch().json()
        revenue = [{"amount": "19.90", "currency": "EUR"}]
        body["data"]["purchases"]["mailed"] = {"orders": 1, "units": 1, "revenue": revenue}
        route.fulfill(json=body)

    # A product's part of all, and no change: the previous period is before the first count.
    expect(card.locator("li .part")).to_have_text("100%")
    page.route("**/reports/summary?*", add_mailed)
    merchant.go("Products")
    merchant.go("Overview")
    expect(card).to_contain_text(
        "€19.90 of it (33%) within 7 days of a mail that named the product"
    )
    page.unroute_all()

    def count_since_2020(route):
        route.fulfill(json=route.fetch().json() | {"since": "2020-01-01"})

    def earn_less_before(route):
        body = route.fetch().json()
        if f"to={time.strftime('%Y-%m-%d', time.gmtime())}" not in route.request.url:
            revenue = [{"amount": "39.80", "currency": "EUR"}]
            body["data"]["purchases"] |= {"orders": 1, "units": 2, "revenue": revenue}
        route.fulfill(json=body)

    page.route("**/reports/days?*", count_since_2020)
    page.route("**/reports/summary?*", earn_less_before)
    page.get_by_role("button", name="Sign out").click()
    merchant.open(shop.admin_token)
    expect(card.locator("p").first).to_have_text(
        re.compile(r"€59\.70\s+\+50%\s+vs\. €39\.80 in the previous period")
    )
    page.unroute_all()
    merchant.page.get_by_role("button", name="Sign out").click()
    merchant.open(world.shop.admin_token)
    expect(page.locator("#earned")).to_have_count(0)
