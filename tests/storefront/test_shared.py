"""Shared lists on the storefront: viewing creates no session; copying and reserving do."""

import pytest

from tests.api.conftest import in_one_window

from .conftest import Browser, envelope, nothing_done, sessions_in, set_cookies
from .way import direct

UNLISTED = {"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}
UNKNOWN = "/shared/wwshr_" + "0" * 28


def shared(owner: Browser, *products: int, **terms) -> str:
    """Shares a new list of the owner; returns its path."""
    made = owner.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    for product in products:
        owner.save(product, listIds=[made])
    answer = owner.post(f"/lists/{made}/shares", json=terms)
    assert answer.status_code == 201, answer.text
    assert "Location" not in answer.headers
    assert owner.get(f"/lists/{made}/shares").json()["data"] == [answer.json()["data"]]
    return f"/shared/{answer.json()['data']['token']}"


def test_viewer_of_a_shared_list_gets_no_session(front, new_front):
    """A viewer gets no session or cookie, and everybody sees the same list.
    Rules: storefront-visitor, response-uncached, store-isolation."""
    path = shared(front.signed_in(), 1, 2)
    browser = front.browser()
    with nothing_done(front):
        answer = browser.get(path)
        assert browser.head(path).status_code == 200
    assert answer.status_code == 200, answer.text
    assert "Set-Cookie" not in answer.headers
    expected = UNLISTED | {"Wishwell-Shopper": "-", "Cache-Control": "private, no-store"}
    assert {name: answer.headers[name] for name in expected} == expected
    found = answer.json()["data"]
    assert [entry["productId"] for entry in found["items"]] == [2, 1]
    for other in (front.anyone(), front.signed_in()):
        assert other.get(path).json()["data"] == found
    elsewhere = new_front().browser()
    assert envelope(elsewhere.get(path), 404) == envelope(elsewhere.get(UNKNOWN), 404)
    assert envelope(elsewhere.post(f"{path}/copies"), 404)


def test_visitor_can_create_change_and_end_shares(front):
    """A visitor can create, change and end shares. Rule: storefront-paths."""
    visitor = front.anyone()
    path = shared(visitor, 3)
    made = visitor.get("/lists").json()["data"][0]["id"]
    [share] = visitor.get(f"/lists/{made}/shares").json()["data"]
    changed = visitor.patch(f"/lists/{made}/shares/{share['id']}", json={"notes": True})
    assert changed.json()["data"] == share | {"notes": True}
    assert visitor.delete(f"/lists/{made}/shares/{share['id']}").status_code == 204
    assert envelope(front.browser().get(path), 404)


@pytest.mark.parametrize(
    ("method", "place", "good", "bad", "status"),
    [("POST", "/copies", {}, {"name": ""}, 201), ("PUT", "{item}", {"quantity": 1}, {"quantity": 0}, 200)],
    ids=["copy", "reserve"],
)  # fmt: skip
def test_copying_or_reserving_starts_a_session(front, method, place, good, bad, status):
    """Copying or reserving starts a session, unless the request is refused.
    Rules: storefront-visitor, copy-list, reserve-quantity."""
    path = shared(front.signed_in(), 1, 2, reservations=True)
    browser, before = front.browser(), sessions_in(front.api)
    reservation = f"/items/{browser.get(path).json()['data']['items'][0]['id']}/reservation"
    place = place.format(item=reservation)
    with nothing_done(front):
        for refused in (
            browser.request(method, f"{UNKNOWN}{place}", json=good),
            browser.request(method, f"{path}{place}", json=bad),
            browser.request(method, f"{path}{place}", json={"x": 1}),
            browser.delete(f"{path}{reservation}"),
        ):
            assert refused.status_code in (400, 404)
            assert "Set-Cookie" not in refused.headers
            assert {name: refused.headers[name] for name in UNLISTED} == UNLISTED
    answer = browser.request(method, f"{path}{place}", json=good)
    assert answer.status_code == status, answer.text
    if method == "POST":
        made = answer.json()["data"]["id"]
        assert answer.headers["Location"] == f"{front.base}/api/lists/{made}"
    assert len(set_cookies(answer)) == 1
    assert sessions_in(front.api) == before + 1


@direct("through a way the address is known")
@in_one_window
def test_reads_of_an_unknown_address_count_for_the_shopper(front):
    """Reads from an unknown address count for the shopper; anonymous ones aren't counted.
    Rule: limit-address."""
    path = shared(front.signed_in(), 1)
    assert "X-RateLimit-Limit" not in front.browser().get(path).headers
    visitor = front.anyone()
    left = [int(visitor.get(at).headers["X-RateLimit-Remaining"]) for at in (path, "/lists")]
    assert left[1] == left[0] - 1
