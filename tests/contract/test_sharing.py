"""Sharing compared with a model: copies, reservations, ended shares, sign-ins, purges and
erasures."""

import contextlib
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.contract.conftest import bounds
from tests.contract.test_model import (
    UNLIMITED,
    compare,
    compare_outcomes,
    compare_replay,
    do,
    profile_events,
)
from tests.contract.test_purge import DAY, SETTINGS, run_purge
from tests.profile_model import GONE, Model
from tests.replay import Replay
from tests.strategies import alike, at, at_length, examples, steps
from wishwell import ids
from wishwell.db import RunAgain
from wishwell.errors import Conflict, Forbidden, LimitReached, NotFound, Unavailable, UnknownShare
from wishwell.privacy import erasure
from wishwell.wishlists import copies, linking, lists, purge, reservations, shares

CUSTOMERS, VISITORS = (0, 1), (2, 3)
who = st.sampled_from([*CUSTOMERS, *VISITORS])
which = st.sampled_from([0, 1, 2, 0, 1, 3, 9])
moves = st.lists(
    st.one_of(
        st.tuples(st.just("do"), who, steps),
        st.tuples(st.just("share"), who, at, st.booleans()),
        st.tuples(st.just("terms"), which, st.booleans(), st.sampled_from([None, "", "soon"])),
        st.tuples(st.just("end"), which),
        st.tuples(st.just("copy"), who, which, st.none() | alike),
        st.tuples(st.just("link"), st.sampled_from(VISITORS), st.sampled_from(CUSTOMERS)),
        st.tuples(st.just("purge"), st.sampled_from(VISITORS)),
        st.tuples(st.just("erase"), who),
        st.tuples(st.just("reserve"), who, which, at, st.integers(1, 3)),
        st.tuples(st.just("reserve"), who, which, at, st.integers(1, 3)),
        st.tuples(st.just("give_back"), who, at),
    ),
    min_size=8,
    max_size=25,
)


@dataclass
class Link:
    """The model's record of a share; ``owner`` is None once the share has ended."""

    owner: int | None
    id: str
    list: str
    notes: bool
    until: str = ""


class World:
    """Two customers and two visitors of a store, all shares ever made by token, all lists ever
    shared, and the reserved quantities by owner and item."""

    def __init__(self, bench):
        self.bench = bench
        self.profiles = [bench.new_customer() for _ in CUSTOMERS]
        self.profiles += [bench.new_session() for _ in VISITORS]
        self.models = [Model() for _ in self.profiles]
        self.links: dict[str, Link] = {}
        self.ever: set[str] = set()
        self.taken: dict[tuple[int, str], dict[int, int]] = {}
        for one in (*CUSTOMERS, *VISITORS):
            for step in [("new_list", "Birthday"), ("new_list", f"Of {one}")]:
                do(bench, self.profiles[one], self.models[one], step)
            for product in (1, 2 + one):
                save = ("save", product, None, 3, ["a"], [0], f"note of {one}")
                do(bench, self.profiles[one], self.models[one], save)
            self.share(one, 0, one % 2 == 0)

    def token(self, number):
        return list(self.links)[number] if number < len(self.links) else shares.new_token()

    # ----------------------------------------------------------------------------- steps

    def move(self, step):
        name, *arguments = step
        getattr(self, name)(*arguments)
        for link in self.links.values():
            if link.owner is not None and link.list not in self.models[link.owner].lists:
                link.owner = None
        for (owner, item), taken in list(self.taken.items()):
            taken.pop(owner, None)
            if not self.ever.intersection(self.models[owner].lists_of(item)):
                del self.taken[owner, item]

    def do(self, one, step):
        do(self.bench, self.profiles[one], self.models[one], step)

    def share(self, one, number, notes):
        bench, made = self.bench, self.models[one].list_at(number)
        if made == GONE:
            return
        id, token, now = bench.new_id(), shares.new_token(), bench.clock.tick()
        terms = shares.ShareSettings(reservations=True, notes=notes)
        bench.write(shares.create, self.profiles[one], made, terms, id, token, now)
        self.links[token] = Link(one, id, made, notes)
        self.ever.add(made)

    def terms(self, number, notes, until):
        for link in self.alive(number):
            if until == "soon":
                until = ids.timestamp(self.bench.clock.milliseconds + 2)
            terms = shares.ShareSettings(reservations=True, notes=notes, expires_at=until)
            self.bench.write(shares.change, self.profiles[link.owner], link.list, link.id, terms)
            link.notes = notes
            link.until = link.until if until is None else until

    def end(self, number):
        for link in self.alive(number):
            self.bench.write(shares.delete, self.profiles[link.owner], link.list, link.id)
            link.owner = None

    def alive(self, number):
        """Returns the share with that number in a list; an empty list if it has ended or doesn't
        exist."""
        link = self.links.get(self.token(number))
        return [link] if link is not None and link.owner is not None else []

    def copy(self, one, number, name):
        bench, token = self.bench, self.token(number)
        made, new = bench.new_id(), [bench.new_id() for _ in range(20)]
        now, taken = bench.clock.tick(), iter(new)
        wanted, most = copies.NewList(made, lists.ListFields(name)), bounds(UNLIMITED)
        compare_outcomes(
            lambda: bench.write(
                copies.copy,
                *(self.bench.finder, token, self.profiles[one], wanted),
                *(lambda: next(taken), most, now),
            ),
            lambda: self.model_copy(self.models[one], token, made, name, iter(new), now),
        )

    def model_copy(self, model, token, made, name, new, now):
        seen = self.seen(token, None, now)
        if seen is None:
            raise UnknownShare("", "shared_list_not_found")
        model.new_list(made, name or seen["name"], now)
        there = {}
        for item in reversed(seen["items"]):
            kind = item["productId"], item.get("variantId")
            there[kind] = model.twin(*kind)
            if there[kind] is None:
                there[kind] = next(new)
                model.items[there[kind]] = {
                    "product": kind[0], "variant": kind[1], "quantity": item["quantity"],
                    "tags": [], "note": item.get("note", ""), "created": now, "updated": now,
                }  # fmt: skip
        for place, item in enumerate(seen["items"], 1):
            id = there[item["productId"], item.get("variantId")]
            model.touch(model.items[id], now)
            model.lists[made]["items"][id] = place

    def reserve(self, one, number, at, quantity):
        bench, token, now = self.bench, self.token(number), self.bench.clock.tick()
        model = self.model_behind(token, now)
        items = list(model.lists[self.links[token].list]["items"]) if model else []
        item = items[at] if at < len(items) else GONE
        asked = bench.finder, token, item, self.profiles[one], quantity, now

        def modelled():
            if model is None:
                raise UnknownShare("", "shared_list_not_found")
            owner = self.links[token].owner
            if one == owner:
                raise Forbidden("", "own_list")
            if item == GONE:
                raise NotFound("", "item_not_found")
            taken = self.taken.setdefault((owner, item), {})
            others = sum(taken.values()) - taken.get(one, 0)
            if others + quantity > model.items[item]["quantity"] and quantity > taken.get(one, 0):
                raise Conflict("", "item_exists")
            taken[one] = quantity

        compare_outcomes(lambda: bench.write(reservations.reserve, *asked), modelled)

    def give_back(self, one, at):
        held = [of for of, taken in self.taken.items() if one in taken]
        if at < len(held):
            asked = shares.new_token(), held[at][1], self.profiles[one]
            self.bench.write(reservations.cancel, *asked)
            del self.taken[held[at]][one]

    def link(self, visitor, customer):
        bench, now = self.bench, self.bench.clock.tick()
        mine, theirs = self.models[customer], self.models[visitor]
        became = {item: mine.twin(*theirs.kind(item)) or item for item in theirs.items}
        named = {}
        for made in sorted(mine.lists):
            named.setdefault(name_of(mine, made), made)
        joins = {made: named.get(name_of(theirs, made)) for made in theirs.lists}
        self.ever |= {joined for made, joined in joins.items() if made in self.ever and joined}
        bench.write(
            linking.link, self.profiles[visitor], self.profiles[customer], bounds(UNLIMITED), now
        )
        mine.link(theirs, now)
        for link in self.links.values():
            if link.owner == visitor:
                link.owner = customer
        for owner, item in list(self.taken):
            if owner == visitor:
                into = self.taken.setdefault((customer, became[item]), {})
                for holder, quantity in self.taken.pop((owner, item)).items():
                    into[holder] = into.get(holder, 0) + quantity
        for taken in self.taken.values():
            if visitor in taken:
                taken[customer] = taken.get(customer, 0) + taken.pop(visitor)
        self.profiles[visitor] = bench.new_session()

    def purge(self, visitor):
        """Expires a session and renews the others."""
        bench = self.bench
        bench.clock.milliseconds += 91 * DAY
        for one in VISITORS:
            if one != visitor:
                bench.one("session_renew", profile=self.profiles[one].id, now=bench.clock.tick())
        told = profile_events(bench, self.profiles[visitor])
        run_purge(bench, bench.clock() + DAY)
        assert profile_events(bench, self.profiles[visitor]) == told
        self.forget(visitor)

    def erase(self, one):
        self.bench.write(erasure.erase, self.profiles[one], self.bench.clock())
        self.bench.drain(erasure.remove_erased(self.bench.db, self.bench.clock))
        self.forget(one)

    def forget(self, one):
        """Replaces a profile by a new one."""
        self.models[one] = Model()
        for taken in self.taken.values():
            taken.pop(one, None)
        new = self.bench.new_session if one in VISITORS else self.bench.new_customer
        self.profiles[one] = new()

    # ------------------------------------------------------------------------ comparisons

    def model_behind(self, token, now):
        """Returns the model of a token's owner, or `None` if the token is invalid."""
        link = self.links.get(token)
        if link is None or link.owner is None or (link.until and link.until <= now):
            return None
        return self.models[link.owner]

    def seen(self, token, reader, now):
        """Returns what the model shows to a profile (or to anybody), or `None` if the token is
        invalid."""
        model = self.model_behind(token, now)
        if model is None:
            return None
        link = self.links[token]
        held = model.lists[link.list]
        items = []
        for id in model.sorted(link.list, "customer"):
            item, taken = model.items[id], self.taken.get((link.owner, id), {})
            shown = {"id": id, "productId": item["product"], "quantity": item["quantity"]}
            optional = {"variantId": item["variant"], "note": link.notes and item["note"]}
            shown |= {name: value for name, value in optional.items() if value}
            if reader != link.owner:
                shown["reserved"] = sum(taken.values())
                if reader is not None:
                    shown["yours"] = taken.get(reader, 0)
            items.append(shown)
        return {
            "name": held["name"], "items": items, "updatedAt": held["updated"], "reservations": True
        }  # fmt: skip

    def look(self):
        """Every reader sees what the model shows, and nothing else."""
        now = self.bench.clock.tick()
        for number, token in enumerate([*self.links, shares.new_token()]):
            reader = [None, *range(4)][number % 5]
            profile = None if reader is None else self.profiles[reader]
            try:
                arguments = (self.bench.finder, token, profile, now)
                found = msgspec.to_builtins(self.bench.read(shares.view, *arguments))
            except UnknownShare:
                found = None
            assert found == self.seen(token, reader, now)

    def compare_reservations(self):
        """Compares reservations as stored with the owner and with the holder."""
        key = [profile.id for profile in self.profiles]
        wanted = sorted(
            (key[owner], item, key[holder], quantity)
            for (owner, item), taken in self.taken.items()
            for holder, quantity in taken.items()
        )
        of = "profile_id IN ($1, $2, $3, $4)"
        columns = "profile_id, item_id, holder_id, quantity"
        rows = self.bench.select(f"SELECT {columns} FROM reservations WHERE {of}", *key)
        assert sorted(rows) == wanted
        held = self.bench.select(f"SELECT owner_id, item_id, profile_id FROM held WHERE {of}", *key)
        assert sorted(held) == sorted(row[:3] for row in wanted)

    def compare(self):
        """Compares all records of the owners, and those rebuilt from their events."""
        for profile, model in zip(self.profiles, self.models, strict=True):
            compare(self.bench, profile, model)
        for one in CUSTOMERS:
            replay = Replay()
            for event in profile_events(self.bench, self.profiles[one]):
                replay.hear(event)
            compare_replay(replay, self.models[one])


def name_of(model, made):
    return model.lists[made]["name"].strip().casefold()


# Merges of items on joining lists that the same holder has reserved on both sides.
MEETING = [("reserve", 3, 2, 0, 1), ("reserve", 3, 0, 0, 1), ("link", 3, 1), ("link", 2, 0)]

# An item leaves the last list that was ever shared, and a new reservation follows.
LEAVING = [
    ("do", 0, ("set_lists", 0, [1])),
    ("share", 0, 1, False),
    ("reserve", 1, 4, 0, 3),
    ("do", 0, ("set_lists", 0, [])),
]

# An item on a shared list that joins a private one keeps its reservation.
JOINING = [
    *(("do", 2, ("new_list", "Garden")), ("share", 2, 2, False)),
    *(("do", 2, ("save", 6, None, 3, None, [2], None)), ("do", 0, ("new_list", "garden"))),
    *(("reserve", 1, 4, 0, 1), ("link", 2, 0), ("do", 0, ("delete", 0))),
]


@given(done=moves)
@example(done=MEETING)
@example(done=LEAVING)
@example(done=JOINING)
@examples(4)
def test_every_reader_sees_exactly_what_the_model_shows(event_bench, done):
    """Every reader sees exactly what the model shows, after any sequence of steps.
    Rules: shared-hides-owner, share-token, share-ends, copy-list, event-changed, reserve-quantity,
    reserve-ends, session-purged, erase-completes, event-transaction, engines-alike."""
    world = World(event_bench)
    for step in done:
        world.move(step)
        world.look()
        world.compare_reservations()
    world.compare()


test_readers_see_the_model_at_length = at_length(
    test_every_reader_sees_exactly_what_the_model_shows, 150, done=moves
)


def test_profile_has_reservations_of_at_most_a_thousand_items(bench):
    """A profile has reservations of at most 1,000 items; after a link exceeded this, they can still
    be changed.
    Rule: profile-limits."""
    owner, holder, visitor = bench.new_customer(), bench.new_customer(), bench.new_session()
    made = bench.new_list(owner).id
    item = bench.save(owner, quantity=3, list_ids=(made,)).id
    token = bench.share(owner, made).token
    row = holder.id, bench.new_customer().id
    rows = [(*row, bench.new_id(), bench.store.id) for _ in range(1_000)]
    bench.insert("held", "profile_id owner_id item_id store_id", rows)

    def reserve(who, quantity):
        asked = bench.finder, token, item, who, quantity, bench.clock.tick()
        return bench.write(reservations.reserve, *asked)

    with pytest.raises(LimitReached):
        reserve(holder, 1)
    seen = bench.read(shares.view, bench.finder, token, None, bench.clock.tick())
    assert seen.items[0].reserved == 0
    reserve(visitor, 2)
    bench.link(visitor, holder)
    assert reserve(holder, 1).yours == 1


def resolve_token(bench, token):
    return bench.read(shares.resolve, bench.finder, token, bench.clock.tick())


def test_oversized_list_is_copied_only_within_the_callers_limit(bench):
    """A list that exceeds the limit after a link can be copied only within the caller's limit.
    Rule: copy-list."""
    owner, other = bench.new_session(), bench.new_customer()
    [at] = bench.fill(owner, products=3, lists=1, on=1)
    made = bench.share(owner, at)
    for most, fits in ((2, False), (3, True)):
        wanted, now = copies.NewList(bench.new_id(), lists.ListFields()), bench.clock.tick()
        terms = (other, wanted, bench.new_id, bounds(9, list_items=most), now)
        with contextlib.nullcontext() if fits else pytest.raises(LimitReached):
            bench.write(copies.copy, bench.finder, made.token, *terms)
        assert bench.holds(other) == ((3, 1, 3) if fits else (0, 0, 0))
        bench.check(other)


def test_shares_of_a_purged_session_end_with_the_first_batch(bench):
    """A purged session's shares end with the purge's first batch.
    Rules: share-ends, session-purged."""
    owner = bench.new_session()
    made = bench.share(owner, bench.new_list(owner).id)
    at = bench.clock() + 365 * DAY
    bench.write(purge.close_expired, SETTINGS, [owner.id], at)
    with pytest.raises(UnknownShare):
        resolve_token(bench, made.token)
    with pytest.raises(UnknownShare):
        bench.read(shares.view, bench.finder, made.token, None, bench.clock.tick())
    run_purge(bench, at)
    for table in ("shares", "share_tokens"):
        assert bench.select(f"SELECT * FROM {table} WHERE profile_id = $1", owner.id) == []


def test_share_missing_during_a_link_is_looked_up_again(bench, engine):
    """A share that is missing while a link commits on two servers is looked up again, then 503.
    Rule: cluster-nodes."""
    if engine == "sqlite":
        pytest.skip("commits at once")
    owner = bench.new_customer()
    made = bench.share(owner, bench.new_list(owner).id)
    bench.one("shares_remove", profile=owner.id, ids=[made.id])
    with pytest.raises(Unavailable):
        resolve_token(bench, made.token)
    with pytest.raises(Unavailable):
        bench.write(
            shares.resolve_locked, bench.finder, made.token, bench.new_session(), bench.clock.tick()
        )
    tries = []

    async def third(tx):
        tries.append(tx)
        if len(tries) < 3:
            raise RunAgain
        return len(tries)

    assert bench.read(third) == 3
