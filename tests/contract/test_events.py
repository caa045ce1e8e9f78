"""Events tell exactly what happened: a reader of them has what is there, and hears nothing else."""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.contract.conftest import bounds
from tests.contract.test_model import UNLIMITED, do
from tests.profile_model import Model
from tests.replay import Replay, changed, told
from tests.strategies import alike, at_length, examples, sequences
from wishwell import events
from wishwell.wishes import linking


def heard(bench, profile):
    """The events of a profile, in their order."""
    rows = bench.select(
        "SELECT profile_id, sequence, type, created_at, gid, data FROM events "
        "WHERE profile_id = $1 ORDER BY sequence",
        profile.id,
    )
    return [told(events.from_row((str(row[0]), *row[1:]))) for row in rows]


def state(model):
    """What of a model is told: its items, and its lists with the order of what has a place."""
    on_lists = {}
    for made, held in model.lists.items():
        placed = sorted((at, id) for id, at in held["items"].items() if at)
        on_lists[made] = model.shown_list(made) | {"itemIds": [id for _, id in placed]}
    return {id: model.shown(id) for id in model.items}, on_lists


def expected(before, after, *, linked=False):
    """What is told of a step from one state to the next: type, record, names of what changed."""
    found = []
    for noun, were, are in zip(("item", "list"), before, after, strict=True):
        for id in were.keys() | are.keys():
            if id not in were:
                found.append((f"{noun}.created", id, ()))
            elif id not in are:
                found.append((f"{noun}.deleted", id, ()))
            else:
                names = changed(were[id], are[id])
                if noun == "list" and not linked:
                    names -= {"itemCount"}
                    # Who leaves a list, leaves its place; the item tells it.
                    if [at for at in were[id]["itemIds"] if at in are[id]["itemIds"]] == are[id][
                        "itemIds"
                    ]:
                        names -= {"itemIds"}
                if noun == "item" and before[1].keys() - after[1].keys():
                    names -= {"listIds"}  # the list tells that it is gone
                if names:
                    found.append((f"{noun}.updated", id, tuple(sorted(names))))
    return sorted(found)


def said(event):
    noun = event["type"].partition(".")[0]
    return event["type"], event["data"][noun]["id"], tuple(sorted(event["data"].get("changed", ())))


def step(bench, profile, model, replay, doing):
    """Does it; what is told is what changed, and nothing else."""
    before = state(model.copy())
    doing()
    new = heard(bench, profile)[replay.sequence :]
    assert sorted(said(event) for event in new) == expected(before, state(model))
    for event in new:
        replay.hear(event)
    compare(replay, model)


def compare(replay, model):
    assert replay.items == {id: model.shown(id) for id in model.items}
    assert replay.shown_lists() == {
        made: model.shown_list(made, "customer") for made in model.lists
    }


SEQUENCES = {
    **dict.fromkeys(("mine", "theirs", "after"), sequences),
    "names": st.lists(alike, max_size=3),
}


@example(mine=[], theirs=[("new_list", "Garden")] * 2, after=[], names=[])
@given(**SEQUENCES)
@examples(20)
def test_events_are_what_changed_and_nothing_else(telling, mine, theirs, after, names):
    """contract: event-fields, event-transaction, event-nothing-changed, event-changed, event-order.

    Each step of a customer and of a session, the link of the two, and what follows: told is what
    differs, in order and without a gap, and who replays it has the records and their order.
    """
    bench = telling
    customer, session = bench.new_customer(), bench.new_session()
    ours, other = Model(), Model()
    first, second = Replay(), Replay()
    named = [("new_list", name) for name in names]
    for sequence, profile, model, replay in (
        ([*named, *mine], customer, ours, first),
        ([*named, *theirs], session, other, second),
    ):
        for one in sequence:
            step(bench, profile, model, replay, lambda: do(bench, profile, model, one))
    before, had = state(ours.copy()), (len(other.items), len(other.lists))
    now = bench.clock.tick()
    bench.write(linking.link, session, customer, bounds(UNLIMITED), now)
    ours.link(other, now)
    *new, last = heard(bench, customer)[first.sequence :]
    assert sorted(said(event) for event in new) == expected(before, state(ours), linked=True)
    nouns = [event["type"].partition(".")[0] for event in new]
    assert nouns == sorted(nouns, reverse=True)  # lists, then items
    assert last["type"] == "profile.linked"
    assert last["data"] == {
        "session": session.gid, "customer": customer.gid, "items": had[0], "lists": had[1], "left": 0
    }  # fmt: skip
    assert len(heard(bench, session)) == second.sequence
    for event in [*new, last]:
        first.hear(event)
        assert (event["profile"], event["timestamp"]) == (customer.gid, now)
    compare(first, ours)
    for one in after[:8]:
        step(bench, customer, ours, first, lambda: do(bench, customer, ours, one))


test_events_at_length = at_length(test_events_are_what_changed_and_nothing_else, 100, **SEQUENCES)
