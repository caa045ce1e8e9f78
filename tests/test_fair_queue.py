"""Fair queueing: the next task, waiting, and places that one flow can't hold alone."""

from __future__ import annotations

import asyncio
import itertools
import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wishwell.fairness.fair_queue import BACKGROUND, FairQueue, Flow, Ticket
from wishwell.fairness.fair_semaphore import FairSemaphore

flows = st.builds(Flow, *map(st.sampled_from, ("abc", "xyz", ("", "s", "t"))))
costs = st.floats(0.001, 1)


@given(st.lists(st.one_of(flows, costs, st.none()), max_size=80))
def test_queue_starts_each_task_once_in_the_order_of_its_flow(steps):
    """Each task starts once, in the order of its flow. In a history, a flow stands for a push, a cost for a finished
    task, and None for removing the newest. Rule: fair-queueing."""
    queue, waiting, number = FairQueue(), [], itertools.count()
    for step in steps:
        if isinstance(step, Flow):
            waiting.append(queue.push(step, next(number)))
        elif step is None:
            if waiting:
                assert queue.remove(waiting.pop())
        else:
            entry = queue.pop()
            assert (entry is None) == (not waiting)  # it is work conserving
            if entry is not None:
                assert entry.item == min(e.item for e in waiting if e.flow == entry.flow)
                waiting.remove(entry)
                assert not queue.remove(entry)
                queue.charge(entry, step)
        assert len(queue) == len(waiting)


@pytest.mark.parametrize("store", ["a", "another"])
def test_batch_is_short_when_each_task_is_of_another_party(store):
    """A party without a task so far is expected to cost as much as others: with 0, one batch would contain all tasks
    of a crowd of addresses. Rule: fair-queueing."""
    queue = FairQueue()
    for number in range(40):
        queue.push(Flow("a", f"first {number}"), None)
    while (entry := queue.pop()) is not None:
        queue.charge(entry, 0.01)
    for number in range(40):
        queue.push(Flow(store, f"second {number}"), None)
    seconds, entry, started = 0.02, queue.pop(), 0
    while entry is not None:
        started, seconds = started + 1, seconds - entry.expected
        entry = queue.pop(seconds, after=entry)
    assert 1 <= started <= 3


def test_crowd_of_one_store_does_not_follow_another_store_in_a_batch():
    """A batch ends after a quiet store's task if the next task is of a store with most waiting tasks, even if each is
    of another party; batches are short then. Rule: fair-queueing."""
    queue = FairQueue()
    quiet = queue.push(Flow("quiet", "z"), None)
    for number in range(20):
        queue.push(Flow("crowd", str(number)), None)
    assert queue.pop() is quiet and not queue.contention.is_on
    assert queue.pop(1, after=quiet) is None and queue.contention.is_on
    first = queue.pop()
    assert first is not None and queue.pop(1, after=first) is not None  # of the same store


def test_crowd_alone_with_the_service_is_not_limited():
    """The service's own work doesn't make a queue contended, because nobody waits for it. Rule: fair-queueing."""
    queue = FairQueue()
    own = queue.push(BACKGROUND, None)
    for _ in range(20):
        queue.push(Flow("a", "x"), None)
    assert queue.pop() is own and queue.pop(1, after=own) is None
    assert not queue.contention.is_on


@given(st.lists(st.tuples(costs, costs), min_size=5, max_size=60), st.booleans())
def test_two_flows_that_always_wait_get_equal_time(work, of_one_store):
    """Two flows that always wait get equal time, to within one task each, whatever their number and cost.
    Rule: fair-queueing."""
    one, two = Flow("a", "x"), Flow("a" if of_one_store else "b", "y")
    queue, used = FairQueue(), Counter()
    for _ in range(len(work) * 3):
        queue.push(one, None)
        queue.push(two, None)
        queue.push(two, None)
    for pair in work:
        entry = queue.pop()
        cost = pair[entry.flow == two]
        used[entry.flow] += cost
        queue.charge(entry, cost)
        # The scheme's bound, and once more the expected cost that is corrected afterwards.
        assert abs(used[one] - used[two]) <= 2 * 2


@given(st.lists(st.tuples(flows, costs), min_size=1, max_size=60), st.integers(0, 59))
def test_newcomer_waits_for_one_task_of_each_flow_at_most(backlog, done):
    """A newcomer waits for at most one task of each other flow, never for a backlog.
    Rule: fair-queueing."""
    queue = FairQueue()
    for flow, _ in backlog * 3:
        queue.push(flow, flow)
    for _, cost in backlog[:done]:
        queue.charge(queue.pop(), cost)
    queue.push(Flow("newcomer", "z"), "new")
    started = [
        entry.item
        for entry in itertools.takewhile(lambda e: e.item != "new", iter(queue.pop, None))
    ]
    assert len(started) <= len({flow.store for flow, _ in backlog})


def started_until(queue, flow):
    """Starts tasks that take 0.1 s each until the flow's next one. Returns how many others started."""
    count = 0
    while (entry := queue.pop()).flow != flow:
        queue.charge(entry, 0.1)
        count += 1
    queue.charge(entry, 0.1)
    return count


@pytest.mark.parametrize("other", [Flow("a", "y"), Flow("b", "x")])
def test_unexpectedly_long_task_delays_its_own_flow(other):
    """After a task of 10 s, the other flow gets as much time before the next one, although the task wasn't
    expected to take so long. Rule: fair-queueing."""
    queue, long = FairQueue(), Flow("a", "x")
    for flow in (long, *[other] * 200, long):
        queue.push(flow, None)
    queue.charge(queue.pop(), 10)
    assert 95 <= started_until(queue, long) <= 105


@pytest.mark.parametrize("other", [Flow("a", "y"), Flow("b", "x")])
def test_flow_saves_up_no_time_while_it_is_idle(other):
    """A flow that had no tasks for a while starts no more than its share afterwards.
    Rule: fair-queueing."""
    queue, idle = FairQueue(), Flow("a", "x")
    for flow in (idle, other, *[other] * 100):
        queue.push(flow, None)
    for _ in range(60):
        queue.charge(queue.pop(), 0.1)
    for _ in range(20):
        queue.push(idle, None)
    assert max(started_until(queue, other) for _ in range(10)) <= 2


def test_party_with_most_of_the_waiting_work_does_not_prolong_the_batch_of_another():
    """The response of a quiet party is ready at the end of its batch. Rule: fair-queueing."""
    queue, quiet = FairQueue(), Flow("a", "quiet")
    for number in range(12):
        queue.push(Flow("a", "greedy"), number)
    queue.push(quiet, "quiet")
    first = queue.pop()
    joining = queue.pop(after=first)
    assert (first.item, joining.item) == (0, "quiet")
    assert not queue.contention.is_on
    assert queue.pop(after=joining) is None
    assert queue.contention.is_on
    following = queue.pop()
    assert queue.pop(after=following).item == 2  # a party may prolong its own batch
    queue.push(quiet, "quiet")
    queue.push(Flow("b", "quiet"), "other")
    assert {queue.pop(after=following).item, queue.pop(after=following).item} == {"quiet", "other"}


def test_queue_forgets_idle_flows():
    """The queue's memory doesn't grow with the number of flows, because a process serves many
    visitors, each with an address."""

    def serve(queue, numbers):
        for number in numbers:
            queue.push(Flow(f"store {number}", "x"), None)
            queue.charge(queue.pop(), 0.001)
        return len(pickle.dumps(queue))

    queue = FairQueue()
    assert serve(queue, range(1_000, 11_000)) < 4 * serve(FairQueue(), range(1_000, 1_100))


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
            entry = await semaphore.wait(Ticket(flow), lock)
            order.append(name)
            semaphore.release(flow, lock, entry)

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
        entry = queue.pop()
        queue.charge(entry, 0.1)
        return entry.flow

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
