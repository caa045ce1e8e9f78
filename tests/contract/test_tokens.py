"""Token lifetimes and formats on a controlled clock, across processes."""

import asyncio
import tempfile

import jwt
import pytest

from tests.contract.conftest import Clock
from wishwell import stores
from wishwell.access import auth, key_files
from wishwell.access.access_cache import AccessCache
from wishwell.errors import (
    Invalid,
    Misconfigured,
    OutdatedToken,
    StoreDeleted,
    Unauthenticated,
    Unavailable,
)
from wishwell.privacy import store_deletion
from wishwell.profiles.pages import Cursor, CursorSigner

KEY = b"k" * 40
NOW = 1_800_000_000_000

# Fixed samples: values issued with this key must remain valid.
KEY_ID = "e175cb5b7fd1"
ADMIN_TOKEN = "wwadm_" + "A" * 43 + "0avcun"
CURSOR = "AAGQAAAAAHAAgAAAAAAAAAHVxpIQQy6kTST5RGhz"


class Process:
    """A process that issues and verifies tokens on a clock separate from other processes."""

    def __init__(self, bench, milliseconds=NOW):
        self.bench, self.clock = bench, Clock()
        self.clock.milliseconds = milliseconds
        known = AccessCache(bench.db, self.clock)
        self.authenticator = auth.Authenticator([KEY], known, "wishwell", self.clock)

    def issue(self, *arguments):
        return self.authenticator.issue(*arguments)

    def takes(self, token):
        try:
            self.bench.run(self.authenticator.caller(token))
        except Unauthenticated:
            return False
        return True


@pytest.mark.parametrize("begin", [1_000_000_000_000, 4_000_000_000_000])
def test_token_is_valid_from_a_minute_before_its_issue_for_a_day(bench, begin):
    """A token is valid from 60 s before its issue until a day after, whether cached or not.
    Rule: profile-token-strict."""
    token = Process(bench, begin).issue(bench.new_customer())
    taken = {-61: False, -60: True, 0: True, 86_399: True, 86_400: False}
    for seconds, expected in taken.items():
        new, known = Process(bench, begin), Process(bench, begin)
        assert known.takes(token)
        for process in (new, known):
            process.clock.milliseconds += 1000 * seconds
            assert process.takes(token) is expected, seconds


def test_token_that_expires_during_two_requests_is_refused_to_both(bench):
    """A token that expires during two concurrent requests is refused to both.
    Rule: token-required."""
    process = Process(bench)
    token = process.issue(bench.new_customer())
    assert process.takes(token)
    process.clock.milliseconds += 1000 * auth.LIFETIME_SECONDS

    async def twice():
        both = [process.authenticator.caller(token) for _ in range(2)]
        return await asyncio.gather(*both, return_exceptions=True)

    assert [type(refused) for refused in bench.run(twice())] == [OutdatedToken] * 2


def test_known_caller_is_found_from_the_caches_alone(bench, store):
    """The caller by whom a request is queued is the same as the authenticated one, found without the
    database. An uncached, forged or malformed token, and one of a deleted or unreadable store, has
    none. Rules: token-required, store-delete, bad-row."""
    process, admin = Process(bench, bench.clock()), auth.new_admin_token()
    made = admin, "x", bench.new_id(), bench.clock.tick(), None
    bench.write(auth.create_admin_token, store, *made)
    profiles = bench.new_customer(store), bench.new_session(store)
    tokens = [*map(process.issue, profiles), admin]

    def known(by=process):
        return [by.authenticator.cached_caller(token) for token in tokens]

    assert known() == [None] * 3
    callers = [bench.run(process.authenticator.caller(token)) for token in tokens]
    assert [caller.kind for caller in callers] == ["customer", "session", "admin"]
    assert known() == callers
    of_nobody = jwt.encode({"sub": "x", "aud": store.id}, KEY, "HS256", {"kid": KEY_ID})
    for bad in ("", "a.b.c", of_nobody, tokens[0][:-1], auth.ADMIN_PREFIX, auth.new_admin_token()):
        assert process.authenticator.cached_caller(bad) is None, bad
    bench.execute(f"UPDATE stores SET limits = '[' WHERE id = '{store.id}'")
    later = Process(bench, bench.clock())
    for token in tokens:
        with pytest.raises(Unavailable):
            bench.run(later.authenticator.caller(token))
    assert known(later) == [None] * 3
    bench.execute(f"UPDATE stores SET limits = '{{}}' WHERE id = '{store.id}'")
    bench.write(store_deletion.begin, store.handle, bench.clock.tick())
    process.clock.milliseconds += 5_000
    with pytest.raises(StoreDeleted):
        bench.run(process.authenticator.caller(tokens[0]))
    assert known() == [None] * 3


def test_revocation_applies_to_all_earlier_tokens_whatever_the_clocks_say(bench):
    """A revocation applies to all earlier tokens, even from clocks 60 s ahead, in the same
    millisecond, or before a clock was set back. A later token is valid.
    Rules: token-revoked, clock-guard."""
    customer, process = bench.new_customer(), Process(bench)
    given = [Process(bench, NOW + 60_000).issue(customer)]
    for back in (0, 0, 86_400_000):
        bench.write(auth.revoke_profile, customer, NOW - back)
        assert not any(Process(bench).takes(token) for token in given)
        given.append(process.issue(customer, bench.read(auth.revoked_until, customer.id)))
        assert process.takes(given[-1])


def test_tokens_issued_before_an_upgrade_are_valid_after_it(bench):
    """The samples above, issued by earlier releases, remain valid.
    Rules: admin-token-hashed, profile-token-strict, signing-keys."""
    store, process = "01900000-0000-7000-8000-000000000001", Process(bench)
    bench.write(stores.create, store, "before", stores.StorePatch(), bench.clock.tick())
    now = process.clock() // 1000
    claims = {
        "sub": "gid://shopify/Customer/1",
        "aud": store,
        "jti": store,
        "iat": now,
        "exp": now + 1,
    }
    headers = {"typ": "wishwell+jwt", "kid": KEY_ID}
    assert process.takes(jwt.encode(claims, KEY, "HS256", headers))
    assert auth.is_well_formed(ADMIN_TOKEN)
    assert CursorSigner([KEY]).verify(CURSOR, "mine") == Cursor(store, False)


def test_label_is_trimmed_and_checked():
    """A label is trimmed, and refused if empty, too long or not printable.
    Rule: admin-token-hashed."""
    for label in ("x", "x" * 200, " x ", "\u611b"):
        assert auth.check_label(label) == label.strip()
    for label in ("", " ", "x" * 201, "x\n", "a\x1bb", "\u200b"):
        with pytest.raises(Invalid):
            auth.check_label(label)


def test_key_file_has_32_characters_or_is_refused(tmp_path):
    """A signing key file needs 32 ASCII characters; a final newline is ignored.
    Rule: signing-keys."""
    path = tmp_path / "x.db.key"
    path.touch(0o600)
    path.write_text("k" * 32 + "\n")
    assert key_files.embedded_key(str(tmp_path / "x.db")) == b"k" * 32
    for bad in ("", "k" * 31 + "\n", "\u00e9" * 40):
        path.write_text(bad, "utf-8")
        with pytest.raises(Misconfigured):
            key_files.embedded_key(str(tmp_path / "x.db"))


def test_key_is_created_next_to_the_database_when_nothing_else_is_writable(tmp_path, monkeypatch):
    """The key is created next to the database, which may be in a container's only writable folder.
    Rule: signing-keys."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    key_files.make_embedded_key(str(tmp_path / "x.db"))
    assert len(key_files.embedded_key(str(tmp_path / "x.db"))) == 64
