"""Keys and secrets change while shoppers read and save, and nobody is signed out."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from tests.servers import SECRETS, Service, free_port, wait_until
from wishwell import ids
from wishwell.http.storefront import cookie
from wishwell.stores import listed, store_secrets
from wishwell.stores.sealing import Sealing
from wishwell.stores.store_secrets import CookieSecret, SecretsPatch, StoreSecrets, _patched

from . import stores
from .stores import SEALING_KEY, Storefront, fresh
from .way import direct

pytestmark = pytest.mark.xdist_group("storefront-rotation")

NEW_KEY = "another-sealing-key-of-the-tests-of-letters"
SEEN = 5.5
"""Seconds: in 5 s every process knows of a change."""


@pytest.fixture(scope="module")
def running():
    """Two workers, which learn of a change at different moments, and a store."""
    SECRETS.add(NEW_KEY)
    # A port that no connection of another test is given while the service restarts.
    service = stores.new_service(WISHWELL_WORKERS="2", WISHWELL_PORT=str(free_port()))
    [shop, _] = stores.make(service, ["http://one.example", "http://two.example"])
    with service:
        yield service, shop
        assert service.stop() == 0
        assert "Traceback" not in service.output()


def update(service: Service, *options: str) -> None:
    service.quick("store", "update", "store-0", *options)


def kept(service: Service, shop: Storefront) -> StoreSecrets:
    return stores.kept_secrets(service, shop.id, NEW_KEY, SEALING_KEY)


class Shopper:
    """Who reads and saves again and again, each time on a new connection: any worker may answer."""

    def __init__(self, service: Service, shop: Storefront) -> None:
        self.service, self.shop = service, shop
        self.headers: dict[str, str] = {}
        self.saved: list[int] = []

    def turn(self) -> str:
        """Saves and reads; what was wrong, or nothing."""
        product = min(len(self.saved), 99) + 1
        with fresh(self.service) as browser:
            answer = browser.save(self.shop.authority, product, **self.headers)
        if answer.status not in (200, 201):
            return f"saving: {answer.status} {answer.body[:200]!r}"
        self.saved = sorted({*self.saved, product})
        if answer.set_cookie:
            if "Cookie" in self.headers:
                return "a session was begun for somebody who had one"
            self.headers = {"Cookie": f"wishwell={answer.set_cookie}"}
        for _ in range(2):
            with fresh(self.service) as browser:
                answer = browser.read(self.shop.authority, "limit=250", **self.headers)
            if answer.status != 200 or answer.products != self.saved or answer.set_cookie == "":
                return f"reading: {answer.status} {answer.body[:200]!r}, and not {self.saved}"
        return ""


class Newcomer(Shopper):
    """Who comes for the first time, each time."""

    def turn(self) -> str:
        self.headers, self.saved = {}, []
        return super().turn()


class Customer(Shopper):
    """Who is signed in by a JWT of the shop."""

    def turn(self) -> str:
        self.headers = {stores.JWT_HEADER: self.shop.jwt("loaded")}
        return super().turn()


@contextlib.contextmanager
def shopping(*shoppers: Shopper):
    """They shop all the while; none of them may notice anything but that the service restarts."""
    wrong: list[str] = []
    turns: list[Shopper] = []
    end = threading.Event()

    def shop(who: Shopper) -> None:
        while not end.wait(0.1) and not wrong:
            before = list(who.saved)
            try:
                if text := who.turn():
                    wrong.append(f"{type(who).__name__}: {text}")
                turns.append(who)
            except OSError:  # it restarts; whether it was saved is not known
                if not isinstance(who, Newcomer):
                    who.saved = before
            except Exception as error:
                wrong.append(f"{type(who).__name__}: {error!r}")

    threads = [threading.Thread(target=shop, args=(who,)) for who in shoppers]
    for thread in threads:
        thread.start()
    try:
        yield
        count = len(turns)
        assert wait_until(lambda: wrong or len(turns) > count + 20, seconds=10)
    finally:
        end.set()
        for thread in threads:
            thread.join()
    assert not wrong, wrong
    assert set(turns) == set(shoppers)


@pytest.mark.slow
def test_cookie_secret_is_rotated_under_load(running):
    """contract: storefront-secrets, storefront-cookie. Who came before keeps the list; who comes in the
    seconds in which not all workers know of it, too."""
    service, shop = running
    visitor = Shopper(service, shop)
    with shopping(visitor, Newcomer(service, shop), Newcomer(service, shop)):
        for _ in range(2):
            update(service, "--new-cookie-secret", "rotate")
            time.sleep(1.5)
    now = kept(service, shop).cookie
    assert [one.secret for one in now].index(shop.cookie_secret) == 2
    assert all(one.replaced_at for one in now[1:])
    assert len({one.secret for one in now}) == 3


def test_leaked_cookie_secret_is_good_for_nothing(running):
    """contract: storefront-secrets. Nobody's within 5 s, and taken away; who begins anew is served."""
    service, shop = running
    visitor = Shopper(service, shop)
    assert not visitor.turn()
    update(service, "--new-cookie-secret", "leaked")
    time.sleep(SEEN)
    assert len(kept(service, shop).cookie) == 1
    for _ in range(6):
        with fresh(service) as browser:
            answer = browser.read(shop.authority, **visitor.headers)
        assert (answer.shopper, answer.products, answer.set_cookie) == ("-", [], "")
    for _ in range(6):
        assert not Newcomer(service, shop).turn()


@pytest.mark.slow
def test_jwt_key_changes_under_load(running, tmp_path):
    """contract: storefront-jwt, storefront-naming. With both keys set, JWTs of either are good; the old one
    is not any more once it is gone."""
    service, shop = running
    new = shop._replace(jwt_key="the-next-key-of-the-shop-of-forty-letters")
    SECRETS.add(new.jwt_key)
    files = []
    for key in (new.jwt_key, shop.jwt_key):
        files.append(tmp_path / str(len(files)))
        files[-1].write_text(key)
    customer = Customer(service, shop)
    with shopping(customer):
        update(service, *(word for file in files for word in ("--jwt-key-file", str(file))))
        time.sleep(SEEN)
        customer.shop = new
        time.sleep(0.5)
        update(service, "--jwt-key-file", str(files[0]))
        time.sleep(SEEN)
    for one, status in ((shop, 401), (new, 200)) * 4:
        with fresh(service) as browser:
            answer = browser.read(shop.authority, **{stores.JWT_HEADER: one.jwt("loaded")})
        assert answer.status == status


@direct("while the service restarts, a way says so by 502 or 503")
@pytest.mark.slow
def test_sealing_keys_are_rotated_under_load(running):
    """contract: sealing-keys, sealing-anew. The new key in front of the old one, a restart, and all is
    sealed under the new one, which alone opens it."""
    service, shop = running
    before = kept(service, shop)
    with shopping(Shopper(service, shop), Newcomer(service, shop)):
        service.restart(settings={"WISHWELL_SEALING_KEYS": f"{NEW_KEY},{SEALING_KEY}"})
        time.sleep(0.5)
    # Without the old one.
    assert stores.kept_secrets(service, shop.id, NEW_KEY) == before


def test_revoked_session_is_nobody_for_good(running):
    """contract: storefront-cookie-revoked. Its cookies are refused within 5 s, also one of a clock that is
    ahead, and after a restart; the visitor begins anew, and others notice nothing."""
    service, shop = running
    shop = shop._replace(cookie_secret=kept(service, shop).cookie[0].secret)
    visitor, other = Shopper(service, shop), Shopper(service, shop)
    assert not visitor.turn() and not other.turn()
    session = stores.session_of(visitor.headers["Cookie"].partition("=")[2])
    ahead = {"Cookie": f"wishwell={shop.cookie(session, age=-250)}"}
    with fresh(service) as browser:
        assert browser.read(shop.authority, **ahead).products == visitor.saved

    def is_refused(headers: dict[str, str]) -> bool:
        with fresh(service) as browser:
            answer = browser.read(shop.authority, **headers)
        return (answer.shopper, answer.products, answer.set_cookie) == ("-", [], "")

    service.quick("token", "revoke", session, "--store", "store-0")
    time.sleep(SEEN)
    for restarted in (False, True):
        if restarted:
            service.restart()
        assert all(is_refused(headers) for headers in (visitor.headers, ahead) * 4)
        with fresh(service) as browser:
            begun = browser.save(shop.authority, 5, **visitor.headers)
            anew = {"Cookie": f"wishwell={begun.set_cookie}"}
            assert browser.read(shop.authority, **anew).products == [5]
            assert browser.read(shop.authority, **other.headers).products == other.saved


# ------------------------------------------------------------------------ how long an old secret is good

DAY = 86_400
SESSION = "gid://wishwell/Session/01a1fb82-8f15-4000-aafc-5adf06151cd4"


@direct("no request is sent")
def test_old_secret_is_good_for_what_it_signed_before():
    """contract: storefront-cookie, storefront-secrets. For 90 days from the rotation, and not longer: in a
    service that runs on, and at a start, which forgets it. Whoever got hold of it signs nothing new."""
    at = 1_800_000_000
    first = StoreSecrets((CookieSecret("first"),))
    rotated = _patched(first, SecretsPatch(new_signer="rotate"), at * 1000)
    before, after = (cookie.Signer(one.cookie, "s") for one in (first, rotated))
    newest = cookie.Signer(rotated.cookie[:1], "s")

    def found(signer: cookie.Signer, value: str, now: int) -> bool:
        return signer.visitor(value.encode(), now) is not None

    last = before.value(SESSION, at)
    for now, good in ((at, True), (at + 90 * DAY, True), (at + 90 * DAY + 1, False)):
        assert found(after, last, now) == good
    assert not found(after, before.value(SESSION, at - 10 * DAY), at + 80 * DAY + 1)
    assert not found(newest, last, at)
    # Another process, or a clock that is ahead, may have signed with it for a moment.
    assert found(after, before.value(SESSION, at + 300), at + 300)
    assert not found(after, before.value(SESSION, at + 301), at + 301)
    # The new one signs once every process has read it, and verifies at once.
    assert found(before, after.value(SESSION, at + 10), at + 10)
    assert not found(before, after.value(SESSION, at + 11), at + 11)
    assert found(newest, after.value(SESSION, at + 11), at + 11)
    assert found(after, newest.value(SESSION, at), at)
    for days, count in ((0, 2), (89, 2), (90, 1)):
        kept = _patched(rotated, SecretsPatch(), (at + days * DAY) * 1000)
        assert len(kept.cookie) == count
        assert kept.cookie[0] == rotated.cookie[0]
    leaked = _patched(rotated, SecretsPatch(new_signer="leaked"), at * 1000)
    assert not set(leaked.cookie) & set(rotated.cookie)


@direct("no request is sent")
def test_start_forgets_an_old_secret():
    """contract: sealing-anew. 90 days after the rotation, whatever was kept until then."""
    with contextlib.closing(stores.new_service()) as service:
        [shop] = stores.make(service, ["http://one.example"])
        sealing, now = Sealing([SEALING_KEY.encode()]), ids.wall_clock()

        async def rotate(tx):
            [store] = await listed(tx)
            patch = SecretsPatch(new_signer="rotate")
            await store_secrets.change(tx, sealing, store, patch, now)

        stores.in_database(service, lambda db: db.write(rotate))
        for days, count in ((89, 2), (90, 1)):
            at = now + days * DAY * 1000
            stores.in_database(
                service, lambda db, at=at: db.write(store_secrets.prepare, sealing, at)
            )
            kept = stores.kept_secrets(service, shop.id)
            assert len(kept.cookie) == count
            assert kept.jwt_keys == (shop.jwt_key,)
