"""Encrypted secrets: unreadable ones are refused, and without a key nothing can be stored."""

from __future__ import annotations

import base64
import contextlib

import pytest

from tests.api.conftest import soon
from tests.conftest import slow
from wishwell import ids

from .conftest import SEALED, SEALING_KEY, new_api, with_one_store
from .way import direct

pytestmark = pytest.mark.xdist_group("storefront-sealing")

ANOTHER_KEY = "another-sealing-key-of-the-tests-of-letters"


@direct("no request is sent")
def test_missing_sealing_key_stops_the_start():
    """A missing sealing key stops the start with one line that names the store and the setting, not
    the key.
    Rule: sealing-keys."""
    with contextlib.closing(new_api()) as service:
        service.quick("init")
        service.settings["WISHWELL_SEALING_KEYS"] = ANOTHER_KEY
        done = service.cli("serve", check=False)
        assert done.returncode != 0
        [start, stop, line] = (done.stdout + done.stderr).strip().splitlines()
        assert '"starting"' in start and '"not_started"' in stop
        assert "Store default" in line and "WISHWELL_SEALING_KEYS" in line
        assert not [key for key in (ANOTHER_KEY, SEALING_KEY) if key in stop + line]


def flipped(text: str) -> str:
    """Returns an encrypted text with one bit changed."""
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
def fronts(new_front):
    """Two stores."""
    return new_front(), new_front()


@pytest.mark.parametrize("name", ["moved", *map(slow, ("changed", "cut", "empty"))])
def test_altered_or_swapped_secret_is_refused(fronts, name):
    """A store whose secrets were altered or swapped is 503 and logged; other stores and the start
    aren't affected.
    Rules: sealing-keys, bad-row."""
    service, ids_of = fronts[0].api, [front.shop.id for front in fronts]
    texts = [service.rows(SEALED.format(store))[0][0] for store in ids_of]
    began = len(service.log_lines())

    def put(*changed: str) -> None:
        for store, text in zip(ids_of, changed, strict=True):
            change = f"sealed = '{text}', updated_at = '{ids.timestamp(ids.wall_clock())}'"
            service.rows(f"UPDATE store_secrets SET {change} WHERE store_id = '{store}'")

    def statuses() -> list[int]:
        return [front.browser().get("/items").status_code for front in fronts]

    def is_logged() -> bool:
        lines = [line for line in service.log_lines()[began:] if '"warning"' in line]
        return any("secrets" in line for line in lines)

    try:
        put(*CHANGES[name](*texts))
        soon(lambda: statuses() == [503, 200])
        soon(is_logged)
        assert texts[0] not in service.output()
        named = service.cli("init").stderr
        assert "bad_row" in named and ids_of[0] in named and "Traceback" not in named
    finally:
        put(*texts)
    soon(lambda: statuses() == [200, 200])


def test_secrets_cannot_be_stored_without_sealing_keys(postgres_server, tmp_path):
    """A server database without sealing keys: secrets can't be set, the storefront is 503 and
    logged, the API works. With keys everything works.
    Rules: sealing-keys, storefront-secrets."""
    key = tmp_path / "key"
    key.write_text("k" * 40)
    database = postgres_server.create_database()
    with contextlib.closing(new_api(WISHWELL_DATABASE_URL=database)) as service:
        del service.settings["WISHWELL_SEALING_KEYS"]
        service.cli("init")
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
        with with_one_store(service) as front:
            for answer in (front.browser().get("/items"), front.browser().post("/items", json={})):
                assert answer.status_code == 503
                assert "Retry-After" in answer.headers and "Set-Cookie" not in answer.headers
            assert front.shop.admin.get("/items").status_code == 200
            soon(lambda: "WISHWELL_SEALING_KEYS" in service.output())
            service.restart(settings={"WISHWELL_SEALING_KEYS": SEALING_KEY})
            assert front.anyone(1).products() == [1]
