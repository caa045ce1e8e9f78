"""Keys and secrets are rotated during traffic without signing anybody out."""

from __future__ import annotations

import time

import pytest

from tests.api.conftest import soon
from tests.servers import SECRETS

from .conftest import (
    BY_JWT,
    SEALING_KEY,
    Front,
    new_api,
    nobodys_for_good,
    products,
    set_cookies,
    with_one_store,
)
from .way import direct

pytestmark = pytest.mark.xdist_group("storefront-rotation")

NEW_KEY = "another-sealing-key-of-the-tests-of-letters"


@pytest.fixture(scope="module")
def front():
    """A store on two workers, which see a change at different moments."""
    SECRETS.add(NEW_KEY)
    with with_one_store(new_api(WISHWELL_WORKERS="2"), *BY_JWT) as front:
        yield front


class Shopper:
    """A visitor who reads and saves on new connections, so any worker may respond."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.cookie: str | None = None
        self.saved = 0

    def browser(self):
        return self.front.browser(self.cookie)

    def turn(self) -> None:
        """Saves and reads; asserts that nothing was lost and no second session started."""
        self.saved += 1
        with (browser := self.browser()).http:
            browser.save(self.saved)
        if browser.cookie:
            assert not self.cookie, "a session was begun for somebody who had one"
            self.cookie = browser.cookie
        for _ in range(2):
            with (browser := self.browser()).http:
                answer = browser.get("/items?limit=250")
            assert products(answer) == [*range(1, self.saved + 1)][-250:]
            assert not set_cookies(answer)


def shopping(who: Shopper, seconds: float) -> None:
    """Lets the visitor and new visitors shop for ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        who.turn()
        Shopper(who.front).turn()


@pytest.mark.slow
def test_cookie_secret_rotation_loses_no_visitors_items(front):
    """During cookie secret rotations no visitor loses their items.
    Rules: storefront-secrets, storefront-visitor."""
    first, visitor = front.secrets().cookie[0].secret, Shopper(front)
    visitor.turn()
    for _ in range(2):
        front.shop.update("--new-cookie-secret", "rotate")
        shopping(visitor, 1.5)
    now = front.secrets().cookie
    assert [one.secret for one in now].index(first) == 2
    assert all(one.replaced_at for one in now[1:])
    assert len({one.secret for one in now}) == 3


@pytest.mark.slow
def test_leaked_cookie_secret_is_invalid_within_5_seconds(front):
    """A leaked cookie secret is invalid within 5 s; its cookies are removed and visitors start
    again.
    Rule: storefront-secrets."""
    visitor = Shopper(front)
    visitor.turn()
    front.shop.update("--new-cookie-secret", "leaked")
    soon(lambda: all(nobodys_for_good(visitor.browser().get("/items")) for _ in range(12)))
    assert len(front.secrets().cookie) == 1
    Shopper(front).turn()


@direct("while the service restarts, a way says so by 502 or 503")
@pytest.mark.slow
def test_sealing_keys_are_rotated(front):
    """Sealing keys are rotated; afterwards the new key alone decrypts all secrets.
    Rule: sealing-keys."""
    before, visitor = front.secrets(), Shopper(front)
    visitor.turn()
    front.api.restart(settings={"WISHWELL_SEALING_KEYS": f"{NEW_KEY},{SEALING_KEY}"})
    visitor.turn()
    # Without the old key.
    assert front.secrets(NEW_KEY) == before
