"""A platform's webhooks about products and orders: signature, shop, topic, size and rate limit."""

import base64
import datetime
import hmac
import json

import pytest

from tests.conftest import SEALING_KEY
from tests.contract.test_platform_versions import BUYER, ID, SMALL, order, product
from tests.platform import NEW, OLD, OTHERS, Platform
from tests.servers import HERE, wait_until
from wishwell.errors import Overloaded
from wishwell.http.server.body_reader import MAX_BODY, MAX_LARGE, MAX_PLATFORM_BODY, BodyReader

from .conftest import in_one_window

LARGE = MAX_PLATFORM_BODY


def now(seconds=0):
    return (datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)).isoformat()


def placed(line, **changes):
    """Returns the sample of an order, placed now."""
    times = dict.fromkeys(("created_at", "processed_at", "updated_at"), now(1))
    return order(0, line, **times | changes)


@pytest.fixture(scope="module")
def platform(service):
    return Platform(service, NEW, OLD, options=("--currency", "EUR", "--purchases", "on"))


@pytest.fixture(scope="module")
def sibling(service):
    """Another shop of the same app."""
    return Platform(service, NEW, options=("--purchases", "on"))


def result(answer, status=200):
    assert answer.status_code == status, answer.text
    body = answer.json()
    return body["data"]["result"] if status == 200 else body["error"]["message"]


def titles(platform):
    found = platform.shop.admin.get("/products").json()["data"]
    return {one["productId"]: one["title"] for one in found}


def test_products_and_orders_of_the_platform_are_applied(platform):
    """A product appears, is bought by a customer who wished for it, and disappears; nothing of this is a
    privacy request. Rules: platform-signed, platform-products, platform-orders."""
    ann = platform.shop.customer(str(BUYER))
    item = ann.http.post("/items", json={"productId": ID, "variantId": SMALL}).json()["data"]
    sent = product() | {"updated_at": now()}
    assert result(platform.send("products/create", sent)) == "applied"
    assert result(platform.send("products/update", sent, OLD)) == "applied"  # another signature
    assert result(platform.send("products/update", sent)) == "unchanged"
    shown = ann.http.get(f"/items/{item['id']}?include=product").json()["data"]["product"]
    assert (
        shown["price"] == {"amount": "19.99", "currency": "EUR"}
        and shown["variantTitle"] == "Small"
    )
    line = {"variant_id": SMALL, "quantity": 2, "current_quantity": 2}
    bought = placed(line)
    assert result(platform.send("orders/paid", bought)) == "applied"
    assert ann.http.get(f"/items/{item['id']}").json()["data"]["purchased"]["quantity"] == 2
    cancelled = bought | {"updated_at": now(5), "cancelled_at": now(5)}
    assert result(platform.send("orders/updated", cancelled)) == "applied"
    assert "purchased" not in ann.http.get(f"/items/{item['id']}").json()["data"]
    assert result(platform.send("products/delete", {"id": ID})) == "applied"
    gone = ann.http.get(f"/items/{item['id']}?include=product").json()["data"]["product"]
    assert gone == {"deleted": True} and not platform.all()


def test_unproven_webhook_gets_the_same_401_whatever_is_wrong(service, platform, sibling):
    """A wrong secret or shop, an altered body, and a topic that the body doesn't prove get the same 401,
    and nothing changes. Rule: platform-signed."""
    other = Platform(service, OTHERS)
    sent, bought = product(0, title="Forged", updated_at=now()), placed({})
    raw = json.dumps(sent).encode()
    signed = base64.b64encode(hmac.digest(NEW.encode(), raw, "sha256")).decode()
    lacking = [{name: value for name, value in sent.items() if name != key}
               for key in ("id", "updated_at", "variants")]  # fmt: skip
    draft = {name: value for name, value in bought.items() if name != "financial_status"}
    before = titles(platform)
    answers = [
        platform.send("products/update", sent, OTHERS),
        platform.send("products/update", sent, hmac_sha256=""),
        platform.send("products/update", sent, shop_domain=other.domain),
        platform.send("products/update", sent, shop_domain="nobody.myshopify.com"),
        platform.send("products/update", sent, shop_domain=""),
        other.send("products/update", sent, NEW, shop_domain=other.domain),
        *(platform.send(topic, sent) for topic in ("products/delete", "orders/paid", "shop/redact", "")),
        *(platform.send(topic, bought) for topic in ("products/update", "products/delete", "orders/create")),
        *(platform.send(topic, {"id": ID}) for topic in ("products/update", "orders/cancelled", "collections/delete")),
        *(platform.send("products/delete", {"id": id}) for id in ("1", 1.5, None, True, [1])),
        platform.send("products/delete", {"id": ID, "updated_at": now()}),
        *(platform.send("products/update", one) for one in lacking),
        platform.send("products/update", sent | {"updated_at": "2026-01-01T00:00:00"}),
        platform.send("products/update", sent | {"variants": [1]}),
        platform.send("orders/paid", draft),
        platform.send("orders/paid", bought | {"line_items": {}}),
        *(platform.send("products/update", one) for one in (b"", b"[]", b"[" * 50_000, b'{"id": "\xff"}')),
        platform.send("products/update", raw.replace(b"Forged", b"Altered"), hmac_sha256=signed),
    ]  # fmt: skip
    assert len({result(one, 401) for one in answers}) == 1
    assert titles(platform) == before
    assert not titles(other)


def test_body_replayed_for_another_shop_of_the_app_is_refused(platform, sibling):
    """With one secret for two shops, a body that one shop accepted is refused for the other.
    Rule: platform-signed."""
    for topic, body in (
        ("products/update", product() | {"id": 71, "updated_at": now()}),
        ("products/delete", {"id": 72}),
        ("orders/paid", placed({})),
    ):
        result(platform.send(topic, body))
        answer = sibling.send(topic, body)
        assert "another shop" in result(answer, 401)
        assert answer.json()["error"]["code"] == "signature_invalid"
    assert 71 in titles(platform) and not titles(sibling)


def test_bad_product_body_gets_one_clear_error(platform):
    """A repeated key, broken JSON in an unread field and a time of the future are 400.
    Rules: platform-products, input-strict."""
    sent = product() | {"id": 73, "updated_at": now()}
    raw = json.dumps(sent).encode()
    for broken, told in (
        (raw[:-1] + b', "a": 1, "a": 2}', "a: "),
        (raw[:-1] + b', "note": "\xff"}', "body: "),
        (json.dumps(sent | {"updated_at": now(90_000)}).encode(), "updated_at: "),
    ):
        assert result(platform.send("products/update", broken), 400).startswith(told)
    assert 73 not in titles(platform)


def test_store_without_purchases_accepts_orders_and_does_nothing(service):
    """A store without purchases answers orders with 200, because the platform ends a subscription
    after failures.
    Rules: platform-orders, purchases-on."""
    off = Platform(service, NEW)
    assert result(off.send("orders/paid", placed({}))) == "ignored"


def test_body_of_two_mebibytes_is_accepted_only_on_this_route(platform):
    """A large product is accepted, a larger body is 413, and other operations keep their limit.
    Rule: request-limits."""
    raw = json.dumps(product() | {"id": 74, "updated_at": now()}).encode()
    assert result(platform.send("products/update", raw.ljust(LARGE))) == "applied"
    assert "2,048 KiB" in result(platform.send("products/update", raw.ljust(LARGE + 1)), 413)
    large = b"{}".ljust(MAX_BODY + 1)
    answer = platform.shop.admin.put(
        "/products", content=large, headers={"Content-Type": "application/json"}
    )
    assert "256 KiB" in result(answer, 413)


def large() -> BodyReader:
    """Returns a large body that is still arriving."""
    reader = BodyReader(None, LARGE)
    reader.add(bytes(MAX_BODY))
    reader.add(b"x")
    return reader


def test_number_of_large_bodies_in_memory_is_limited():
    """A process stores at most 16 large bodies at a time; the next gets 503 if all have arrived.
    Rule: request-limits."""
    first = [large() for _ in range(MAX_LARGE)]
    for one in first:
        one.end()
    assert isinstance(large().error, Overloaded)
    first[0].discard()
    first[0] = large()
    assert not any(one.error for one in first)
    for one in first:
        one.discard()


def test_slowest_large_body_is_ended_when_too_many_arrive():
    """Of too many large bodies, the one that has been arriving for longest gets 503, so that slow
    clients block nobody. Rule: request-limits."""
    arrived = large()
    arrived.end()
    slow = [large() for _ in range(MAX_LARGE - 1)]
    later = [large(), large()]
    assert [one.error is not None for one in slow] == [True] * 2 + [False] * (MAX_LARGE - 3)
    assert isinstance(slow[0].error, Overloaded)
    assert not any(one.error for one in (arrived, *later))
    assert len(arrived.read()) == MAX_BODY + 1
    for one in (arrived, *slow, *later):
        one.discard()


def test_proven_webhooks_count_for_the_store_and_not_the_address(service, sibling):
    """Webhooks that are proven don't use up the address's limit, but the store's.
    Rules: limit-address, limit-caller."""
    answers = [sibling.send("products/delete", {"id": number}) for number in range(80, 84)]
    left = [int(one.headers["x-ratelimit-remaining"]) for one in answers]
    assert left == [left[0] - number for number in range(4)] or max(left) > left[0]  # a new minute
    assert (
        answers[0].headers["x-ratelimit-limit"]
        != sibling.shop.anonymous.get("/items").headers["x-ratelimit-limit"]
    )
    sibling.shop.update("--limit", "admin_write=2")
    assert wait_until(
        lambda: sibling.send("products/delete", {"id": 90}).status_code == 429,
        seconds=60,
        every=0.2,
    )
    sibling.shop.update("--limit", "admin_write=")


@pytest.mark.slow
@in_one_window
def test_forged_webhooks_do_not_block_proven_ones(new_service):
    """An address whose limit is used up by forged webhooks still delivers proven ones. Whatever is
    wrong with a forged one, it counts. Rule: limit-address."""
    settings = {"WISHWELL_LIMIT_ADDRESS": "6", "WISHWELL_SEALING_KEYS": SEALING_KEY}
    settings["WISHWELL_TRUSTED_PROXIES"] = HERE
    with new_service(**settings).start() as service:
        platform = Platform(service, NEW, options=("--purchases", "on"))
        # Not the address that asked until the store was known.
        client = platform.shop.anonymous
        client.headers["X-Forwarded-For"] = "192.0.2.7"
        sent = {"id": 91}
        forged = [
            platform.send("products/delete", sent, OTHERS),
            platform.send("products/delete", sent, shop_domain="nobody.myshopify.com"),
            platform.send("products/delete", sent, content_type="text/plain"),
            platform.send("products/delete", bytes(LARGE + 1)),
            *(platform.send("products/delete", sent, OTHERS) for _ in range(3)),
        ]
        assert [one.status_code for one in forged] == [401, 401, 415, 413, 401, 401, 429]
        assert result(platform.send("products/delete", sent)) == "applied"
        assert client.get("/items").status_code == 429


def test_verified_address_of_the_platform_is_stored(platform):
    """A customer's webhook stores the verified address and language with an existing profile, whatever
    the order of deliveries. Rules: mail-addresses, platform-signed."""

    def sent(email, seconds, **changes):
        body = {"id": 7_001, "email": email, "verified_email": True, "locale": "de"}
        return body | {"updated_at": now(seconds)} | changes

    ann = platform.shop.customer("7001")
    ann.http.post("/items", json={"productId": 1}).raise_for_status()
    bodies = (
        ("applied", sent("ann@shop.example", -60)),
        ("unchanged", sent("ann@old.example", -600)),
        ("applied", sent("ann@new.example", -5, locale=None)),
        ("ignored", sent("ann@other.example", 0, verified_email=False)),
        ("ignored", sent(None, 0)),
        ("ignored", sent("no address", 0)),
        ("ignored", sent("ben@shop.example", 0, id=7_002)),
    )
    assert result(platform.send("customers/create", {"id": 7_001, "email": "a@b.example"}), 401)
    for expected, body in bodies:
        assert result(platform.send("customers/update", body)) == expected, body
    profile = platform.shop.acting_as(platform.shop.gid("7001")).get("/profile").json()["data"]
    shown = profile["email"], profile["emailStatus"], profile["emailSource"], profile["language"]
    assert shown == ("ann@new.example", "confirmed", "shop", "de")
