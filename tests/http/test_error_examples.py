"""Every example of an error in the description equals the service's response, word for word."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.api.conftest import over_the_wire, request_head
from tests.conftest import SIGNING_KEY, Shop
from tests.servers import Service
from wishwell import errors
from wishwell.http import responses

from .description import DOCUMENT
from .test_authorisation import expired

EXAMPLES = {
    (name, key): example["value"]["error"]
    for name, response in DOCUMENT["components"]["responses"].items()
    for key, example in response["content"]["application/json"]["examples"].items()
}


@pytest.fixture(scope="module")
def shop():
    """A store of a service with short timeouts, and rate limits as in the description's examples."""
    settings = {"WISHWELL_DATABASE_URL": "sqlite:///wishwell.db"}
    settings |= {"WISHWELL_SIGNING_KEYS": SIGNING_KEY, "WISHWELL_LIMIT_ADDRESS": "1000000"}
    settings |= {"WISHWELL_HEADER_TIMEOUT": "2", "WISHWELL_BODY_TIMEOUT": "2"}
    with Service(settings | {"WISHWELL_DATABASE_TIMEOUT": "0.5"}) as service:
        yield Shop(service)


def same_twice(shop):
    http = shop.customer().http
    http.post("/items", json={"productId": 1})
    other = http.post("/items", json={"productId": 2}).json()["data"]
    return http.patch(f"/items/{other['id']}", json={"productId": 1})


def until_too_many(shop):
    http = shop.customer().http
    # Concurrently, because the limit is 240 a minute, and on a busy machine a request may take as
    # long as the 240th part of that.
    with ThreadPoolExecutor(8) as threads:
        batches = (threads.map(http.delete, ["/items"] * 60) for _ in range(20))
        answers = (answer for batch in batches for answer in batch)
        return next(answer for answer in answers if answer.status_code == 429)


def sent(shop, head: bytes) -> dict:
    return json.loads(over_the_wire(shop.service, head, patience=10).body)


def database_locked(shop):
    http = shop.customer().http
    other = sqlite3.connect(shop.service.folder / "wishwell.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        return http.post("/items", json={"productId": 1})
    finally:
        other.close()


def failed(error: Exception) -> dict:
    """Returns the response to an error that no request can cause."""
    return json.loads(responses.failure(error, "id").body)


def slow_body(shop):
    lines = ("Content-Type: application/json", "Content-Length: 9")
    return sent(shop, request_head("POST", "/items", shop.customer().token, *lines))


UNKNOWN = "/items/01964a1b-0739-7128-a24b-e40ad23f0824"
ASKED = {
    ("BadRequest", "field"): lambda shop: shop.customer().http.post(
        "/items", json={"productId": 1, "quantity": 0}
    ),
    ("BadRequest", "parameter"): lambda shop: shop.admin.get("/items?colour=red"),
    ("BadRequest", "owner"): lambda shop: shop.admin.post("/items", json={"productId": 1}),
    ("Unauthorized", "expired"): lambda shop: shop.client(expired(shop.customer())).get("/items"),
    ("Forbidden", "profile"): lambda shop: shop.client(shop.session().token, shop.gid()).get(
        "/items"
    ),
    ("NotFound", "record"): lambda shop: shop.customer().http.get(UNKNOWN),
    ("MethodNotAllowed", "method"): lambda shop: shop.admin.patch("/items"),
    ("RequestTimeout", "headers"): lambda shop: sent(shop, b"GET /api/2025-04/items HTTP/1.1\r\n"),
    ("RequestTimeout", "slow"): slow_body,
    ("Conflict", "same"): same_twice,
    ("Gone", "feed"): lambda shop: shop.admin.get("/events?from=1"),
    ("ContentTooLarge", "large"): lambda shop: shop.customer().http.post(
        "/lists", content=b" " * 262_145, headers={"Content-Type": "application/json"}
    ),
    ("UnsupportedMediaType", "text"): lambda shop: shop.customer().http.post(
        "/lists", content=b"{}", headers={"Content-Type": "text/plain"}
    ),
    ("TooManyRequests", "write"): until_too_many,
    ("HeadersTooLarge", "large"): lambda shop: sent(
        shop, request_head("GET", "/items", None, "X-Y: " + "a" * 17_000)
    ),
    ("InternalServerError", "fault"): lambda shop: failed(RuntimeError("the inside")),
    ("ServiceUnavailable", "database"): database_locked,
    ("ServiceUnavailable", "undecided"): lambda shop: failed(errors.Undecided("the inside")),
}


def test_every_error_example_has_a_request_that_produces_it():
    """Each example has a request that produces it."""
    assert EXAMPLES.keys() == ASKED.keys()


@pytest.mark.xdist_group("error examples")
@pytest.mark.parametrize("name", ASKED, ids=" ".join)
def test_error_response_equals_its_example(shop, name):
    """Each response equals its example word for word.
    Rules: error-envelope, openapi-complete."""
    answer = ASKED[name](shop)
    error = (answer if isinstance(answer, dict) else answer.json())["error"]
    assert error | {"requestId": ""} == EXAMPLES[name] | {"requestId": ""}
