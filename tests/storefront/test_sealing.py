"""Secrets that are sealed: what can't be opened is refused, and what can't be sealed is not kept."""

from __future__ import annotations

import base64
import contextlib
import sqlite3

import pytest

from tests.servers import Service, wait_until
from wishwell import ids

from . import stores, way
from .stores import SEALING_KEY, fresh
from .way import direct

pytestmark = pytest.mark.xdist_group("storefront-sealing")

ANOTHER_KEY = "another-sealing-key-of-the-tests-of-letters"


def starts(service: Service) -> str:
    """What `wishwell serve` prints that does not start."""
    done = service.cli("serve", check=False, timeout=20)
    assert done.returncode != 0
    return done.stdout + done.stderr


@direct("no request is sent")
def test_missing_sealing_key_stops_the_start():
    """contract: sealing-opened. One line names the store and the setting, and not the key."""
    with contextlib.closing(stores.new_service(WISHWELL_SEALING_KEYS=ANOTHER_KEY)) as service:
        stores.make(service, ["http://one.example"])
        [line] = starts(service).strip().splitlines()
        assert "store-0" in line and "WISHWELL_SEALING_KEYS" in line
        assert ANOTHER_KEY not in line and SEALING_KEY not in line


def flipped(text: str) -> str:
    """A sealed text with one bit changed."""
    key, _, rest = text.partition(".")
    raw = bytearray(base64.b64decode(rest))
    raw[len(raw) // 2] ^= 1
    return f"{key}.{base64.b64encode(raw).decode()}"


CHANGES = {
    "moved": lambda own, other: (other, other),
    "changed": lambda own, other: (flipped(own), other),
    "cut": lambda own, other: (own[:40], other),
    "empty": lambda own, other: ("", other),
}


@pytest.fixture(scope="module")
def sealed():
    """A service of two stores, and how to put other sealed texts into its database."""
    with stores.new_service() as service:
        shops = stores.make(service, ["http://one.example", "http://two.example"])
        service.start()
        database = sqlite3.connect(service.folder / "wishwell.db", isolation_level=None)
        texts = [
            database.execute("SELECT sealed FROM store_secrets WHERE store_id = ?", [shop.id])
            .fetchone()[0]
            for shop in shops
        ]  # fmt: skip

        def put(*changed: str) -> None:
            for shop, text in zip(shops, changed, strict=True):
                database.execute(
                    "UPDATE store_secrets SET sealed = ?, updated_at = ? WHERE store_id = ?",
                    [text, ids.timestamp(ids.wall_clock()), shop.id],
                )

        yield service, shops, texts, put
        database.close()


@pytest.mark.parametrize("name", CHANGES)
def test_sealed_text_that_was_moved_or_changed_is_refused(sealed, name):
    """contract: sealing-opened, bad-row. That store's storefront is 503, the log says why, and the others
    are served; what `serve` does at the start goes on past it."""
    service, shops, texts, put = sealed
    put(*CHANGES[name](*texts))
    began = len(service.log_lines())

    def statuses() -> list[int]:
        with fresh(service) as browser:
            return [browser.read(shop.authority).status for shop in shops]

    try:
        assert wait_until(lambda: statuses() == [503, 200], seconds=5, every=0.1)

        def said() -> bool:
            lines = [line for line in service.log_lines()[began:] if '"warning"' in line]
            return any("secrets" in line for line in lines)

        assert wait_until(said, seconds=5)
        assert texts[0] not in service.output()
        named = service.cli("migrate").stderr
        assert "bad_row" in named and shops[0].id in named and "Traceback" not in named
    finally:
        put(*texts)
    assert wait_until(lambda: statuses() == [200, 200], seconds=5, every=0.1)


def test_without_sealing_keys_nothing_can_be_kept(postgres_server, tmp_path):
    """contract: sealing-keys, storefront-secrets. On a server database: what would have to be sealed can't
    be set, the API is served, the storefront is 503 and the log says why; until the keys are there."""
    key = tmp_path / "key"
    key.write_text("k" * 40)
    settings = {"WISHWELL_DATABASE_URL": postgres_server.create_database()}
    settings["WISHWELL_SIGNING_KEYS"] = "a-signing-key-of-the-tests-40-characters"
    with contextlib.closing(Service(settings | way.settings())) as service:
        service.cli("migrate")
        for options in (
            ("update", "default", "--new-cookie-secret", "rotate"),
            ("update", "default", "--new-cookie-secret", "leaked"),
            ("update", "default", "--jwt-key-file", str(key)),
            ("update", "default", "--platform-secret-file", str(key)),
            ("create", "shop", "--jwt-key-file", str(key)),
        ):
            code, out, err = service.attempt("store", *options)
            assert code not in (0, 70) and not out
            assert "WISHWELL_SEALING_KEYS" in err and "k" * 40 not in err
        assert '"shop"' not in service.quick("store", "list", "--json")
        service.quick("store", "update", "default", "--host", "http://one.example")
        way.admits(service, "default", "one.example")
        service.start()
        with fresh(service) as browser:
            for answer in (browser.read("one.example"), browser.save("one.example", 1)):
                assert answer.status == 503
                assert "Retry-After" in answer.headers and answer.set_cookie is None
        assert service.client(service.admin_token()).get("/items").status_code == 200
        assert wait_until(lambda: "WISHWELL_SEALING_KEYS" in service.output(), seconds=5)
        service.restart(settings={"WISHWELL_SEALING_KEYS": SEALING_KEY})
        with fresh(service) as browser:
            begun = browser.save("one.example", 1)
            cookie = {"Cookie": f"wishwell={begun.set_cookie}"}
            assert browser.read("one.example", **cookie).products == [1]
        assert service.stop() == 0
