"""Sharing a list from its owner's side. Random sequences: tests/contract/test_sharing.py."""

import re
from datetime import UTC, datetime, timedelta

from .conftest import TIME, data, done, new_list, refused, soon, walk

KEYS = {"id", "token", "listId", "reservations", "notes", "createdAt"}
TOKEN = re.compile(r"wwshr_[0-9A-Za-z]{28}")
GONE = "01900000-0000-7000-8000-000000000000"


def share(http, list_id, **body):
    return data(http.post(f"/lists/{list_id}/shares", json=body), 201)


def time_from_now(**time):
    return (datetime.now(UTC) + timedelta(**time)).isoformat(timespec="milliseconds")


def test_new_share_shows_no_notes_and_takes_no_reservations_by_default(shop, http):
    """By default a share shows no notes, takes no reservations and never expires. The list doesn't
    reveal its shares, and deleting it ends them.
    Rules: share-token, share-ends."""
    made = new_list(http)
    shared = share(http, made["id"])
    assert set(shared) == KEYS
    assert (shared["listId"], shared["reservations"], shared["notes"]) == (made["id"], False, False)
    assert TOKEN.fullmatch(shared["token"]) and TIME.fullmatch(shared["createdAt"])
    other = data(http.post(f"/lists/{made['id']}/shares"), 201)
    assert other["token"] != shared["token"]
    assert data(http.get(f"/lists/{made['id']}/shares")) == [other, shared]
    assert data(http.get(f"/lists/{made['id']}")) == made | {"items": []}
    assert data(shop.anonymous.get(f"/shared/{shared['token']}"))["name"] == made["name"]
    done(http.delete(f"/lists/{made['id']}"))
    refused(shop.anonymous.get(f"/shared/{shared['token']}"), 404)
    refused(http.get(f"/lists/{made['id']}/shares"), 404)


def test_shares_come_in_pages_newest_first(http):
    """Shares come in pages, newest first.
    Rule: cursor-pagination."""
    one, two = new_list(http)["id"], new_list(http)["id"]
    shared = [share(http, one) for _ in range(3)]
    share(http, two)
    found = walk(http, f"/lists/{one}/shares", limit=2)
    assert found == [[shared[2], shared[1]], [shared[0]]]
    cursor = http.get(f"/lists/{one}/shares?limit=1").json()["pageInfo"]["next"]
    refused(http.get(f"/lists/{two}/shares", params={"page": cursor}), 400, "page")
    assert data(http.get(f"/lists/{new_list(http)['id']}/shares")) == []


def test_change_of_a_share_affects_only_the_given_fields(http):
    """A change affects only the fields in the body; null removes the expiry."""
    path = f"/lists/{new_list(http)['id']}/shares"
    shared = data(
        http.post(path, json={"notes": True, "expiresAt": "2100-01-01T01:00:00+01:00"}), 201
    )
    assert shared["expiresAt"] == "2100-01-01T00:00:00.000Z"
    path += f"/{shared['id']}"
    changed = shared | {"reservations": True}
    assert data(http.patch(path, json={"reservations": True})) == changed
    assert data(http.patch(path, json={})) == changed
    changed.pop("expiresAt")
    assert data(http.patch(path, json={"expiresAt": None})) == changed
    late = data(http.patch(path, json={"expiresAt": "9999-12-31T23:59:59-10:00", "notes": False}))
    assert late == changed | {"expiresAt": "9999-12-31T23:59:59.999Z", "notes": False}


def test_expiry_that_is_not_in_the_future_is_refused(http):
    """An expiry in the past or without an offset is refused, and nothing changes.
    Rule: share-ends."""
    path = f"/lists/{new_list(http)['id']}/shares"
    shared = data(http.post(path), 201)
    for end in ("2020-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "2100-01-01T00:00:00"):
        refused(http.post(path, json={"expiresAt": end}), 400, "expiresAt")
        refused(http.patch(f"{path}/{shared['id']}", json={"expiresAt": end}), 400, "expiresAt")
    assert data(http.get(path)) == [shared]


def test_list_has_at_most_20_shares(shop, http):
    """A list has at most 20 shares; ending one frees its slot and leaves the others valid.
    Rules: profile-limits, share-ends."""
    path = f"/lists/{new_list(http)['id']}/shares"
    shared = [data(http.post(path), 201) for _ in range(20)]
    refused(http.post(path), 400, "20")
    assert len(data(http.get(path))) == 20
    done(http.delete(f"{path}/{shared[3]['id']}"))
    refused(http.delete(f"{path}/{shared[3]['id']}"), 404)
    refused(shop.anonymous.get(f"/shared/{shared[3]['token']}"), 404)
    data(shop.anonymous.get(f"/shared/{shared[4]['token']}"))
    data(http.post(path), 201)


def test_share_is_changed_only_through_its_own_list(shop, http):
    """A share can be changed only through its own list and by its owner.
    Rule: token-scope."""
    other = shop.customer("2").http
    mine, theirs = new_list(http)["id"], new_list(other)["id"]
    foreign = share(other, theirs)["id"]
    own = share(http, mine)["id"]
    for at, id, noun in ((theirs, own, "share"), (mine, foreign, "share"), (mine, GONE, "share")):
        refused(http.patch(f"/lists/{at}/shares/{id}", json={"notes": True}), 404, noun)
        refused(http.delete(f"/lists/{at}/shares/{id}"), 404, noun)
    for of, at, id in ((http, mine, own), (other, theirs, foreign)):
        assert [each["id"] for each in data(of.get(f"/lists/{at}/shares"))] == [id]


def test_expired_share_is_404_except_for_its_owner(shop, http):
    """An expired share is 404 for everyone else, but its owner sees it and can extend it.
    Rule: share-ends."""
    path = f"/lists/{new_list(http)['id']}/shares"
    shared = data(http.post(path, json={"expiresAt": time_from_now(hours=1)}), 201)
    asked = f"/shared/{shared['token']}"
    assert data(shop.anonymous.get(asked))
    soonest = {"expiresAt": time_from_now(seconds=1)}
    shared = data(http.patch(f"{path}/{shared['id']}", json=soonest))
    soon(lambda: shop.anonymous.get(asked).status_code == 404)
    assert data(http.get(path)) == [shared]
    data(http.patch(f"{path}/{shared['id']}", json={"expiresAt": time_from_now(days=1)}))
    assert data(shop.anonymous.get(asked))


def test_admin_without_profile_header_manages_the_shares_of_any_list(shop, http):
    """An admin token without `Profile` manages any list's shares; each shows its owner.
    Rule: profile-header."""
    visitor = shop.session()
    for owner, gid in ((http, shop.gid("1")), (visitor.http, visitor.gid)):
        path = f"/lists/{new_list(owner)['id']}/shares"
        answer = shop.admin.post(path)
        # A share has no readable URL.
        assert "Location" not in answer.headers
        owned = data(answer, 201)
        assert owned["profile"] == gid
        assert data(shop.admin.get(path)) == [owned]
        changed = data(shop.admin.patch(f"{path}/{owned['id']}", json={"notes": True}))
        assert changed == owned | {"notes": True}
        assert data(shop.anonymous.get(f"/shared/{owned['token']}"))["items"] == []
        done(shop.admin.delete(f"{path}/{owned['id']}"))
    refused(shop.admin.post(f"/lists/{GONE}/shares"), 404)
