"""Pagination, cursors and search. Longer walks: tests/contract/test_pages.py,
tests/client/test_walks.py."""

import uuid

import pytest

from .conftest import data, new_list, refused, save


@pytest.fixture
def http(roomy_shop):
    """A client of a customer of a new store with roomy rate limits."""
    return roomy_shop.customer("1").http


@pytest.fixture
def seven(http):
    """Seven items, newest first."""
    return [save(http, n) for n in range(1, 8)][::-1]


# --- pages ---------------------------------------------------------------------------------------


def test_page_has_50_records_by_default_and_at_most_250(http):
    """`limit` is 1 to 250, by default 50."""
    for n in range(1, 56):
        save(http, n)
    assert len(data(http.get("/items"))) == 50
    assert len(data(http.get("/items?limit=55"))) == 55
    assert "pageInfo" not in http.get("/items?limit=250").json()
    assert len(data(http.get("/items?limit=1"))) == 1


# --- cursors -------------------------------------------------------------------------------------


def test_altered_cursor_is_refused(http, seven):
    """A changed cursor is 400. Arbitrary cursors: tests/fuzz/targets.py.
    Rule: cursor-pagination."""
    cursor = http.get("/items?limit=3").json()["pageInfo"]["next"]
    data(http.get("/items", params={"limit": 3, "page": cursor}))
    first = "A" if cursor[0] != "A" else "B"
    changed = [first + cursor[1:], cursor[:-1], cursor + "A", f" {cursor}", f"{cursor}\0"]
    for text in (*changed, seven[0]["id"]):
        refused(http.get("/items", params={"limit": 3, "page": text}), 400, "page")


def test_cursor_used_with_another_request_is_refused(http, seven, roomy_shop, make_shop):
    """A cursor is refused with another endpoint, profile or query; a new token of the profile may
    use it.
    Rule: cursor-pagination."""
    for n in range(3):
        new_list(http, str(n))
    cursor = http.get("/items?limit=2").json()["pageInfo"]["next"]
    searched = http.get("/items?limit=2&query=product:1,2,3,4").json()["pageInfo"]["next"]
    listed = http.get("/lists?limit=2").json()["pageInfo"]["next"]
    elsewhere = make_shop().customer("1").http
    for client, path, params in (
        (http, "/items", {"page": cursor, "query": "product:1,2,3,4"}),
        (http, "/items", {"page": searched}),
        (http, "/items", {"page": searched, "query": "product:1,2,3"}),
        (http, "/items", {"page": listed}),
        (http, "/lists", {"page": cursor}),
        (roomy_shop.customer("2").http, "/items", {"page": cursor}),
        (roomy_shop.admin, "/items", {"page": cursor}),
        (elsewhere, "/items", {"page": cursor}),
        (elsewhere, "/lists", {"page": listed}),
    ):
        refused(client.get(path, params={"limit": 2} | params), 400, "page")
    for same in (roomy_shop.acting_as(roomy_shop.gid("1")), roomy_shop.customer("1").http):
        assert data(same.get("/items", params={"limit": 2, "page": cursor})) == seven[2:4]
    data(http.get("/items", params={"limit": 2, "page": searched, "query": "product:1,2,3,4"}))


# --- search --------------------------------------------------------------------------------------


@pytest.fixture
def stocked(http):
    """Saves items to search in. Returns the id of a list that contains two."""
    kept = new_list(http)["id"]
    save(http, 1, variantId=7, tags=["gift", "new"], listIds=[kept])
    save(http, 1, variantId=8, tags=["gift"])
    save(http, 2, variantId=7, listIds=[kept])
    save(http, 3, tags=["new"])
    save(http, 12)
    return kept


def found(http, query: str) -> list[tuple]:
    records = data(http.get("/items", params={"query": query}))
    return sorted((record["productId"], record.get("variantId", 0)) for record in records)


def test_search_over_its_limits_is_refused(http, stocked):
    """A query has at most 8 terms and 250 values per term. An error quotes at most 40 characters,
    and only printable ones.
    Rule: search-terms."""
    many = ",".join(str(number) for number in range(2, 253))
    assert found(http, f"product:{many.removesuffix(',252')}") == [(2, 7), (3, 0), (12, 0)]
    refused(http.get("/items", params={"query": f"product:{many}"}), 400, "query", "250")
    assert found(http, " product:1,2 " + "  variant:7" * 7) == [(1, 7), (2, 7)]
    refused(http.get("/items", params={"query": "variant:7 " * 9}), 400, "query", "8 terms")
    shown = "colour:" + "x" * 33
    answer = http.get("/items", params={"query": "colour:" + "x" * 50})
    assert f"{shown}x" not in refused(answer, 400, repr(shown))
    refused(http.get("/items", params={"query": f"colour:{'x' * 30}\x07"}), 400, "that text")


def test_search_finds_only_the_callers_records(http, stocked, roomy_shop):
    """A search finds only the caller's records; another profile's list matches nothing.
    Rule: search-terms."""
    other = roomy_shop.customer("2").http
    assert found(other, "product:1") == found(other, f"list:{stocked}") == []
    assert found(other, f"list:{uuid.uuid4()}") == found(http, "list:zzz") == []
    assert found(roomy_shop.admin, f"list:{stocked}") == [(1, 7), (2, 7)]
    assert found(roomy_shop.admin, "tag:gift") == [(1, 7), (1, 8)]


def test_malformed_search_is_refused(http, stocked):
    """The message of a malformed query names the fields. Other text: tests/http/test_patterns.py.
    Rule: search-terms."""
    allowed = ("product", "variant", "tag", "list")
    for query in ("colour:red", "product"):
        refused(http.get("/items", params={"query": query}), 400, *allowed)
