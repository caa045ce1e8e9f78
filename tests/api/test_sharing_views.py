"""Shared lists as people with the link see them, and their copies."""

import pytest

from tests.conftest import Shop
from tests.servers import PREFIX

from .conftest import (
    LIST_KEYS,
    data,
    done,
    in_one_window,
    new_list,
    nothing_changes,
    refused,
    save,
    whole_list,
)
from .test_sharing_links import share

KEYS = {"name", "items", "updatedAt", "reservations"}
HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
HEADERS |= {"Referrer-Policy": "no-referrer"}
UNKNOWN = "wwshr_" + "0" * 28


class Shown:
    """A share of a customer's ordered list, whose three items have a note and tags."""

    def __init__(self, shop, **terms):
        self.owner = shop.customer()
        http = self.owner.http
        self.list = new_list(http, "Birthday")["id"]
        on = {"listIds": [self.list]}
        self.items = [
            save(http, 1, quantity=3, tags=["secret"], note="in blue", **on)["id"],
            save(http, 2, variantId=5, **on)["id"],
            save(http, 3, **on)["id"],
        ]
        save(http, 9, note="of nobody's business", listIds=[new_list(http, "Mine")["id"]])
        self.order = [self.items[at] for at in (1, 0, 2)]
        data(http.put(f"/lists/{self.list}/items/order", json={"itemIds": self.order[:1]}))
        data(http.put(f"/lists/{self.list}/items/order", json={"itemIds": self.order}))
        self.share = share(http, self.list, **terms)
        self.path = f"/shared/{self.share['token']}"


def test_shared_list_shows_nothing_else_about_its_owner(shop):
    """A shared list shows nothing else about its owner: no GID, e-mail address, tags, other lists, or
    ids of lists and shares.
    Rules: share-token, shared-hides-owner."""
    shown = Shown(shop, notes=True)
    data(shown.owner.http.post("/profiles/identify", json={"email": "owner@example.com"}))
    answer = shop.anonymous.get(shown.path)
    found = data(answer)
    assert set(found) == KEYS
    whole = whole_list(shown.owner.http, shown.list, "customer")
    assert (found["name"], found["updatedAt"]) == (whole["name"], whole["updatedAt"])
    assert found["reservations"] is False
    assert found["items"] == [
        {"id": shown.items[1], "productId": 2, "variantId": 5, "quantity": 1},
        {"id": shown.items[0], "productId": 1, "quantity": 3, "note": "in blue"},
        {"id": shown.items[2], "productId": 3, "quantity": 1},
    ]
    private = ("gid:", shown.owner.gid[-12:], "example.com", "secret", "business", "Mine")
    hidden = (*private, shown.list, shown.share["id"])
    assert not [text for text in hidden if text in answer.text]


def test_shared_response_may_not_be_cached_indexed_or_sent_as_a_referrer(shop):
    """Every response below `/shared/` may not be cached, indexed or sent as a referrer; errors too.
    Rule: response-uncached."""
    shown = Shown(shop)
    other = shop.customer("2").http
    for answer in (
        shop.anonymous.get(shown.path),
        shop.anonymous.head(shown.path),
        other.get(shown.path),
        shop.anonymous.get(f"/shared/{UNKNOWN}"),
        shop.anonymous.get(f"{shown.path}?x=1"),
        shop.client("junk").get(shown.path),
        shop.anonymous.post(f"{shown.path}/copies"),
        other.post(f"{shown.path}/copies"),
        shop.anonymous.put(shown.path),
        shop.anonymous.get(f"{shown.path}/items"),
    ):
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "X-Robots-Tag" not in shop.anonymous.get("/.well-known/openapi").headers


def test_every_wrong_link_gets_the_same_404(shop, make_shop):
    """Every wrong link gets the same 404: unknown, mistyped, ended, of a deleted list or of another
    store, with and without a token.
    Rules: share-token, store-isolation."""
    shown, http = Shown(shop), shop.customer("2").http
    foreign = make_shop().customer("1").http
    tokens = [UNKNOWN, shown.share["token"][:-1], "x", "%00", "é", "wwadm_" + "0" * 49]
    for way in ("share", "list"):
        made = new_list(shown.owner.http)["id"]
        ended = share(shown.owner.http, made)
        tokens.append(ended["token"])
        path = f"/lists/{made}" + (f"/shares/{ended['id']}" if way == "share" else "")
        done(shown.owner.http.delete(path))
    messages = {refused(foreign.get(shown.path), 404)}
    messages |= {refused(foreign.post(f"{shown.path}/copies"), 404)}
    for token in tokens:
        messages |= {refused(shop.anonymous.get(f"/shared/{token}"), 404)}
        messages |= {refused(http.get(f"/shared/{token}"), 404)}
        messages |= {refused(http.post(f"/shared/{token}/copies"), 404)}
    assert len(messages) == 1


# --- copies --------------------------------------------------------------------------------------


@pytest.fixture
def shown(shop):
    return Shown(shop, notes=True)


def test_copy_has_order_quantities_and_shown_notes_but_no_tags(shop, shown):
    """A copy has the owner's order, quantities and shown notes, but no tags; the owner's list is
    unchanged.
    Rules: copy-list, shared-hides-owner."""
    http = shop.customer("2").http
    with nothing_changes(shown.owner.http):
        answer = http.post(f"{shown.path}/copies", json={"name": "  For Anna "})
    made = data(answer, 201)
    assert set(made) == LIST_KEYS
    assert (made["name"], made["itemCount"]) == ("For Anna", 3)
    assert answer.headers["Location"] == f"{PREFIX}/lists/{made['id']}"
    for sort in ("customer", "recently_saved"):
        copied = whole_list(http, made["id"], sort)["items"]
        assert [entry["productId"] for entry in copied] == [2, 1, 3]
    assert {entry["id"] for entry in copied}.isdisjoint(shown.items)
    assert copied[0]["variantId"] == 5
    assert (copied[1]["quantity"], copied[1]["note"], copied[1]["tags"]) == (3, "in blue", [])
    assert copied[1]["listIds"] == [made["id"]]
    assert data(http.get("/lists")) == [made]
    assert data(http.post(f"{shown.path}/copies"), 201)["name"] == "Birthday"
    assert len(data(http.get("/items"))) == 3


@pytest.mark.parametrize("limit", ["items=5", "lists=2", "entries=4"])
def test_copy_changes_nothing_when_it_would_exceed_a_limit(make_shop, limit):
    """A copy that would exceed one of the caller's limits changes nothing. Rule: copy-list."""
    shop = make_shop("--limit", limit)
    shown, http = Shown(shop), shop.customer("2").http
    made = [new_list(http)["id"] for _ in range(2 if limit == "lists=2" else 1)]
    for product in (3, 7, 8, 9):
        full = limit == "entries=4" and product == 7
        save(http, product, listIds=made[:1] if product == 3 or full else [])
    with nothing_changes(http):
        refused(http.post(f"{shown.path}/copies"), 400, limit.partition("=")[2])


# --- limits --------------------------------------------------------------------------------------


def remaining(answer):
    return int(answer.headers["X-RateLimit-Limit"]), int(answer.headers["X-RateLimit-Remaining"])


@pytest.fixture(scope="module")
def strict(new_service):
    """A store whose service takes the client address from its proxy."""
    limits = {"WISHWELL_LIMIT_SHARED": "5", "WISHWELL_LIMIT_ADDRESS": "3"}
    return Shop(new_service(**limits, WISHWELL_TRUSTED_PROXIES="127.0.0.0/8").start())


@in_one_window
def test_reads_of_shared_lists_count_for_the_address(strict):
    """Reads of shared lists count per address, with or without a profile token; an admin token has
    its own count.
    Rule: limit-address."""
    shown, at = Shown(strict), {"X-Forwarded-For": "192.0.2.1"}
    anybody, owner = strict.anonymous, shown.owner.http
    assert remaining(anybody.get(shown.path, headers=at)) == (5, 4)
    assert remaining(owner.get(shown.path, headers=at)) == (5, 3)
    assert remaining(anybody.head(shown.path, headers=at)) == (5, 2)
    for left in (1, 0):
        assert remaining(anybody.get(shown.path, headers=at)) == (5, left)
    answer = anybody.get(shown.path, headers=at)
    refused(answer, 429)
    assert int(answer.headers["Retry-After"]) >= 1
    refused(owner.get(shown.path, headers=at), 429)
    assert remaining(owner.get(f"/lists/{shown.list}", headers=at))[0] == 600
    assert remaining(strict.admin.get(shown.path, headers=at))[0] == 6_000
    data(anybody.get(shown.path, headers={"X-Forwarded-For": "192.0.2.2"}))


@in_one_window
def test_guesses_of_share_tokens_are_rate_limited(strict):
    """Wrong share tokens are rate-limited; valid ones and admin tokens still work.
    Rule: limit-address."""
    shown, http = Shown(strict), strict.customer("2").http
    at, wrong = {"X-Forwarded-For": "192.0.2.3"}, f"/shared/{UNKNOWN}"
    answer = http.post(f"{wrong}/copies", headers=at)
    refused(answer, 404)
    assert remaining(answer) == (3, 2)
    for left in (1, 0):
        answer = strict.anonymous.get(wrong, headers=at)
        refused(answer, 404)
        assert remaining(answer) == (3, left)
    refused(strict.anonymous.get(wrong, headers=at), 429)
    refused(http.post(f"{wrong}/copies", headers=at), 429)
    refused(strict.client("junk").get(shown.path, headers=at), 429)
    data(strict.anonymous.get(shown.path, headers=at))
    data(http.post(f"{shown.path}/copies", headers=at), 201)
    refused(strict.admin.get(wrong, headers=at), 404)
