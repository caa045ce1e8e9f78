"""Lists, their names and their order. Random sequences: tests/contract/test_model.py."""

from tests.servers import PREFIX

from .conftest import (
    LIST_KEYS,
    TIME,
    data,
    new_list,
    nothing_changes,
    refused,
    save,
    whole_list,
)


def test_new_list_is_returned_complete(http):
    """A new list is returned complete, with 201 and `Location`."""
    answer = http.post("/lists", json={"name": "Gifts"})
    record = data(answer, 201)
    assert set(record) == LIST_KEYS
    assert isinstance(record["id"], str) and (record["name"], record["itemCount"]) == ("Gifts", 0)
    assert TIME.fullmatch(record["createdAt"]) and record["createdAt"] == record["updatedAt"]
    where = answer.url.join(answer.headers["Location"])
    assert where.path == f"{PREFIX}/lists/{record['id']}"
    assert data(http.get(str(where))) == record | {"items": []}
    assert data(http.get("/lists")) == [record]


NAMES = [
    *(
        "e\u0301",
        "\u00e9",
        "\u4e2d\u6587",
        "\u200b\u202e",
        "\uffff\U0010ffff",
        "'\"\\-- $1 %_",
        "\U0001f381" * 255,
    ),
    *(" " * 300 + "x" * 255 + " " * 300, "\u00a0a\u2003b\t"),
]


def test_name_is_trimmed_but_not_normalised(shop, http):
    """A name is trimmed but not normalised, and its length counts code points. Other text:
    tests/http/test_patterns.py; both engines: tests/contract/test_model.py.
    Rule: input-inert."""
    path = f"/lists/{new_list(http, 'x')['id']}"
    for name in NAMES:
        made = new_list(http, name)
        assert data(http.patch(path, json={"name": name}))["name"] == made["name"] == name.strip()
        assert whole_list(shop.admin, made["id"])["name"] == name.strip()


def test_record_over_a_profile_limit_is_refused(make_shop):
    """A profile's limits refuse one more item, list or entry; existing ones may stay, change and
    move. Each profile has its own limits.
    Rule: profile-limits."""
    limits = ("items=3", "lists=2", "list_items=2", "entries=3")
    shop = make_shop(*(word for limit in limits for word in ("--limit", limit)))
    http = shop.customer("1").http
    full, other = new_list(http, "Full")["id"], new_list(http, "Other")["id"]
    both = save(http, 1, listIds=[full, other])
    save(http, 2, listIds=[full])
    third = save(http, 3)
    set_lists = f"/items/{third['id']}/lists"
    with nothing_changes(http):
        refused(http.post("/items", json={"productId": 4}), 400, "3 items")
        refused(http.post("/lists", json={"name": "x"}), 400, "2 lists")
        for on, words in (([full], "a list can have at most 2 items"), ([other], "3")):
            body = {"productId": 3, "listIds": on}
            refused(http.post("/items", json=body), 400, "listIds", words)
            refused(http.put(set_lists, json={"listIds": on}), 400, "listIds", words)
    data(http.post("/items", json={"productId": 1, "quantity": 5, "listIds": [full]}), 200)
    data(http.put(f"/items/{both['id']}/lists", json={"listIds": [other]}))
    data(http.put(set_lists, json={"listIds": [full]}))
    assert whole_list(http, full)["itemCount"] == 2
    save(shop.customer("2").http, 4, listIds=[new_list(shop.customer("2").http)["id"]])
