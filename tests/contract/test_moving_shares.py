"""What an import does with shares and reservations that are there, or whose records are not."""

import pytest

from tests.contract.moved import export, exported, held, load, wish
from wishwell import profiles
from wishwell.wishes import items, lists, reservations, shares


class Family:
    """An owner whose list is shared, a friend who gives one of its items, and a visitor."""

    def __init__(self, bench):
        self.bench, self.store = bench, bench.new_store()
        self.owner = bench.new_customer(self.store)
        self.friend = bench.new_customer(self.store)
        self.visitor = bench.new_session(self.store)
        self.on = bench.new_list(self.owner, "Birthday")
        wish(bench, self.owner, 1, 2, list_ids=(self.on.id,), quantity=3)
        self.share = bench.share(self.owner, self.on.id)
        for who in (self.friend, self.visitor):
            self.reserve(who, self.item(1))

    def item(self, product):
        return held(self.bench, self.owner)[product][0]

    def reserve(self, who, item, token=None):
        finder = shares.Finder({self.store.id: self.store}.get, {})
        where = (finder, token or self.share.token, item)
        self.bench.write(reservations.reserve, *where, who, 1, self.bench.clock.tick())

    def rows(self):
        """All that shares and reservations have of the store, but for when."""
        of = "WHERE store_id = $1 ORDER BY 1, 2, 3"
        return [
            self.bench.select(f"SELECT {columns} {of}", self.store.id)
            for columns in (
                "profile_id, id, list_id, token, reservations, notes, expires_at FROM shares",
                "hash, profile_id, share_id FROM share_tokens",
                "profile_id, item_id, holder_id, quantity, created_at FROM reservations",
                "profile_id, owner_id, item_id, merged_id FROM held",
                "profile_id, id, shared FROM lists",
            )
        ]


@pytest.fixture
def family(bench):
    return Family(bench)


@pytest.fixture
def file(bench, family, tmp_path):
    return exported(bench, family.store, tmp_path)


def test_what_is_missing_comes_back_once(bench, family, file):
    """contract: import-shares, import-twice. What came since stays."""
    before = family.rows()
    load(bench, file, family.store.handle)
    assert family.rows() == before
    [first] = bench.all("shares_of_list", profile=family.owner.id, list=family.on.id)
    bench.write(reservations.give_back, family.share.token, family.item(1), family.friend)
    bench.write(shares.delete, family.owner, family.on.id, first[0])
    load(bench, file, family.store.handle, dry=True)
    assert family.rows() != before
    load(bench, file, family.store.handle)
    assert family.rows() == before
    family.reserve(family.friend, family.item(2))
    bench.share(family.owner, family.on.id)
    more = family.rows()
    load(bench, file, family.store.handle)
    assert family.rows() == more
    bench.check(family.owner)


def test_reservation_is_of_the_item_that_is_there(bench, family, file):
    """contract: import-shares. Its holder may still name the one of the file. On a list that was
    made again it comes too, but not to an item that is on no shared list."""
    old, now = family.item(1), bench.clock.tick
    bench.write(items.delete, family.owner, old, now())
    wish(bench, family.owner, 1)
    assert family.rows()[2:4] == [[], []]
    load(bench, file, family.store.handle)
    assert family.rows()[2:4] == [[], []]
    bench.write(items.delete, family.owner, family.item(1), now())
    bench.write(lists.delete, family.owner, family.on.id, now())
    wish(bench, family.owner, 1)
    load(bench, file, family.store.handle)
    assert {row[1:] for row in family.rows()[3]} == {(family.owner.id, family.item(1), old)}
    bench.write(reservations.give_back, family.share.token, old, family.friend)
    assert len(family.rows()[2]) == len(family.rows()[3]) == 1
    bench.check(family.owner)


def test_what_a_sign_in_has_moved_stays_there(bench, family, tmp_path):
    """contract: import-shares. A session that has ended gets nothing; a token leads to one share."""
    session = bench.new_session(family.store)
    on = bench.new_list(session, "Mine")
    wish(bench, session, 9, list_ids=(on.id,))
    mine = bench.share(session, on.id)
    family.reserve(family.visitor, held(bench, session)[9][0], mine.token)
    first, then = tmp_path / "first.jsonl", tmp_path / "then.jsonl"
    first.write_text(export(bench, family.store))
    for one in (session, family.visitor):
        bench.link(one, family.friend)
    after = family.rows()
    load(bench, first, family.store.handle)
    assert family.rows() == after
    # The other way: the session is still there, with its share, and the friend is as after.
    then.write_text(export(bench, family.store))
    for name in ("shares", "share_tokens", "reservations", "held", "entries", "items", "lists"):
        bench.select(f"DELETE FROM {name} WHERE profile_id = $1 RETURNING 1", family.friend.id)
    bench.select(
        "UPDATE profiles SET closed_at = NULL WHERE profile_id = $1 RETURNING 1", session.id
    )
    load(bench, first, family.store.handle)
    load(bench, then, family.store.handle)
    [[place]] = bench.select("SELECT profile_id FROM share_tokens WHERE share_id = $1", mine.id)
    assert place == session.id
    for one in (session, family.friend):
        bench.check(one)


def test_another_store_gets_no_links(bench, family, file):
    """contract: import-store. The lists go there as private ones."""
    other = bench.new_store()
    wish(bench, bench.new_customer(other), 5)
    before = family.rows()
    load(bench, file, other.handle)
    copied = profiles.of_customer(other, family.owner.gid)
    assert held(bench, copied) == held(bench, family.owner)
    family.store = other
    assert family.rows()[:4] == [[], [], [], []]
    assert [row[2] for row in family.rows()[4]] == [0]
    family.store = family.owner.store
    assert family.rows() == before


def test_import_that_ends_before_reservations_goes_on(bench, family, file, monkeypatch):
    """contract: import-resumed. Also between two parts of what one profile has."""
    monkeypatch.setattr("wishwell.moving.importing._RESERVATIONS", 1)
    before, item = family.rows(), family.item(1)
    for who in (family.friend, family.visitor):
        bench.write(reservations.give_back, family.share.token, item, who)
    load(bench, file, family.store.handle, steps=1)
    assert family.rows()[2] == []
    load(bench, file, family.store.handle)
    assert family.rows() == before
