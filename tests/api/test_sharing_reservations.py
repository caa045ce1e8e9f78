"""Reservations on a shared list: permissions, visibility and end. Random sequences with sign-ins:
tests/contract/test_sharing.py."""

import re

import pytest

from .conftest import data, done, new_list, refused, save
from .test_sharing_links import share
from .test_sharing_views import UNKNOWN

TERMS = {"reservations": True}


class Party:
    """A customer with an item on a shared list, and two people who reserve it."""

    def __init__(self, shop, quantity=3):
        self.shop = shop
        self.owner, self.visitor, self.customer = shop.customer(), shop.session(), shop.customer()
        self.list = new_list(self.owner.http)["id"]
        self.item = save(self.owner.http, 1, quantity=quantity, listIds=[self.list])["id"]
        self.share = share(self.owner.http, self.list, **TERMS)

    def path(self, share=None, item=None):
        token = (share or self.share)["token"]
        return f"/shared/{token}/items/{item or self.item}/reservation"

    def reserve(self, who, quantity=1, share=None):
        return who.http.put(self.path(share), json={"quantity": quantity})

    def give_back(self, who, share=None):
        return who.http.delete(self.path(share))

    def seen(self, http, share=None):
        """Returns the reservation fields of the shared list's only item."""
        [shown] = data(http.get(f"/shared/{(share or self.share)['token']}"))["items"]
        return {name: shown[name] for name in ("reserved", "yours") if name in shown}


@pytest.fixture
def party(shop):
    return Party(shop)


def test_reservation_is_made_replaced_shown_and_ended(party):
    """A reservation is made, replaced by another quantity, shown and ended.
    Rules: reserve-quantity, reserve-secret, reserve-ends."""
    shop = party.shop
    shown = data(party.reserve(party.visitor, 2))
    assert shown == {
        "id": party.item, "productId": 1, "quantity": 3, "reserved": 2, "yours": 2,
    }  # fmt: skip
    data(party.reserve(party.customer, 1))
    assert party.seen(party.visitor.http) == {"reserved": 3, "yours": 2}
    assert party.seen(party.customer.http) == {"reserved": 3, "yours": 1}
    assert party.seen(shop.session().http) == {"reserved": 3, "yours": 0}
    assert party.seen(shop.anonymous) == {"reserved": 3}
    assert party.seen(shop.admin) == {"reserved": 3}
    assert party.seen(shop.acting_as(party.customer.gid)) == {"reserved": 3, "yours": 1}
    assert data(party.reserve(party.visitor, 1))["reserved"] == 2
    done(party.give_back(party.visitor))
    assert party.seen(shop.anonymous) == {"reserved": 1}
    refused(party.give_back(party.visitor), 404)
    refused(shop.session().http.delete(party.path()), 404)


def test_share_that_takes_no_reservations_hides_them(party):
    """A share without reservations hides them; they remain visible in another share of the list.
    Rules: reserve-quantity, reserve-secret, reserve-ends."""
    other = share(party.owner.http, party.list)
    data(party.reserve(party.visitor, 2))
    assert party.seen(party.visitor.http, other) == {}
    refused(party.reserve(party.customer, 1, other), 403)
    done(party.give_back(party.visitor, other))
    assert party.seen(party.visitor.http) == {"reserved": 0, "yours": 0}


def test_reservation_with_a_wrong_link_item_or_body_is_refused(party, make_shop):
    """A wrong share token or item, and another store's list, are 404; a wrong quantity is 400.
    Rules: reserve-quantity, token-scope, share-token, store-isolation."""
    stranger = make_shop().customer()
    refused(party.reserve(stranger), 404)
    refused(party.give_back(stranger), 404)
    for quantity in (0, 1_000_001):
        refused(party.reserve(party.visitor, quantity), 400, "quantity")
    elsewhere = save(party.owner.http, 2, listIds=[new_list(party.owner.http, "Mine")["id"]])["id"]
    data(party.reserve(party.visitor))
    unknown = {"token": UNKNOWN}
    for link, item in ((None, elsewhere), (None, "x"), (unknown, None), (unknown, "x")):
        path = party.path(link, item)
        refused(party.visitor.http.put(path, json={"quantity": 1}), 404)
        refused(party.visitor.http.delete(path), 404)
    assert party.seen(party.visitor.http) == {"reserved": 1, "yours": 1}


PER_REQUEST = {"x-request-id", "x-ratelimit-reset", "x-ratelimit-remaining", "date"}


def seen(answer):
    """Returns a response without the parts that differ per request."""
    headers = {name: value for name, value in answer.headers.items() if name not in PER_REQUEST}
    return answer.status_code, headers, re.sub(r'"requestId":"[^"]*"', "", answer.text)


def owner_responses(party):
    """Yields everything that the owner, and an admin acting for them, can read; reserving is
    refused to both."""
    made, view = f"/lists/{party.list}", f"/shared/{party.share['token']}"
    paths = ("/items", "/lists", f"/items/{party.item}", f"{made}?sort=customer", f"{made}/shares")
    for http in (party.owner.http, party.shop.acting_as(party.owner.gid)):
        for path in (*paths, view, "/profile", "/profile/export"):
            yield path, seen(http.get(path))
        yield "PUT", seen(http.put(party.path(), json={"quantity": 1}))
        yield "DELETE", seen(http.delete(party.path()))


def test_reservation_changes_no_response_to_the_owner(shop):
    """A reservation changes no status, header or byte of the owner's responses.
    Rule: reserve-secret."""
    party = Party(shop)
    before = dict(owner_responses(party))
    assert party.reserve(party.visitor, 2).status_code == 200
    assert party.reserve(party.customer, 1).status_code == 200
    assert dict(owner_responses(party)) == before
    assert party.give_back(party.customer).status_code == 204
    assert dict(owner_responses(party)) == before
    assert (before["PUT"][0], before["DELETE"][0]) == (403, 404)


@pytest.mark.both_engines
def test_guest_lists_their_own_reservations(shop):
    """A guest lists what they have reserved of all owners, with products on request, and can delete
    it after the share has ended; nobody else sees it. Rules: reserve-list, reserve-secret."""
    body = {"title": "Blue shirt", "url": "https://shop.example/shirt"}
    data(shop.admin.put("/products/1", json=body))
    parties = [Party(shop), Party(shop)]
    guest = shop.customer()
    for party, quantity in zip(parties, (1, 2), strict=True):
        data(party.reserve(guest, quantity))
    held = data(guest.http.get("/reservations"))
    assert [(one["itemId"], one["productId"], one["quantity"]) for one in held] == [
        (parties[0].item, 1, 1),
        (parties[1].item, 1, 2),
    ]
    assert held[0].keys() == {"itemId", "productId", "quantity", "createdAt"}
    included = data(guest.http.get("/reservations?include=product"))
    assert included == [one | {"product": body} for one in held]
    assert data(shop.acting_as(guest.gid).get("/reservations")) == held
    for party in parties:
        assert party.owner.gid not in guest.http.get("/reservations").text
        assert data(party.owner.http.get("/reservations")) == []
    refused(shop.admin.get("/reservations"), 400, "Profile")
    done(parties[0].owner.http.delete(f"/lists/{parties[0].list}/shares/{parties[0].share['id']}"))
    assert data(guest.http.get("/reservations")) == held
    done(guest.http.delete(parties[0].path()))
    assert data(guest.http.get("/reservations")) == held[1:]
