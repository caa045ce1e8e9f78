"""A shared list on the shop's own domain: who only looks is nobody, who copies begins a visit."""

from tests.api.conftest import fresh_window

from .conftest import Browser, envelope, nothing_done, removes_cookie, sessions_in, set_cookies
from .way import direct

UNLISTED = {"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}
WRONG = "/shared/wwshr_" + "0" * 28


def shared(owner: Browser, *products: int, **terms) -> str:
    """The path of a list that the owner shares."""
    made = owner.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    for product in products:
        owner.save(product, listIds=[made])
    answer = owner.post(f"/lists/{made}/shares", json=terms)
    assert answer.status_code == 201, answer.text
    assert "Location" not in answer.headers
    assert owner.get(f"/lists/{made}/shares").json()["data"] == [answer.json()["data"]]
    return f"/shared/{answer.json()['data']['token']}"


def test_who_looks_gets_no_session(front):
    """contract: storefront-shared, shared-headers. Nobody, a visitor and a customer see the same."""
    path = shared(front.signed_in(), 1, 2)
    browser = front.browser()
    with nothing_done(front):
        answer = browser.get(path)
        assert browser.head(path).status_code == 200
    assert answer.status_code == 200, answer.text
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Wishwell-Shopper"] == "-"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert {name: answer.headers[name] for name in UNLISTED} == UNLISTED
    found = answer.json()["data"]
    assert [entry["productId"] for entry in found["items"]] == [2, 1]
    for other in (front.anyone(), front.signed_in()):
        assert other.get(path).json()["data"] == found


def test_visitor_can_share(front):
    """contract: storefront-paths. All of an owner's operations."""
    visitor = front.anyone()
    path = shared(visitor, 3)
    made = visitor.get("/lists").json()["data"][0]["id"]
    [share] = visitor.get(f"/lists/{made}/shares").json()["data"]
    changed = visitor.patch(f"/lists/{made}/shares/{share['id']}", json={"notes": True})
    assert changed.json()["data"] == share | {"notes": True}
    assert visitor.delete(f"/lists/{made}/shares/{share['id']}").status_code == 204
    assert envelope(front.browser().get(path), 404)


def test_who_copies_begins_a_visit(front):
    """contract: storefront-visitor, copy-list. And nobody else: not by a wrong token or a wrong
    body, and not by a DELETE."""
    path = shared(front.signed_in(), 1, 2)
    browser, before = front.browser(), sessions_in(front.api)
    with nothing_done(front):
        for method, asked, body, status in (
            ("POST", f"{WRONG}/copies", {}, 404),
            ("POST", f"{path}/copies", {"name": ""}, 400),
            ("POST", f"{path}/copies", {"x": 1}, 400),
        ):
            answer = browser.request(method, asked, json=body)
            assert envelope(answer, status)
            assert "Set-Cookie" not in answer.headers
            assert {name: answer.headers[name] for name in UNLISTED} == UNLISTED
    answer = browser.post(f"{path}/copies")
    assert answer.status_code == 201, answer.text
    assert len(set_cookies(answer)) == 1
    made = answer.json()["data"]
    assert answer.headers["Location"] == f"{front.base}/api/lists/{made['id']}"
    assert sessions_in(front.api) == before + 1
    assert browser.products() == [1, 2]
    assert browser.get("/lists").json()["data"] == [made]


def test_who_reserves_begins_a_visit(front):
    """contract: storefront-visitor, reserve-put, reserve-delete, reserve-secret. But not by a wrong
    token, a wrong body or a DELETE; and the owner sees nothing."""
    owner = front.signed_in()
    path = shared(owner, 1, reservations=True)
    browser = front.browser()
    [item] = browser.get(path).json()["data"]["items"]
    at = f"/items/{item['id']}/reservation"
    assert item["reserved"] == 0
    with nothing_done(front):
        for method, asked, body, status in (
            ("PUT", f"{WRONG}{at}", {"quantity": 1}, 404),
            ("PUT", f"{path}{at}", {"quantity": 0}, 400),
            ("DELETE", f"{path}{at}", None, 404),
        ):
            answer = browser.request(method, asked, json=body)
            assert envelope(answer, status)
            assert "Set-Cookie" not in answer.headers
    answer = browser.put(f"{path}{at}", json={"quantity": 1})
    assert answer.status_code == 200, answer.text
    assert len(set_cookies(answer)) == 1
    assert browser.get(path).json()["data"]["items"] == [item | {"reserved": 1, "yours": 1}]
    [seen] = owner.get(path).json()["data"]["items"]
    assert not {"reserved", "yours"} & seen.keys()
    assert envelope(owner.put(f"{path}{at}", json={"quantity": 1}), 403)
    assert browser.delete(f"{path}{at}").status_code == 204


def test_link_of_another_shop_leads_nowhere(front, new_front):
    """contract: store-isolation, shared-unknown."""
    path = shared(new_front().anyone(), 1)
    for browser in (front.browser(), front.anyone()):
        assert envelope(browser.get(path), 404) == envelope(browser.get(WRONG), 404)
        assert envelope(browser.post(f"{path}/copies"), 404)


def test_visitor_whose_session_has_ended_is_nobody(front):
    """contract: session-ended, storefront-shared. The cookie goes, the list is shown."""
    path = shared(front.signed_in(), 1)
    visitor = front.anyone()
    front.shop.token(customer=front.shop.gid(), session=visitor.session)
    answer = visitor.get(path)
    assert answer.status_code == 200, answer.text
    assert removes_cookie(answer)


@direct("a way says by itself whose address it is, and believes nobody")
def test_reads_count_for_the_address(proxied):
    """contract: shared-limit, shared-guess. Whoever looks, and apart from other reads."""
    fresh_window(5)
    owner = proxied.signed_in(X_Forwarded_For="192.0.2.40")
    path = shared(owner, 1)
    answers = [owner.get(path) for _ in range(3)]
    answers += [proxied.browser(X_Forwarded_For="192.0.2.40").get(path) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert [int(answer.headers["X-RateLimit-Remaining"]) for answer in answers][:5] == [
        4,
        3,
        2,
        1,
        0,
    ]
    assert owner.get("/lists").status_code == 200
    other = proxied.browser(X_Forwarded_For="192.0.2.41")
    assert other.get(path).status_code == 200
    answer = other.get(WRONG)
    assert envelope(answer, 404)
    assert answer.headers["X-RateLimit-Limit"] == "1000000"


@direct("through a way the address is known")
def test_reads_of_an_unknown_address_count_for_the_shopper(front):
    """contract: shared-limit. And for nobody else."""
    path = shared(front.signed_in(), 1)
    assert "X-RateLimit-Limit" not in front.browser().get(path).headers
    visitor = front.anyone()
    left = [int(visitor.get(at).headers["X-RateLimit-Remaining"]) for at in (path, "/lists")]
    assert left[1] == left[0] - 1
