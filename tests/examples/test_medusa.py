"""examples/medusa in a real Medusa shop, which `make test-medusa` installs from npm and builds."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Shopper, heart, press
from tests.conftest import missing
from tests.examples.conftest import ROOT
from tests.security.nginx import Nginx, nginx_binary
from tests.servers import HERE, SECRETS, PostgresServer, Program, Service, free_port, wait_until
from tests.service.test_documents import commands, shell

BUILT = os.environ.get("WISHWELL_TEST_MEDUSA", "")
"""The folder to start it in."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT, reason="make test-medusa installs Medusa"),
]

PASSWORD = secrets.token_hex(8)
MERCHANT = {"email": "merchant@shop.example", "password": PASSWORD}
ADA = {"email": "ada@shop.example", "password": PASSWORD}
SHOP = """
    server {{
        listen {here}:{port};
        location / {{ root {folder}; types {{ text/html html; }} }}
        location /auth/ {{ proxy_pass MEDUSA; }}
        location /apps/wishlist/ {{ proxy_pass http://{service}; proxy_set_header Host $http_host; }}
    }}
"""
PAGE = """<!doctype html>
<html lang="en">
  <link rel="icon" href="data:,">
  <title>Mug</title>
  <wishlist-button product-id="{product_id}" variant-id="{id}"></wishlist-button>
  <script type="module" src="/apps/wishlist/assets/wishwell.js"></script>
</html>"""
SIGN_IN = """async (person) => {
  const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
  const body = new URLSearchParams(person);
  const answer = await fetch('/auth/customer/emailpass', { method: 'POST', body });
  document.cookie = `_medusa_jwt=${(await answer.json()).token}; path=/; samesite=strict`;
  await wishlist.refresh();
}"""
PLUG_IN = """
    CREATE TABLE wishlist (id text, customer_id text, deleted_at timestamptz);
    CREATE TABLE wishlist_item (
        product_variant_id text, wishlist_id text, created_at timestamptz, deleted_at timestamptz
    );
    INSERT INTO wishlist VALUES ('w1', 'cus_1', NULL);
    INSERT INTO wishlist_item VALUES
        ('{lamp}', 'w1', '2025-04-18 20:13:27.5+02', NULL), ('{mug}', 'w1', now(), now());
"""


class Medusa(Program):
    """The example's shop, with its own database and Wishwell service."""

    def __init__(self, postgres: PostgresServer, service: Service) -> None:
        super().__init__("medusa")
        self.postgres, self.service = postgres, service
        # A variant of each product, set once the catalogue exists.
        self.mug: dict = {}
        self.lamp: dict = {}
        self.url = f"http://{HERE}:{free_port()}"
        self.http = httpx2.Client(base_url=self.url, timeout=30, trust_env=False)
        self.command = Path(BUILT).parents[1] / "node_modules/.bin/medusa"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "NODE_ENV": "production",
            "MEDUSA_DISABLE_TELEMETRY": "true",
            "DATABASE_URL": postgres.create_database(),
            "JWT_SECRET": secrets.token_hex(32),
            "COOKIE_SECRET": secrets.token_hex(32),
        }
        SECRETS.update((PASSWORD, self.environment["JWT_SECRET"]))

    def do(self, *words: str) -> None:
        done = subprocess.run(
            [self.command, *words], capture_output=True, text=True, cwd=BUILT, env=self.environment
        )
        assert done.returncode == 0, f"{words}\n{(done.stdout + done.stderr)[-4000:]}"

    def start(self) -> None:
        """Starts the shop, or restarts it."""
        self.end(signal.SIGTERM, 30)
        argv = [self.command, "start", "-H", HERE, "-p", self.url.rpartition(":")[2]]
        self.begin(argv, f"{self.url}/health", seconds=300, cwd=BUILT, env=self.environment)

    def ask(self, method: str, path: str, **body: object) -> dict:
        answer = self.http.request(method, path, json=body or None)
        assert answer.status_code in (200, 201), f"{method} {path}: {answer.text}"
        return answer.json()

    def make(self, path: str, **body: object) -> dict:
        """Creates or changes a record as the merchant; returns it."""
        return next(iter(self.ask("POST", f"/admin/{path}", **body).values()))

    def product(self, title: str, *sizes: str) -> dict:
        prices = [price(20, "eur"), price(30, "usd")]
        return self.make(
            "products",
            title=title,
            status="published",
            options=[{"title": "Size", "values": sizes}],
            variants=[
                {"title": size, "options": {"Size": size}, "prices": prices} for size in sizes
            ],
            sales_channels=[{"id": self.environment["WISHLIST_SALES_CHANNEL"]}],
        )

    @property
    def wishwell(self) -> httpx2.Client:
        return self.service.client(self.environment["WISHLIST_TOKEN"])

    def told(self, product: str) -> dict:
        """Returns what Wishwell knows about a product."""
        return self.wishwell.get(f"/products/{product}").json().get("data", {})

    def becomes(self, product: str, **fields: object) -> None:
        """Waits until Wishwell has these fields of a product; None means no value."""
        right = lambda: {name: self.told(product).get(name) for name in fields} == fields  # noqa: E731
        assert wait_until(right, seconds=60, every=0.2), (fields, self.told(product))


def price(amount: float, currency: str) -> dict:
    return {"amount": amount, "currency_code": currency}


def euros(amount: str) -> dict:
    return {"amount": amount, "currency": "EUR"}


@pytest.fixture(scope="module")
def medusa() -> Iterator[Medusa]:
    """A shop that existed before Wishwell, with a mug and a lamp for which no event was sent."""
    if not (shutil.which("node") and nginx_binary()):
        missing("there is no node, or no nginx")
    with (
        PostgresServer() as postgres,
        Service() as service,
        closing(Medusa(postgres, service)) as shop,
    ):
        shop.do("db:migrate")
        shop.do("user", "-e", MERCHANT["email"], "-p", PASSWORD)
        shop.start()
        token = shop.ask("POST", "/auth/user/emailpass", **MERCHANT)["token"]
        shop.http.headers["Authorization"] = f"Bearer {token}"
        [store] = shop.ask("GET", "/admin/stores")["stores"]
        region = shop.make("regions", name="Europe", currency_code="eur", countries=["de"])
        lines = commands("examples/medusa/README.md", "## Wishwell's side")
        key = shop.environment["JWT_SECRET"]
        shop.environment |= {
            "WISHLIST_API": service.url,
            "WISHLIST_TOKEN": shell(
                service, [*lines, "echo $WISHLIST_TOKEN"], JWT_SECRET=key
            ).split()[-1],
            "WISHLIST_REGION": region["id"],
            "WISHLIST_CURRENCY": "eur",
            "WISHLIST_SALES_CHANNEL": store["default_sales_channel_id"],
            "WISHLIST_PRODUCT_URL": "https://shop.example/de/products/{handle}",
        }
        SECRETS.add(shop.environment["WISHLIST_TOKEN"])
        shop.mug, shop.lamp = (
            shop.product(name, "S", "M")["variants"][0] for name in ("Mug", "Lamp")
        )
        assert shop.wishwell.get("/products").json()["data"] == []
        shop.do("exec", "./src/scripts/wishwell.js")
        shop.start()
        yield shop


def test_catalogue_is_told_at_first(medusa):
    """At first, the whole catalogue is sent in the region's currency; products without stock are
    unavailable."""
    told = medusa.told(medusa.lamp["product_id"])
    assert (told["price"], told["available"]) == (euros("20.00"), False)
    assert told["url"] == "https://shop.example/de/products/lamp"
    fields = {"title": medusa.lamp["title"], "price": euros("20.00"), "available": False}
    assert fields | {"variantId": medusa.lamp["id"]} in told["variants"]


def test_changes_of_the_shop_are_told(medusa):
    """New products, stock, prices, titles, removed variants and deletions are sent."""
    bag = medusa.product("Bag", "Tiny", "Vast")
    at, sizes = bag["id"], {variant["title"]: variant["id"] for variant in bag["variants"]}
    medusa.becomes(at, title="Bag", price=euros("20.00"), available=False)
    place = medusa.make("stock-locations", name="Shed")["id"]
    channel = medusa.environment["WISHLIST_SALES_CHANNEL"]
    medusa.make(f"stock-locations/{place}/sales-channels", add=[channel])
    [kept] = medusa.ask("GET", "/admin/inventory-items?q=Tiny")["inventory_items"]
    levels = f"inventory-items/{kept['id']}/location-levels"
    medusa.make(levels, location_id=place, stocked_quantity=3)
    medusa.becomes(at, available=True)
    medusa.make(f"{levels}/{place}", stocked_quantity=0)
    medusa.becomes(at, available=False)
    sale = {"title": "Sale", "description": "-", "status": "active"}
    reduced = price(12.5, "eur") | {"variant_id": sizes["Tiny"]}
    sale = medusa.make("price-lists", **sale, prices=[reduced])
    medusa.becomes(at, price=euros("12.50"))
    medusa.ask("DELETE", f"/admin/price-lists/{sale['id']}")
    medusa.becomes(at, price=euros("20.00"))
    medusa.make(f"products/{at}", title="Sack")
    medusa.becomes(at, title="Sack")
    medusa.ask("DELETE", f"/admin/products/{at}/variants/{sizes['Vast']}")
    left = {"variantId": sizes["Tiny"], "price": euros("20.00"), "available": False}
    medusa.becomes(at, variants=[left])
    medusa.make(f"products/{at}", status="draft")
    medusa.becomes(at, title=None)
    medusa.make(f"products/{at}", status="published")
    medusa.becomes(at, title="Sack")
    medusa.ask("DELETE", f"/admin/products/{at}")
    medusa.becomes(at, title=None)


def test_wishes_follow_the_sign_in_and_hear_of_a_lower_price(medusa, chromium):
    """A visitor's item becomes the customer's at sign-in with Medusa's own token, and a lower price
    makes a notice."""
    token = medusa.ask("POST", "/auth/customer/emailpass/register", **ADA)["token"]
    [key] = medusa.ask("GET", "/admin/api-keys?type=publishable")["api_keys"]
    headers = {"Authorization": f"Bearer {token}", "x-publishable-api-key": key["token"]}
    made = medusa.http.post("/store/customers", json={"email": ADA["email"]}, headers=headers)
    customer = f"gid://medusa/Customer/{made.json()['customer']['id']}"
    mug = medusa.mug["product_id"]
    web = Nginx(medusa.service.url, servers=SHOP.replace("MEDUSA", medusa.url))
    (web.folder / "index.html").write_text(PAGE.format(**medusa.mug))
    with web:
        ada = Shopper(web.url, chromium.new_context())
        page = ada.open()
        press(page, mug)
        page.evaluate(SIGN_IN, ADA)
        expect(heart(page, mug)).to_have_attribute("aria-pressed", "true")
        ada.context.close()
    assert ada.wrong == []
    [item] = medusa.wishwell.get("/items").json()["data"]
    assert (item["profile"], item["variantId"]) == (customer, medusa.mug["id"])
    prices = [price(15, "eur"), price(30, "usd")]
    medusa.make(f"products/{mug}/variants/{medusa.mug['id']}", prices=prices)
    dropped = lambda: medusa.wishwell.get("/events?type=item.price_dropped").json()["data"]  # noqa: E731
    assert wait_until(dropped, seconds=60, every=0.2)
    [event] = dropped()
    said = event["data"]
    assert (event["profile"], said["item"]["id"]) == (customer, item["id"])
    assert (said["previousPrice"], said["price"]) == (euros("20.00"), euros("15.00"))


def test_orders_mark_the_wishes_that_they_fulfil(medusa):
    """An order marks its customer's wish, at the price paid, and a cancelled order doesn't."""
    shell(medusa.service, ["wishwell store update default --purchases on"])
    customer = medusa.make("customers", email="bo@shop.example")["id"]
    profile = f"gid://medusa/Customer/{customer}"
    cap = medusa.product("Cap", "S")
    variant = cap["variants"][0]["id"]
    medusa.make(f"products/{cap['id']}/variants/{variant}", manage_inventory=False)
    wish = {"productId": cap["id"], "variantId": variant}
    saved = medusa.wishwell.post("/items", json=wish, headers={"Profile": profile})
    item = saved.json()["data"]["id"]

    at = dict.fromkeys(("placedAt", "updatedAt"), "2025-04-18T17:00:00Z")
    other = {"orderId": "other", "profile": profile, "status": "cancelled", "lines": [], **at}
    on = lambda: medusa.wishwell.put("/orders", json={"orders": [other]}).status_code == 200  # noqa: E731
    assert wait_until(on, seconds=20)

    def bought() -> int:
        shown = medusa.wishwell.get("/items").json()["data"]
        [mine] = [one for one in shown if one["id"] == item]
        return mine.get("purchased", {}).get("quantity", 0)

    def order(quantity: int) -> dict:
        made = medusa.make(
            "draft-orders",
            email="bo@shop.example",
            customer_id=customer,
            region_id=medusa.environment["WISHLIST_REGION"],
            sales_channel_id=medusa.environment["WISHLIST_SALES_CHANNEL"],
            items=[{"variant_id": variant, "quantity": quantity}],
        )
        return medusa.make(f"draft-orders/{made['id']}/convert-to-order")

    order(3)
    assert wait_until(lambda: bought() == 3, seconds=60, every=0.2), medusa.output()[-4000:]
    sent = lambda: medusa.wishwell.get("/events?type=item.purchased").json()["data"]  # noqa: E731
    assert wait_until(sent, seconds=20, every=0.2)
    [event] = sent()
    assert (event["data"]["unitPrice"], event["data"]["quantity"]) == (euros("20.00"), 3)
    second = order(1)
    assert wait_until(lambda: bought() == 4, seconds=60, every=0.2)
    medusa.ask("POST", f"/admin/orders/{second['id']}/cancel")
    assert wait_until(lambda: bought() == 3, seconds=60, every=0.2)


def test_what_events_have_missed_is_told_by_the_job(medusa):
    """The scheduled job sends what events missed: products that Wishwell lacks, and deleted ones."""
    lamp = f"/products/{medusa.lamp['product_id']}"
    assert medusa.wishwell.delete(lamp).status_code == 204
    assert medusa.wishwell.put("/products/prod_gone", json={"title": "Gone"}).status_code == 200
    medusa.environment["WISHLIST_SCHEDULE"] = "*/2 * * * * *"
    medusa.start()
    medusa.becomes(medusa.lamp["product_id"], title="Lamp")
    medusa.becomes("prod_gone", title=None)


def test_wishlists_of_the_plug_in_are_imported(medusa):
    """The wishlist plug-in's data is imported with the documented query and commands."""
    name = "docs/coming-from-another-app.md"
    [query] = re.findall(r"```sql\n(COPY .*?)```", (ROOT / name).read_text(), re.DOTALL)
    database = medusa.environment["DATABASE_URL"].rpartition("/")[2]
    medusa.postgres.sql(PLUG_IN.format(lamp=medusa.lamp["id"], mug=medusa.mug["id"]), database)
    with Service() as service:
        (service.folder / "wishlist.csv").write_text(medusa.postgres.sql(query, database))
        shell(service, [line for line in commands(name, "## Medusa") if "wishwell" in line])
        [item] = service.client(service.admin_token("medusa")).get("/items").json()["data"]
    assert item["profile"] == "gid://medusa/Customer/cus_1"
    assert (item["productId"], item["variantId"]) == (medusa.lamp["product_id"], medusa.lamp["id"])
    assert item["createdAt"] == "2025-04-18T18:13:27.500Z"
