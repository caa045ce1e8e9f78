"""examples/shopify: the theme app extension in a shop that plays Shopify, and the app's configuration."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.app_proxy import BASE, KEY
from tests.browser.conftest import Shopper, cards, heart, press, shows
from tests.conftest import missing
from tests.documents import ROOT, commands
from tests.examples.shopify_shop import (
    DOMAIN,
    EXTENSION,
    MUG,
    SHIRT,
    SIZES,
    TOOLS,
    ShopifyShop,
)
from tests.platform import Platform
from tests.servers import Service, wait_until
from tests.service.test_documents import shell

CHECK = """
require('https').request = () => { throw Error('offline'); };  // else it loads newer rules
require('@shopify/theme-check-node').check(process.argv[1], 'theme-check:theme-app-extension')
  .then((found) => console.log(JSON.stringify(found.map(({ check }) => check).sort())));
"""
APP = tomllib.loads((EXTENSION.parents[1] / "shopify.app.toml").read_text())
HOOKS = APP["webhooks"]["subscriptions"]
TOPICS = [one for hook in HOOKS for one in hook.get("topics", [])]
SAMPLES = json.loads((ROOT / "tests/vendors/shopify/webhooks.json").read_text())
LANGUAGES = {path.stem for path in (ROOT / "packages/elements/src/texts").glob("??.ts")}


@pytest.fixture(scope="module")
def tools():
    if not (TOOLS / ".installed").exists():
        missing("the tools aren't installed; run `make build/tools/.installed`")


def offences(folder) -> list[str]:
    """Returns the names of theme-check's offences."""
    argv = ["node", "-e", CHECK, str(folder)]
    done = subprocess.run(argv, cwd=TOOLS, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_theme_check_finds_no_offence(tools, tmp_path):
    """Shopify's linter accepts the extension, and would find a missing text and a remote script."""
    assert offences(EXTENSION) == []
    broken = shutil.copytree(EXTENSION, tmp_path / "wishlist")
    (broken / "locales/fr.json").write_text('{"wishlist": {}}')
    page = broken / "blocks/page.liquid"
    page.write_text(page.read_text().partition("\n")[2])
    assert set(offences(broken)) == {"MatchingTranslations", "RemoteAsset"}


def test_extension_has_only_files_that_shopify_accepts():
    """Folders and file types are those that the CLI uploads; the languages are the elements'."""
    files = [path.relative_to(EXTENSION) for path in EXTENSION.rglob("*") if path.is_file()]
    kinds = {"assets": ".js", "blocks": ".liquid", "locales": ".json"}
    assert {path.name for path in files if len(path.parts) == 1} == {"shopify.extension.toml"}
    assert all(kinds[path.parts[0]] == path.suffix for path in files if len(path.parts) > 1)
    assert tomllib.loads((EXTENSION / "shopify.extension.toml").read_text())["type"] == "theme"
    languages = [one + ".default" * (one == "en") for one in LANGUAGES]
    expected = {f"{one}{kind}.json" for one in languages for kind in ("", ".schema")}
    assert {path.name for path in files if path.parts[0] == "locales"} == expected
    for path in EXTENSION.glob("locales/*.schema.json"):
        names = [part["name"] for part in json.loads(path.read_text()).values()]
        assert all(0 < len(name) <= 25 for name in names), (path, names)


def test_urls_and_topics_of_the_app_are_those_of_the_service():
    """Each address in shopify.app.toml is one of the service, and the topics are those that it takes."""
    described = json.loads((ROOT / "src/wishwell/http/openapi.json").read_text())
    proxy = APP["app_proxy"]
    assert f"/{proxy['prefix']}/{proxy['subpath']}" == urlsplit(proxy["url"]).path == BASE
    [prefix] = {urlsplit(server["url"]).path for server in described["servers"]}
    for hook in HOOKS:
        path = urlsplit(hook["uri"]).path.removeprefix(prefix)
        given = described["paths"][path]["post"]["parameters"]
        [header] = [one["schema"] for one in given if one["name"] == "X-Shopify-Topic"]
    addresses = [proxy["url"], APP["application_url"], *APP["auth"]["redirect_urls"]]
    addresses += [hook["uri"] for hook in HOOKS]
    assert all(address.startswith("https://wishes.example/") for address in addresses)
    private = [one for hook in HOOKS for one in hook.get("compliance_topics", [])]
    assert sorted([*private, *TOPICS]) == sorted(header["enum"])
    scopes = {f"read_{topic.partition('/')[0]}" for topic in TOPICS} | {"write_app_proxy"}
    assert set(APP["access_scopes"]["scopes"].split(",")) == scopes
    assert re.fullmatch(r"20\d\d-(01|04|07|10)", APP["webhooks"]["api_version"])
    assert APP["client_id"] == ""


class ThemeShopper(Shopper):
    """A browser of the shop, whose cart has the lines ``added``; ``refusal`` is its next message."""

    def __init__(self, shop: ShopifyShop, chromium: Browser) -> None:
        super().__init__(shop.origin, chromium.new_context())
        self.added: list[dict] = []
        self.refusal = ""
        self.others = (f"{shop.service.url}/", "https://cdn.example/", "https://shop.example/")
        self.context.route(
            re.compile(r"^https://\w+\.example/"), lambda route: route.fulfill(body="")
        )
        self.context.route("**/cart/add.js", self._add)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(self.others):
            super()._asked(request)

    def _add(self, route: Route) -> None:
        self.added += route.request.post_data_json["items"]
        status = 422 if self.refusal else 200
        route.fulfill(status=status, json={"description": self.refusal})

    def opened(self, path: str) -> Page:
        """Opens a page of the shop, and waits for its first requests."""
        page = self.context.pages[0] if self.context.pages else self.context.new_page()
        page.goto(f"{self.url}{path}")
        page.wait_for_load_state("networkidle")
        return page


@pytest.fixture(scope="module")
def shop(tools) -> Iterator[ShopifyShop]:
    """A store configured with the commands of docs/shopify.md, and its shop."""
    with Service().start() as service, ShopifyShop(service, DOMAIN).running() as made:
        (service.folder / "secret.txt").write_text(KEY)
        text = "\n".join(commands("docs/shopify.md", "## Wishwell's side"))
        text = text.replace("https://shop.example", made.origin)
        shell(service, [text.replace("https://wishes.example", service.url)])
        products = ROOT / "tests/files/shopify_bulk.jsonl"
        service.quick("products", str(products), "--store", "default", "--currency", "EUR")
        client = service.client(service.admin_token())
        known = lambda: client.get("/store").json()["data"]["hosts"]  # noqa: E731
        assert wait_until(known, seconds=30, every=0.2)
        yield made


@pytest.fixture
def shopper(shop, chromium) -> Iterator[ThemeShopper]:
    shop.customer = ""
    made = ThemeShopper(shop, chromium)
    yield made
    made.context.close()
    assert made.wrong == []


@pytest.mark.slow
@pytest.mark.xdist_group("shopify")
def test_customer_uses_heart_count_wishlist_page_and_cart(shop, shopper):
    """A customer saves the chosen size by the block's heart, counts it in the header, sees it on the
    wishlist page and puts it into the cart."""
    shop.customer = "7"
    page = shopper.opened("/products/shirt")
    expect(heart(page, SHIRT["id"])).to_have_accessible_name(f"Save {SHIRT['title']} to wishlist")
    page.get_by_label("Size").evaluate("form => form.selectedIndex = 1")  # without an event
    press(page, SHIRT["id"])
    expect(page.get_by_role("status")).to_contain_text("Saved to your wishlist")
    expect(page.locator("wishlist-count")).to_have_text("1")
    expect(page.locator("wishlist-button")).to_have_attribute("variant-id", f"{SIZES[1]}")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.get_by_label("Size").select_option("S")
    shopper.opened("/pages/wishlist")
    shows(page, "Linen apron")
    expect(cards(page).locator(".variant")).to_have_text("Sand / M")
    cards(page).get_by_role("button", name="Add to cart").click()
    page.wait_for_url("**/cart")
    assert shopper.added == [{"id": SIZES[0], "quantity": 1}]


@pytest.mark.slow
@pytest.mark.xdist_group("shopify")
def test_visitors_list_becomes_the_customers(shop, shopper, monkeypatch):
    """A visitor's heart, count and page work in the shop's language, and at sign-in the list becomes
    the customer's."""
    monkeypatch.setattr(shop, "language", "de")
    page = shopper.opened("/products/shirt")
    name = f"{SHIRT['title']} auf den Merkzettel"
    expect(heart(page, SHIRT["id"])).to_have_accessible_name(name)
    press(page, SHIRT["id"])
    expect(page.locator("wishlist-count")).to_have_text("1")
    shopper.opened("/products/shirt")
    expect(heart(page, SHIRT["id"])).to_have_attribute("aria-pressed", "true")
    shopper.opened("/pages/wishlist")
    shows(page, "Linen apron")
    shop.customer = "9"
    shopper.expected.add(401)  # the key may have ended already when a token is requested
    shopper.opened("/collections/all")
    expect(heart(page, SHIRT["id"])).to_have_attribute("aria-pressed", "true")
    client = shop.service.client(shop.service.admin_token(), "gid://shopify/Customer/9")
    assert [item["variantId"] for item in client.get("/items").json()["data"]] == [SIZES[0]]


@pytest.mark.slow
@pytest.mark.xdist_group("shopify")
def test_only_items_with_a_variant_are_added_to_the_cart(shop, shopper):
    """ "Add all to cart" adds the items with a variant, and says what to do about the others; a
    refusal of the cart is shown in its own words."""
    shop.customer = "8"
    page = shopper.opened("/collections/all")
    press(page, SHIRT["id"], MUG["id"])
    shopper.opened("/pages/wishlist")
    page.get_by_role("button", name="List options").click()
    page.get_by_role("button", name="Add all to cart").click()
    said = page.get_by_role("status").filter(has_text="Added to your cart, except for products")
    expect(said.get_by_role("link", name="View cart")).to_be_visible()
    assert shopper.added == [{"id": MUG["variants"][0]["id"], "quantity": 1}]
    shopper.refusal = "Sold out"
    shopper.expected.add(422)
    page.get_by_role("button", name="Add to cart: Product 101").click()
    expect(page.get_by_role("status").filter(has_text="Sold out")).to_be_visible()
    with page.expect_navigation(url="https://shop.example/products/linen-apron"):
        page.get_by_role("button", name="Add to cart: Linen apron").click()


def included(value: Any, fields: list[str]) -> Any:
    """Returns the part of a body that Shopify sends for ``include_fields``."""
    if isinstance(value, list):
        return [included(one, fields) for one in value]
    if not isinstance(value, dict) or not fields:
        return value
    parts: dict[str, list[str]] = {}
    for name in fields:
        head, _, rest = name.partition(".")
        parts.setdefault(head, []).extend([rest] if rest else [])
    return {name: included(value[name], parts[name]) for name in parts if name in value}


def deliver(shop, topic: str, body: dict) -> None:
    """Sends a webhook with the fields that shopify.app.toml asks for."""
    [fields] = [hook.get("include_fields", []) for hook in HOOKS if topic in hook.get("topics", [])]
    sender, http = cast("Platform", SimpleNamespace(domain=DOMAIN)), shop.service.client()
    answer = Platform.send(sender, topic, included(body, fields), KEY, http=http)
    assert answer.status_code == 200, answer.text


@pytest.mark.slow
@pytest.mark.xdist_group("shopify")
def test_webhooks_update_the_catalogue_and_mark_purchases(shop):
    """Shopify's sample bodies, cut to the fields that shopify.app.toml asks for, change the catalogue
    and mark what was bought."""
    product, order = SAMPLES["products/update"], SAMPLES["orders/paid"]
    token, now = shop.service.admin_token(), datetime.now(UTC)
    buyer = shop.service.client(token, f"gid://shopify/Customer/{order['customer']['id']}")
    shown = shop.service.client(token)

    def at(seconds: int) -> str:
        return (now + timedelta(seconds=seconds)).isoformat(timespec="seconds")

    def told() -> dict:
        return shown.get(f"/products/{product['id']}").json().get("data", {})

    def bought() -> int:
        [item] = buyer.get("/items").json()["data"]
        return item.get("purchased", {}).get("quantity", 0)

    deliver(shop, "products/create", product | {"updated_at": at(0)})
    assert told()["price"] == {"amount": "19.99", "currency": "EUR"}
    assert told()["url"] == f"{shop.origin}/products/{product['handle']}"
    deliver(shop, "products/update", product | {"updated_at": at(1), "title": "New"})
    assert told()["title"] == "New"
    buyer.post("/items", json={"productId": product["id"]})
    line = order["line_items"][0] | {"quantity": 3, "current_quantity": 3}
    paid = {"created_at": at(2), "processed_at": at(2), "cancelled_at": None, "currency": "EUR"}
    paid |= {"financial_status": "paid", "line_items": [line], "updated_at": at(3)}
    deliver(shop, "orders/paid", order | paid)
    assert bought() == 3
    back = {"refund_line_items": [{"line_item_id": line["id"], "quantity": 1}]}
    refunded = {"refunds": [back], "line_items": [line | {"current_quantity": 2}]}
    deliver(shop, "orders/updated", order | paid | refunded | {"updated_at": at(4)})
    assert bought() == 2
    deliver(shop, "orders/cancelled", order | paid | {"cancelled_at": at(5), "updated_at": at(5)})
    assert bought() == 0
    deliver(shop, "products/delete", {"id": product["id"]})
    assert told() == {}
