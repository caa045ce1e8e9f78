"""Admission: which requests start, wait, or are refused, and who has to wait for whom."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

import pytest

from wishwell import config
from wishwell.db import migrate
from wishwell.errors import Overloaded
from wishwell.fairness.fair_queue import CURRENT, Contention, Flow, Ticket
from wishwell.http.server.admission import FULL, LATE, Admission, RequestTicket
from wishwell.server import app


@pytest.fixture(autouse=True)
def lasting_contention(monkeypatch):
    """Queues that were contended once stay so for a whole test, however slow the machine is."""
    monkeypatch.setattr("wishwell.fairness.fair_queue.CONTENDED_SECONDS", 3600)


def submitted(admission, flow, begin=lambda: None):
    """Returns the ticket of a request of this flow, submitted to admission."""
    ticket = RequestTicket(admission=admission, begin=begin)
    admission.submit(ticket, lambda _: flow)
    return ticket


def test_full_process_refuses_the_newest_of_whoever_has_the_most():
    """A full process refuses the newest waiting request of whoever has the most, not an older one and not a
    newcomer with fewer. Rule: load-shedding."""

    async def check():
        admission, begun = Admission(6), []

        def submit(store, party, name):
            return submitted(admission, Flow(store, party), lambda: begun.append(name))

        admission.spend(1, None, 1)  # uses up the time slice, so that all wait
        tickets = {name: submit("a", name[0], name) for name in ("x1", "x2", "x3", "y1", "y2")}
        tickets["b"] = submit("b", "z", "b")
        newcomer = submit("b", "w", "b2")
        assert begun == ["x3"] and isinstance(tickets["x3"].refusal, Overloaded)
        assert newcomer.refusal is None and admission.working == 6
        assert submit("a", "x", "x4").refusal is not None  # no party has more waiting requests
        assert admission.refused == {FULL: 2}
        await asyncio.sleep(0.01)
        assert sorted(begun) == sorted(["x3", "x1", "x2", "y1", "y2", "b", "b2", "x4"])
        assert begun.index("b") <= 3

    asyncio.run(check())


def test_newcomer_is_admitted_to_a_process_full_of_running_requests():
    """Requests that run can't be refused, so a flow with less than half as many requests
    may exceed the limit, up to twofold.
    Rule: load-shedding."""

    async def check():
        admission = Admission(2)
        for _ in range(2):
            ticket = submitted(admission, Flow("a", "x"))
            ticket.flow = Flow("a", "x")
            ticket.resume()
        assert submitted(admission, Flow("a", "x")).refusal is not None
        assert submitted(admission, Flow("b", "z")).refusal is None
        assert submitted(admission, Flow("b", "z")).refusal is not None
        assert submitted(admission, Flow("c", "z")).refusal is None
        assert submitted(admission, Flow("d", "z")).refusal is not None
        assert admission.working == 4

    asyncio.run(check())


def test_waiting_request_of_a_stores_crowd_is_refused_for_another_store():
    """In a process full of one store's parties with one request each, of which the oldest runs, the newest waiting
    request is refused for another store's newcomer, and for a party of the same store that has no request in progress,
    but not for a second one of that party. Rule: load-shedding."""

    async def check():
        admission = Admission(6)
        for flow in (Flow("b", "z"), Flow("a", "0")):
            ticket = submitted(admission, flow)
            ticket.flow = flow
            ticket.resume()
        admission.spend(1, None, 1)  # uses up the time slice, so that the others wait
        crowd = [submitted(admission, Flow("a", str(number))) for number in range(1, 5)]
        assert submitted(admission, Flow("b", "z")).refusal is None
        assert [ticket.refusal is None for ticket in crowd] == [True, True, True, False]
        assert submitted(admission, Flow("a", "5")).refusal is None
        assert [ticket.refusal is None for ticket in crowd] == [True, True, False, False]
        assert submitted(admission, Flow("a", "5")).refusal is not None

    asyncio.run(check())


def test_address_loses_the_newest_request_of_its_busiest_session():
    """An address counts once, however many sessions it has; of its sessions, the one with the most requests loses
    its newest, also if the newcomer is another session of the address. Rule: load-shedding."""

    async def check():
        admission = Admission(6)
        admission.spend(1, None, 1)  # uses up the time slice, so that all wait
        sessions = "a", "b", "b", "c"
        crowd = [submitted(admission, Flow("s", "address", session)) for session in sessions]
        for _ in range(2):
            submitted(admission, Flow("s", "customer"))

        def refused():
            return [at for at, ticket in enumerate(crowd) if ticket.refusal is not None]

        assert submitted(admission, Flow("s", "address", "d")).refusal is None
        assert refused() == [2]
        assert submitted(admission, Flow("s", "address", "a")).refusal is not None
        assert submitted(admission, Flow("s", "another")).refusal is None
        assert submitted(admission, Flow("s", "customer")).refusal is not None

    asyncio.run(check())


def test_at_most_16_requests_are_refused_per_turn_and_the_rest_deferred():
    """A full process refuses at most 16 requests in a turn of the event loop; connections that
    have received more wait in order, while requests in progress go on. Rule: load-shedding."""

    async def check():
        admission, served, turns = Admission(1), [], [0]
        submitted(admission, Flow("a", "x"))

        def receive(number):
            if not admission.defers(lambda: receive_now(number)):
                receive_now(number)

        def receive_now(number):
            ticket = submitted(admission, Flow("a", "x"))
            assert ticket.refusal is not None
            served.append(number)
            turns[-1] += 1

        for number in range(100):
            receive(number)
        while len(served) < 100:
            turns.append(0)
            await asyncio.sleep(0)
        assert served == list(range(100))
        assert turns[0] == 16 and max(turns) == 16
        await asyncio.sleep(0)
        assert not admission.defers(lambda: None)

    asyncio.run(check())


class CountedContention(Contention):
    notes = 0

    def note(self):
        self.notes += 1
        super().note()


def test_party_runs_few_requests_while_queues_are_contended():
    """While others come beside a crowd, at most 8 of the crowd's requests are in progress, and those that wait hold
    up nobody; the queues stay contended. Alone, the crowd may use the whole process. Rule: fair-queueing."""

    async def check(contended):
        contention, begun = CountedContention(), Counter()
        if contended:
            contention.note()
        admission = Admission(128, contention)

        def submit(party):
            ticket = RequestTicket(admission=admission, begin=lambda: work(ticket))
            ticket.flow = Flow("a", party)
            admission.submit(ticket, lambda one: one.flow)
            return ticket

        def work(ticket):
            ticket.resume()
            ticket.pause()  # waits for the database
            begun[ticket.flow.party] += 1

        async def turns():
            for _ in range(200):
                await asyncio.sleep(0)

        crowd = [submit("crowd") for _ in range(40)]
        await turns()
        if not contended:
            assert begun.total() == 40
            return
        assert begun["crowd"] == 8 and admission.waiting == 32
        submit("quiet")
        await turns()
        assert begun == {"crowd": 8, "quiet": 1}
        admission.leave(next(ticket for ticket in crowd if ticket.entry.started))
        await turns()
        assert begun == {"crowd": 9, "quiet": 1}
        assert contention.notes == 2  # the first, and one for the quiet request

    asyncio.run(check(True))
    asyncio.run(check(False))


def test_cancelled_request_leaves_the_queue():
    """A request that resumes after a wait, and is cancelled while it waits for its turn, isn't queued any longer, and
    the next one takes its turn. Rule: fair-queueing."""

    async def check():
        admission, flow = Admission(128, contention := Contention()), Flow("a", "x")
        contention.note()  # a party then has at most 8 requests in progress
        tickets = [submitted(admission, flow) for _ in range(8)]
        await asyncio.sleep(0.01)
        others = [
            RequestTicket(admission=admission, begin=lambda: None, flow=flow) for _ in range(2)
        ]
        turns = [asyncio.create_task(admission.wait_for_turn(ticket)) for ticket in others]
        await asyncio.sleep(0.01)
        assert admission.waiting == 2
        turns[0].cancel()
        await asyncio.wait(turns, timeout=0.01)
        assert turns[0].cancelled() and admission.waiting == 1
        admission.leave(tickets[0])
        await asyncio.wait_for(turns[1], 60)

    asyncio.run(check())


def test_crowd_that_waits_for_the_writer_is_limited_at_admission(tmp_path):
    """SQLite's writer and admission share whether they are contended, because a crowd that waits for the one uses the
    event loop of the other. Rule: fair-queueing."""
    database = str(tmp_path / "wishwell.db")
    migrate.migrate_sqlite(database)
    settings = config.load(
        {
            "WISHWELL_DATABASE_URL": f"sqlite:///{database}",
            "WISHWELL_SIGNING_KEYS": "s" * 32,
            "WISHWELL_SEALING_KEYS": "k" * 32,
        }
    )

    async def write(db, party, use_case):
        CURRENT.set(Ticket(flow=Flow("a", party)))
        await db.write(use_case)

    async def check():
        async with app.opened(settings) as service:
            queued = threading.Event()

            async def blocks(tx):
                queued.wait(60)

            async def nothing(tx):
                pass

            parties = ["quiet", *["crowd"] * 20]
            writes = [asyncio.create_task(write(service.db, "first", blocks))]
            writes += [asyncio.create_task(write(service.db, one, nothing)) for one in parties]
            await asyncio.sleep(0)
            queued.set()
            await asyncio.gather(*writes)
            begun = []
            for _ in range(20):
                submitted(service.admission, Flow("a", "crowd"), lambda: begun.append(1))
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(begun) == 8

    asyncio.run(check())


def test_request_that_waits_too_long_to_start_is_refused(monkeypatch):
    """A request that couldn't start in time is refused; those before it are served.
    Rule: load-shedding."""
    monkeypatch.setattr("wishwell.http.server.admission.MAX_WAIT_SECONDS", 0.5)

    async def check():
        admission, ended, all_ended = Admission(7), [], asyncio.Event()

        def add():
            ticket = RequestTicket(admission=admission, begin=lambda: work(ticket))
            admission.submit(ticket, lambda _: Flow("a", "x"))

        def work(ticket):
            if ticket.refusal is None:
                ticket.resume()
                time.sleep(0.2)
                ticket.pause()
            ended.append(ticket.refusal is None)
            admission.leave(ticket)
            if len(ended) == 7:
                all_ended.set()

        admission.spend(1, None, 1)  # uses up the time slice, so that all wait
        for _ in range(7):
            add()
        await all_ended.wait()
        late = ended.count(False)
        assert ended == [True] * (7 - late) + [False] * late
        # On a slow machine more of them are late; the first never is.
        assert admission.refused == {LATE: late} and 3 <= late <= 6

    asyncio.run(check())
