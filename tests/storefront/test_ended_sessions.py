"""Cookies of revoked, linked and purged sessions are invalid; others remain valid."""

import time

from tests.api.conftest import soon

from .conftest import (
    DAY,
    envelope,
    new_api,
    nobodys,
    nobodys_for_good,
    nothing_done,
    removes_cookie,
    session_of,
    sessions_in,
    set_cookies,
    shop_jwt,
    value_of,
    with_one_store,
)
from .way import direct


def test_cookie_of_a_revoked_session_is_ignored(front):
    """A revoked session's cookie is ignored; the next save starts a new session. Other sessions
    aren't affected.
    Rule: storefront-visitor."""
    visitor, other = front.anyone(1), front.anyone(2)
    cookie, session = visitor.cookie, visitor.session
    front.api.quick("token", "revoke", session, "--store", front.shop.handle)
    soon(lambda: nobodys(front.browser(cookie).get("/items")))
    assert removes_cookie(front.browser(cookie).get("/items"))
    # A cookie that is due for renewal isn't renewed.
    assert removes_cookie(front.browser(front.cookie(session, age=2 * DAY)).get("/items"))
    with nothing_done(front):
        answer = front.signed_in("thief", Cookie=f"wishwell={cookie}").get("/items")
        assert nobodys(answer) and removes_cookie(answer)
    visitor.save(3)
    assert visitor.session != session
    assert visitor.products() == [3]
    assert other.products() == [2]
    assert removes_cookie(front.browser(front.cookie(session, age=-120)).get("/items"))


@direct("a token, and the wait for a body, are the way's own")
def test_write_is_refused_when_the_proxys_token_is_revoked_while_the_body_arrives(front):
    """A write is refused if the proxy's token is revoked while the body arrives.
    Rule: token-revoked."""
    token = front.proxys_token(naming=True)
    proxy = front.browser(Authorization=f"Bearer {token}", Wishwell_Customer="slow")
    proxy.save(1)

    def slowly():
        yield b'{"prod'
        front.api.cli("token", "revoke", "-", input=token)
        soon(lambda: proxy.get("/items").status_code == 401)
        time.sleep(1.1)
        yield b'uctId": 3}'

    answer = proxy.post("/items", content=slowly(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 401
    assert front.signed_in("slow").products() == [1]


def test_customer_whose_tokens_are_revoked_is_served(front):
    """Revoking a customer's tokens doesn't affect the storefront, where the shop identifies them.
    Rule: storefront-visitor."""
    browser = front.signed_in("revoked")
    browser.save(1)
    witness = front.shop.customer("revoked")
    front.api.quick("token", "revoke", witness.gid, "--store", front.shop.handle)
    soon(lambda: witness.http.get("/items").status_code == 401)
    assert browser.products() == [1]


def test_customer_who_still_has_the_cookie_of_a_purged_session_is_served(front):
    """A sign-in with a purged session's cookie succeeds, links nothing, and removes the cookie.
    Rule: storefront-sign-in."""
    cookie = front.cookie("gid://wishwell/Session/01a1fb82-8f15-4000-aafc-5adf06151cd4")
    answer = front.browser(cookie, X_Shop_Token=shop_jwt("late")).get("/items")
    assert answer.status_code == 200
    assert removes_cookie(answer)


def test_session_that_was_linked_elsewhere_is_anonymous(front):
    """A session linked elsewhere is anonymous, and only a save starts a new one.
    Rules: storefront-visitor, session-ended."""
    reader, writer, changer = front.anyone(1), front.anyone(2), front.anyone(4)
    id = changer.get("/items").json()["data"][0]["id"]
    for visitor in (reader, writer, changer):
        front.shop.token(customer=front.shop.gid("elsewhere"), session=visitor.session)
    assert nobodys_for_good(reader.get("/items"))
    old = writer.session
    answer = writer.post("/items", json={"productId": 3})
    assert answer.status_code == 201
    [line] = set_cookies(answer)
    assert session_of(value_of(line)) != old
    assert writer.products() == [3]
    assert answer.headers["Wishwell-Shopper"] == front.shopper(writer.session)
    with nothing_done(front):
        answer = changer.patch(f"/items/{id}", json={"quantity": 2})
        envelope(answer, 404)
        assert removes_cookie(answer)


def test_purged_or_revoked_session_stays_invalid_after_a_restart():
    """Purged and revoked sessions stay invalid after a restart.
    Rules: storefront-visitor, session-ended."""
    # With 0 days an empty session may be purged immediately.
    with with_one_store(new_api(WISHWELL_EMPTY_SESSION_DAYS="0")) as front:
        purged, revoked, other = front.browser(), front.anyone(2), front.anyone(1)
        purged.delete(f"/items/{purged.save(1)['id']}")
        before = sessions_in(front.api)
        time.sleep(0.1)
        front.api.quick("purge")
        assert sessions_in(front.api) == before - 1
        front.api.quick("token", "revoke", revoked.session, "--store", front.shop.handle)
        # A process with a clock ahead may have set this cookie.
        ahead = front.browser(front.cookie(revoked.session, age=-250))
        front.api.restart()
        for visitor in (purged, revoked, ahead):
            assert nobodys_for_good(visitor.get("/items"))
        assert other.products() == [1]
