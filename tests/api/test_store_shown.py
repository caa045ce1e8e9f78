"""A store and its tokens as an admin token sees them, and product search by title."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.conftest import ROOMY, Shop

from .conftest import data, done, refused, soon, stores, walk

DEFAULTS = {
    "profile_read": 600, "profile_write": 240, "profile_token": 30,
    "admin_read": 6_000, "admin_write": 3_000, "admin_token": 3_000,
    "items": 5_000, "lists": 250, "entries": 20_000, "list_items": 1_000,
}  # fmt: skip


def test_store_response_has_the_limits_in_force(service, make_shop):
    """`GET /store` equals `store list --json`, plus the limits in force. Rule: store-settings."""
    key = service.folder / "shown.key"
    key.write_text("a-shared-key-of-the-shop-that-nobody-sees")
    shop = make_shop(
        *("--host", "https://shown.example", "--jwt-key-file", str(key), "--jwt-cookie", "jwt"),
        *("--limit", "profile_read=7", "--limit", "items=9", "--events", "on"),
        *("--forget-customers-after", "12", "--price-drop-percent", "9"),
    )
    answer = shop.admin.get("/store")
    shown, printed = data(answer), stores(service)[shop.handle]
    assert shown.pop("limits") == DEFAULTS | printed.pop("limits")
    assert shown == printed
    assert shown["naming"] == {"jwtCookie": "jwt"}
    assert key.read_text() not in answer.text
    shop.update("--limit", "items=11", "--limit", "profile_read=")
    soon(lambda: data(shop.admin.get("/store"))["limits"] == DEFAULTS | {"items": 11})


def tokens(shop) -> list[dict]:
    return data(shop.admin.get("/tokens"))


def test_tokens_are_listed_newest_first_in_pages(shop, make_shop):
    """Tokens come in pages, newest first; `token list` prints the oldest first.
    Rule: store-isolation."""
    make_shop()
    shop.another_admin_token("revoked")
    shop.service.quick("token", "revoke", tokens(shop)[0]["id"])
    for options in (("--for", "storefront"), ("--expires-days", "3")):
        words = ("token", "create", "--store", shop.handle, "--label", "more", *options)
        shop.service.quick(*words)
    # The command has no current token, and shows a last use only after it has been written.
    listed = json.loads(shop.service.quick("token", "list", "--store", shop.handle, "--json"))
    shown = tokens(shop)
    assert [token.pop("current", None) for token in shown] == [None, None, None, True]
    for token in (*shown, *listed):
        token.pop("lastUsedAt")
    assert shown == listed[::-1]
    assert [token["label"] for token in shown] == ["more", "more", "revoked", "test"]
    assert shown[0]["expiresAt"] and shown[1]["scope"] == "storefront" and shown[2]["revokedAt"]
    pages = walk(shop.admin, "/tokens", limit=2)
    assert [[token["id"] for token in page] for page in pages] == [
        [token["id"] for token in shown[:2]],
        [token["id"] for token in shown[2:]],
    ]
    assert pages[1][1]["current"] is True


def test_token_is_revoked_by_another_one(shop, make_shop):
    """A token revokes its store's other tokens, idempotently; not itself, and no other store's.
    Rule: token-revoked."""
    other = shop.client(shop.another_admin_token("leaked"))
    data(other.get("/store"))
    id = tokens(shop)[0]["id"]
    done(shop.admin.delete(f"/tokens/{id}"))
    soon(lambda: other.get("/store").status_code == 401)
    revoked_at = tokens(shop)[0]["revokedAt"]
    done(shop.admin.delete(f"/tokens/{id}"))
    assert revoked_at and tokens(shop)[0]["revokedAt"] == revoked_at
    own, foreign = tokens(shop)[1]["id"], make_shop()
    refused(shop.admin.delete(f"/tokens/{own}"), 409, "another")
    for unknown in (tokens(foreign)[0]["id"], own.upper(), str(uuid.uuid4()), "x"):
        refused(shop.admin.delete(f"/tokens/{unknown}"), 404, "token")
    assert [token["revokedAt"] for token in (tokens(shop)[1], *tokens(foreign))] == [None, None]


TITLES = [
    "Blue shirt", "BLUE jeans, 32/34", "A Tee (100%)", "Grüße", "ÉTÉ_été", "ΟΔΟΣ οδος", "Ёлка",
    "愛 ✂", r"back\slash ^ [a-z]*?", "GROẞ", "İstanbul", "{$.title|x}+'--",
]  # fmt: skip
FOUND = {
    "title:blue": [0, 1],
    "title:BLUE title:ShIrT": [0],
    "title:shirt,jeans": [0, 1],
    "title:lu title:je,ér": [1],
    "title:%": [2], "title:(100": [2], "title:_": [4], "title:^": [8], "title:\\": [8],
    "title:[a-z]*?": [8], "title:[": [8], "title:*": [8], "title:.": [11], "title:$.t": [11],
    "title:|": [11], "title:+'--": [11], "title:{": [11], "title:a-z": [8], "title:32/34": [1],
    "title:grÜß": [3], "title:gross": [], "title:GROß": [9], "title:été_É": [4], "title:e": [0, 1, 2, 3, 11],
    "title:οδοσ": [5], "title:ς": [5], "title:ёЛКА": [6], "title:愛": [7], "title:✂": [7],
    "title:i": [0, 11], "title:İST": [10], "title:\u017fhirt": [0], "title:x:y": [],
}  # fmt: skip


@pytest.fixture
def stocked(roomy_shop):
    """Products with numbered titles, and one without a title that has the search text in other
    fields."""
    named = [{"productId": n + 1, "title": title} for n, title in enumerate(TITLES)]
    named.append({"productId": 99, "url": "https://blue", "variants": [{"variantId": 1}]})
    done(roomy_shop.admin.put("/products", json={"products": named}))
    return roomy_shop.admin


def test_products_are_found_by_any_part_of_their_title(stocked):
    """A search finds any part of a title; pattern characters are literal. Rule: search-terms."""
    found = {}
    for query in FOUND:
        products = data(stocked.get("/products", params={"query": query}))
        found[query] = sorted(product["productId"] - 1 for product in products)
    assert found == FOUND


def test_found_products_come_in_pages(stocked, make_shop):
    """Found products come in pages.
    Rules: search-terms, cursor-pagination, store-isolation."""
    whole = data(stocked.get("/products", params={"query": "title:e,é"}))
    pages = walk(stocked, "/products", limit=4, query="title:E,É")
    assert [len(page) for page in pages] == [4, 2]
    assert [product for page in pages for product in page] == whole
    assert whole == [product for product in data(stocked.get("/products")) if product in whole]
    cursor = stocked.get("/products?limit=2&query=title:e").json()["pageInfo"]["next"]
    back = stocked.get("/products", params={"page": cursor, "query": "title:e"}).json()
    assert back["pageInfo"].keys() == {"previous"}
    for others in ({}, {"query": "title:b"}):
        refused(stocked.get("/products", params={"page": cursor} | others), 400, "page")
    assert data(make_shop().admin.get("/products?query=title:e")) == []


def test_malformed_product_search_is_refused(stocked):
    """A malformed title search is refused; 100 characters are allowed, 101 aren't.
    Rule: search-terms."""
    assert data(stocked.get("/products", params={"query": f"title:{'愛' * 100}"})) == []
    for query in (f"title:{'x' * 101}", "title:a " * 9, f"title:{'a,' * 250}a"):
        refused(stocked.get("/products", params={"query": query}), 400, "query")
    refused(stocked.get("/products?query=blue"), 400, "title:<text>")
    refused(stocked.get("/items?query=title:blue"), 400, "Profile")


def slowest(shop, products: int, texts: int) -> str:
    """Makes products and returns the slowest query for them: every comparison runs from each letter
    to the title's end."""
    for first in range(1, products + 1, 250):
        some = range(first, min(first + 250, products + 1))
        named = [{"productId": n, "title": "a" * 255} for n in some]
        done(shop.admin.put("/products", json={"products": named}))
    return "title:" + ",".join(f"{'a' * 90}{n}b" for n in range(texts))


@pytest.mark.slow
def test_title_search_does_not_block_other_requests(roomy_shop, engine):
    """Other requests are answered during a title search, because SQLite searches in a thread.
    Rule: search-terms."""
    if engine == "postgresql":
        pytest.skip("it searches in another process")
    query, answered = slowest(roomy_shop, 60, 25), 0
    with ThreadPoolExecutor(1) as pool:
        search = pool.submit(roomy_shop.admin.get, "/products", params={"query": query})
        while not search.done():
            data(roomy_shop.admin.get("/store"))
            answered += 1
        assert data(search.result()) == []
    assert answered > 5


@pytest.mark.slow
def test_title_search_that_would_take_minutes_is_interrupted(new_service, engine):
    """A search that would take minutes is interrupted. PostgreSQL's matching takes linear time.
    Rules: search-terms, serve-workers, write-durable."""
    if engine == "postgresql":
        pytest.skip("it is done in time")
    service = new_service(WISHWELL_SHUTDOWN_TIMEOUT="1").start()
    shop = Shop(service, *ROOMY)
    query = slowest(shop, 2_000, 150)

    def search():
        return shop.admin.get("/products", params={"query": query}, timeout=30)

    refused(search(), 503, "busy")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(search)
        soon(lambda: "requests_in_flight 1" in httpx2.get(f"{service.url}/metrics").text)
        assert service.stop() == 0
