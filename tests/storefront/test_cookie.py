"""The visitor's cookie: only the issued spelling, signature and age are valid."""

import base64
import json
import time
import uuid

import pytest

from .conftest import (
    DAY,
    Browser,
    nobodys,
    nobodys_for_good,
    nothing_done,
    products,
    session_of,
    set_cookies,
    text,
    value_of,
)
from .way import direct


def other_alphabet(front, cookie: str) -> str:
    # An extra field produces a letter that the two base64 alphabets encode differently.
    raw = json.dumps({"s": session_of(cookie), "t": int(time.time()), "v": 1, "~?>~?>": "~?>"})
    part = base64.b64encode(raw.encode()).rstrip(b"=").decode()
    assert {"+", "/"} & set(part)
    return f"{part}.{front.signature(part)}"


def unsigned(cookie: str) -> str:
    return cookie.partition(".")[0]


def resigned(front, content: str) -> str:
    part = text(content.encode())
    return f"{part}.{front.signature(part)}"


FORGED = {
    "another secret": lambda f, c: f.cookie(session_of(c), secret="x" * 40),
    "another store": lambda f, c: f.cookie(session_of(c), store="01a1fb82-8f15-7000-aafc-5adf06151cd4"),
    "last letter changed": lambda f, c: c[:-1] + ("B" if c[-1] != "B" else "C"),
    "empty signature": lambda f, c: unsigned(c) + ".",
    "signed emptiness": lambda f, c: "." + f.signature(""),
    "padded and signed": lambda f, c: unsigned(c) + "=." + f.signature(unsigned(c) + "="),
    "other alphabet, signed": other_alphabet,
    "quoted": lambda f, c: f'"{c}"',
    "too old": lambda f, c: f.cookie(session_of(c), age=90 * DAY + 5),
    "version 2": lambda f, c: f.cookie(session_of(c), v=2),
    "no version": lambda f, c: resigned(f, json.dumps({"s": session_of(c), "t": int(time.time())})),
    "one field more": lambda f, c: f.cookie(session_of(c), x=1),
    "customer in it": lambda f, c: f.cookie("gid://shopify/Customer/7"),
    "no GID": lambda f, c: f.cookie(session_of(c).rpartition("/")[2]),
    "lines in the GID": lambda f, c: f.cookie(session_of(c) + "\n"),
    "not JSON": lambda f, c: resigned(f, "x"),
    "very long": lambda f, c: "a" * 3000 + "." + c.partition(".")[2],
    "nothing": lambda f, c: "",
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_forged_cookie_is_ignored_and_removed(front, name):
    """A forged cookie is ignored and removed. Rule: storefront-visitor."""
    victim = front.anyone(1)
    front.signed_in("7").save(7)
    thief = front.browser(FORGED[name](front, victim.cookie))
    with nothing_done(front):
        assert nobodys_for_good(thief.get("/items"))
        assert thief.delete(f"/items/{uuid.uuid4()}").status_code == 404
    assert victim.products() == [1]


def test_cookie_built_by_the_rules_is_valid_for_90_days(front):
    """A cookie built by the rules is valid for 90 days, and from a clock up to 5 minutes ahead.
    Rule: storefront-visitor."""
    victim = front.anyone(1)
    for age in (0, DAY - 5, 90 * DAY - 60, -290):
        assert front.browser(front.cookie(victim.session, age=age)).products() == [1]


@pytest.mark.parametrize("days", [1, 3 * 365])
def test_cookie_dated_ahead_is_kept_and_set_again(front, days):
    """A cookie dated ahead is accepted and set again with the right time, so its wishes remain reachable.
    Rule: storefront-visitor."""
    victim = front.anyone(1)
    ahead = front.browser(front.cookie(victim.session, age=-days * DAY))
    answer = ahead.get("/items")
    assert products(answer) == [1]
    [line] = set_cookies(answer)
    content = value_of(line).partition(".")[0]
    dated = json.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4)))["t"]
    assert abs(dated - time.time()) < 60


def test_duplicate_cookie_is_ignored(front):
    """A duplicate cookie is ignored, even with equal values. Rule: storefront-visitor."""
    one, other = front.anyone(1), front.anyone(2)
    for pair in (f"wishwell={one.cookie}; wishwell={other.cookie}",
                 f"wishwell={one.cookie}; a=b; wishwell={one.cookie}",
                 f"wishwell=; wishwell={one.cookie}"):  # fmt: skip
        assert nobodys_for_good(front.browser().get("/items", headers={"Cookie": pair}))
    lines = [("Cookie", f"wishwell={one.cookie}"), ("Cookie", f"wishwell={other.cookie}")]
    assert nobodys(front.browser().get("/items", headers=lines))


def test_cookie_is_found_among_others(front):
    """The cookie is found among others; its name is case-sensitive. Rule: storefront-visitor."""
    visitor = front.anyone(1)
    for jar in (f"a=b; wishwell={visitor.cookie}; c=d", f"a=b;wishwell={visitor.cookie} ;c"):
        assert products(front.browser().get("/items", headers={"Cookie": jar})) == [1]
    for jar in (f"Wishwell={visitor.cookie}", f"xwishwell={visitor.cookie}"):
        answer = front.browser().get("/items", headers={"Cookie": jar})
        assert nobodys(answer)
        assert "Set-Cookie" not in answer.headers


def test_cookie_is_set_again_after_a_day(front):
    """After a day, but not before, the cookie is set again and the session's use is recorded for
    the purge.
    Rules: storefront-visitor, session-purged."""
    visitor = front.anyone(1)

    def touched() -> list:
        """Returns the session's last use as the purge sees it."""
        sql = f"SELECT touched_at FROM profiles WHERE gid = '{visitor.session}'"
        return front.api.rows(sql)

    made = touched()
    young = front.browser(front.cookie(visitor.session, age=DAY - 60)).get("/items")
    assert "Set-Cookie" not in young.headers
    assert touched() == made
    answer = front.browser(front.cookie(visitor.session, age=DAY + 60)).get("/items")
    [line] = set_cookies(answer)
    assert "Max-Age=7776000" in line
    fresh = value_of(line)
    assert session_of(fresh) == visitor.session
    assert touched() > made
    assert "Set-Cookie" not in front.browser(fresh).get("/items").headers


def has_prefix(browser: Browser) -> None:
    """Asserts that this browser gets and needs the cookie for https."""
    answer = browser.post("/items", json={"productId": 1})
    [line] = set_cookies(answer)
    assert line.startswith("__Host-wishwell=ey")
    assert "; Secure" in line and "Path=/" in line and "Domain" not in line
    value = value_of(line)
    jars = {
        "__Host-wishwell={v}": [1],
        "wishwell={v}": [],
        "__Host-wishwell={v}; __Host-wishwell={v}": [],
    }
    for jar, seen in jars.items():
        assert products(browser.get("/items", headers={"Cookie": jar.format(v=value)})) == seen


def test_https_cookie_has_the_host_prefix(new_front):
    """On https the cookie has the `__Host-` prefix, which no subdomain can set, whatever the
    headers say.
    Rule: storefront-visitor."""
    front = new_front(scheme="https")
    has_prefix(front.browser())
    has_prefix(front.browser(X_Forwarded_Proto="http"))


@direct("the scheme is the way's own")
def test_trusted_forwarded_proto_decides_for_a_store_without_a_host(proxied):
    """For a store without a host, a trusted proxy's X-Forwarded-Proto decides.
    Rules: storefront-visitor, storefront-hosts."""
    has_prefix(proxied.browser(X_Forwarded_Proto="https"))


def test_forwarded_proto_of_untrusted_senders_is_ignored(front, proxied):
    """X-Forwarded-Proto of untrusted senders is ignored. Rule: storefront-hosts."""
    headers = {"X-Forwarded-Proto": "https"}
    for browser in (front.browser(), Browser(proxied, {}, sender="127.0.0.9")):
        answer = browser.post("/items", json={"productId": 1}, headers=headers)
        [line] = set_cookies(answer)
        assert line.startswith("wishwell=") and "Secure" not in line
