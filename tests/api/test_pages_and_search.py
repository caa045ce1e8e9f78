"""Pages, cursors and search."""

import uuid

import pytest

from .conftest import data, new_list, products, refused, save, walk, wrong


@pytest.fixture
def http(roomy_shop):
    """A customer of a new store."""
    return roomy_shop.customer("1").http


@pytest.fixture
def seven(http):
    """Seven items, the newest first."""
    return [save(http, n) for n in range(1, 8)][::-1]


# --- pages ---------------------------------------------------------------------------------------


def test_page_that_is_the_only_one_has_no_page_info(http, seven):
    """contract: page-info. With neither next nor previous, `pageInfo` is omitted."""
    assert http.get("/items").json() == {"data": seven}
    assert http.get("/items?limit=7").json() == {"data": seven}
    assert http.get("/lists").json() == {"data": []}


def test_pages_walk_to_the_end_and_back(http, seven):
    """contract: page-order, page-walk. Newest first; `previous` walks back."""
    first = http.get("/items?limit=3").json()
    assert first["data"] == seven[:3] and set(first["pageInfo"]) == {"next"}
    second = http.get("/items", params={"limit": 3, "page": first["pageInfo"]["next"]}).json()
    assert second["data"] == seven[3:6] and set(second["pageInfo"]) == {"next", "previous"}
    third = http.get("/items", params={"limit": 3, "page": second["pageInfo"]["next"]}).json()
    assert third["data"] == seven[6:] and set(third["pageInfo"]) == {"previous"}
    back = http.get("/items", params={"limit": 3, "page": third["pageInfo"]["previous"]}).json()
    assert back["data"] == seven[3:6] and set(back["pageInfo"]) == {"next", "previous"}
    front = http.get("/items", params={"limit": 3, "page": back["pageInfo"]["previous"]}).json()
    assert front["data"] == seven[:3] and set(front["pageInfo"]) == {"next"}


def test_pages_end_where_a_page_is_exactly_full(http, seven):
    """contract: page-info. No next page behind a last one that is full."""
    assert [len(page) for page in walk(http, "/items", limit=1)] == [1] * 7
    save(http, 8)
    assert [len(page) for page in walk(http, "/items", limit=4)] == [4, 4]


def test_pages_of_lists(http):
    """contract: page-order. `GET /lists` as well, newest first."""
    made = [new_list(http, f"{n}") for n in range(5)][::-1]
    pages = walk(http, "/lists", limit=2)
    assert pages == [made[:2], made[2:4], made[4:]]


def test_pages_of_the_whole_store(roomy_shop):
    """contract: page-order, whole-store. An admin walks all profiles, newest first."""
    made = [save(roomy_shop.customer(str(n % 3)).http, n)["id"] for n in range(1, 8)]
    pages = walk(roomy_shop.admin, "/items", limit=2)
    assert [record["id"] for page in pages for record in page] == made[::-1]


def test_pages_default_to_50_and_go_up_to_250(http):
    """contract: page-limit. `limit` 1 to 250, default 50."""
    for n in range(1, 56):
        save(http, n)
    assert len(data(http.get("/items"))) == 50
    assert len(data(http.get("/items?limit=55"))) == 55
    assert "pageInfo" not in http.get("/items?limit=250").json()
    assert len(data(http.get("/items?limit=1"))) == 1


@pytest.mark.parametrize("path", ["/items", "/lists"])
def test_limit_that_is_no_whole_number_from_1_to_250_is_refused(http, path):
    """contract: page-limit. Anything else is 400, and named."""
    numbers = ("0", "251", "-1", "-0", "+5", "%2B5", "5.0", "1e3", "0x5", "5_0", "1,0", "9" * 5000)
    texts = ("", "abc", "null", "NaN", "[5]", "%20", "%205", "5%20", "%00", "5%00", "%ff", "%0d%0a")
    for value in (*numbers, *texts, "%D9%A5", "%EF%BC%95"):
        refused(http.get(f"{path}?limit={value}"), 400, "limit", "" if "%ff" in value else "250")
    for query in ("limit=5&limit=5", "limit=5&limi%74=6", "limit=5&limit="):
        refused(http.get(f"{path}?{query}"), 400, "limit")


@pytest.mark.parametrize(
    "query", ["foo=1", "offset=5", "Limit=5", "limit[]=5", "foo", "=1", "%ff=1", "%00=1"]
)
def test_parameter_that_is_unknown_is_refused(http, query):
    """contract: parameter-unknown. An unknown query parameter is 400 and named."""
    name = query.partition("=")[0]
    words = [name] if name and "%" not in name else []
    for path in ("/items", "/lists", f"/items/{uuid.uuid4()}", f"/lists/{uuid.uuid4()}"):
        refused(http.get(f"{path}?{query}"), 400, *words)
    refused(http.post(f"/items?{query}", json={"productId": 1}), 400, *words)
    refused(http.post(f"/lists?{query}", json={"name": "x"}), 400, *words)
    refused(http.get("/lists?query=product:1"), 400, "query")
    assert products(http) == []


# --- cursors -------------------------------------------------------------------------------------


def test_cursor_that_was_changed_is_refused(http, seven):
    """contract: cursor-opaque. One that was changed is 400."""
    cursor = http.get("/items?limit=3").json()["pageInfo"]["next"]
    data(http.get("/items", params={"limit": 3, "page": cursor}))
    # The last character may hold bits that no byte uses; whatever decodes to the same is the same.
    changed = {
        f"{at}": cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :]
        for at in range(len(cursor) - 1)
    }
    changed |= {f"cut {at}": cursor[:at] for at in range(len(cursor))}
    more = (cursor * 2, cursor + "A", f"..{cursor}", f" {cursor}", f"{cursor}\0")
    changed |= {
        ascii(text)[:30]: text for text in (*more, "null", "0", "é", "A" * 5000, seven[0]["id"])
    }
    statuses = {
        name: http.get("/items", params={"limit": 3, "page": text}).status_code
        for name, text in changed.items()
    }
    assert wrong(400, statuses) == {}
    refused(http.get("/items", params={"limit": 3, "page": "nonsense"}), 400, "page")
    refused(http.get("/items?limit=3&page=%ff"), 400, "page")
    refused(http.get("/items", params=[("page", cursor), ("page", cursor)]), 400, "page")


def test_cursor_used_with_another_request_is_refused(http, seven, roomy_shop, make_shop):
    """contract: cursor-bound-to-request. With another query or endpoint it is 400; a fresh token is
    no other request."""
    for n in range(3):
        new_list(http, str(n))
    cursor = http.get("/items?limit=2").json()["pageInfo"]["next"]
    searched = http.get("/items?limit=2&query=product:1,2,3,4").json()["pageInfo"]["next"]
    listed = http.get("/lists?limit=2").json()["pageInfo"]["next"]
    other = roomy_shop.customer("2").http
    elsewhere = make_shop().customer("1").http
    cases = [
        (http, "/items", {"page": cursor, "query": "product:1,2,3,4"}),
        (http, "/items", {"page": searched}),
        (http, "/items", {"page": searched, "query": "product:1,2,3"}),
        (http, "/items", {"page": listed}),
        (http, "/lists", {"page": cursor}),
        (other, "/items", {"page": cursor}),
        (roomy_shop.admin, "/items", {"page": cursor}),
        (elsewhere, "/items", {"page": cursor}),
        (elsewhere, "/lists", {"page": listed}),
    ]
    for client, path, params in cases:
        refused(client.get(path, params={"limit": 2} | params), 400, "page")
    for same in (roomy_shop.acting_as(roomy_shop.gid("1")), roomy_shop.customer("1").http):
        assert data(same.get("/items", params={"limit": 2, "page": cursor})) == seven[2:4]
    data(http.get("/items", params={"limit": 2, "page": searched, "query": "product:1,2,3,4"}))


# --- search --------------------------------------------------------------------------------------


@pytest.fixture
def stocked(http):
    """Items to search in, and the list that two of them are on."""
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


def test_search_by_each_field(http, stocked):
    """contract: search-terms. `product`, `variant`, `tag`, `list`."""
    assert found(http, "product:1") == [(1, 7), (1, 8)]
    assert found(http, "product:12") == [(12, 0)]
    assert found(http, "variant:7") == [(1, 7), (2, 7)]
    assert found(http, "tag:gift") == [(1, 7), (1, 8)]
    assert found(http, f"list:{stocked}") == [(1, 7), (2, 7)]
    assert found(http, f"product:{2**53 - 1}") == []


def test_search_with_values_by_commas_takes_any(http, stocked):
    """contract: search-terms. Values by commas (any may hold)."""
    assert found(http, "product:2,3,99") == [(2, 7), (3, 0)]
    pages = walk(http, "/items", limit=1, query="product:1,2,3")
    assert [record["productId"] for page in pages for record in page] == [3, 2, 1, 1]
    assert found(http, "tag:gift,new") == [(1, 7), (1, 8), (3, 0)]
    assert found(http, "variant:7,8") == [(1, 7), (1, 8), (2, 7)]
    other = new_list(http)["id"]
    assert found(http, f"list:{stocked},{other}") == [(1, 7), (2, 7)]


def test_search_with_terms_by_spaces_takes_all(http, stocked):
    """contract: search-terms. Terms separated by spaces (all must hold)."""
    assert found(http, "product:1 variant:7") == [(1, 7)]
    assert found(http, f"tag:new list:{stocked}") == [(1, 7)]
    assert found(http, f"product:1,2 variant:7 tag:gift list:{stocked}") == [(1, 7)]
    assert found(http, "product:3 variant:7") == []
    assert found(http, "tag:gift tag:new") == [(1, 7)], "both tags"
    assert found(http, "product:1 product:2") == []


def test_search_up_to_its_bounds_and_past_them(http, stocked):
    """contract: search-terms, search-invalid. 250 values, 8 terms, however many spaces; the message
    shows 40 characters of what it refuses, if they can be printed."""
    many = ",".join(str(number) for number in range(2, 253))
    assert found(http, f"product:{many.removesuffix(',252')}") == [(2, 7), (3, 0), (12, 0)]
    refused(http.get("/items", params={"query": f"product:{many}"}), 400, "query", "250")
    assert found(http, " product:1,2 " + "  variant:7" * 7) == [(1, 7), (2, 7)]
    refused(http.get("/items", params={"query": "variant:7 " * 9}), 400, "query", "8 terms")
    for field, shown in (("colour:", "colour:" + "x" * 33), ("list:", "x" * 40)):
        answer = http.get("/items", params={"query": field + "x" * 50})
        assert f"{shown}x" not in refused(answer, 400, repr(shown))
        refused(http.get("/items", params={"query": f"{field}{'x' * 30}\x07"}), 400, "that text")


def test_search_finds_nothing_of_others(http, stocked, roomy_shop):
    """contract: search-own. A list of somebody else has nothing on it."""
    other = roomy_shop.customer("2").http
    assert found(other, "product:1") == found(other, f"list:{stocked}") == []
    assert found(other, f"list:{uuid.uuid4()}") == []
    assert found(roomy_shop.admin, f"list:{stocked}") == [(1, 7), (2, 7)]
    assert found(roomy_shop.admin, "tag:gift") == [(1, 7), (1, 8)]


BAD_QUERIES = [
    "colour:red", "Product:1", "product", "product:", ":1", ":", "1", "product:a", "product:1,", "product:,1",
    "product:1,,2", "product:0", "product:-1", "product:1.5", "product:1e3", "product:+1", "product:\u0661",
    f"product:{2**53}", "product:" + "9" * 400, "product:1:2", "variant:x", "variant:0", "tag:Gift", "tag:",
    "tag:" + "x" * 51, "tag:\u00e9", "tag:a\0", "product:1 colour:red", "product:1;variant:2", "product:1'--",
    "product=1", "list:", "\0", "product:*", "product:1\ttag:new", "product:1\u00a0tag:new",
]  # fmt: skip


def test_search_that_is_malformed_is_refused(http, stocked):
    """contract: search-invalid. An unknown field or a malformed value is 400."""
    for query in BAD_QUERIES:
        refused(http.get("/items", params={"query": query}), 400, "query")
    for query in ("colour:red", "product"):
        refused(
            http.get("/items", params={"query": query}), 400, "product", "variant", "tag", "list"
        )
    refused(http.get("/items?query=product:1&query=product:2"), 400, "query")
    refused(http.get("/items?query=%ff"), 400, "query")
