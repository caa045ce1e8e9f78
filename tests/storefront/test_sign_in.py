"""Signing in, which links a visitor's session to the customer, and signing out."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.servers import holding, wait_until

from .conftest import (
    BY_JWT,
    envelope,
    new_api,
    nobodys,
    products,
    removes_cookie,
    shop_jwt,
    with_one_store,
)


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("shop-postgresql"))],
)
def shared(request):
    """The store that most tests share, and one on PostgreSQL with two workers and another base."""
    if request.param == "sqlite":
        yield request.getfixturevalue("front")
        return
    database = request.getfixturevalue("postgres_server").create_database()
    settings = {"WISHWELL_DATABASE_URL": database, "WISHWELL_WORKERS": "2"}
    settings["WISHWELL_STOREFRONT_BASE"] = "/x/wish"
    with with_one_store(new_api(**settings), *BY_JWT) as front:
        yield front


def test_visitors_items_become_the_customers_at_sign_in(shared):
    """A visitor's saved items become the customer's at sign-in, and the request's log line has both.
    Rules: log-private, storefront-visitor, storefront-sign-in, storefront-paths."""
    visitor, token = shared.browser(), {"X-Shop-Token": shop_jwt("one")}
    assert nobodys(visitor.get("/items"))
    assert not visitor.http.cookies
    for product in (1, 2):
        answer = visitor.post("/items", json={"productId": product})
        assert answer.headers["Location"].startswith(f"{shared.base}/api/items/")
    assert products(visitor.get("/items?query=product:1,2,3")) == [1, 2]
    session = visitor.session
    signed_in = visitor.get("/items", headers=token)
    assert products(signed_in) == [1, 2]
    assert removes_cookie(signed_in)
    assert nobodys(visitor.get("/items"))
    id = signed_in.json()["data"][0]["id"]
    assert visitor.patch(f"/items/{id}", json={"quantity": 3}, headers=token).is_success
    assert visitor.delete(f"/items/{id}", headers=token).status_code == 204
    put = visitor.put(f"/items/{id}/lists", json={"listIds": []}, headers=token)
    envelope(put, 404)
    lines = lambda: [line for line in shared.api.log_lines() if f'"session":"{session}"' in line]  # noqa: E731
    assert wait_until(lines, seconds=30)
    [line] = map(json.loads, lines())
    assert (line["event"], line["profile"]) == ("request", "gid://shopify/Customer/one")


def test_twenty_concurrent_requests_link_once(shared):
    """Twenty concurrent requests link once; all see the linked items, without duplicates.
    Rule: storefront-sign-in."""
    visitor, token = shared.anyone(1, 2, 3), shop_jwt("crowd")
    cookie = visitor.cookie
    shared.signed_in("crowd").save(4)

    def ask(_: int) -> httpx2.Response:
        return shared.browser(cookie, X_Shop_Token=token).get("/items")

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    for answer in answers:
        assert products(answer) == [1, 2, 3, 4]
        assert removes_cookie(answer)
    assert nobodys(shared.browser(cookie).get("/items"))


def test_write_that_signs_in_continues_as_the_customer(front):
    """A write that signs in links first, then acts as the customer.
    Rules: storefront-sign-in, storefront-naming."""
    front.shop.customer("writer").http.post("/items", json={"productId": 1})
    visitor, token = front.anyone(1, 2), {"X-Shop-Token": shop_jwt("writer")}
    answer = visitor.post("/items", json={"productId": 3}, headers=token)
    assert answer.status_code == 201
    assert removes_cookie(answer) and visitor.cookie is None
    assert answer.headers["Wishwell-Shopper"] == front.shopper("gid://shopify/Customer/writer")
    again = visitor.get("/items", headers=token)
    assert products(again) == [1, 2, 3]
    assert "Set-Cookie" not in again.headers


@pytest.mark.slow
@pytest.mark.xdist_group("shop-postgresql")
def test_customer_whose_link_fails_is_served(postgres_server):
    """If the link fails, the customer is still served, the cookie stays, and a later request links.
    The visitor's own write is 503.
    Rules: storefront-sign-in, write-durable."""
    database = postgres_server.create_database()
    # A short timeout; a link may take ten times as long.
    settings = {"WISHWELL_DATABASE_URL": database, "WISHWELL_DATABASE_TIMEOUT": "0.5"}
    with with_one_store(new_api(**settings), *BY_JWT) as front:
        front.signed_in("held-up").save(1)
        visitor = front.anyone(2, 3)
        token = {"X-Shop-Token": shop_jwt("held-up")}
        row = f"SELECT 1 FROM profiles WHERE gid = '{visitor.session}' FOR UPDATE"
        with holding(database, row):
            refused = visitor.post("/items", json={"productId": 9})
            envelope(refused, 503)
            assert refused.headers["Retry-After"] == "1"
            assert refused.headers["Cache-Control"] == "private, no-store"
            assert "Set-Cookie" not in refused.headers
            first = visitor.get("/items", headers=token)
            assert products(first) == [1]
            assert "Set-Cookie" not in first.headers
            assert visitor.post("/items", json={"productId": 4}, headers=token).status_code == 201
            assert visitor.cookie is not None
        put_off = lambda: [line for line in front.api.log_lines() if "link_put_off" in line]  # noqa: E731
        assert wait_until(put_off, seconds=30)
        assert json.loads(put_off()[0])["reason"]
        assert visitor.session not in put_off()[0]
        assert visitor.products() == [2, 3]
        answer = visitor.get("/items", headers=token)
        assert products(answer) == [1, 2, 3, 4]
        assert removes_cookie(answer)
        assert nobodys(visitor.get("/items"))
