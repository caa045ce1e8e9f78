"""Privacy requests from a platform: signature, format and processing."""

import contextlib
import hashlib
import hmac
import json

import pytest

from tests.platform import BODIES, NEW, OLD, OTHERS, WEBHOOKS, Platform
from tests.servers import wait_until


@pytest.fixture(scope="module")
def asking(service):
    return Platform(service, NEW, OLD)


@contextlib.contextmanager
def nothing_taken(*platforms: Platform):
    # Compares ids only, because earlier requests may be completed in the meantime.
    before = [one.all().keys() for one in platforms]
    yield
    assert [one.all().keys() for one in platforms] == before


def refused(answer, status: int = 401) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["error"]["message"]


def test_webhook_signed_with_the_current_or_previous_secret_is_accepted(asking):
    """Webhooks signed with the current or the previous secret are accepted without a token.
    Rules: platform-signed, privacy-requests."""
    for secret in (NEW, OLD):
        answer = asking.send("shop/redact", asking.body("shop/redact"), secret)
        assert answer.status_code == 200
        assert answer.json()["data"]["id"] in asking.all()


def test_every_unproven_webhook_gets_the_same_401(service, asking):
    """Every unproven webhook gets the same 401, and nothing is stored in any store.
    Rule: platform-signed."""
    other, without = Platform(service, OTHERS), Platform(service)
    body = asking.body("shop/redact")
    raw = json.dumps(body).encode()
    hexed = hmac.new(NEW.encode(), raw, hashlib.sha256).hexdigest()
    unknown = body | {"shop_domain": "nobody.myshopify.com"}
    with nothing_taken(asking, other, without):
        words = {
            refused(asking.send("shop/redact", body, OTHERS)),
            refused(asking.send("shop/redact", body, hmac_sha256="")),
            refused(asking.send("shop/redact", body, hmac_sha256=hexed)),
            refused(asking.send("shop/redact", body, hmac_sha256="é")),
            refused(asking.send("shop/redact", raw + b" ", hmac_sha256="A" * 44)),
            # Another store's shop with its secret, in the header alone and in the body alone.
            refused(asking.send("shop/redact", body, OTHERS, shop_domain=other.domain)),
            refused(asking.send("shop/redact", body, shop_domain=other.domain)),
            refused(other.send("shop/redact", body | {"shop_domain": other.domain}, NEW)),
            refused(asking.send("shop/redact", unknown, shop_domain="nobody.myshopify.com")),
            refused(without.send("shop/redact", without.body("shop/redact"))),
            refused(without.send("shop/redact", without.body("shop/redact"), "")),
            refused(asking.send("shop/redact", b"")),
            refused(asking.send("shop/redact", b"[" * 50_000)),
            refused(asking.send("shop/redact", b'{"shop_domain": "\xff"}')),
            refused(asking.send("orders/create", body)),
        }
    assert len(words) == 1


@pytest.mark.parametrize("shape", BODIES)
def test_topic_must_match_the_body(asking, shape):
    """The topic must match the body, because the topic header isn't signed; unknown fields are
    ignored.
    Rule: platform-signed."""
    for topic in BODIES:
        answer = asking.send(topic, asking.body(shape, 1, more={"than": ["was", "said"]}))
        assert answer.status_code == (200 if topic == shape else 401)


def test_body_that_fits_no_topic_is_refused(asking):
    """A body that fits no topic is refused. Rule: platform-signed."""
    with nothing_taken(asking):
        for name, value in (
            *(("customer", value) for value in (None, 7, {"id": 1.5})),
            *(("orders_to_redact", "1"), ("data_request", {"id": 1}), ("shop_domain", None)),
        ):
            body = asking.body("customers/redact", 1) | {name: value}
            for topic in BODIES:
                refused(asking.send(topic, body))


def test_bad_input_gets_one_clear_error(asking):
    """Each kind of bad input gets one clear error.
    Rules: privacy-requests, request-limits, input-strict."""
    body = asking.body("shop/redact")
    twice = f'{{"shop_domain": "{asking.domain}", "a": 1, "a": 2}}'.encode()
    large = f'{{"shop_domain": "{asking.domain}"}}'.encode().ljust(2 * 1024 * 1024 + 1)
    with nothing_taken(asking):
        for id in ("", "a b", "a" * 101, "ü"):
            assert "X-Shopify-Webhook-Id" in refused(asking.send("shop/redact", body, id=id), 400)
        assert refused(asking.send("shop/redact", twice), 400).startswith("a: ")
        for passed_over in (b'"\xff"', b"9" * 5_000):
            raw = b'{"shop_domain": "%s", "other": %s}' % (asking.domain.encode(), passed_over)
            assert refused(asking.send("shop/redact", raw), 400).startswith("body: ")
        refused(asking.send("shop/redact", large), 413)
        refused(asking.send("shop/redact", body, content_type="text/plain"), 415)
        headers = [("X-Shopify-Topic", "shop/redact")] * 2
        json_type = [("Content-Type", "application/json")]
        answer = asking.shop.anonymous.post(WEBHOOKS, content=b"{}", headers=json_type + headers)
        assert "X-Shopify-Topic" in refused(answer, 400)
        assert refused(asking.shop.anonymous.post(WEBHOOKS + "?a=1", json={}), 400)
    whole = json.dumps(body).encode().ljust(256 * 1024)
    assert asking.send("shop/redact", whole).status_code == 200


def test_duplicate_delivery_or_body_returns_the_first_requests_id(asking):
    """A duplicate delivery or body returns the first request's id and creates nothing, also
    concurrently.
    Rule: privacy-requests."""
    body = asking.body("customers/redact", 77)
    first = asking.send("customers/redact", body, id="one").json()
    with nothing_taken(asking):
        again = [
            asking.send("customers/redact", asking.body("customers/redact", 78), id="one"),
            asking.send("customers/redact", body),
            asking.send("customers/redact", body, OLD),
        ]
    assert [(answer.status_code, answer.json()) for answer in again] == [(200, first)] * 3


def test_privacy_requests_are_listed_and_cancelled_by_their_own_store_only(service, asking):
    """Requests are listed, and a waiting `shop/redact` can be cancelled, by their own store only.
    Rule: privacy-requests."""
    theirs = Platform(service, NEW)
    one, two = theirs.asks("shop/redact"), theirs.asks("customers/data_request")
    answer = theirs.shop.admin.get("/requests?limit=1").json()
    assert [each["id"] for each in answer["data"]] == [two]
    rest = theirs.shop.admin.get(f"/requests?limit=1&page={answer['pageInfo']['next']}").json()
    [waits] = rest["data"]
    assert waits.keys() == {
        "id", "topic", "state", "receivedAt", "bodyHash", "deliveryId", "dueAt"
    }  # fmt: skip
    assert (waits["id"], waits["topic"], waits["state"]) == (one, "shop/redact", "waiting")
    nobody = theirs.all()[two]
    assert (nobody["state"], "doneAt" in nobody) == ("nothing", True)
    assert "profile" not in nobody
    command = ("profile", "requests", "--store", theirs.shop.handle)
    shown = json.loads(service.quick(*command, "--json"))
    assert {each["id"]: each for each in shown} == theirs.all()
    assert len(service.quick(*command).splitlines()) == 3
    assert asking.shop.admin.delete(f"/requests/{one}").status_code == 404
    admin = theirs.shop.admin
    assert admin.delete("/requests/x").status_code == 404
    assert admin.delete(f"/requests/{two}").status_code == 409
    for _ in range(2):
        assert admin.delete(f"/requests/{one}").status_code == 204
    done = theirs.all()[one]
    assert (done["state"], "doneAt" in done, "dueAt" in done) == ("called_off", True, False)


def test_export_of_a_customer_is_complete_and_ends_with_their_erasure(asking):
    """An export contains everything stored about a customer and ends when they are erased.
    Rule: privacy-requests."""
    ann = asking.shop.customer("4711")
    ann.http.post("/items", json={"productId": 5, "note": "for the garden"})
    id = asking.asks("customers/data_request", 4711)
    done = asking.reaches(id, "exported")
    assert "profile" not in done
    assert done["expiresAt"] > done["doneAt"]
    admin = asking.shop.admin
    answer = admin.get(f"/requests/{id}/export")
    assert answer.status_code == 200
    [item] = answer.json()["data"]["items"]
    assert (item["productId"], item["note"]) == (5, "for the garden")
    assert answer.json()["data"]["profile"]["profile"] == ann.gid
    assert asking.shop.client(ann.token).get(f"/requests/{id}/export").status_code == 403
    redact = asking.asks("customers/redact", "4711")
    assert "expiresAt" not in asking.reaches(redact, "erased")
    assert admin.get(f"/requests/{id}/export").status_code == 404
    left = asking.all()[id]
    assert left.keys() == {
        "id", "topic", "state", "receivedAt", "bodyHash", "deliveryId", "doneAt"
    }  # fmt: skip
    assert wait_until(lambda: ann.http.get("/items").status_code == 401, seconds=30, every=0.2)
    assert asking.shop.acting_as(ann.gid).get("/items").json()["data"] == []
