"""docs/proxy.md, Sign-in and Sign-out."""

from concurrent.futures import ThreadPoolExecutor

import httpx2

from .conftest import asked_of, envelope, made_cookie, removes_cookie, shop_jwt, shopper_of


def links(api) -> float:
    """How many sessions the API has linked."""
    lines = httpx2.get(f"{api.url}/metrics", trust_env=False).text.splitlines()
    return float(next(line for line in lines if line.startswith("wishwell_links_total")).split()[1])


def test_what_the_visitor_saved_is_the_customers(front):
    """Sign-in: the first request of the customer links, shows both, and removes the cookie."""
    front.shop.customer("mary").http.post("/items", json={"productId": 1})
    visitor = front.anyone(1, 2)
    answer = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("mary")})
    assert sorted(item["productId"] for item in answer.json()["data"]) == [1, 2]
    assert removes_cookie(answer)
    assert visitor.cookie is None
    assert answer.headers["Wishwell-Shopper"] == shopper_of("gid://shopify/Customer/mary")
    again = visitor.get("/items", headers={"X-Shop-Token": shop_jwt("mary")})
    assert again.json() == answer.json()
    assert "Set-Cookie" not in again.headers


def test_write_that_signs_in_goes_on_as_the_customer(front):
    """Sign-in: a write links too, and is done after it."""
    visitor = front.anyone(1)
    token = {"X-Shop-Token": shop_jwt("writer")}
    answer = visitor.post("/items", json={"productId": 2}, headers=token)
    assert answer.status_code == 201
    assert removes_cookie(answer)
    assert front.signed_in("writer").products() == [1, 2]


def test_twenty_requests_at_once_link_once(front):
    """Sign-in: requests at once share one link; all of them see what was saved."""
    visitor, before, asked = front.anyone(1, 2, 3), links(front.api), len(asked_of(front.api))
    cookie, token = visitor.cookie, shop_jwt("crowd")

    def ask(_: int) -> httpx2.Response:
        return front.browser(cookie, X_Shop_Token=token).get("/items")

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert [answer.status_code for answer in answers] == [200] * 20
    for answer in answers:
        assert sorted(item["productId"] for item in answer.json()["data"]) == [1, 2, 3]
        assert removes_cookie(answer)
    assert links(front.api) == before + 1
    tokens = [line for line in asked_of(front.api)[asked:] if line["route"] == "/profiles/token"]
    assert len(tokens) <= 2  # the link, and the customer's own token at most


def test_linked_cookie_that_comes_late_is_harmless(front):
    """Sign-in: a tab that sends the old cookie again, to the same or another customer, moves nothing."""
    visitor = front.anyone(1)
    cookie = visitor.cookie
    assert front.signed_in("first", Cookie=f"wishwell={cookie}").products() == [1]
    late = front.signed_in("second", Cookie=f"wishwell={cookie}")
    answer = late.get("/items")
    assert answer.json() == {"data": []}
    assert removes_cookie(answer)
    assert front.signed_in("first").products() == [1]


def test_session_that_the_api_does_not_know_is_dropped(front):
    """Sign-in: a session that is gone does not stop the customer; the cookie goes."""
    gone = made_cookie("gid://wishwell/Session/400705fd-f08e-4532-85ca-9a17350587b9")
    answer = front.signed_in("late", Cookie=f"wishwell={gone}").get("/items")
    assert (answer.status_code, answer.json()) == (200, {"data": []})
    assert removes_cookie(answer)


def test_fault_of_the_link_keeps_the_cookie(new_front):
    """Sign-in: 429 of the link is the answer, and the cookie stays, so nothing is lost."""
    front = new_front("--limit", "admin_token=1", JWT_KEY="k" * 32, JWT_HEADER="X-Shop-Token")
    visitor = front.anyone(1)
    token = {"X-Shop-Token": shop_jwt("7", key="k" * 32)}
    answers = [visitor.get("/items", headers=token) for _ in range(2)]
    refused = [answer for answer in answers if answer.status_code != 200]
    if not refused:  # a new minute began between the save and the link
        return
    envelope(refused[0], 429)
    assert int(refused[0].headers["Retry-After"]) >= 1
    assert "Set-Cookie" not in refused[0].headers
    assert visitor.products() == [1]


def test_sign_out_begins_anew(front):
    """Sign-out: the shop names nobody, there is no cookie: nobody, until the next save."""
    browser = front.anyone(1)
    browser.get("/items", headers={"X-Shop-Token": shop_jwt("leaver")})
    assert browser.get("/items").json() == {"data": []}
    browser.save(5)
    assert browser.products() == [5]
    assert front.signed_in("leaver").products() == [1]


def test_customer_without_a_cookie_gets_none(front):
    """Who is shopping, 1: a customer is known by the shop; no cookie is set."""
    browser = front.signed_in("plain")
    answer = browser.post("/items", json={"productId": 1})
    assert answer.status_code == 201
    assert "Set-Cookie" not in answer.headers
