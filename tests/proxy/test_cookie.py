"""docs/proxy.md, Who is shopping, and The cookie."""

import base64
import json
import time
import uuid

import pytest

from .conftest import (
    SECRET,
    envelope,
    made_cookie,
    nothing_forwarded,
    removes_cookie,
    session_of,
    sessions_in,
    set_cookies,
    signature,
    text,
)

DAY = 86_400


def test_visitor_begins_with_a_save(front):
    """Who is shopping, 3: reads make nothing and set no cookie; the first save does."""
    browser, before = front.browser(), sessions_in(front.api)
    with nothing_forwarded(front.api):
        for path in ("/items", "/lists", "/items?query=product:1"):
            answer = browser.get(path)
            assert (answer.status_code, answer.json()) == (200, {"data": []})
            assert "Set-Cookie" not in answer.headers
        assert browser.head("/items").status_code == 200
    assert sessions_in(front.api) == before
    answer = browser.post("/items", json={"productId": 1})
    assert answer.status_code == 201
    [line] = set_cookies(answer)
    value, *attributes = line.split("; ")
    assert value.startswith("wishwell=ey")
    expected = {"path=/", "httponly", "samesite=lax", "max-age=7776000"}
    assert {word.lower() for word in attributes} == expected
    assert sessions_in(front.api) == before + 1
    content, _, signed = browser.cookie.partition(".")
    assert signed == signature(content)
    decoded = json.loads(base64.urlsafe_b64decode(content + "=="))
    assert set(decoded) == {"s", "t", "v"} and decoded["v"] == 1
    assert browser.products() == [1]
    assert "Set-Cookie" not in browser.get("/items").headers
    assert sessions_in(front.api) == before + 1


def test_list_begins_a_visit_too(front):
    """Who is shopping, 3: POST lists can begin a session."""
    browser = front.browser()
    assert browser.post("/lists", json={"name": "Gifts"}).status_code == 201
    assert len(browser.get("/lists").json()["data"]) == 1


def test_crawler_leaves_nothing(front):
    """Who is shopping, 3: two hundred reads make no session in the database."""
    before, id = sessions_in(front.api), uuid.uuid4()
    crawler = front.browser()
    crawler.http.headers.pop("Sec-Fetch-Site")
    paths = ("/items", "/lists", f"/items/{id}", f"/lists/{id}")
    with nothing_forwarded(front.api):
        for number in range(200):
            answer = crawler.get(paths[number % 4])
            assert answer.status_code == (200 if number % 4 < 2 else 404)
    assert sessions_in(front.api) == before


def test_nobody_has_nothing_to_change(front):
    """Who is shopping, 3: the other writes of nobody are 404, DELETE items 204, and make nothing."""
    browser, id, before = front.browser(), uuid.uuid4(), sessions_in(front.api)
    with nothing_forwarded(front.api):
        envelope(browser.get(f"/items/{id}"), 404)
        envelope(browser.patch(f"/items/{id}", json={"quantity": 2}), 404)
        envelope(browser.delete(f"/items/{id}"), 404)
        envelope(browser.put(f"/items/{id}/lists", json={"listIds": []}), 404)
        envelope(browser.patch(f"/lists/{id}", json={"name": "x"}), 404)
        envelope(browser.put(f"/lists/{id}/items/order", json={"itemIds": []}), 404)
        answer = browser.request("DELETE", "/items", json={"itemIds": [str(id)]})
        assert (answer.status_code, answer.content) == (204, b"")
    assert sessions_in(front.api) == before


def swapped(cookie: str) -> str:
    return ".".join(reversed(cookie.split(".")))


def other_alphabet(cookie: str) -> str:
    # A field that is not ours makes a letter which the two alphabets write differently.
    raw = json.dumps({"s": session_of(cookie), "t": int(time.time()), "v": 1, "~?>~?>": "~?>"})
    part = base64.b64encode(raw.encode()).rstrip(b"=").decode()
    assert {"+", "/"} & set(part)
    return f"{part}.{signature(part)}"


def unsigned(cookie: str) -> str:
    return cookie.partition(".")[0]


def resigned(content: str) -> str:
    part = text(content.encode())
    return f"{part}.{signature(part)}"


FORGED = {
    "another secret": lambda c: made_cookie(session_of(c), secret="x" * 40),
    "another store": lambda c: made_cookie(session_of(c), store="other"),
    "no store's line": lambda c: c.partition(".")[0] + "." + signature(c.partition(".")[0], store="\n"),
    "signature of the shopper": lambda c: c[:-3] + "AAA",
    "last letter changed": lambda c: c[:-1] + ("B" if c[-1] != "B" else "C"),
    "halves exchanged": swapped,
    "unsigned": unsigned,
    "empty signature": lambda c: unsigned(c) + ".",
    "empty content": lambda c: "." + c.partition(".")[2],
    "signed emptiness": lambda c: "." + signature(""),
    "three parts": lambda c: c + ".x",
    "padded content": lambda c: c.replace(".", "=.", 1),
    "padded signature": lambda c: c + "=",
    "padded and signed": lambda c: unsigned(c) + "=." + signature(unsigned(c) + "="),
    "other alphabet, signed": other_alphabet,
    "quoted": lambda c: f'"{c}"',
    "too old": lambda c: made_cookie(session_of(c), age=90 * DAY + 5),
    "version 2": lambda c: made_cookie(session_of(c), v=2),
    "version of text": lambda c: made_cookie(session_of(c), v="1"),
    "time of text": lambda c: made_cookie(session_of(c), t="1"),
    "no version": lambda c: resigned(json.dumps({"s": session_of(c), "t": int(time.time())})),
    "one field more": lambda c: made_cookie(session_of(c), x=1),
    "half a second": lambda c: made_cookie(session_of(c), t=time.time()),
    "customer in it": lambda c: made_cookie("gid://shopify/Customer/7"),
    "no GID": lambda c: made_cookie(session_of(c).rpartition("/")[2]),
    "lines in the GID": lambda c: made_cookie(session_of(c) + "\n"),
    "not an object": lambda c: resigned("[]"),
    "not JSON": lambda c: resigned("x"),
    "very long": lambda c: "a" * 3000 + "." + c.partition(".")[2],
    "plain GID": session_of,
    "nothing": lambda c: "",
    "spaces inside": lambda c: c.replace(".", " . "),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_forged_cookie_is_nobodys(front, name):
    """The cookie: anything but our own spelling, signature and age is nobody's, and is removed."""
    victim = front.anyone(1)
    thief = front.browser(FORGED[name](victim.cookie))
    with nothing_forwarded(front.api):
        answer = thief.get("/items")
    assert (answer.status_code, answer.json()) == (200, {"data": []})
    assert removes_cookie(answer)
    with nothing_forwarded(front.api):
        assert thief.delete(f"/items/{uuid.uuid4()}").status_code == 404
    assert victim.products() == [1]


def test_our_own_spelling_holds(front):
    """The cookie: one made by the letter of the document is taken, up to its 90 days."""
    victim = front.anyone(1)
    for age in (0, DAY - 5, 90 * DAY - 60):
        assert front.browser(made_cookie(victim.session, age=age)).products() == [1]


def test_forged_cookie_begins_anew_with_a_save(front):
    """Who is shopping, 3: a save of somebody with a bad cookie makes a session of their own."""
    victim = front.anyone(1)
    thief = front.browser(made_cookie(victim.session, secret="x" * 40))
    answer = thief.post("/items", json={"productId": 9})
    assert answer.status_code == 201
    [line] = set_cookies(answer)
    assert session_of(line.partition("=")[2].partition(";")[0]) != victim.session
    assert victim.products() == [1]


def test_cookie_sent_twice_is_nobodys(front):
    """The cookie: sent twice, even the same, it is nobody's."""
    one, other = front.anyone(1), front.anyone(2)
    for pair in (f"wishwell={one.cookie}; wishwell={other.cookie}",
                 f"wishwell={one.cookie}; a=b; wishwell={one.cookie}",
                 f"wishwell=; wishwell={one.cookie}"):  # fmt: skip
        browser = front.browser()
        answer = browser.get("/items", headers={"Cookie": pair})
        assert answer.json() == {"data": []}
        assert removes_cookie(answer)


def test_cookie_among_others(front):
    """The cookie: others beside it, and spaces around it, do not matter; its name's case does."""
    visitor = front.anyone(1)
    for jar in (f"a=b; wishwell={visitor.cookie}; c=d", f"a=b;wishwell={visitor.cookie} ;c"):
        assert front.browser().get("/items", headers={"Cookie": jar}).json()["data"]
    for jar in (f"Wishwell={visitor.cookie}", f"xwishwell={visitor.cookie}"):
        answer = front.browser().get("/items", headers={"Cookie": jar})
        assert answer.json() == {"data": []}
        assert "Set-Cookie" not in answer.headers


GIDS = {
    "query": {"params": {"profile": "{gid}"}},
    "query customer": {"params": {"customer": "{gid}", "session": "{gid}"}},
    "platform's parameter": {"params": {"logged_in_customer_id": "7"}},
    "header": {"headers": {"Profile": "{gid}"}},
    "other header": {"headers": {"X-Wishwell-Session": "{gid}", "X-Customer-Id": "{gid}"}},
    "cookie": {"headers": {"Cookie": "session={gid}; profile={gid}; wishwell_session={gid}"}},
    "cookie of the API's": {"headers": {"Cookie": "__Host-wishwell={cookie}"}},
    "token header": {"headers": {"Authorization": "Bearer {gid}"}},
}


@pytest.mark.parametrize("name", GIDS)
def test_gid_of_the_browser_is_never_used(front, name):
    """Sign-out: no GID from the browser, in no query, header or cookie of another name."""
    victim = front.anyone(1)
    given = json.loads(
        json.dumps(GIDS[name]).replace("{gid}", victim.session).replace("{cookie}", victim.cookie)
    )
    with nothing_forwarded(front.api):
        assert front.browser().get("/items", **given).json() == {"data": []}
    other = front.anyone(5)
    mine = other.http.headers.get("Cookie") or f"wishwell={other.cookie}"
    if "Cookie" in given.get("headers", {}):
        given["headers"]["Cookie"] += "; " + mine
    answer = other.get("/items", **given)
    shown = [item["productId"] for item in answer.json().get("data", [])]
    assert shown == ([5] if answer.status_code == 200 else [])
    assert victim.products() == [1]


def test_gid_in_a_body_is_never_used(front):
    """Sign-out: a GID in the body is the API's unknown field, and nothing more."""
    victim, thief = front.anyone(1), front.anyone(2)
    for field in ("profile", "session", "customer", "owner"):
        answer = thief.post("/items", json={"productId": 9, field: victim.session})
        assert field in envelope(answer, 400)
    assert (victim.products(), thief.products()) == ([1], [2])


def test_record_of_another_is_404(front):
    """Who is shopping: the ids of another visitor's records lead nowhere."""
    victim, thief = front.anyone(), front.anyone(2)
    id = victim.save(1)["id"]
    for answer in (
        thief.get(f"/items/{id}"),
        thief.patch(f"/items/{id}", json={"quantity": 5}),
        thief.delete(f"/items/{id}"),
    ):
        envelope(answer, 404)
    assert thief.request("DELETE", "/items", json={"itemIds": [id]}).status_code == 204
    assert victim.products() == [1]


def test_replayed_cookie_is_only_its_visitor(front):
    """The cookie: taken to another browser it is that visitor there, until they sign in."""
    visitor = front.anyone(1)
    copied = visitor.cookie
    assert front.browser(copied).products() == [1]
    assert front.signed_in("replayed", Cookie=f"wishwell={copied}").products() == [1]
    answer = front.browser(copied).get("/items")
    assert answer.json() == {"data": []}
    assert removes_cookie(answer)


def test_cookie_is_set_again_after_a_day(front):
    """The cookie: set again on the first answer after a day, not before."""
    visitor = front.anyone(1)
    young = front.browser(made_cookie(visitor.session, age=DAY - 60)).get("/items")
    assert "Set-Cookie" not in young.headers
    answer = front.browser(made_cookie(visitor.session, age=DAY + 60)).get("/items")
    [line] = set_cookies(answer)
    assert "Max-Age=7776000" in line
    fresh = line.partition("=")[2].partition(";")[0]
    assert session_of(fresh) == visitor.session
    assert "Set-Cookie" not in front.browser(fresh).get("/items").headers


def test_secrets_rotate(new_front):
    """The cookie: the first secret signs, all are accepted; one that is gone is not."""
    old, new = "old-" + "o" * 40, "new-" + "n" * 40
    before = new_front(SECRET=old)
    cookie = before.anyone(1).cookie
    token = before.shop.admin_token
    both = before._replace(proxy=new_front(SECRET=f"{new},{old}", TOKEN=token).proxy)
    assert both.browser(cookie).products() == [1]
    aged = made_cookie(session_of(cookie), secret=old, age=2 * DAY)
    [line] = set_cookies(both.browser(aged).get("/items"))
    fresh = line.partition("=")[2].partition(";")[0]
    after = before._replace(proxy=new_front(SECRET=new, TOKEN=token).proxy)
    assert after.browser(fresh).products() == [1]
    assert removes_cookie(after.browser(cookie).get("/items"))
    assert SECRET not in (old, new)


def test_two_stores_with_one_secret(new_front):
    """The cookie: the store's name is part of the signature."""
    front = new_front(STORE="one")
    visitor = front.anyone(1)
    other = front._replace(proxy=new_front(STORE="two", TOKEN=front.shop.admin_token).proxy)
    assert removes_cookie(other.browser(visitor.cookie).get("/items"))
    assert front.browser(made_cookie(visitor.session, store="one")).products() == [1]


def test_https_has_a_name_that_no_subdomain_can_plant(new_front):
    """The cookie, Https: the prefix and Secure, by a trusted proxy's word, or by the setting."""
    for settings, headers in (
        ({"TRUSTED": "127.0.0.0/8"}, {"X-Forwarded-Proto": "https"}),
        ({"SECURE": "always"}, {}),
    ):
        front = new_front(**settings)
        browser = front.browser()
        browser.http.headers.update(headers)
        answer = browser.post("/items", json={"productId": 1})
        [line] = set_cookies(answer)
        assert line.startswith("__Host-wishwell=ey")
        assert "; Secure" in line and "Path=/" in line and "Domain" not in line
        value = line.partition("=")[2].partition(";")[0]
        both = {"Cookie": f"__Host-wishwell={value}"}
        assert browser.get("/items", headers=both).json()["data"]
        planted = browser.get("/items", headers={"Cookie": f"wishwell={value}"})
        assert planted.json() == {"data": []}


def test_forwarded_proto_of_anybody_counts_for_nothing(front, new_front):
    """The cookie, Https: X-Forwarded-Proto is believed from trusted proxies only."""
    for asked in (front, new_front(TRUSTED="10.0.0.0/8"), new_front(SECURE="never")):
        browser = asked.browser()
        answer = browser.post(
            "/items", json={"productId": 1}, headers={"X-Forwarded-Proto": "https"}
        )
        [line] = set_cookies(answer)
        assert line.startswith("wishwell=") and "Secure" not in line
