"""An owner can't detect reservations: everything they can read is equal before and after one.
Random sequences and events: tests/contract/test_sharing.py."""

import re

from .test_sharing_reservations import Party

PER_REQUEST = {"x-request-id", "x-ratelimit-reset", "x-ratelimit-remaining", "date"}


def seen(answer):
    """Returns a response without the parts that differ per request."""
    headers = {name: value for name, value in answer.headers.items() if name not in PER_REQUEST}
    return answer.status_code, headers, re.sub(r'"requestId":"[^"]*"', "", answer.text)


def looks(party):
    """Yields everything that the owner, and an admin acting for them, can read; reserving is
    refused to both."""
    made, view = f"/lists/{party.list}", f"/shared/{party.share['token']}"
    paths = ("/items", "/lists", f"/items/{party.item}", f"{made}?sort=customer", f"{made}/shares")
    for http in (party.owner.http, party.shop.acting_as(party.owner.gid)):
        for path in (*paths, view, "/profile", "/profile/export"):
            yield path, seen(http.get(path))
        yield "PUT", seen(http.put(party.path(), json={"quantity": 1}))
        yield "DELETE", seen(http.delete(party.path()))


def test_no_answer_to_the_owner_differs_by_a_reservation(shop):
    """A reservation changes no status, header or byte of the owner's responses.
    Rule: reserve-secret."""
    party = Party(shop)
    before = dict(looks(party))
    assert party.reserve(party.visitor, 2).status_code == 200
    assert party.reserve(party.customer, 1).status_code == 200
    assert dict(looks(party)) == before
    assert party.give_back(party.customer).status_code == 204
    assert dict(looks(party)) == before
    assert (before["PUT"][0], before["DELETE"][0]) == (403, 404)
