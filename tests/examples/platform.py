"""The shops of Medusa and Vendure: the parts of their tests that are the same."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import httpx2
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shopper, heart, press
from tests.security.nginx import Nginx
from tests.servers import HERE, SECRETS, PostgresServer, Program, Service, free_port, wait_until

PASSWORD = secrets.token_hex(8)
SECRETS.add(PASSWORD)
_SHOP = """
    server {{{{
        listen {{here}}:{{port}};
        location / {{{{ root {{folder}}; types {{{{ text/html html; }}}} }}}}
        {locations}
    }}}}
"""
_LOCATION = "location {} {{{{ proxy_pass {}; proxy_set_header Host $http_host; }}}}"
_PAGE = """<!doctype html>
<html lang="en">
  <link rel="icon" href="data:,">
  <title>Mug</title>
  <wishlist-button product-id="{}" variant-id="{}"></wishlist-button>
  <script type="module" src="/apps/wishlist/assets/wishwell.js" data-product-ids="text"></script>
</html>"""


def euros(amount: str) -> dict:
    return {"amount": amount, "currency": "EUR"}


class Platform(Program):
    """An example's shop, with a database and a Wishwell service of its own."""

    # Each shop's: `customer` and `unlimited`, a product that is never out of stock, return ids.
    customer: Callable[[str], str]
    unlimited: Callable[[str], tuple[str, str]]
    order: Callable[[str, str, int], Any]
    rename: Callable[[str, str], object]
    delete: Callable[[str], object]

    def __init__(self, kind: str, postgres: PostgresServer, service: Service) -> None:
        super().__init__(kind)
        self.kind, self.postgres, self.service = kind, postgres, service
        # The ids of a product and a variant, set once the catalogue exists.
        self.mug = self.lamp = ("", "")
        self.url = f"http://{HERE}:{free_port()}"
        self.http = httpx2.Client(base_url=self.url, timeout=30, trust_env=False)
        self.token = ""

    @property
    def wishwell(self) -> httpx2.Client:
        return self.service.client(self.token)

    def profile(self, customer: str) -> str:
        return f"gid://{self.kind}/Customer/{customer}"

    def sent(self, product: str) -> dict:
        """Returns the product that Wishwell stores, or an empty one."""
        return self.wishwell.get(f"/products/{product}").json().get("data", {})

    def becomes(self, product: str, **fields: object) -> None:
        """Waits until Wishwell has these fields of a product; None means no value."""
        right = lambda: {name: self.sent(product).get(name) for name in fields} == fields  # noqa: E731
        assert wait_until(right, seconds=60, every=0.2), (fields, self.sent(product))

    def variants(self, product: str) -> dict[str, dict]:
        return {one["variantId"]: one for one in self.sent(product)["variants"]}

    def turn_on_purchases(self) -> None:
        """Returns once the running service accepts orders."""
        self.service.quick("store", "update", "default", "--purchases", "on")
        at = dict.fromkeys(("placedAt", "updatedAt"), "2025-04-18T17:00:00Z")
        fields = {"profile": self.profile("other"), "status": "cancelled", "lines": []}
        orders = [{"orderId": "other", **fields, **at}]
        on = lambda: self.wishwell.put("/orders", json={"orders": orders}).status_code == 200  # noqa: E731
        assert wait_until(on, seconds=20)

    def wish(self, customer: str, product: str, variant: str) -> str:
        """Saves a customer's wish; returns the item's id."""
        item = {"productId": product, "variantId": variant}
        profile = {"Profile": self.profile(customer)}
        return self.wishwell.post("/items", json=item, headers=profile).json()["data"]["id"]

    def is_bought(self, item: str, quantity: int) -> None:
        """Waits until a wish is marked with this number of bought units."""

        def marked() -> int:
            shown = self.wishwell.get("/items").json()["data"]
            [mine] = [one for one in shown if one["id"] == item]
            return mine.get("purchased", {}).get("quantity", 0)

        right = lambda: marked() == quantity  # noqa: E731
        assert wait_until(right, seconds=60, every=0.2), (marked(), self.output()[-4000:])

    def events(self, kind: str) -> list[dict]:
        """Waits for events of a type, and returns their data."""
        read = lambda: self.wishwell.get(f"/events?type={kind}").json()["data"]  # noqa: E731
        assert wait_until(read, seconds=60, every=0.2)
        return read()

    def check_first_order(self) -> tuple[str, str, Any]:
        """A wish is marked with an order's units and price; returns item, variant and order."""
        self.turn_on_purchases()
        cap, variant = self.unlimited("Cap")
        item = self.wish(self.customer("bo"), cap, variant)
        order = self.order("bo", variant, 3)
        self.is_bought(item, 3)
        [event] = self.events("item.purchased")
        assert (event["data"]["unitPrice"], event["data"]["quantity"]) == (euros("20.00"), 3)
        return item, variant, order

    def check_outage(self) -> None:
        """While the service is down, the shop sells on and restarts; nothing is lost."""
        (hat, variant), (jar, _) = self.unlimited("Hat"), self.unlimited("Jar")
        self.becomes(hat, available=True)
        self.becomes(jar, title="Jar")
        item = self.wish(self.customer("cy"), hat, variant)
        self.service.stop()
        self.delete(jar)
        self.order("cy", variant, 2)
        self.rename(hat, "Cloche")
        self.start()
        self.service.restart()
        self.is_bought(item, 2)
        self.becomes(hat, title="Cloche")
        self.becomes(jar, title=None)

    def check_lost_changes(self, send_all: Callable[[], object]) -> None:
        """Sending everything restores a missing product, and deletes one that the shop lacks."""
        lamp, _ = self.lamp
        self.becomes(lamp, title="Lamp")
        assert self.wishwell.delete(f"/products/{lamp}").status_code == 204
        made = self.wishwell.put("/products/prod_gone", json={"title": "Gone"})
        assert made.status_code == 200
        send_all()
        self.becomes(lamp, title="Lamp")
        self.becomes("prod_gone", title=None)

    def check_sign_in_and_lower_price(
        self,
        chromium: Browser,
        ways: dict[str, str],
        sign_in: Callable[[Page], object],
        customer: str,
        lower_price: Callable[[], object],
    ) -> None:
        """A visitor presses the mug's heart and signs in; then its price falls from 20 to 15."""
        product, variant = self.mug
        locations = "\n".join(_LOCATION.format(path, url) for path, url in ways.items())
        web = Nginx(self.service.url, servers=_SHOP.format(locations=locations))
        (web.folder / "index.html").write_text(_PAGE.format(product, variant))
        with web:
            ada = Shopper(web.url, chromium.new_context())
            page = ada.open()
            press(page, product)
            sign_in(page)
            page.evaluate(
                "import('/apps/wishlist/assets/wishwell.js').then((all) => all.wishlist.refresh())"
            )
            expect(heart(page, product)).to_have_attribute("aria-pressed", "true")
            ada.context.close()
        assert ada.wrong == []
        [item] = self.wishwell.get("/items").json()["data"]
        assert (item["profile"], item["variantId"]) == (self.profile(customer), variant)
        lower_price()
        [event] = self.events("item.price_dropped")
        said = event["data"]
        assert (event["profile"], said["item"]["id"]) == (self.profile(customer), item["id"])
        assert (said["previousPrice"], said["price"]) == (euros("20.00"), euros("15.00"))
