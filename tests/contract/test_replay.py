"""Repeating a journal's acts: in any order, again, and only those that the database lacks."""

import random

import msgspec

from tests.contract.desk import SEALING
from wishwell import ids
from wishwell.access import auth
from wishwell.contacts import addresses, suppressions
from wishwell.db.journal import Act
from wishwell.events import webhooks
from wishwell.events.webhooks import NewWebhook
from wishwell.privacy import erasure, journal_replay, store_deletion
from wishwell.profiles import records


def outcomes(bench, acts, *, dry=False):
    found = bench.drain(journal_replay.repeat(bench.db, acts, bench.clock, dry=dry))
    return [(one.action, one.outcome) for one in found]


def created(bench, profile):
    [[at]] = bench.select("SELECT created_at FROM profiles WHERE profile_id = $1", profile.id)
    return at


def items(bench, profile):
    return len(bench.select("SELECT id FROM items WHERE profile_id = $1", profile.id))


def act(store, action, **fields):
    time = ids.timestamp(random.randrange(ids.MAX_TIMESTAMP_MS))  # clocks may be wrong in any way
    return Act(action=action, time=time, store=store.handle, store_id=store.id, **fields)


def test_replay_repeats_missing_acts_once_in_any_order(bench, store):
    """In any order of lines, replay repeats erasures, also of a session that was linked later, and
    revocations up to the latest `until`. A second run and a dry run change nothing.
    Rule: journal-replay."""
    for order in range(4):
        ann, bob = bench.new_customer(store), bench.new_customer(store)
        visitor = bench.new_session(store)
        for one in (ann, bob, visitor):
            bench.save(one)
        admin = bench.new_id()
        bench.write(
            auth.create_admin_token,
            store,
            auth.new_admin_token(),
            "x",
            admin,
            bench.clock.tick(),
            None,
        )
        until = [ids.timestamp(bench.clock.milliseconds + more) for more in (1_000, 90_000_000)]
        acts = [
            act(store, "profile.erased", profile=ann.id, created=created(bench, ann),
                sessions={visitor.id: created(bench, visitor)}),
            *(act(store, "profile.revoked", profile=bob.id, jti=jti, until=at) for at in until for jti in ("", "a")),
            act(store, "token.revoked", id=admin),
            act(store, "profile.erased", profile=ids.NO_UUID, created=until[0]),
            Act(action="command", command="store update"),
        ]  # fmt: skip
        random.Random(order).shuffle(acts)
        would = [outcome for _, outcome in outcomes(bench, acts, dry=True)]
        assert would.count("to repeat") == 7
        assert items(bench, ann) == 1
        first = [outcome for _, outcome in outcomes(bench, acts)]
        assert (first.count("repeated"), first.count("failed")) in ((7, 0), (6, 0), (5, 0))
        bench.drain(erasure.remove_erased(bench.db, bench.clock))
        assert [items(bench, one) for one in (ann, visitor, bob)] == [0, 0, 1]
        for jti in ("", "a"):
            assert bench.read(auth.revoked_until, bob.id, jti) == ids.from_timestamp(until[1])
        [token] = [one for one in bench.read(auth.admin_tokens, store.handle) if one.id == admin]
        assert token.revoked_at
        assert {outcome for _, outcome in outcomes(bench, acts)} == {"done", "unknown"}


def test_replay_spares_whoever_came_back_after_the_erasure(bench, store):
    """Replay doesn't erase a profile that was created again after its erasure. Rule: journal-replay."""
    ann = bench.new_customer(store)
    bench.save(ann)
    line = act(store, "profile.erased", profile=ann.id, created=created(bench, ann))
    bench.write(erasure.erase, ann, bench.clock.milliseconds)
    bench.drain(erasure.remove_erased(bench.db, bench.clock))
    bench.clock.tick()
    bench.save(ann)
    assert outcomes(bench, [line]) == [("profile.erased", "done")]
    assert items(bench, ann) == 1


def test_erasure_with_a_creation_date_in_the_future_erases_only_that_profile(bench, store):
    """If a wrong clock dated an erased profile in the future, replay erases the profile with that date.
    A profile with an earlier date is named with the command to erase it, because that person may have
    come back. An earlier profile is erased if the line's date is past. Rule: journal-replay."""
    ahead = ids.timestamp(bench.clock.milliseconds + 3 * 365 * ids.DAY_MS)
    for at, outcome in ((ahead, "repeated"), (None, "failed")):
        ann = bench.new_customer(store)
        bench.save(ann)
        if at:
            bench.execute(f"UPDATE profiles SET created_at = '{at}' WHERE profile_id = '{ann.id}'")
        line = act(store, "profile.erased", profile=ann.id, created=ahead)
        [found] = bench.drain(journal_replay.repeat(bench.db, [line], bench.clock, dry=False))
        assert (found.outcome, items(bench, ann)) == (outcome, 1)
        bench.drain(erasure.remove_erased(bench.db, bench.clock))
        assert items(bench, ann) == (at is None)
    command = f"wishwell profile erase {ann.gid} --store {store.handle}"
    assert found.says.startswith(f"created: {ahead} is in the future.")
    assert found.says.endswith(command)
    line.created = bench.clock.tick()
    assert outcomes(bench, [line]) == [("profile.erased", "repeated")]


def test_revocation_until_the_last_year_can_be_followed_by_another(bench, store):
    """After the replay of a revocation that ends in the year 9999, new tokens are valid, and can be
    revoked and the profile erased. Rules: journal-replay, token-revoked."""
    ann = bench.new_customer(store)
    bench.save(ann)
    line = act(store, "profile.revoked", profile=ann.id, until="9999-12-31T23:59:59.999Z")
    assert outcomes(bench, [line]) == [("profile.revoked", "repeated")]
    assert outcomes(bench, [line]) == [("profile.revoked", "done")]
    for _ in range(3):
        before = bench.read(auth.revoked_until, ann.id)
        bench.write(auth.revoke_profile, ann, bench.clock.milliseconds)
        assert bench.read(auth.revoked_until, ann.id) > before
    assert bench.write(erasure.erase, ann, bench.clock.milliseconds) == [ann.id]


def test_unreadable_row_of_the_database_stops_no_other_act(bench, store):
    """Replay replaces an unreadable revocation, reports the acts of an unreadable store as failed, and
    repeats the rest. Rules: bad-row, journal-replay."""
    ann, bob, broken = bench.new_customer(store), bench.new_customer(store), bench.new_store()
    bench.save(bob)
    bench.execute(f"INSERT INTO revocations VALUES ('{ann.id}', '', 'never')")
    bench.execute(f"UPDATE stores SET limits = '[' WHERE id = '{broken.id}'")
    until = ids.timestamp(bench.clock.milliseconds)
    acts = [
        act(broken, "profile.erased", profile=bob.id, created=until),
        act(store, "profile.revoked", profile=ann.id, until=until),
        act(store, "profile.erased", profile=bob.id, created=created(bench, bob)),
    ]
    found = bench.drain(journal_replay.repeat(bench.db, acts, bench.clock, dry=False))
    assert [one.outcome for one in found] == ["failed", "repeated", "repeated"]
    assert found[0].says == "The row of this store can't be read; the log says why."
    assert ids.timestamp(bench.read(auth.revoked_until, ann.id)) == until
    bench.execute(f"UPDATE stores SET limits = '{{}}' WHERE id = '{broken.id}'")


def test_replay_lists_deletions_and_names_unknown_actions(bench):
    """Replay lists deletions of a store and a webhook that exist again, and names actions of a newer
    release.
    Rule: journal-replay."""
    store, gone = bench.new_store(events=True), bench.new_store()
    lines = [act(one, "store.deleted") for one in (store, gone)]
    bench.write(store_deletion.begin, gone.handle, bench.clock.tick())
    for _ in bench.drain(store_deletion.remove_store(bench.db, gone)):
        pass
    make = SEALING, store, NewWebhook("https://shop.example/"), bench.new_id(), bench.clock.tick()
    hook = bench.write(webhooks.create, *make).id
    lines += [act(store, "webhook.deleted", id=ids.NO_UUID), act(store, "moon.landed")]
    lines += [Act(action="moon.landed"), act(store, "webhook.deleted", id=hook)]
    found = bench.drain(journal_replay.repeat(bench.db, lines, bench.clock, dry=False))
    assert [one.outcome for one in found] == [
        "by hand",
        "unknown",
        "unknown",
        "failed",
        "failed",
        "by hand",
    ]
    assert found[0].says == f"wishwell store delete {store.handle}"
    assert [one.id for one in found[:3]] == [store.id, gone.id, ids.NO_UUID]
    assert [one.says for one in found[1:4]] == [
        "This database has no such store.",
        "",
        "This version doesn't know such acts.",
    ]
    assert found[5].says == f"wishwell webhook delete {hook} --store {store.handle}"
    assert "says" not in msgspec.to_builtins(found[2])  # so --json leaves it out


TIME = "2026-11-01T00:00:00.000Z"
REVOKED = f'{{"action":"profile.revoked","storeId":"{ids.NO_UUID}","profile":"{ids.NO_UUID}"'
ERASED = REVOKED.replace("revoked", "erased")
LONG = 1_000_000 * "a"
BAD = {
    "#": "JSON is malformed: invalid character (byte 0)",
    "[]": "Expected `object`, got `array`",
    '{"time":"2026': "Input data was truncated",
    '{"store":"a"}': "Object missing required field `action`",
    '{"action":7}': "Expected `str`, got `int` - at `$.action`",
    '{"action":"token.revoked"}': "id: '' isn't valid",
    REVOKED + "}": "until: '' isn't valid",
    REVOKED + ',"until":"tomorrow"}': "until: 'tomorrow' isn't valid",
    f'{REVOKED},"until":"{TIME}","jti":"all"}}': "jti: 'all' isn't valid",
    f'{ERASED},"sessions":{{"{ids.NO_UUID}":"{TIME}"}}}}': "created: '' isn't valid",
    f'{ERASED},"created":"{TIME}","sessions":{{"x":""}}}}': "sessions: 'x' isn't valid",
    f'{REVOKED},"until":"10000-01-01T00:00:00.000Z"}}': "until: '10000-01-01T00:00:00.000Z' isn't valid",
    f'{REVOKED},"until":"2026-02-30T00:00:00.000Z"}}': "until: '2026-02-30T00:00:00.000Z' isn't valid",
    f'{REVOKED},"until":1793491200000}}': "Expected `str`, got `int` - at `$.until`",
    f'{REVOKED},"until":"{TIME}\\u0000"}}': f"until: '{TIME}\\x00' isn't valid",
    f'\0{REVOKED},"until":"{TIME}"}}': "JSON is malformed: invalid character (byte 0)",
    f'{REVOKED},"until":"{TIME}","jti":"{LONG}"}}': f"jti: '{LONG[:80]}' isn't valid",
    f'{ERASED},"created":"{TIME}","action":"command"}}': "'action' occurs twice",
    f'{ERASED},"created":"{TIME}","only":"items"}}': "Object contains unknown field `only`",
    f'{{"action":"command","{LONG}":1}}': f"Object contains unknown field `{LONG[:169]}",
    f'{{"action":{100_000 * "["}': "Expected `str`, got `array` - at `$.action`",
}
"""Lines that can't be read, and the reasons."""


def test_unreadable_lines_stop_no_others(tmp_path):
    """An unreadable line doesn't stop the others. A last line that a crash cut off is a warning, any other an
    error. Rule: journal-replay."""
    good = [msgspec.json.encode(Act(action="command", time=f"2026-01-0{day}")) for day in (3, 1, 2)]
    (tmp_path / "a").write_bytes(
        b"\n".join([good[0], *map(str.encode, BAD), good[1], good[2][:-5]])
    )
    (tmp_path / "b").write_bytes(good[2])
    (tmp_path / "c").write_bytes(good[2] + b'\n{"action":7}')  # complete, so not from a crash
    whole = f'{ERASED}, "created": "{TIME}", "sessions": {{"{ids.NO_UUID}": "{TIME}"}}}}'
    (tmp_path / "d").write_text(f'{whole}\n{REVOKED}, "until": "{TIME}"}}\n')
    acts, *none = journal_replay.read_journals([str(tmp_path / "d")])
    assert ([act.created or act.until for act in acts], none) == ([TIME, TIME], [[], []])
    acts, errors, warnings = journal_replay.read_journals([str(tmp_path / name) for name in "abc"])
    assert [one.time[-2:] for one in acts] == ["01", "02", "02", "03"]
    assert {str(value) for value in msgspec.structs.astuple(acts[0])[2:]} == {"", "{}", "[]"}
    at = enumerate(BAD.values(), 2)
    *of_a, of_c = errors
    assert of_a == [f"{tmp_path}/a, line {number}: can't be read ({why})" for number, why in at]
    assert of_c.startswith(f"{tmp_path}/c, line 2: can't be read (Expected `str`")
    [cut] = warnings
    assert cut.startswith(f"{tmp_path}/a, line {len(BAD) + 3}: was cut off. If by a crash, its act")


def test_replay_repeats_withdrawn_consent_and_suppressions(bench, store):
    """After a restore, unsubscriptions, removed addresses and choices against notices hold again,
    except for what their owners chose later; a second run changes nothing.
    Rules: journal-replay, mail-suppressed."""
    ann, bob, carl = (bench.new_customer(store) for _ in range(3))
    past, hash = bench.clock.tick(), suppressions.address_hash(store.id, "ann@shop.example")
    for one in (ann, bob, carl):
        bench.save(one)
        bench.write(addresses.remember, one, "ann@shop.example", bench.clock.tick())
    for one in (ann, bob):
        bench.write(records.set_notices, one, True, past if one is ann else bench.clock.tick())
    between = ids.timestamp(ids.from_timestamp(past) + 1)
    acts = [
        act(store, "address.suppressed", hash=hash, reason="unsubscribed", created=past),
        act(store, "address.released", hash="0" * 64, created=past),
        act(store, "address.removed", profile=carl.id, hash=hash, created=past),
        act(store, "notices.withdrawn", profile=ann.id, created=between),
        act(store, "notices.withdrawn", profile=bob.id, created=between),
        act(store, "notices.withdrawn", profile=ids.NO_UUID, created=between),
    ]
    expected = [
        *(("address.suppressed", "repeated"), ("address.released", "done")),
        *(("address.removed", "repeated"), ("notices.withdrawn", "repeated")),
        *(("notices.withdrawn", "done"), ("notices.withdrawn", "unknown")),
    ]
    assert outcomes(bench, acts) == expected
    assert not [one for one in outcomes(bench, acts) if one[1] == "repeated"]
    assert bench.read(addresses.find, ann.id).notices == 0
    assert bench.read(addresses.find, bob.id).notices == 1
    assert bench.read(addresses.find, carl.id).email is None
    assert bench.read(suppressions.find, store.id, hash, bench.clock.tick()) == "unsubscribed"
    lifted = [*acts, act(store, "address.released", hash=hash, created=bench.clock.tick())]
    assert outcomes(bench, lifted)[-1] == ("address.released", "repeated")
    assert ("address.suppressed", "repeated") not in outcomes(bench, lifted)
    assert bench.read(suppressions.find, store.id, hash, bench.clock.tick()) == ""


def test_replay_keeps_the_stronger_suppression_and_later_addresses(bench, store):
    """A suppression for ever replaces one for 90 days, and one that has ended isn't repeated. An
    address that its owner confirmed again after removing it stays.
    Rules: journal-replay, mail-suppressed, mail-addresses."""
    at, hash = bench.clock.tick(), suppressions.address_hash(store.id, "ann@shop.example")
    bench.write(suppressions.add, store, hash, "not_me", at)
    ended = ids.timestamp(ids.from_timestamp(at) - 91 * ids.DAY_MS)
    ann = bench.new_customer(store)
    bench.save(ann)
    sent = [addresses.ShopAddress(ann, "ann@shop.example", "")]
    bench.write(addresses.set_by_shop, store, sent, bench.clock.tick())
    acts = [
        act(store, "address.suppressed", hash="0" * 64, reason="not_me", created=ended),
        act(store, "address.suppressed", hash=hash, reason="complained", created=at),
        act(store, "address.released", hash=hash, created=ended),
        act(store, "address.removed", profile=ann.id, hash=hash, created=at),
    ]
    expected = ["done", "repeated", "done", "done"]
    assert [outcome for _, outcome in outcomes(bench, acts, dry=True)] == [
        "to repeat" if one == "repeated" else one for one in expected
    ]
    assert [outcome for _, outcome in outcomes(bench, acts)] == expected
    assert bench.read(suppressions.find, store.id, hash, bench.clock.tick()) == "complained"
    assert bench.read(addresses.find, ann.id).email == "ann@shop.example"
