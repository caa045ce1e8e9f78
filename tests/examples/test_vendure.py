"""examples/vendure in a real Vendure shop, which `make test-vendure` installs from npm and builds."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
from collections.abc import Iterator
from contextlib import closing

import httpx2
import pytest

from tests.conftest import missing
from tests.examples.platform import PASSWORD, Platform, euros
from tests.security.nginx import nginx_binary
from tests.servers import SECRETS, PostgresServer, Program, Service
from tests.service.test_documents import commands, shell

BUILT = os.environ.get("WISHWELL_TEST_VENDURE", "")
"""The folder to start it in."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILT, reason="make test-vendure installs Vendure"),
]

ERROR = "...on ErrorResult { errorCode message }"
SIGN_IN = """async ([username, password]) => {
  const query = `mutation($username: String!, $password: String!) {
    login(username: $username, password: $password) { __typename }
  }`;
  const body = JSON.stringify({ query, variables: { username, password } });
  const headers = { 'Content-Type': 'application/json' };
  await fetch('/shop-api', { method: 'POST', headers, body });
}"""


def named(name: str, **more: str) -> list[dict]:
    return [{"languageCode": "en", "name": name, **more}]


def chosen(code: str, **arguments: str) -> dict:
    given = [{"name": name, "value": value} for name, value in arguments.items()]
    return {"code": code, "arguments": given}


class GraphQL:
    """A client of one of Vendure's APIs."""

    def __init__(self, url: str, api: str) -> None:
        self.at = f"{url}/{api}-api"
        self.http = httpx2.Client(timeout=30, trust_env=False)

    def ask(self, query: str, **variables: object):
        """Returns the only field of the response."""
        answer = self.http.post(self.at, json={"query": query, "variables": variables})
        said = answer.json()
        assert "errors" not in said, f"{query}: {said}"
        if token := answer.headers.get("vendure-auth-token"):
            self.http.headers["Authorization"] = f"Bearer {token}"
        [field] = said["data"].values()
        assert not (isinstance(field, dict) and "errorCode" in field), f"{query}: {said}"
        return field

    def make(self, name: str, given: dict | list, fields: str = "id", kind: str = ""):
        """Calls a mutation with one input; its type has the mutation's name unless given."""
        kind = kind or f"{name[0].upper()}{name[1:]}Input"
        kind = f"[{kind}!]" if isinstance(given, list) else kind
        text = f"mutation($input: {kind}!) {{ {name}(input: $input) {{ {fields} }} }}"
        return self.ask(text, input=given)

    def login(self, name: str) -> None:
        self.ask(f'mutation {{ login(username: "{name}", password: "{PASSWORD}") {{ {ERROR} }} }}')


class Vendure(Platform):
    """Vendure's server and worker."""

    def __init__(self, postgres: PostgresServer, service: Service) -> None:
        super().__init__("vendure", postgres, service)
        self.worker = Program("worker")
        self.admin = GraphQL(self.url, "admin")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "VENDURE_DISABLE_TELEMETRY": "true",
            "DATABASE_URL": postgres.create_database(),
            "PORT": self.url.rpartition(":")[2],
            "SUPERADMIN_USERNAME": "merchant",
            "SUPERADMIN_PASSWORD": PASSWORD,
            "COOKIE_SECRET": secrets.token_hex(32),
        }
        SECRETS.add(self.environment["COOKIE_SECRET"])

    def start(self) -> None:
        """Starts the shop, or restarts it."""
        self.stop()
        options = {"cwd": BUILT, "env": self.environment}
        self.begin(["node", "dist/index.js"], f"{self.url}/health", seconds=120, **options)
        (self.worker.folder / "log").write_text("")
        ready = lambda: "Worker is ready" in self.worker.output()  # noqa: E731
        self.worker.begin(["node", "dist/index.js", "worker"], ready, seconds=120, **options)

    def stop(self) -> None:
        for program in (self.worker, self):
            program.end(signal.SIGTERM, 60)

    def set_up(self) -> None:
        """Makes a shop in Germany that sells in euros, tax included, and its first products."""
        make = self.admin.make
        self.admin.login("merchant")
        land = make("createCountry", {"code": "DE", "enabled": True, "translations": named("DE")})
        zone = make("createZone", {"name": "EU", "memberIds": [land["id"]]})["id"]
        euro = {"availableCurrencyCodes": ["EUR"], "defaultCurrencyCode": "EUR"}
        zones = {"defaultTaxZoneId": zone, "defaultShippingZoneId": zone}
        make("updateChannel", {"id": "1", "pricesIncludeTax": True} | euro | zones, "__typename")
        tax = make("createTaxCategory", {"name": "All", "isDefault": True})["id"]
        rate = {"name": "Tax", "enabled": True, "value": 19, "zoneId": zone, "categoryId": tax}
        make("createTaxRate", rate)
        text = {"translations": named("Test", description="")}
        pays = {"handler": chosen("dummy-payment-handler", automaticSettle="true")}
        make("createPaymentMethod", {"code": "test", "enabled": True} | pays | text)
        every = {"checker": chosen("default-shipping-eligibility-checker", orderMinimum="0")}
        fee = chosen("default-shipping-calculator", rate="500", includesTax="auto", taxRate="19")
        post = {"code": "post", "fulfillmentHandler": "manual-fulfillment", "calculator": fee}
        make("createShippingMethod", post | every | text)
        self.mug, self.lamp = ((at, one) for at, one, _ in map(self.product, ("Mug", "Lamp")))

    def product(self, title: str) -> tuple[str, str, str]:
        """Returns the ids of a new product and its two variants, at 20 euros each, no stock."""
        make = self.admin.make
        text = named(title, slug=title.lower(), description="")
        product = make("createProduct", {"translations": text})["id"]
        sizes = [{"code": size, "translations": named(size)} for size in ("S", "M")]
        group = {"code": title, "translations": named("Size"), "options": sizes}
        made = make("createProductOptionGroup", group, "id options { id }")
        self.ask_admin(
            "addOptionGroupToProduct(productId: $id, optionGroupId: $other)", product, made["id"]
        )
        variants = [
            {"sku": title, "price": 2000, "stockOnHand": 0, "trackInventory": "TRUE"}
            | {"productId": product, "optionIds": [option["id"]], "translations": named(title)}
            for option in made["options"]
        ]
        kind = "CreateProductVariantInput"
        small, medium = make("createProductVariants", variants, kind=kind)
        return product, small["id"], medium["id"]

    def set_variant(self, variant: str, **fields: object) -> None:
        given = [{"id": variant, **fields}]
        self.admin.make("updateProductVariants", given, kind="UpdateProductVariantInput")

    def ask_admin(self, call: str, *ids: str) -> dict:
        names = ("id", "other")[: len(ids)]
        given = ", ".join(f"${name}: ID!" for name in names)
        text = f"mutation({given}) {{ {call} {{ __typename }} }}"
        return self.admin.ask(text, **dict(zip(names, ids, strict=True)))

    def customer(self, name: str) -> str:
        person = {"firstName": name, "lastName": name, "emailAddress": f"{name}@shop.example"}
        text = f"""mutation($input: CreateCustomerInput!) {{
            createCustomer(input: $input, password: "{PASSWORD}") {{ ...on Customer {{ id }} {ERROR} }}
        }}"""
        return self.admin.ask(text, input=person)["id"]

    def order(self, name: str, variant: str, quantity: int) -> str:
        """Lets a customer order and pay; returns the order's id."""
        shop = GraphQL(self.url, "shop")
        shop.login(f"{name}@shop.example")
        shop.ask(
            f"""mutation($id: ID!, $quantity: Int!) {{
                addItemToOrder(productVariantId: $id, quantity: $quantity) {{ {ERROR} }} }}""",
            id=variant,
            quantity=quantity,
        )
        address = {"streetLine1": "Kiosk 1", "countryCode": "DE"}
        fields = {"fields": ERROR, "kind": "CreateAddressInput"}
        shop.make("setOrderShippingAddress", address, **fields)
        [way] = shop.ask("{ eligibleShippingMethods { id } }")
        shop.ask(
            f"mutation($id: [ID!]!) {{ setOrderShippingMethod(shippingMethodId: $id) {{ {ERROR} }} }}",
            id=[way["id"]],
        )
        shop.ask(f'mutation {{ transitionOrderToState(state: "ArrangingPayment") {{ {ERROR} }} }}')
        paid = {"method": "test", "metadata": {}}
        order = "...on Order { id state }"
        return shop.make("addPaymentToOrder", paid, f"{order} {ERROR}", "PaymentInput")["id"]

    def refund(self, order: str, quantity: int) -> None:
        """Refunds units of the order's first line."""
        text = "query($id: ID!) { order(id: $id) { lines { id } payments { id } } }"
        found = self.admin.ask(text, id=order)
        lines = [{"orderLineId": found["lines"][0]["id"], "quantity": quantity}]
        given = {"paymentId": found["payments"][0]["id"], "lines": lines, "reason": "-"}
        given |= {"amount": 2000 * quantity, "shipping": 0, "adjustment": 0}
        fields = f"...on Refund {{ id }} {ERROR}"
        made = self.admin.make("refundOrder", given, fields)
        self.admin.make("settleRefund", {"id": made["id"], "transactionId": "1"}, fields)

    def unlimited(self, title: str) -> tuple[str, str]:
        product, variant, _ = self.product(title)
        self.set_variant(variant, trackInventory="FALSE")
        return product, variant

    def rename(self, product: str, title: str) -> None:
        self.admin.make("updateProduct", {"id": product, "translations": named(title)})

    def delete(self, product: str) -> None:
        self.ask_admin("deleteProduct(id: $id)", product)


@pytest.fixture(scope="module")
def vendure() -> Iterator[Vendure]:
    """A shop with a mug and a lamp, connected as the README says."""
    if not (shutil.which("node") and nginx_binary()):
        missing("there is no node, or no nginx")
    with (
        PostgresServer() as postgres,
        Service() as service,
        closing(Vendure(postgres, service)) as shop,
        closing(shop.worker),
    ):
        lines = commands("examples/vendure/README.md", "## Wishwell's side")
        names = ("WISHLIST_ADMIN_TOKEN", "WISHLIST_STOREFRONT_TOKEN")
        said = shell(service, [*lines, f"echo ${names[0]} ${names[1]}"]).split()
        shop.token = said[-2]
        SECRETS.update(said[-2:])
        shop.environment |= dict(zip(names, said[-2:], strict=True), WISHLIST_API=service.url)
        shop.start()
        shop.set_up()
        yield shop


def test_changes_of_the_shop_are_sent(vendure):
    """New products, stock, prices, titles, removed variants and deletions are sent."""
    bag, small, medium = vendure.product("Bag")
    vendure.becomes(bag, title="Bag", price=euros("20.00"), available=False)
    assert vendure.sent(bag)["url"] == "https://shop.example/products/bag"
    assert vendure.variants(bag)[medium]["title"] == "M"
    vendure.set_variant(medium, stockOnHand=3)
    vendure.becomes(bag, available=True)
    vendure.set_variant(medium, stockOnHand=0)
    vendure.becomes(bag, available=False)
    vendure.set_variant(small, price=1250)
    vendure.becomes(bag, price=euros("12.50"))
    vendure.rename(bag, "Sack")
    vendure.becomes(bag, title="Sack")
    vendure.ask_admin("deleteProductVariant(id: $id)", small)
    vendure.becomes(bag, price=euros("20.00"))
    assert list(vendure.variants(bag)) == [medium]
    vendure.admin.make("updateProduct", {"id": bag, "enabled": False})
    vendure.becomes(bag, title=None)
    vendure.admin.make("updateProduct", {"id": bag, "enabled": True})
    vendure.becomes(bag, title="Sack")
    vendure.delete(bag)
    vendure.becomes(bag, title=None)


def test_wishes_move_at_sign_in_and_a_lower_price_makes_a_notice(vendure, chromium):
    """A visitor's item becomes the customer's at sign-in to Vendure, and a lower price makes a
    notice."""
    ada = vendure.customer("ada")
    vendure.check_sign_in_and_lower_price(
        chromium,
        {"/shop-api": vendure.url, "/apps/wishlist/": vendure.url},
        lambda page: page.evaluate(SIGN_IN, ["ada@shop.example", PASSWORD]),
        ada,
        lambda: vendure.set_variant(vendure.mug[1], price=1500),
    )


def test_orders_mark_the_wishes_that_they_fulfil(vendure):
    """A paid order marks its customer's wish at the price paid; refunded and cancelled units don't
    count."""
    item, variant, first = vendure.check_first_order()
    second = vendure.order("bo", variant, 2)
    vendure.is_bought(item, 5)
    vendure.refund(first, 1)
    vendure.is_bought(item, 4)
    vendure.admin.make("cancelOrder", {"orderId": second}, ERROR)
    vendure.is_bought(item, 2)


def test_changes_reach_the_service_after_an_outage(vendure):
    """While the service is down, the shop sells on and restarts; later nothing is missing."""
    vendure.check_outage()


def test_task_sends_changes_that_events_missed(vendure):
    """The scheduled task sends products that Wishwell lacks, and deletes those that Vendure lacks."""
    task = 'mutation { runScheduledTask(id: "wishwell") { success } }'
    vendure.check_lost_changes(lambda: vendure.admin.ask(task))
