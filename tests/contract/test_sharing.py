"""Sharing against a model: owners, visitors, copies, ended shares, sign-ins and deletions."""

from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.conftest import bounds
from tests.contract.test_events import compare as compare_told
from tests.contract.test_events import heard
from tests.contract.test_model import UNLIMITED, both, compare, do
from tests.profile_model import GONE, Model
from tests.replay import Replay
from tests.strategies import alike, at, at_length, steps
from wishwell import ids
from wishwell.errors import NotFound, UnknownShare
from wishwell.wishes import copies, linking, shares

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
    ),
    min_size=8,
    max_size=25,
)


@dataclass
class Link:
    """What is known of a share. One that has ended has no owner."""

    owner: int | None
    id: str
    list: str
    notes: bool
    until: str = ""


class World:
    """Two customers and two visitors of a store, and every share that they ever made, by token."""

    def __init__(self, bench):
        self.bench = bench
        self.profiles = [bench.new_customer() for _ in CUSTOMERS]
        self.profiles += [bench.new_session() for _ in VISITORS]
        self.models = [Model() for _ in self.profiles]
        self.links: dict[str, Link] = {}
        for one in (*CUSTOMERS, *VISITORS):
            for step in [("new_list", "Birthday"), ("new_list", f"Of {one}")]:
                do(bench, self.profiles[one], self.models[one], step)
            for product in (1, 2 + one):
                save = ("save", product, None, None, ["a"], [0], f"note of {one}")
                do(bench, self.profiles[one], self.models[one], save)
            self.share(one, 0, one % 2 == 0)

    def token(self, number):
        return list(self.links)[number] if number < len(self.links) else shares.new_token()

    def model_of(self, link):
        """The owner's model. Raises ``NotFound`` for a share that has ended."""
        if link is None or link.owner is None:
            raise NotFound("")
        return self.models[link.owner]

    # ----------------------------------------------------------------------------- what they do

    def move(self, step):
        name, *arguments = step
        getattr(self, name)(*arguments)
        for link in self.links.values():
            if link.owner is not None and link.list not in self.models[link.owner].lists:
                link.owner = None

    def do(self, one, step):
        do(self.bench, self.profiles[one], self.models[one], step)

    def share(self, one, number, notes):
        bench, profile, made = self.bench, self.profiles[one], self.models[one].list_at(number)
        id, token, now = bench.new_id(), shares.new_token(), bench.clock.tick()

        def modelled():
            if made == GONE:
                raise NotFound("")
            self.links[token] = Link(one, id, made, notes)

        terms = shares.Terms(notes=notes)
        both(lambda: bench.write(shares.create, profile, made, terms, id, token, now), modelled)

    def terms(self, number, notes, until):
        link = self.links.get(self.token(number))
        if until == "soon":
            until = ids.timestamp(self.bench.clock.milliseconds + 2)

        def modelled():
            self.model_of(link)
            link.notes = notes
            link.until = link.until if until is None else until

        terms = shares.Terms(notes=notes, expires_at=until)
        both(lambda: self.bench.write(shares.change, *self.place(link), terms), modelled)

    def end(self, number):
        link = self.links.get(self.token(number))

        def modelled():
            self.model_of(link)
            link.owner = None

        both(lambda: self.bench.write(shares.delete, *self.place(link)), modelled)

    def place(self, link):
        """Of whom, on which list and which share; somebody else's for one that has ended."""
        if link is None or link.owner is None:
            return self.profiles[0], GONE, link.id if link else GONE
        return self.profiles[link.owner], link.list, link.id

    def copy(self, one, number, name):
        bench, token = self.bench, self.token(number)
        made, new = bench.new_id(), [bench.new_id() for _ in range(20)]
        now, taken = bench.clock.tick(), iter(new)
        wanted, most = copies.Wanted(made, name), bounds(UNLIMITED)
        both(
            lambda: bench.write(
                copies.copy,
                *(self.bench.finder, token, self.profiles[one], wanted),
                *(lambda: next(taken), most, now),
            ),
            lambda: self.model_copy(self.models[one], token, made, name, iter(new), now),
        )

    def model_copy(self, model, token, made, name, new, now):
        seen = self.seen(token, now)
        if seen is None:
            raise UnknownShare("")
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

    def link(self, visitor, customer):
        bench, now = self.bench, self.bench.clock.tick()
        bench.write(
            linking.link, self.profiles[visitor], self.profiles[customer], bounds(UNLIMITED), now
        )
        self.models[customer].link(self.models[visitor], now)
        for link in self.links.values():
            if link.owner == visitor:
                link.owner = customer
        self.profiles[visitor] = bench.new_session()

    # ------------------------------------------------------------------------ what can be seen

    def seen(self, token, now):
        """What anybody sees, as the model has it; None for nothing."""
        link = self.links.get(token)
        if link is None or link.owner is None or (link.until and link.until <= now):
            return None
        model = self.models[link.owner]
        held = model.lists[link.list]
        items = []
        for id in model.sorted(link.list, "customer"):
            item = model.items[id]
            shown = {"id": id, "productId": item["product"], "quantity": item["quantity"]}
            optional = {"variantId": item["variant"], "note": link.notes and item["note"]}
            items.append(shown | {name: value for name, value in optional.items() if value})
        return {
            "name": held["name"], "items": items, "updatedAt": held["updated"], "reservations": False
        }  # fmt: skip

    def look(self):
        """Everybody sees what the model has, and nothing else."""
        now = self.bench.clock.tick()
        for number, token in enumerate([*self.links, shares.new_token()]):
            reader = [None, *self.profiles][number % 5]
            try:
                arguments = (self.bench.finder, token, reader, now)
                found = msgspec.to_builtins(self.bench.read(shares.view, *arguments))
            except UnknownShare:
                found = None
            assert found == self.seen(token, now)

    def compare(self):
        """All that the owners have; and who hears only events has the same."""
        for profile, model in zip(self.profiles, self.models, strict=True):
            compare(self.bench, profile, model)
        for one in CUSTOMERS:
            replay = Replay()
            for event in heard(self.bench, self.profiles[one]):
                replay.hear(event)
            compare_told(replay, self.models[one])


@pytest.fixture(scope="module")
def telling(bench):
    """The bench, whose store tells events."""
    bench.update_store(events=True)
    return bench


@given(done=moves)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_nobody_sees_what_is_not_theirs(telling, done):
    """contract: shared-fields, shared-unknown, shared-notes, share-link, share-ended, share-expiry,
    share-list-deleted, copy-list, copy-once, event-copy."""
    world = World(telling)
    for step in done:
        world.move(step)
        world.look()
    world.compare()


test_nobody_sees_at_length = at_length(test_nobody_sees_what_is_not_theirs, 150, done=moves)
