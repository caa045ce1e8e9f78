"""Key sets (JWKS), given inline or fetched from a real server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from structlog.testing import capture_logs

from tests.servers.base import HERE
from tests.servers.called import Called, Speak, on_loop
from wishwell.errors import Invalid, Unavailable
from wishwell.outbound import Outbound
from wishwell.outbound.answer import MAX_ANSWER_BYTES
from wishwell.shoppers.customers import InvalidEvidence
from wishwell.shoppers.key_sets import KeySets, public_keys
from wishwell.shoppers.shop import Shop
from wishwell.stores import Store
from wishwell.stores.naming import Naming
from wishwell.stores.store_secrets import CookieSecret, StoreSecrets

from .way import direct

pytestmark = direct("no request is sent")

EC = ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65_537, 2_048)
SHORT_RSA = rsa.generate_private_key(65_537, 2_040)


def entry(kid: object, key=EC, **fields: object) -> dict:
    """Returns a public key as a key set lists it."""
    algorithm = jwt.algorithms.ECAlgorithm if key is EC else jwt.algorithms.RSAAlgorithm
    return {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, **fields}


def key_set(*kids: str) -> bytes:
    return json.dumps({"keys": [entry(kid) for kid in kids]}).encode()


def answer(body: bytes, status: int = 200) -> bytes:
    return b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@contextlib.asynccontextmanager
async def shop(first: bytes | Speak):
    """A server with a key set, its URL, the service's key sets, and their clock."""
    outbound, clock = Outbound(http=True, private=True), Clock()
    async with Called(first).serve() as server:
        yield (
            server,
            f"http://{HERE}:{server.port}/keys?secret=1",
            KeySets(outbound, 600, clock),
            clock,
        )
        await outbound.close()


async def is_unknown(keys: KeySets, source: str, kid: str) -> None:
    with pytest.raises(ValueError, match="isn't in the shop's key set"):
        await keys.key(source, kid)


async def is_away(keys: KeySets, source: str) -> str:
    """Asserts that no keys are available; returns the logged reason, which must not contain the
    URL."""
    with capture_logs() as logs, pytest.raises(Unavailable):
        await keys.key(source, "a")
    assert "secret" not in str(logs)
    return logs[0]["reason"] if logs else ""


@on_loop
async def test_key_set_of_a_url_is_fetched_when_first_needed():
    """A key set is fetched when first needed, and for an unknown kid at most once a minute.
    Rule: key-set-fetched."""
    async with shop(answer(key_set("a"))) as (server, url, keys, clock):
        assert server.heads == []
        for _ in range(3):
            assert (await keys.key(url, "a")).algorithm_name == "ES256"
        server.answer = answer(key_set("b"))
        clock.now += 59
        await is_unknown(keys, url, "b")
        clock.now += 2
        assert (await keys.key(url, "a")).key_id == "a"
        assert len(server.heads) == 1
        assert (await keys.key(url, "b")).key_id == "b"
        await is_unknown(keys, url, "a")
        assert len(server.heads) == 2


@on_loop
async def test_concurrent_callers_share_one_fetch():
    """Concurrent callers share one fetch (single-flight); a cancelled caller doesn't cancel it.
    Rule: key-set-fetched."""

    async def slowly(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        writer.write(answer(key_set("a")))

    async with shop(slowly) as (server, url, keys, _):
        asked = [asyncio.create_task(keys.key(url, "a")) for _ in range(20)]
        await asyncio.sleep(0.05)
        asked[0].cancel()
        assert {key.key_id for key in await asyncio.gather(*asked[1:])} == {"a"}
        assert asked[0].cancelled()
        assert len(server.heads) == 1


# Bad responses by the reason that the log gives.
BAD = {
    "status is 503": answer(key_set("a"), 503),
    "status is 302": answer(key_set("a"), 302),
    "larger than 64 KiB": answer(key_set("a") + b" " * MAX_ANSWER_BYTES),
    "isn't JSON": answer(b"{"),
    "it isn't JSON": answer(b"[" * 60_000),
    "no array `keys`": answer(b"[]"),
    "has no array": answer(b'{"keys": {}}'),
    "broke off": b"HTTP/1.1 200 OK\r\n\r",
}


@pytest.mark.parametrize("reason", BAD)
@on_loop
async def test_earlier_keys_stay_valid_when_a_fetch_fails(reason):
    """If a fetch fails, earlier keys stay valid; without any, the next fetch is a second later.
    Rule: key-set-fetched."""

    async def bad(writer: asyncio.StreamWriter) -> None:
        writer.write(BAD[reason])

    async with shop(bad) as (server, url, keys, clock):
        assert reason in await is_away(keys, url)
        assert await is_away(keys, url) == ""
        assert len(server.heads) == 1
        server.answer = answer(key_set("a"))
        clock.now += 1.1
        assert (await keys.key(url, "a")).key_id == "a"
        server.answer = bad
        clock.now += 61
        await is_unknown(keys, url, "b")
        await is_unknown(keys, url, "b")
        assert (await keys.key(url, "a")).key_id == "a"
        assert len(server.heads) == 3


@on_loop
async def test_key_sets_share_no_keys():
    """Key sets don't share keys, and an inline set needs no fetch. Rule: store-isolation."""
    async with shop(answer(key_set("a"))) as (_, url, keys, _clock):
        inline = key_set("b").decode()
        keys.check("jwks", inline)
        for source, own, other in ((url, "a", "b"), (inline, "b", "a")):
            assert (await keys.key(source, own)).key_id == own
            await is_unknown(keys, source, other)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{", "isn't a JSON Web Key Set; it isn't JSON"),
        ("{}", "isn't a JSON Web Key Set; it has no array `keys`"),
        ('{"keys": []}', "contains no key with a kid"),
        ('{"keys": [{"kty": "oct", "kid": "a", "k": "c2VjcmV0"}]}', "contains no key with a kid"),
        ("http://shop.example/", "must begin with https://"),
        ("-----BEGIN PUBLIC KEY-----", "isn't a JSON Web Key Set; it isn't JSON"),
        (
            json.dumps({"keys": [entry("a"), entry("short", SHORT_RSA)]}),
            "the RSA key short is shorter than 2,048 bits",
        ),
    ],
)
def test_bad_key_set_or_url_is_refused(source, words):
    """A bad key set or URL is refused when it is configured."""
    with pytest.raises(Invalid) as told:
        KeySets(Outbound(http=False, private=False), 600).check("jwks", source)
    assert told.value.message.startswith(f"jwks: {words}")


def test_unusable_keys_of_a_set_are_ignored():
    """Usable keys are public RS256 and ES256 keys with a kid; anything else is ignored without
    cost.
    Rule: key-set-fetched."""
    other = [
        entry(None), entry(""), entry(["a"]), entry({}), entry("x", use="enc"), entry("x", use=["sig"]),
        entry("x", crv="P-0"), entry("x", x=1), entry("x", x="AA"), entry("x", RSA, n="!"),
        entry("x", RSA, alg="PS256"), entry("x", RSA, alg=["RS256"]), entry("x", kty=["EC"]),
        entry("x", RSA, alg="none"), entry("x", alg="RS256"), entry("x", RSA, n=None),
        {"kty": "oct", "kid": "x", "k": "c2VjcmV0"}, {"kty": "EC"}, {}, None, "x", 1, [entry("x")],
    ]  # fmt: skip
    good = [entry("a"), entry("b", RSA), entry("c", RSA, alg="RS256", use="sig")]
    good += [entry("d", RSA, d="_" * 60_000)]
    found = public_keys({"keys": [*other, *good, *other]})
    assert {kid: key.algorithm_name for kid, key in found.items()} == {
        "a": "ES256",
        "b": "RS256",
        "c": "RS256",
        "d": "RS256",
    }
    assert isinstance(found["d"].key, rsa.RSAPublicKey)


@on_loop
async def test_only_short_rsa_keys_are_ignored():
    """Of a fetched or stored set, only the RSA key below 2,048 bits verifies nothing, and the log names
    it. Rule: key-set-fetched."""
    body = json.dumps({"keys": [entry("short", SHORT_RSA), entry("good", RSA)]})
    async with shop(answer(body.encode())) as (_, url, keys, _clock):
        with capture_logs() as logs:
            for source in (url, body):
                assert (await keys.key(source, "good")).key_id == "good"
                await is_unknown(keys, source, "short")
    assert [(line["event"], line["kid"]) for line in logs] == [("key_too_short", "short")]


def shop_of(url: str, keys: KeySets) -> Shop:
    naming = Naming(jwt_key_set=url)
    store = Store("1", "shop", "shopify", "integer", "", (), naming, (), {}, 5, None, "")
    return Shop(store, StoreSecrets((CookieSecret("s" * 40),)), keys)


def signed(kid: str, key=EC, algorithm: str = "ES256") -> str:
    return jwt.encode({"sub": "1", "exp": int(time.time()) + 600}, key, algorithm, {"kid": kid})


def fetching() -> list[asyncio.Task]:
    """Returns the fetch in progress, if any."""
    return [task for task in asyncio.all_tasks() if "_fetch" in repr(task.get_coro())]


async def fetches(server: Called, count: int) -> None:
    """Waits until the running fetch has ended, the last of this many."""
    await asyncio.gather(*fetching())
    assert len(server.heads) == count


@on_loop
async def test_removed_key_is_refused_at_its_maximum_age():
    """Keys in use are fetched in the background before their maximum age, idle ones when used again. A
    removed key is then refused, also for a JWT that was verified before. Rules: key-set-fetched, storefront-secrets."""
    async with shop(answer(key_set("a", "b"))) as (server, url, keys, clock):
        its, removed = shop_of(url, keys), signed("a")
        assert await its.customer(removed)
        clock.now += 299
        assert await its.customer(removed)
        assert len(server.heads) == 1
        server.answer = answer(key_set("b"))
        clock.now += 2
        assert await its.customer(removed)
        await fetches(server, 2)
        with pytest.raises(InvalidEvidence, match="isn't in"):
            await its.customer(removed)
        server.answer = answer(key_set("a"))
        clock.now += 601
        with pytest.raises(InvalidEvidence, match="isn't in"):
            await its.customer(signed("b"))
        assert await its.customer(removed)
        assert len(server.heads) == 3


@on_loop
async def test_no_request_waits_for_a_refresh_when_the_url_hangs():
    """While the URL hangs, stored keys are used; only requests that need an unknown key wait.
    Rule: key-set-fetched."""
    release = asyncio.Event()

    async def hang(writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.write(answer(key_set("a"), 503))

    async with shop(answer(key_set("a"))) as (server, url, keys, clock):
        its, token = shop_of(url, keys), signed("a")
        assert await its.customer(token)
        server.answer = hang
        clock.now += 301
        for _ in range(3):
            assert await its.customer(token)
        assert fetching()
        clock.now += 300  # older than the maximum age: requests wait for one fetch
        waiting = [asyncio.create_task(its.customer(token)) for _ in range(5)]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in waiting)
        release.set()
        assert len(await asyncio.gather(*waiting)) == 5
        release.clear()
        clock.now += 61  # the URL is known to be down: one fetch a minute, which none waits for
        for _ in range(3):
            assert await its.customer(token)
        assert fetching()
        release.set()
        await fetches(server, 3)
        assert len(server.heads) == 3


@on_loop
async def test_stale_keys_end_an_hour_after_their_maximum_age_when_the_url_is_down():
    """When the URL is down, stale keys are used for an hour; then requests are 503 until it responds.
    Rule: key-set-fetched."""
    async with shop(answer(key_set("a"))) as (server, url, keys, clock):
        its, token = shop_of(url, keys), signed("a")
        assert await its.customer(token)
        server.answer = answer(b"", 500)
        for count, seconds in ((2, 301), (3, 300), (4, 3_599)):
            clock.now += seconds
            assert await its.customer(token)
            await fetches(server, count)
        clock.now += 61
        await is_away(keys, url)
        server.answer = answer(key_set("a"))
        clock.now += 2
        assert await its.customer(token)


@on_loop
async def test_key_replaced_under_its_kid_is_fetched_at_a_limited_rate():
    """A key replaced under its `kid`, also by one for another algorithm, is fetched. Wrong signatures cause
    at most one fetch a minute and don't delay the right ones. Rules: key-set-fetched, storefront-jwt."""
    async with shop(answer(key_set("a"))) as (server, url, keys, clock):
        its, old, new = shop_of(url, keys), signed("a"), signed("a", RSA, "RS256")
        assert await its.customer(old)
        server.answer = answer(json.dumps({"keys": [entry("a", RSA)]}).encode())
        for _ in range(5):
            with pytest.raises(InvalidEvidence, match=r"signature|algorithm"):
                await its.customer(new)
        assert len(server.heads) == 1
        clock.now += 61
        assert await its.customer(new)
        with pytest.raises(InvalidEvidence, match=r"signature|algorithm"):
            await its.customer(old)
        forged = signed("a", rsa.generate_private_key(65_537, 2_048), "RS256")
        clock.now += 61
        for _ in range(5):
            with pytest.raises(InvalidEvidence, match=r"signature|algorithm"):
                await its.customer(forged)
            assert await its.customer(new)
        assert len(server.heads) == 3
