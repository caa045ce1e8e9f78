"""Keys and secrets change while shoppers read and save, and nobody is signed out."""

from __future__ import annotations

import contextlib
import threading
import time

import httpx2
import pytest

from tests.servers import SECRETS, wait_until

from .conftest import (
    BY_JWT,
    JWT_KEY,
    SEALING_KEY,
    Browser,
    Front,
    new_api,
    nobodys_for_good,
    products,
    set_cookies,
    shop_jwt,
    with_one_store,
)
from .way import direct

pytestmark = pytest.mark.xdist_group("storefront-rotation")

NEW_KEY = "another-sealing-key-of-the-tests-of-letters"
SEEN = 5.5
"""Seconds: in 5 s every process knows of a change."""


@pytest.fixture(scope="module")
def front():
    """A store on two workers, which learn of a change at different moments."""
    SECRETS.add(NEW_KEY)
    with with_one_store(new_api(WISHWELL_WORKERS="2"), *BY_JWT) as front:
        yield front


class Shopper:
    """Who reads and saves again and again, each time on a new connection: any worker may answer."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.cookie: str | None = None
        self.saved: list[int] = []

    def browser(self) -> Browser:
        return self.front.browser(self.cookie)

    def turn(self) -> None:
        """Saves and reads; nothing of it may go wrong."""
        product = min(len(self.saved), 99) + 1
        with (browser := self.browser()).http:
            browser.save(product)
        self.saved = sorted({*self.saved, product})
        if browser.cookie:
            assert not self.cookie, "a session was begun for somebody who had one"
            self.cookie = browser.cookie
        for _ in range(2):
            with (browser := self.browser()).http:
                answer = browser.get("/items?limit=250")
            assert products(answer) == self.saved
            assert not set_cookies(answer)


class Newcomer(Shopper):
    """Who comes for the first time, each time."""

    def turn(self) -> None:
        self.cookie, self.saved = None, []
        super().turn()


class Customer(Shopper):
    """Who is signed in by a JWT of the shop."""

    key = JWT_KEY

    def browser(self) -> Browser:
        return self.front.browser(X_Shop_Token=shop_jwt("loaded", self.key))


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
                who.turn()
                turns.append(who)
            except httpx2.TransportError:  # it restarts; whether it was saved is not known
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
def test_cookie_secret_is_rotated_under_load(front):
    """contract: storefront-secrets, storefront-cookie. Who came before keeps the list; who comes in the
    seconds in which not all workers know of it, too."""
    first = front.secrets().cookie[0].secret
    with shopping(Shopper(front), Newcomer(front), Newcomer(front)):
        for _ in range(2):
            front.shop.update("--new-cookie-secret", "rotate")
            time.sleep(1.5)
    now = front.secrets().cookie
    assert [one.secret for one in now].index(first) == 2
    assert all(one.replaced_at for one in now[1:])
    assert len({one.secret for one in now}) == 3


def test_leaked_cookie_secret_is_good_for_nothing(front):
    """contract: storefront-secrets. Nobody's within 5 s, and taken away; who begins anew is served."""
    visitor = Shopper(front)
    visitor.turn()
    front.shop.update("--new-cookie-secret", "leaked")
    time.sleep(SEEN)
    assert len(front.secrets().cookie) == 1
    for _ in range(6):
        assert nobodys_for_good(visitor.browser().get("/items"))
        Newcomer(front).turn()


@pytest.mark.slow
def test_jwt_key_changes_under_load(front, tmp_path):
    """contract: storefront-jwt, storefront-naming. With both keys set, JWTs of either are good; the old one
    is not any more once it is gone."""
    new = "the-next-key-of-the-shop-of-forty-letters"
    SECRETS.add(new)
    files = [tmp_path / "new", tmp_path / "old"]
    for file, key in zip(files, (new, JWT_KEY), strict=True):
        file.write_text(key)
    customer = Customer(front)
    with shopping(customer):
        front.shop.update(*(word for file in files for word in ("--jwt-key-file", str(file))))
        time.sleep(SEEN)
        customer.key = new
        time.sleep(0.5)
        front.shop.update("--jwt-key-file", str(files[0]))
        time.sleep(SEEN)
    for key, status in ((JWT_KEY, 401), (new, 200)) * 4:
        browser = front.browser(X_Shop_Token=shop_jwt("loaded", key))
        assert browser.get("/items").status_code == status


@direct("while the service restarts, a way says so by 502 or 503")
@pytest.mark.slow
def test_sealing_keys_are_rotated_under_load(front):
    """contract: sealing-keys, sealing-anew. The new key in front of the old one, a restart, and all is
    sealed under the new one, which alone opens it."""
    before = front.secrets()
    with shopping(Shopper(front), Newcomer(front)):
        front.api.restart(settings={"WISHWELL_SEALING_KEYS": f"{NEW_KEY},{SEALING_KEY}"})
        time.sleep(0.5)
    # Without the old one.
    assert front.secrets(NEW_KEY) == before
