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

import pytest

from tests.conftest import missing
from tests.examples.conftest import ROOT
from tests.examples.platform import PASSWORD, Platform, euros
from tests.security.nginx import nginx_binary
from tests.servers import HERE, SECRETS, PostgresServer, Service, wait_until
from tests.service.test_documents import commands, shell

BUILT = os.environ.get("WISHWELL_TEST_MEDUSA", "")
"""The folder to start it in."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT, reason="make test-medusa installs Medusa"),
]

MERCHANT = {"email": "merchant@shop.example", "password": PASSWORD}
ADA = {"email": "ada@shop.example", "password": PASSWORD}
SIGN_IN = """async (person) => {
  const body = new URLSearchParams(person);
  const answer = await fetch('/auth/customer/emailpass', { method: 'POST', body });
  document.cookie = `_medusa_jwt=${(await answer.json()).token}; path=/; samesite=strict`;
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


class Medusa(Platform):
    """The example's shop."""

    def __init__(self, postgres: PostgresServer, service: Service) -> None:
        super().__init__("medusa", postgres, service)
        self.customers: dict[str, str] = {}
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
        SECRETS.add(self.environment["JWT_SECRET"])

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

    def customer(self, name: str) -> str:
        self.customers[name] = self.make("customers", email=f"{name}@shop.example")["id"]
        return self.customers[name]

    def rename(self, product: str, title: str) -> None:
        self.make(f"products/{product}", title=title)

    def delete(self, product: str) -> None:
        self.ask("DELETE", f"/admin/products/{product}")

    def unlimited(self, title: str) -> tuple[str, str]:
        """Returns the ids of a new product without stock keeping and its variant."""
        product = self.product(title, "S")
        variant = product["variants"][0]["id"]
        self.make(f"products/{product['id']}/variants/{variant}", manage_inventory=False)
        return product["id"], variant

    def order(self, name: str, variant: str, quantity: int) -> dict:
        made = self.make(
            "draft-orders",
            email=f"{name}@shop.example",
            customer_id=self.customers[name],
            region_id=self.environment["WISHLIST_REGION"],
            sales_channel_id=self.environment["WISHLIST_SALES_CHANNEL"],
            items=[{"variant_id": variant, "quantity": quantity}],
        )
        return self.make(f"draft-orders/{made['id']}/convert-to-order")

    def shipping(self) -> tuple[str, str]:
        """Returns the ids of a stock location and of a shipping option from there."""
        at = f"stock-locations/{(place := self.make('stock-locations', name='Dock')['id'])}"
        self.make(f"{at}/fulfillment-providers", add=["manual_manual"])
        self.make(f"{at}/fulfillment-sets", name="Post", type="shipping")
        found = self.ask("GET", f"/admin/{at}?fields=*fulfillment_sets")["stock_location"]
        zones = f"fulfillment-sets/{found['fulfillment_sets'][0]['id']}/service-zones"
        land = {"type": "country", "country_code": "de"}
        zone = self.make(zones, name="DE", geo_zones=[land])["service_zones"][0]["id"]
        [profile] = self.ask("GET", "/admin/shipping-profiles")["shipping_profiles"]
        option = self.make(
            "shipping-options",
            name="Post",
            service_zone_id=zone,
            shipping_profile_id=profile["id"],
            provider_id="manual_manual",
            price_type="flat",
            type={"label": "Post", "description": "-", "code": "post"},
            prices=[price(5, "eur")],
        )
        return place, option["id"]

    def send_back(self, order: dict, quantity: int) -> None:
        """Fulfils an order, then receives some units back."""
        place, option = self.shipping()
        [item] = order["items"]
        ways = {"location_id": place, "shipping_option_id": option}
        whole = [{"id": item["id"], "quantity": item["quantity"]}]
        self.make(f"orders/{order['id']}/fulfillments", items=whole, **ways)
        begun = self.ask("POST", "/admin/returns", order_id=order["id"], location_id=place)
        at = f"/admin/returns/{begun['return']['id']}"
        part = [{"id": item["id"], "quantity": quantity}]
        for step in ("request-items", "request", "receive", "receive-items", "receive/confirm"):
            self.ask("POST", f"{at}/{step}", **({"items": part} if "items" in step else {}))

    def repay(self, order: dict) -> None:
        """Records an order as paid, then repays everything."""
        at = "payment-collections"
        made = self.make(at, order_id=order["id"], amount=order["total"])
        paid = self.make(f"{at}/{made['id']}/mark-as-paid", order_id=order["id"])
        self.make(f"payments/{paid['payments'][0]['id']}/refund", amount=order["total"])


def price(amount: float, currency: str) -> dict:
    return {"amount": amount, "currency_code": currency}


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
        shop.token = shop.environment["WISHLIST_TOKEN"]
        SECRETS.add(shop.token)
        firsts = [shop.product(name, "S", "M")["variants"][0] for name in ("Mug", "Lamp")]
        shop.mug, shop.lamp = ((one["product_id"], one["id"]) for one in firsts)
        assert shop.wishwell.get("/products").json()["data"] == []
        shop.do("exec", "./src/scripts/wishwell.js")
        shop.start()
        yield shop


def test_whole_catalogue_is_sent_at_first(medusa):
    """At first, the whole catalogue is sent in the region's currency; products without stock are
    unavailable."""
    product, variant = medusa.lamp
    sent = medusa.sent(product)
    assert (sent["price"], sent["available"]) == (euros("20.00"), False)
    assert sent["url"] == "https://shop.example/de/products/lamp"
    variants = medusa.variants(product)
    assert {one["title"] for one in variants.values()} == {"S", "M"}
    assert (variants[variant]["price"], variants[variant]["available"]) == (euros("20.00"), False)


def test_changes_of_the_shop_are_sent(medusa):
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
    medusa.rename(at, "Sack")
    medusa.becomes(at, title="Sack")
    medusa.ask("DELETE", f"/admin/products/{at}/variants/{sizes['Vast']}")
    assert wait_until(lambda: list(medusa.variants(at)) == [sizes["Tiny"]], seconds=60)
    medusa.make(f"products/{at}", status="draft")
    medusa.becomes(at, title=None)
    medusa.make(f"products/{at}", status="published")
    medusa.becomes(at, title="Sack")
    medusa.delete(at)
    medusa.becomes(at, title=None)


def test_wishes_move_at_sign_in_and_a_lower_price_makes_a_notice(medusa, chromium):
    """A visitor's item becomes the customer's at sign-in with Medusa's own token, and a lower price
    makes a notice."""
    token = medusa.ask("POST", "/auth/customer/emailpass/register", **ADA)["token"]
    [key] = medusa.ask("GET", "/admin/api-keys?type=publishable")["api_keys"]
    headers = {"Authorization": f"Bearer {token}", "x-publishable-api-key": key["token"]}
    made = medusa.http.post("/store/customers", json={"email": ADA["email"]}, headers=headers)
    product, variant = medusa.mug
    prices = [price(15, "eur"), price(30, "usd")]
    medusa.check_sign_in_and_lower_price(
        chromium,
        {"/auth/": medusa.url, "/apps/wishlist/": medusa.service.url},
        lambda page: page.evaluate(SIGN_IN, ADA),
        made.json()["customer"]["id"],
        lambda: medusa.make(f"products/{product}/variants/{variant}", prices=prices),
    )


def test_orders_mark_the_wishes_that_they_fulfil(medusa):
    """An order marks its customer's wish at the price paid; returned, cancelled and repaid units
    don't count."""
    item, variant, first = medusa.check_first_order()
    second, third = (medusa.order("bo", variant, quantity) for quantity in (1, 4))
    medusa.is_bought(item, 8)
    medusa.ask("POST", f"/admin/orders/{second['id']}/cancel")
    medusa.is_bought(item, 7)
    medusa.send_back(first, 1)
    medusa.is_bought(item, 6)
    medusa.repay(third)
    medusa.is_bought(item, 2)


def test_changes_reach_the_service_after_an_outage(medusa):
    """While the service is down, the shop sells on and restarts; later nothing is missing."""
    medusa.check_outage()


def test_job_sends_changes_that_events_missed(medusa):
    """The scheduled job sends what events missed: products that Wishwell lacks, and deleted ones."""
    medusa.environment["WISHLIST_SCHEDULE"] = "*/2 * * * * *"
    medusa.start()
    # Twice, because at the start everything is sent without the schedule.
    for _ in range(2):
        medusa.check_lost_changes(lambda: None)


def test_wishlists_of_the_wishlist_plug_in_are_imported(medusa):
    """The wishlist plug-in's data is imported with the documented query and commands."""
    name = "docs/coming-from-another-app.md"
    [query] = re.findall(r"```sql\n(COPY .*?)```", (ROOT / name).read_text(), re.DOTALL)
    database = medusa.environment["DATABASE_URL"].rpartition("/")[2]
    medusa.postgres.sql(PLUG_IN.format(lamp=medusa.lamp[1], mug=medusa.mug[1]), database)
    with Service() as service:
        (service.folder / "wishlist.csv").write_text(medusa.postgres.sql(query, database))
        shell(service, [line for line in commands(name, "## Medusa") if "wishwell" in line])
        [item] = service.client(service.admin_token("medusa")).get("/items").json()["data"]
    assert item["profile"] == "gid://medusa/Customer/cus_1"
    assert (item["productId"], item["variantId"]) == medusa.lamp
    assert item["createdAt"] == "2025-04-18T18:13:27.500Z"
