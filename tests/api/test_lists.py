"""Lists, their names, and the order of what is on them."""

import time
import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.servers import PREFIX

from .conftest import (
    ITEM_KEYS,
    LIST_KEYS,
    TIME,
    data,
    done,
    item,
    new_list,
    nothing_changes,
    order_of,
    products,
    refused,
    save,
    whole_list,
)

# --- creating and naming -------------------------------------------------------------------------


def test_create_a_list(http):
    """contract: list-fields, answer-record. The whole record, 201 with `Location`."""
    answer = http.post("/lists", json={"name": "Gifts"})
    record = data(answer, 201)
    assert set(record) == LIST_KEYS
    assert isinstance(record["id"], str) and (record["name"], record["itemCount"]) == ("Gifts", 0)
    assert TIME.fullmatch(record["createdAt"]) and record["createdAt"] == record["updatedAt"]
    where = answer.url.join(answer.headers["Location"])
    assert where.path == f"{PREFIX}/lists/{record['id']}"
    assert data(http.get(str(where))) == record | {"items": []}
    assert data(http.get("/lists")) == [record]


GOOD_NAMES = [
    "x", "x" * 255, "\U0001f381" * 255, "\u0645\u0631\u062d\u0628\u0627", "\u202egnp.exe", "e\u0301", "\u00e9",
    "\uffff", "a'b\"c\\d", "<b>&amp;", "%s %00 {} $1 ; --", "null", "a  b", "a\u2028b", "e" + "\u0301" * 254,
]  # fmt: skip


def test_names_that_are_allowed_come_back_as_they_were(http):
    """contract: list-name, text-kept. 255 are counted in characters, not in bytes."""
    for name in GOOD_NAMES:
        record = new_list(http, name)
        assert record["name"] == name
        assert whole_list(http, record["id"])["name"] == name


# Of any script, and what a database, a browser or a normaliser would change.
PIECES = st.sampled_from(
    [
        *("a", "Z", "0", " ", "\t", "\n", "\x7f", "\x85", "\u00a0", "\u00e9", "e\u0301", "\u200b"),
        *("\u2028", "\u202e", "\u2066", "\ufeff", "\ufffd", "\uffff", "\U0001f468\u200d\U0001f469"),
        *("\U0010ffff", "\u4e2d\u6587", "%", "_", "'", '"', "\\", "--", "$1", "\u0344" * 40),
    ]
)


@given(name=st.lists(PIECES | st.characters(exclude_categories=["Cs"]), max_size=40).map("".join))
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_name_comes_back_as_it_was_or_is_refused(roomy_shop, name):
    """contract: text-kept, engines-alike, list-name. Lengths are in code points; nothing is
    normalised."""
    answer = roomy_shop.customer("1").http.post("/lists", json={"name": name})
    trimmed = name.strip()
    control = any(ord(c) < 32 or 127 <= ord(c) <= 159 for c in trimmed)
    if control or not 1 <= len(trimmed) <= 255:
        refused(answer, 400, "name")
    else:
        made = data(answer, 201)
        assert made["name"] == trimmed
        assert whole_list(roomy_shop.admin, made["id"])["name"] == trimmed


def test_names_are_trimmed(http):
    """contract: list-name. 1 to 255 characters after trimming; two may have one name."""
    assert new_list(http, "  Gifts and more ")["name"] == "Gifts and more"
    for _ in range(2):
        assert new_list(http, " " * 300 + "x" * 255 + " " * 300)["name"] == "x" * 255
    record = new_list(http, "y")
    assert data(http.patch(f"/lists/{record['id']}", json={"name": " z "}))["name"] == "z"


BAD_NAMES = ["", " ", "\u00a0", "x" * 256, "\U0001f381" * 256, 1, True, None, [], {}, ["x"]]
BAD_NAMES += [f"a{chr(code)}b" for code in (0, 1, 8, 9, 10, 13, 27, 31, 127, 0x80, 0x85, 0x9F)]


def test_names_that_are_not_allowed_are_refused(http):
    """contract: list-name. 1 to 255 characters after trimming, no control characters."""
    record = new_list(http, "kept")
    with nothing_changes(http):
        for name in BAD_NAMES:
            refused(http.post("/lists", json={"name": name}), 400, "name")
            refused(http.patch(f"/lists/{record['id']}", json={"name": name}), 400, "name")
        refused(http.post("/lists", json={"name": "x" * 256}), 400, "255")
        refused(http.post("/lists", json={}), 400, "name")
        refused(http.post("/lists"), 400)


@pytest.mark.parametrize(
    "field", ["id", "items", "itemCount", "profile", "createdAt", "Name", "storeId"]
)
def test_list_with_an_unknown_field_is_refused(http, field):
    """contract: body-unknown-field. An unknown field in a body is 400 and named."""
    record = new_list(http)
    with nothing_changes(http):
        refused(http.post("/lists", json={"name": "x", field: 1}), 400, field)
        refused(http.patch(f"/lists/{record['id']}", json={"name": "x", field: 1}), 400, field)


def test_list_holds_no_more_items_than_may_be(make_shop):
    """contract: list-item-limit. On every way in; what is on it already may stay and change."""
    shop = make_shop("--limit", "list_items=2")
    http = shop.customer("1").http
    full, other = new_list(http, "Full")["id"], new_list(http, "Other")["id"]
    first = save(http, 1, listIds=[full])
    save(http, 2, listIds=[full])
    third = save(http, 3)
    with nothing_changes(http):
        for listed in ([full], [other, full]):
            body = {"productId": 4, "listIds": listed}
            refused(http.post("/items", json=body), 400, "listIds", "a list holds at most 2 items")
            refused(http.post("/items", json=body | {"productId": 3}), 400, "listIds")
            on = {"listIds": listed}
            refused(http.put(f"/items/{third['id']}/lists", json=on), 400, "listIds")
    data(http.post("/items", json={"productId": 1, "quantity": 5, "listIds": [full]}), 200)
    data(http.put(f"/items/{first['id']}/lists", json={"listIds": [other]}), 200)
    data(http.put(f"/items/{third['id']}/lists", json={"listIds": [full, other]}), 200)
    assert whole_list(http, full)["itemCount"] == 2


def test_items_stand_on_no_more_places_of_lists_than_may_be(make_shop):
    """contract: place-limit. Over all lists of a profile; one place may be given for another."""
    shop = make_shop("--limit", "entries=3")
    http = shop.customer("1").http
    made = [new_list(http, name)["id"] for name in "ABCD"]
    first = save(http, 1, listIds=made[:2])
    save(http, 2, listIds=made[:1])
    with nothing_changes(http):
        body = {"productId": 3, "listIds": made[:1]}
        refused(http.post("/items", json=body), 400, "listIds", "3")
        refused(http.put(f"/items/{first['id']}/lists", json={"listIds": made[:3]}), 400, "listIds")
    data(http.put(f"/items/{first['id']}/lists", json={"listIds": made[2:]}), 200)
    data(http.put(f"/items/{first['id']}/lists", json={"listIds": []}), 200)
    save(http, 3, listIds=made[:2])
    save(shop.customer("2").http, 1)


def test_create_over_the_limit_of_lists_is_refused(make_shop):
    """contract: list-limit. Too many lists."""
    shop = make_shop("--limit", "lists=2")
    http = shop.customer("1").http
    new_list(http, "a"), new_list(http, "b")
    with nothing_changes(http):
        refused(http.post("/lists", json={"name": "c"}), 400, "2", "lists")
    new_list(shop.customer("2").http)


# --- reading, renaming, deleting -----------------------------------------------------------------


def test_list_holds_whole_items_and_their_count(http):
    """contract: list-items. `GET /lists/{listId}` adds `items`, whole Item records."""
    record = new_list(http)
    made = [save(http, n, variantId=n, tags=["a"], listIds=[record["id"]]) for n in (1, 2)]
    save(http, 3)
    whole = whole_list(http, record["id"])
    assert set(whole) == LIST_KEYS | {"items"}
    assert whole["itemCount"] == 2 and whole["items"] == [made[1], made[0]]
    assert all(set(entry) == ITEM_KEYS | {"variantId"} for entry in whole["items"])
    [listed] = data(http.get("/lists"))
    assert listed == {name: whole[name] for name in LIST_KEYS}


def test_rename_a_list(http):
    """contract: list-update, list-updated-at. `updatedAt` moves; by an empty object nothing."""
    record = new_list(http)
    time.sleep(0.005)
    renamed = data(http.patch(f"/lists/{record['id']}", json={"name": "Birthday"}))
    assert renamed == record | {"name": "Birthday", "updatedAt": renamed["updatedAt"]}
    assert renamed["updatedAt"] > record["updatedAt"]
    time.sleep(0.005)
    assert data(http.patch(f"/lists/{record['id']}", json={})) == renamed
    assert data(http.get("/lists")) == [renamed]


def test_delete_a_list_keeps_its_items(http):
    """contract: list-delete. Deleting a list keeps its items."""
    record, other = new_list(http, "a"), new_list(http, "b")
    saved = save(http, 1, listIds=[record["id"], other["id"]])
    done(http.delete(f"/lists/{record['id']}"))
    refused(http.get(f"/lists/{record['id']}"), 404)
    refused(http.delete(f"/lists/{record['id']}"), 404)
    assert item(http, saved["id"])["listIds"] == [other["id"]]
    assert products(http) == [1]
    assert [entry["id"] for entry in data(http.get("/lists"))] == [other["id"]]


# --- order ---------------------------------------------------------------------------------------


@pytest.fixture
def five(http):
    """A list with five items, saved one after the other."""
    record = new_list(http)
    return record["id"], [save(http, n, listIds=[record["id"]])["id"] for n in range(1, 6)]


def test_sort_by_time_of_saving(http, five):
    """contract: list-sort. `recently_saved` (default), `oldest_saved`."""
    id, made = five
    assert [entry["id"] for entry in whole_list(http, id)["items"]] == made[::-1]
    assert order_of(http, id, "recently_saved") == made[::-1]
    assert order_of(http, id, "oldest_saved") == made


def test_sort_by_customer_follows_the_placed_items(http, five):
    """contract: list-sort. What was never placed follows, most recently saved first."""
    id, made = five
    assert order_of(http, id, "customer") == made[::-1]
    wanted = [made[1], made[4]]
    answer = data(http.put(f"/lists/{id}/items/order", json={"itemIds": wanted}))
    expected = [*wanted, made[3], made[2], made[0]]
    assert set(answer) == LIST_KEYS | {"items"}
    assert [entry["id"] for entry in answer["items"]] == expected
    assert order_of(http, id, "customer") == expected
    assert order_of(http, id, "oldest_saved") == made
    newest = save(http, 6, listIds=[id])["id"]
    assert order_of(http, id, "customer") == [*wanted, newest, made[3], made[2], made[0]]


def test_sort_that_there_is_not_is_refused(http, five):
    """contract: list-sort. Three values; anything else is 400 and names what there is."""
    for value in ("", "newest", "CUSTOMER", "customer,oldest_saved", "%00"):
        answer = http.get(f"/lists/{five[0]}?sort={value}")
        refused(answer, 400, "sort", "recently_saved", "oldest_saved", "customer")
    refused(http.get(f"/lists/{five[0]}?sort=%ff"), 400, "sort")
    refused(http.get(f"/lists/{five[0]}?sort=customer&sort=customer"), 400, "sort")
    refused(http.get(f"/lists/{five[0]}?order=customer"), 400, "order")


def test_order_answers_with_the_list_in_that_order(http, five):
    """contract: list-order. 200 with the list, its items in that order; again replaces it."""
    id, made = five
    for wanted in (made, made[::-1], made[2:] + made[:2]):
        answer = data(http.put(f"/lists/{id}/items/order", json={"itemIds": wanted}))
        assert answer["itemCount"] == 5 and [entry["id"] for entry in answer["items"]] == wanted
        assert answer["items"] == whole_list(http, id, "customer")["items"]


def test_order_of_some_puts_them_before_what_was_placed(http, five):
    """contract: list-order-partial. What is not named follows in the order that it had."""
    id, made = five
    data(http.put(f"/lists/{id}/items/order", json={"itemIds": [made[2], made[0], made[4]]}))
    answer = data(http.put(f"/lists/{id}/items/order", json={"itemIds": [made[4], made[1]]}))
    expected = [made[4], made[1], made[2], made[0], made[3]]
    assert [entry["id"] for entry in answer["items"]] == expected


def test_order_with_an_id_twice_or_not_on_the_list_changes_nothing(http, five, shop):
    """contract: list-order-invalid. 400, and the order stays."""
    id, made = five
    data(http.put(f"/lists/{id}/items/order", json={"itemIds": made}))
    elsewhere, foreign = save(http, 9)["id"], save(shop.customer("2").http, 1)["id"]
    with nothing_changes(http):
        for extra in (made[0], elsewhere, foreign, str(uuid.uuid4()), "nonsense", "", 1, None):
            body = {"itemIds": [made[2], made[0], extra]}
            refused(http.put(f"/lists/{id}/items/order", json=body), 400, "itemIds")
        for value in (None, made[0], {}, 1):
            refused(http.put(f"/lists/{id}/items/order", json={"itemIds": value}), 400, "itemIds")
        refused(http.put(f"/lists/{id}/items/order", json={}), 400, "itemIds")
        refused(http.put(f"/lists/{id}/items/order", json={"itemIds": [], "sort": 1}), 400, "sort")


def test_order_is_forgotten_with_the_item(http, five):
    """contract: list-order. An item that is gone, or taken off, leaves no gap and no place."""
    id, made = five
    data(http.put(f"/lists/{id}/items/order", json={"itemIds": made}))
    done(http.delete(f"/items/{made[0]}"))
    data(http.put(f"/items/{made[1]}/lists", json={"listIds": []}))
    assert order_of(http, id) == made[2:]
    data(http.put(f"/items/{made[1]}/lists", json={"listIds": [id]}))
    assert order_of(http, id) == [*made[2:], made[1]]


def test_order_of_one_list_is_not_that_of_another(http):
    """contract: list-order. A custom order of the items of a list."""
    a, b = (new_list(http, name)["id"] for name in "ab")
    made = [save(http, n, listIds=[a, b])["id"] for n in (1, 2, 3)]
    data(http.put(f"/lists/{a}/items/order", json={"itemIds": made}))
    data(http.put(f"/lists/{b}/items/order", json={"itemIds": [made[1]]}))
    assert order_of(http, a) == made
    assert order_of(http, b) == [made[1], made[2], made[0]]
