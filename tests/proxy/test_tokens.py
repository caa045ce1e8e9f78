"""docs/proxy.md, Tokens; and that none of them ever leaves the process."""

import asyncio
import base64
import re
import time
import uuid

import pytest

from tests.api.conftest import soon
from tests.conftest import Shop
from tests.servers import wait_until
from wishwell.proxy.answers import Refused
from wishwell.proxy.tokens import Tokens
from wishwell.proxy.upstream import Upstream

from .conftest import (
    BASE,
    ROOMY,
    Front,
    asked_of,
    envelope,
    new_api,
    removes_cookie,
    sessions_in,
    set_cookies,
    shop_jwt,
    text,
)


def token_requests(api) -> int:
    return sum(line["route"] == "/profiles/token" for line in asked_of(api))


def test_token_is_asked_for_once(front):
    """Tokens: kept in memory; many reads, one token."""
    visitor = front.anyone(1)
    before = token_requests(front.api)
    for _ in range(20):
        assert visitor.products() == [1]
    assert token_requests(front.api) == before


def test_tokens_of_the_last_shoppers_are_kept(new_front):
    """Tokens: as many as the setting says; one more pushes the oldest out."""
    front = new_front(TOKENS="2")
    one, two = front.anyone(1), front.anyone(2)
    before = token_requests(front.api)
    assert (one.products(), two.products()) == ([1], [2])
    assert token_requests(front.api) == before
    front.anyone(3)  # its session's token pushes the one of `one` out
    assert token_requests(front.api) == before + 1
    assert two.products() == [2]
    assert token_requests(front.api) == before + 1
    assert one.products() == [1]
    assert token_requests(front.api) == before + 2


@pytest.mark.parametrize("kind", ["session", "customer"])
def test_revoked_token_is_replaced(front, kind):
    """Tokens: a 401 of the API drops the token, asks for a new one and repeats the request once."""
    name = f"revoked-{time.time_ns()}"
    browser = front.anyone(1) if kind == "session" else front.signed_in(name)
    gid = browser.session if kind == "session" else f"gid://shopify/Customer/{name}"
    browser.save(1)
    asked = {"session": gid} if kind == "session" else {"customer": gid}
    witness = front.shop.token(**asked)
    front.api.quick("token", "revoke", gid, "--store", front.shop.handle)
    soon(lambda: witness.http.get("/items").status_code == 401)
    answer = browser.post("/items", json={"productId": 2})
    assert answer.status_code == 201
    assert "Set-Cookie" not in answer.headers
    assert browser.products() == [1, 2]


def test_session_that_was_linked_elsewhere_is_nobody(front):
    """Tokens: 404 for a token: a read answers empty and removes the cookie, a POST begins anew."""
    reader, writer = front.anyone(1), front.anyone(2)
    for visitor in (reader, writer):
        front.shop.token(customer=front.shop.gid("elsewhere"), session=visitor.session)
    answer = reader.get("/items")
    assert (answer.status_code, answer.json()) == (200, {"data": []})
    assert removes_cookie(answer)
    old = writer.session
    answer = writer.post("/items", json={"productId": 3})
    assert answer.status_code == 201
    assert len(set_cookies(answer)) == 1
    assert writer.session != old
    assert writer.products() == [3]
    assert answer.headers["Wishwell-Shopper"] != "-"


def test_purged_session_is_nobody(start_proxy):
    """Tokens: the same for a session that the API has purged."""
    # The days are counted from a token's end, a day after it was made: as good as at once.
    with new_api(WISHWELL_SESSION_DAYS="0", WISHWELL_EMPTY_SESSION_DAYS="0") as api:
        shop = Shop(api, *ROOMY)
        front = Front(start_proxy(api, shop.admin_token), shop, api)
        visitor = front.browser()
        assert visitor.post("/items", json={"productId": "x"}).status_code == 400
        before = sessions_in(api)
        time.sleep(0.1)
        api.cli("purge")
        assert sessions_in(api) == before - 1
        front.proxy.stop()
        front.proxy.start()
        answer = visitor.get("/items")
        assert (answer.status_code, answer.json()) == (200, {"data": []})
        assert removes_cookie(answer)


def test_restart_of_the_proxy_loses_nobody(new_front):
    """Tokens: they are in memory only; the cookie is enough to ask again."""
    front = new_front()
    visitor = front.anyone(1)
    assert front.proxy.stop() == 0
    front.proxy.start()
    assert visitor.products() == [1]


# ------------------------------------------------------------------------- nothing gets out

WORDS = re.compile(rb"[A-Za-z0-9_-]{8,}|[A-Za-z0-9+/]{8,}")
JWT_HEADS = (b"wishwell+jwt", b'"alg"')


def decoded(text: bytes) -> list[bytes]:
    """What base64 there is in a text, in either alphabet and wherever it begins, undone."""
    found = []
    for word in set(WORDS.findall(text)):
        for start in range(4):
            cut = word[start:].translate(bytes.maketrans(b"-_", b"+/"))
            found.append(base64.b64decode(cut[: len(cut) - len(cut) % 4]))
    return found


def leaks(seen: list[bytes], secrets: list[bytes]) -> list[bytes]:
    """Which of the secrets, or of what is in every token, is in there, encoded twice or less."""
    pieces = [b"\n".join(seen)]
    for _ in range(2):
        pieces.append(b"\n".join(found for piece in pieces for found in decoded(piece)))
    needles = [*secrets, *JWT_HEADS, b"wwadm_"]
    return [needle for needle in needles if any(needle in piece for piece in pieces)]


def test_no_token_reaches_the_browser(front):
    """contract: proxy-tokens. The whole: over a visit with saves, errors, a sign-in and faults, no
    token is received."""
    visitor = front.anyone(1, 2)
    session = visitor.session
    gifts = visitor.post("/lists", json={"name": "Gifts"}).json()["data"]
    visitor.get("/lists")
    visitor.get(f"/lists/{gifts['id']}")
    visitor.get("/items?limit=1")
    visitor.get("/items?limit=x&token=1")
    visitor.post("/items", content=b"{", headers={"Content-Type": "application/json"})
    visitor.post("/items", json={"productId": 1}, headers={"Sec-Fetch-Site": "cross-site"})
    visitor.get("/profiles/token")
    visitor.put("/items")
    visitor.get("/items", headers={"Profile": session, "Authorization": "Bearer x"})
    visitor.get("/items", headers={"X-Shop-Token": "wrong"})
    visitor.http.request("TRACE", f"{front.proxy.url}{BASE}/api/items")
    visitor.http.get(f"{front.proxy.url}{BASE}/assets/wishwell.js")
    visitor.get("/items", headers={"X-Shop-Token": shop_jwt("secretive")})
    visitor.post("/items", json={"productId": 3}, headers={"X-Shop-Token": shop_jwt("secretive")})
    assert len(visitor.seen) > 100
    admin, profile = front.shop.admin_token, front.shop.session().token
    assert leaks(visitor.seen, [admin.encode(), session.encode()]) == [session.encode()]
    # That the search finds them: each of these would have been seen.
    for hidden in (admin, profile, text(profile.encode()), text(admin.encode())):
        assert leaks([*visitor.seen[:5], b'{"x":"' + hidden.encode() + b'"}'], [])


def test_log_holds_no_token_and_no_cookie(front):
    """The log: neither tokens nor cookies, nor the shop's JWT, in what the proxy prints."""
    visitor, token = front.anyone(1), shop_jwt("logged")
    cookie = visitor.cookie
    visitor.get("/items?query=product:1", headers={"X-Shop-Token": token})
    visitor.get("/nothing", headers={"Cookie": f"wishwell={cookie}x"})
    printed = front.proxy.output()
    for secret in (cookie.partition(".")[2], token, token.rpartition(".")[2]):
        assert secret not in printed
    assert leaks([printed.encode()], [front.shop.admin_token.encode()]) == []


def test_admin_token_that_is_refused_is_503(new_front):
    """Tokens: an admin token that the API refuses is a fault of the set-up, not of the shopper's."""
    front = new_front(TOKEN="wwadm_" + "x" * 49)
    assert front.browser().get("/items").json() == {"data": []}
    answer = front.browser().post("/items", json={"productId": 1})
    envelope(answer, 503)
    assert "Set-Cookie" not in answer.headers
    # The log is written by a thread of its own.
    assert wait_until(lambda: "401" in front.proxy.output(), seconds=5)


def test_token_is_renewed_five_minutes_before_its_end():
    """Tokens: renewed early; when that fails, the old one serves until its end, and no longer."""
    day, now = 86_400, [0.0]

    async def walk() -> None:
        upstream = Upstream(api.url, 5)
        tokens = Tokens(upstream, Shop(api, *ROOMY).admin_token, 10, clock=lambda: now[0])
        gid = await tokens.begin(str(uuid.uuid4()))

        async def at(seconds: float) -> str:
            now[0] = seconds
            return await tokens.get(gid, str(uuid.uuid4()))

        first = await at(0)
        assert await at(day - 310) == first
        second = await at(day - 290)
        assert second != first
        assert await at(2 * day - 700) == second
        api.stop()
        assert await at(2 * day - 310) == second
        with pytest.raises(Refused) as refused:
            await at(2 * day)
        assert refused.value.status == 503
        await upstream.close()

    with new_api() as api:
        asyncio.run(walk())
