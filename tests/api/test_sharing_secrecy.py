"""No answer to an owner differs by a reservation: what they can read, before and after others reserve.

In any sequence of what they do, and for events: tests/contract/test_sharing.py.
"""

import re

from .test_sharing_reservations import Party

PER_REQUEST = {"x-request-id", "x-ratelimit-reset", "x-ratelimit-remaining", "date"}


def seen(answer):
    """All of an answer but for what belongs to the request."""
    headers = {name: value for name, value in answer.headers.items() if name not in PER_REQUEST}
    return answer.status_code, headers, re.sub(r'"requestId":"[^"]*"', "", answer.text)


def looks(party):
    """Everything that the owner, and an admin acting for them, can read; and both are refused to reserve."""
    made, view = f"/lists/{party.list}", f"/shared/{party.share['token']}"
    paths = ("/items", "/lists", f"/items/{party.item}", f"{made}?sort=customer", f"{made}/shares")
    for http in (party.owner.http, party.shop.acting_as(party.owner.gid)):
        for path in (*paths, view, "/profile", "/profile/export"):
            yield path, seen(http.get(path))
        yield "PUT", seen(http.put(party.path(), json={"quantity": 1}))
        yield "DELETE", seen(http.delete(party.path()))


def test_no_answer_to_the_owner_differs_by_a_reservation(shop):
    """contract: reserve-secret. In status, headers or a byte."""
    party = Party(shop)
    before = dict(looks(party))
    assert party.reserve(party.visitor, 2).status_code == 200
    assert party.reserve(party.customer, 1).status_code == 200
    assert dict(looks(party)) == before
    assert party.give_back(party.customer).status_code == 204
    assert dict(looks(party)) == before
    assert (before["PUT"][0], before["DELETE"][0]) == (403, 404)
