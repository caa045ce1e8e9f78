"""Reservations agree with a model of them, on both engines, whatever owners and others do.

Two who own lists, a visitor and the customer that they become, and four who look at them: two
visitors, of whom one becomes the owner, and two customers.
"""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.contract.conftest import bounds, new_item
from tests.contract.test_purge import DAY, run_purge
from tests.profile_model import Model
from tests.strategies import at_length
from wishwell.errors import Conflict, Forbidden, LimitReached, NotFound
from wishwell.wishes import items, linking, lists, reservations, shares
from wishwell.wishes.items import ItemPatch

MOST = bounds(1_000)
NAMES = ("One", "Two", "Three")
OPEN = shares.Terms(reservations=True)
BECOMES = {"O": "C", "V": "K", "W": "C"}
"""Which customer each session signs in as."""


class World:
    """The real profiles, and what should be there."""

    def __init__(self, bench):
        self.bench = bench
        self.real = {name: bench.new_session() for name in "OVW"}
        self.real |= {name: bench.new_customer() for name in "CKL"}
        self.models = {"O": Model(), "C": Model()}
        self.shares = {}  # of each list that is shared: a token that is good, or was
        self.open = set()  # those lists with a good one
        self.taken = {}  # by owner and item: how many of whom
        self.gone = set()

    def write(self, use_case, *arguments):
        return self.bench.write(use_case, *arguments, self.bench.clock.tick())

    # ------------------------------------------------------------------------- what is done

    def save(self, owner, product, on, quantity):
        model, now, id = self.models[owner], self.bench.clock.tick(), self.bench.new_id()
        chosen = tuple(dict.fromkeys(model.list_at(at) for at in on if at < len(model.lists)))
        new = new_item(product, None, quantity, None, chosen)
        self.bench.write(items.save, self.real[owner], new, id, MOST, now)
        model.save(id, product, None, quantity, None, chosen, now)

    def make(self, owner, name):
        now, id = self.bench.clock.tick(), self.bench.new_id()
        self.bench.write(lists.create, self.real[owner], NAMES[name], id, MOST, now)
        self.models[owner].new_list(id, NAMES[name], now)
        if name < 2:
            self.share(owner, len(self.models[owner].lists) - 1)

    def share(self, owner, at):
        made = self.models[owner].list_at(at)
        if made in self.models[owner].lists:
            token, id = shares.new_token(), self.bench.new_id()
            self.write(shares.create, self.real[owner], made, OPEN, id, token)
            self.shares[made] = token
            self.open.add(made)

    def unshare(self, owner, at):
        made = self.models[owner].list_at(at)
        if made in self.models[owner].lists:
            for share in self.bench.all("shares_of_list", profile=self.real[owner].id, list=made):
                self.bench.write(shares.delete, self.real[owner], made, share[0])
            self.open.discard(made)

    def quantity(self, owner, at, quantity):
        item = self.models[owner].item_at(at)
        if item in self.models[owner].items:
            self.write(items.change, self.real[owner], item, ItemPatch(quantity=quantity))
            self.models[owner].items[item]["quantity"] = quantity

    def delete(self, owner, ats):
        model = self.models[owner]
        targets = [model.item_at(at) for at in ats]
        if len(targets) == 1 and targets[0] in model.items:
            self.write(items.delete, self.real[owner], targets[0])
        else:
            self.write(items.delete_many, self.real[owner], targets)
        for target in targets:
            model.forget(target)

    def put_on(self, owner, at, on):
        model = self.models[owner]
        item = model.item_at(at)
        chosen = tuple(dict.fromkeys(model.list_at(n) for n in on if n < len(model.lists)))
        if item in model.items:
            self.write(items.set_lists, self.real[owner], item, chosen, MOST)
            model.set_lists(item, chosen, "")

    def drop(self, owner, at):
        made = self.models[owner].list_at(at)
        if made in self.models[owner].lists:
            self.write(lists.delete, self.real[owner], made)
            self.models[owner].drop_list(made)
            self.open.discard(made)

    def reserve(self, who, owner, lists_at, at, quantity):
        model = self.models[owner]
        made, item = model.list_at(lists_at), model.item_at(at)
        if made not in self.shares:
            return
        wanted = self.allowed(who, owner, made, item, quantity)
        asked = (self.bench.finder, self.shares[made], item, self.real[who], quantity)
        if wanted is not None:
            with pytest.raises(wanted):
                self.write(reservations.reserve, *asked)
            return
        taken = self.taken.setdefault((owner, item), {})
        taken[who] = quantity
        shown = self.write(reservations.reserve, *asked)
        assert (shown.id, shown.reserved, shown.yours) == (item, sum(taken.values()), quantity)

    def allowed(self, who, owner, made, item, quantity):
        if made not in self.open:
            return NotFound
        if who == owner:
            return Forbidden
        if item not in self.models[owner].lists[made]["items"]:
            return NotFound
        taken = self.taken.get((owner, item), {})
        others = sum(n for name, n in taken.items() if name != who)
        fits = others + quantity <= self.models[owner].items[item]["quantity"]
        return None if fits or quantity <= taken.get(who, 0) else Conflict

    def give_back(self, who, owner, at):
        item = self.models[owner].item_at(at)
        taken, token = self.taken.get((owner, item), {}), shares.new_token()
        if taken.pop(who, 0):
            self.bench.write(reservations.give_back, token, item, self.real[who])
        else:
            with pytest.raises(NotFound):
                self.bench.write(reservations.give_back, token, item, self.real[who])

    def link(self, who):
        customer = BECOMES[who]
        session, target = self.real[who], self.real[customer]
        self.write(linking.link, session, target, bounds(1_000))
        self.gone.add(who)
        if who in self.models:
            self._link_owned()
        for taken in self.taken.values():
            if who in taken:
                taken[customer] = taken.get(customer, 0) + taken.pop(who)

    def _link_owned(self):
        theirs, mine = self.models["O"], self.models["C"]
        for (owner, item), taken in list(self.taken.items()):
            if owner == "O":
                kind = theirs.items[item]["product"], theirs.items[item]["variant"]
                into = self.taken.setdefault(("C", mine.twin(*kind) or item), {})
                for name, quantity in taken.items():
                    into[name] = into.get(name, 0) + quantity
                del self.taken[(owner, item)]
        named = {}
        for made in sorted(mine.lists):
            named.setdefault(mine.lists[made]["name"].casefold(), made)
        for made, held in theirs.lists.items():
            joined = named.get(held["name"].casefold())
            if joined is not None and made in self.shares:
                self.open.discard(made)
                self.shares.setdefault(joined, self.shares[made])
        mine.link(theirs, self.bench.clock.tick())

    def purge(self, who):
        """A session's time is over; that of the others goes on."""
        self.bench.clock.milliseconds += 91 * DAY
        for name in "OVW":
            if name not in (who, *self.gone):
                self.bench.one(
                    "session_renew", profile=self.real[name].id, now=self.bench.clock.tick()
                )
        run_purge(self.bench, self.bench.clock() + DAY)
        self.gone.add(who)
        if who in self.models:
            self.models[who] = Model()
            self.taken = {key: taken for key, taken in self.taken.items() if key[0] != who}
        for taken in self.taken.values():
            taken.pop(who, None)

    # --------------------------------------------------------------------- what must be there

    def settle(self):
        """What ends by itself: what is on no list that is or was shared, and what is one's own."""
        for (owner, item), taken in list(self.taken.items()):
            taken.pop(owner, None)
            model = self.models[owner]
            if not any(made in self.shares for made in model.lists_of(item)):
                del self.taken[(owner, item)]

    def compare(self):
        key = {name: profile.id for name, profile in self.real.items()}
        wanted = sorted(
            (key[owner], item, key[who], quantity)
            for (owner, item), taken in self.taken.items()
            for who, quantity in taken.items()
        )
        everybody = ", ".join(f"${n}" for n in range(1, len(key) + 1))
        rows = self.bench.select(
            "SELECT profile_id, item_id, holder_id, quantity FROM reservations "
            f"WHERE profile_id IN ({everybody})",
            *key.values(),
        )
        assert sorted(rows) == wanted
        held = self.bench.select(
            f"SELECT owner_id, item_id, profile_id FROM held WHERE profile_id IN ({everybody})",
            *key.values(),
        )
        assert sorted(held) == sorted(row[:3] for row in wanted)

    def do(self, step):
        verb, who, *arguments = step
        owner = arguments[0] if verb in ("reserve", "give_back") else who
        if who in self.gone or owner in self.gone:
            return
        getattr(self, verb)(who, *arguments)
        self.settle()


at = st.integers(0, 3)
owner = st.sampled_from("OC")
session = st.sampled_from("OVW")
giver = st.sampled_from("VWKLOC")
steps = st.one_of(
    st.tuples(st.just("reserve"), giver, owner, at, at, st.integers(1, 3)),
    st.tuples(st.just("reserve"), giver, owner, at, at, st.integers(1, 3)),
    st.tuples(st.just("give_back"), giver, owner, at),
    st.tuples(st.just("save"), owner, st.integers(1, 4), st.lists(at, max_size=3), st.integers(1, 4)),
    st.tuples(st.just("make"), owner, st.integers(0, 2)),
    st.tuples(st.just("share"), owner, at),
    st.tuples(st.just("unshare"), owner, at),
    st.tuples(st.just("quantity"), owner, at, st.integers(1, 4)),
    st.tuples(st.just("delete"), owner, st.lists(at, min_size=1, max_size=2)),
    st.tuples(st.just("put_on"), owner, at, st.lists(at, max_size=3)),
    st.tuples(st.just("drop"), owner, at),
    st.tuples(st.just("link"), session),
    st.tuples(st.just("purge"), session),
)  # fmt: skip
_BEGIN = [
    *(("make", name, n) for name, n in (("O", 0), ("O", 1), ("C", 1), ("C", 2))),
    *(("save", name, n, [n % 2], 3) for name in "OC" for n in (1, 2, 3)),
    *(("reserve", who, name, (n + 1) % 2, n, 1) for who in "VWK" for name in "OC" for n in (0, 1)),
]
sequences = st.lists(steps, min_size=5, max_size=25)
# What merges with what, on lists that join and move, with the same giver on both sides.
_MEETING = [("reserve", "V", "O", 1, 0, 1), ("link", "V"), ("link", "O"), ("link", "W")]

# Off the last list that was ever shared, and what is reserved anew.
_LEAVING = [
    ("put_on", "C", 1, [1]),
    ("share", "C", 1),
    ("reserve", "K", "C", 1, 1, 3),
    ("drop", "O", 1),
]

# On a shared list that joins a private one: it stays when next those that are unshared end.
_JOINING = [
    *(("make", "O", 2), ("share", "O", 2), ("save", "O", 4, [2], 3)),
    *(("reserve", "K", "O", 2, 3, 1), ("link", "O"), ("delete", "C", [0])),
]


@given(sequence=sequences)
@example(sequence=_MEETING)
@example(sequence=_LEAVING)
@example(sequence=_JOINING)
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_sequence_agrees_with_the_model(bench, sequence):
    """contract: reserve-put, reserve-quantity, reserve-kept, reserve-ends, reserve-delete,
    reserve-sign-in, reserve-purge, engines-alike. After each step: who has reserved how many of what,
    on both sides; each refusal."""
    world = World(bench)
    for step in _BEGIN:
        world.do(step)
    for step in sequence:
        world.do(step)
        world.compare()


test_any_sequence_at_length = at_length(
    test_any_sequence_agrees_with_the_model, 150, sequence=sequences
)


@pytest.fixture
def full(bench):
    """A world in which C shares an item and K has reservations of as many others as one may."""
    world = World(bench)
    for step in [("make", "C", 0), ("save", "C", 1, [0], 3)]:
        world.do(step)
    one = (world.real["K"].id, bench.new_customer().id)
    rows = [(*one, bench.new_id(), bench.store.id) for _ in range(reservations.MOST)]
    bench.insert("held", "profile_id owner_id item_id store_id", rows)
    return world


def test_profile_has_reservations_of_at_most_a_thousand_items(full):
    """contract: reserve-most. It is refused, and nothing is kept of it."""
    world = full
    [made] = world.models["C"].lists
    [item] = world.models["C"].items
    asked = (world.bench.finder, world.shares[made], item, world.real["K"], 1)
    with pytest.raises(LimitReached):
        world.write(reservations.reserve, *asked)
    assert (
        world.write(shares.view, world.bench.finder, world.shares[made], None).items[0].reserved
        == 0
    )


def test_link_past_the_most_reservations_leaves_them_changeable(full):
    """contract: reserve-most. What is reserved already is not one more."""
    world = full
    holder, visitor = world.real["K"], world.real["V"]
    [made] = world.models["C"].lists
    [item] = world.models["C"].items
    asked = (world.bench.finder, world.shares[made], item)
    world.write(reservations.reserve, *asked, visitor, 2)
    world.write(linking.link, visitor, holder, bounds(1_000))
    assert world.write(reservations.reserve, *asked, holder, 1).yours == 1
