"""Large answers come compressed, through each proxy too; those with a secret never do."""

import gzip
import json

import httpx2
import pytest

from wishwell.http import compression, routes

from . import way
from .conftest import BASE

GZIP = {"Accept-Encoding": "gzip"}
LARGE = 420
"""Items of a list whose answer is compressed outside of the event loop."""


def raw(browser, method, path, accepted="gzip"):
    """Returns a response to this browser, with its body as it was sent."""
    headers = {"Host": browser.front.host, "Accept-Encoding": accepted}
    url = f"{browser.front.url}{BASE}/api{path}"
    with (
        httpx2.Client(cookies=browser.http.cookies, trust_env=False) as client,
        client.stream(method, url, headers=headers) as answer,
    ):
        return answer, b"".join(answer.iter_raw())


@pytest.fixture(scope="module")
def shopper(front):
    """A shopper with a list of many items, a list of one, and the lists' paths."""
    visitor = front.anyone(1)
    large, small = [
        visitor.post("/lists", json={"name": name}).json()["data"]["id"] for name in ("a", "b")
    ]
    for first in range(0, LARGE, 210):
        items = [{"productId": n + 1, "listIds": [large]} for n in range(first, first + 210)]
        assert visitor.put("/items", json={"items": items}).status_code == 200
    return visitor, f"/lists/{large}", f"/lists/{small}"


@way.direct("a forwarder sends an answer as it is", "nginx", "caddy")
def test_large_answer_is_compressed_if_the_client_accepts_gzip(shopper):
    """An answer of at least MIN_BYTES is gzip where `Accept-Encoding` allows it, with the same
    content; a small one never is. `HEAD` has the same headers. Rule: response-compressed."""
    visitor, large, small = shopper
    bodies = {}
    for path in (large, "/items?limit=30"):
        plain, bodies[path] = raw(visitor, "GET", path, "identity")
        assert "content-encoding" not in plain.headers
    assert len(bodies[large]) > 64 * 1024 > 16 * 1024 > len(bodies["/items?limit=30"])
    for accepted, coded in {
        "gzip": True, "br, gzip;q=0.1": True, "*": True, "GZIP": True,
        "br": False, "gzip;q=0": False, "gzip;q=0.5, identity": False, "": False,
    }.items():  # fmt: skip
        for path, body in bodies.items():
            answer, sent = raw(visitor, "GET", path, accepted)
            assert answer.headers.get("content-encoding") == ("gzip" if coded else None), accepted
            assert answer.headers["vary"].replace(" ", "") == "Accept-Encoding,Cookie"
            assert (gzip.decompress(sent) if coded else sent) == body
    answer, sent = raw(visitor, "GET", large)
    assert len(sent) < len(bodies[large]) / 3
    head, nothing = raw(visitor, "HEAD", large)
    assert (head.headers["content-encoding"], nothing) == ("gzip", b"")
    if way.NAME == "direct":
        assert head.headers["content-length"] == str(len(sent))
    answer, sent = raw(visitor, "GET", small)
    assert "content-encoding" not in answer.headers and len(sent) < compression.MIN_BYTES


def test_client_that_takes_any_encoding_gets_the_whole_list(shopper):
    """A client that takes any encoding gets the whole list. Rule: response-compressed."""
    visitor, large, _ = shopper
    answer = visitor.get(large)
    assert answer.json()["data"]["itemCount"] == len(answer.json()["data"]["items"]) == LARGE


def test_answer_with_a_secret_is_never_compressed(shopper):
    """Answers to writes, and those with tokens of shares, aren't compressed, however long.
    Rule: response-compressed."""
    visitor, large, _ = shopper
    made = [visitor.post(f"{large}/shares", json={}).json()["data"] for _ in range(12)]
    shares = visitor.get(f"{large}/shares", headers=GZIP)
    assert len(shares.content) > compression.MIN_BYTES and made[0]["token"] in shares.text
    assert "content-encoding" not in shares.headers
    items = [{"productId": n + 1} for n in range(30)]
    saved = visitor.put("/items", json={"items": items}, headers=GZIP)
    assert len(saved.content) > compression.MIN_BYTES
    assert "content-encoding" not in saved.headers


def test_only_these_routes_are_compressed():
    """A new route is compressed only if somebody has made sure that its answer has no secret.
    Rule: response-compressed."""
    named = {route.path for route in routes.API if route.compressed}
    assert named == {
        "/items", "/lists", "/lists/{listId}", "/shared/{token}", "/events", "/products", "/wishes",
        "/reservations",
    }  # fmt: skip


@way.direct("the answer's headers are the service's own")
def test_shared_list_is_compressed_without_its_token(front, shopper):
    """A shared list is compressed, and its answer doesn't contain the token of its share.
    Rules: response-compressed, share-token."""
    visitor, large, _ = shopper
    token = visitor.post(f"{large}/shares", json={}).json()["data"]["token"]
    answer, sent = raw(front.browser(), "GET", f"/shared/{token}")
    assert answer.headers["content-encoding"] == "gzip"
    shown = gzip.decompress(sent)
    assert len(json.loads(shown)["data"]["items"]) == LARGE and token.encode() not in shown
