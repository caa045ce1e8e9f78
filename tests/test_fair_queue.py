"""Fair queueing: the next task, waiting, and places that one flow can't hold alone."""

from __future__ import annotations

import asyncio
import itertools
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wishwell.fairness.fair_queue import BACKGROUND, FairQueue, Flow, Ticket
from wishwell.fairness.fair_semaphore import FairSemaphore

flows = st.builds(Flow, *map(st.sampled_from, ("abc", "xyz", ("", "s", "t"))))


@given(st.lists(st.one_of(flows, st.just("pop"), st.just("remove")), max_size=80))
def test_queue_starts_each_task_once_in_the_order_of_its_flow(steps):
    """Each task starts once, in the order of its flow; a history is of pushes, pops, and removals of the newest.
    Rule: fair-queueing."""
    queue, waiting, number = FairQueue(), [], itertools.count()
    for step in steps:
        if isinstance(step, Flow):
            waiting.append(queue.push(step, next(number)))
        elif step == "remove":
            if waiting:
                assert queue.remove(waiting.pop())
        else:
            entry = queue.pop()
            assert (entry is None) == (not waiting)  # it is work conserving
            if entry is not None:
                assert entry.item == min(e.item for e in waiting if e.flow == entry.flow)
                waiting.remove(entry)
                assert not queue.remove(entry)
        assert len(queue) == len(waiting)


@given(st.lists(flows, min_size=1, max_size=60), st.integers(0, 59))
def test_newcomer_waits_for_one_task_of_each_store_at_most(backlog, started):
    """The task of a newcomer waits for one task of each other store, never for a backlog. Rule: fair-queueing."""
    queue = FairQueue()
    for flow in backlog * 3:
        queue.push(flow, flow)
    for _ in range(started):
        queue.pop()
    queue.push(Flow("newcomer", "z"), "new")
    started_before = itertools.takewhile(lambda e: e.item != "new", iter(queue.pop, None))
    assert len([*started_before]) <= len({flow.store for flow in backlog})


@pytest.mark.parametrize("other", [Flow("b", "x", "s"), Flow("a", "y", "s"), Flow("a", "x", "t")])
def test_flows_take_turns_whatever_waits(other):
    """Two stores, parties of a store, or sessions of a party start one task each in turn, however many of the one
    wait, and although the other waited for nothing before. Rule: fair-queueing."""
    queue, crowd = FairQueue(), Flow("a", "x", "s")
    for _ in range(100):
        queue.push(crowd, None)
    for _ in range(60):
        assert queue.pop().flow == crowd
    for _ in range(20):
        queue.push(other, None)
    started = [queue.pop().flow for _ in range(40)]
    assert started == [crowd, other] * 20
    assert queue.pop().flow == queue.pop().flow == crowd


@pytest.mark.parametrize("crowd", [Flow("b", "x"), Flow("a", "y")])
def test_crowd_does_not_join_the_group_of_another_party(crowd):
    """A party with most of the waiting tasks doesn't join another's group, whose result it would delay. Two crowds of
    the same size do, because both want large groups. Rule: fair-queueing."""
    queue, quiet = FairQueue(), Flow("a", "x")
    for _ in range(3):
        queue.push(crowd, None)
    first = queue.pop()
    queue.push(quiet, None)
    latest = queue.pop(after=first)
    assert latest.flow == crowd  # its own group goes on
    latest = queue.pop(after=latest)
    assert latest.flow == quiet
    queue.push(crowd, None)
    assert queue.pop(after=latest) is None
    for _ in range(2):
        queue.push(quiet, None)
    assert queue.pop(after=latest).flow == crowd


def test_removed_task_costs_its_flow_no_turn():
    """A task that is removed while it waits costs its flow no turn. Rule: fair-queueing."""
    queue, first = FairQueue(), Flow("a", "x")
    entry = queue.push(first, "removed")
    queue.push(first, "first")
    queue.push(Flow("b", "x"), "second")
    assert queue.remove(entry) and not queue.remove(entry)
    assert [queue.pop().item, queue.pop().item] == ["first", "second"]


def test_queue_forgets_idle_flows():
    """The queue's memory doesn't grow with the number of flows, because a process serves many
    visitors, each with an address."""
    queue = FairQueue()
    empty = pickle.dumps(queue)
    for number in range(1_000):
        queue.push(Flow(f"store {number}", "x"), None)
        removed = queue.push(Flow("removed", str(number), "s"), None)
        assert queue.remove(removed)
        queue.finish(queue.pop().flow)
    assert pickle.dumps(queue) == empty


async def held_by(semaphore, flow, count):
    """Takes up to ``count`` places without releasing them; returns how many it got."""
    got = 0
    for _ in range(count):
        got += semaphore.take_now(flow)
    return got


def test_store_leaves_slots_to_others():
    """A store leaves slots to others, also the last one; the service's own work has no limit.
    Rule: fair-queueing."""

    async def check():
        semaphore = FairSemaphore(20, store_factor=4)
        assert await held_by(semaphore, Flow("a", "x"), 20) == 16
        assert await held_by(semaphore, Flow("b", "x"), 20) == 3
        assert await held_by(semaphore, Flow("c", "x"), 20) == 1
        assert await held_by(semaphore, BACKGROUND, 20) == 0
        semaphore.release(Flow("a", "x"))
        assert await held_by(semaphore, Flow("a", "x"), 20) == 0
        assert await held_by(semaphore, BACKGROUND, 20) == 1

    asyncio.run(check())


def test_party_of_a_store_leaves_slots_to_the_others():
    """A party holds at most its limit, and while it waits for more, another isn't delayed.
    Rule: fair-queueing."""

    async def check():
        semaphore = FairSemaphore(20, store_factor=4, max_per_party=4)
        greedy, quiet = Flow("a", "greedy"), Flow("a", "quiet")
        assert await held_by(semaphore, greedy, 20) == 4
        waiting = [asyncio.create_task(semaphore.wait(Ticket(greedy))) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert (semaphore.held, len(semaphore)) == (4, 3)
        assert semaphore.take_now(quiet)
        semaphore.release(greedy)
        await asyncio.wait_for(waiting[0], 60)
        assert (semaphore.held, len(semaphore)) == (5, 2)
        for task in waiting[1:]:
            task.cancel()

    asyncio.run(check())


def test_semaphore_gives_slots_in_order_and_survives_cancellation():
    """Slots are given in order. A task that is cancelled while waiting, or when it has just got a slot, keeps
    none. Rule: fair-queueing."""

    async def check():
        semaphore, order = FairSemaphore(1), []
        assert semaphore.take_now(Flow("a", "x"))

        async def work(flow):
            async with semaphore.place(Ticket(flow)):
                order.append(flow.store)
                await asyncio.sleep(0.001)

        greedy = [asyncio.create_task(work(Flow("a", "x"))) for _ in range(20)]
        await asyncio.sleep(0)
        quiet = asyncio.create_task(work(Flow("b", "x")))
        await asyncio.sleep(0)
        greedy[0].cancel()
        semaphore.release(Flow("a", "x"))
        greedy[1].cancel()  # it got the place but hasn't run yet
        await asyncio.gather(*greedy, quiet, return_exceptions=True)
        assert order.index("b") <= 1 and len(order) == 19
        assert semaphore.held == 0 and len(semaphore) == 0

    asyncio.run(check())


def test_tasks_that_a_lock_blocks_keep_their_order():
    """Tasks of a party that wait for the same lock start in the order in which they came, also after another task of
    the party, whose lock was free, has overtaken them. Rule: fair-queueing."""

    async def check():
        semaphore, order = FairSemaphore(2, max_per_lock=1), []
        flow = Flow("a", "x")
        assert semaphore.take_now(flow, "locked") and semaphore.take_now(flow, "other")

        async def work(name, lock):
            held = await semaphore.wait(Ticket(flow), lock)
            order.append(name)
            semaphore.release(held, lock)

        names = [("1", "locked"), ("2", "locked"), ("3", "locked"), ("free", "free")]
        tasks = [asyncio.create_task(work(*name)) for name in names]
        await asyncio.sleep(0)
        semaphore.release(flow, "other")
        await tasks[-1]
        assert order == ["free"]
        semaphore.release(flow, "locked")
        await asyncio.gather(*tasks)
        assert order == ["free", "1", "2", "3"]

    asyncio.run(check())


def test_sessions_of_an_address_take_turns_and_delay_other_addresses_like_one():
    """However many sessions an address has, another address waits for one task of them at most; inside an address,
    each session starts one task in turn, also one that comes late. Rule: fair-queueing."""
    queue = FairQueue()

    def start():
        return queue.pop().flow

    for _ in range(5):
        for number in range(30):
            queue.push(Flow("a", "crowd", f"s{number}"), None)
    for number in range(3):
        assert start().session == f"s{number}"
    queue.push(Flow("a", "newcomer", "n"), None)
    assert Flow("a", "newcomer", "n") in (start(), start())
    for _ in range(3):
        queue.push(Flow("a", "crowd", "late"), None)
    rounds = [[start().session for _ in range(31)] for _ in range(3)]
    assert [round.count("late") for round in rounds] == [1, 1, 1]
    assert max(rounds[1].count(f"s{number}") for number in range(30)) == 1
