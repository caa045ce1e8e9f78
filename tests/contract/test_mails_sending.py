"""The sender of mails, with a real SMTP server: stores that change, processes that stop."""

import asyncio
import contextlib
import sqlite3
import threading
import time

import msgspec
import pytest

from tests.conftest import slow
from tests.contract.test_mails import BASE, MAIL, known, later, notify, rows, states
from tests.mailer.test_smtp import misbehaving
from tests.servers.mail_server import MailServer
from wishwell import ids, stores
from wishwell.contacts import queue, store_mails
from wishwell.db import statements
from wishwell.mailer.sender import _START_PAUSE_SECONDS, Sender
from wishwell.mailer.smtp import Connections
from wishwell.outbound import Outbound
from wishwell.products import NewProduct, ProductData, put
from wishwell.products.money import Money

COUNT = 60


@pytest.fixture
def server():
    made = MailServer()
    yield made
    made.close()


@pytest.fixture
def backlog(bench):
    """A store with mails that are due to sixty shoppers."""
    host = f"https://{ids.random_uuid()}.example"
    store = bench.new_store(mail=MAIL, hosts=(host,), notices="opt-in")
    for amount in ("10", "5"):
        data = ProductData("A lamp", price=Money(amount, "EUR"))
        new = [NewProduct("1", data)]
        bench.write(put, store, new, [bench.new_id()], bench.clock.tick())
        if amount == "10":
            profiles = [known(bench, store, f"c{n}@shop.example") for n in range(COUNT)]
    for profile in profiles:
        [row] = bench.all("items_all", profile=profile.id)
        notify(bench, store, profile, item_id=row[0])
    later(bench, 16)
    return store, profiles


def sending(bench, url, store, act):
    """Sends a store's due mails, and runs ``act(sender, stores)`` meanwhile. ``stores``: the store
    by its id, as a process knows it."""
    known_stores = {store.id: store}

    async def main():
        outbound = Outbound(http=True, private=True)
        connections = Connections(outbound.find_addresses)
        sender = Sender(bench.db, connections, None, bench.clock, known_stores.values, url, BASE)
        try:
            await sender.poll()
            await act(sender, known_stores)
        finally:
            await sender.stop()
            await outbound.close()

    bench.run(main())


def count_states(bench, profiles):
    all_states = [state for profile in profiles for state in states(bench, profile)]
    return {state: all_states.count(state) for state in set(all_states)}


@pytest.mark.parametrize("how", ["off", *map(slow, ("store off", "pause"))])
def test_backlog_stops_when_the_shop_stops_its_mails(bench, server, backlog, how):
    """A store that is off, or whose mails are off or paused, sends none but those that are being sent,
    however many wait. Rules: mail-on, store-off, mail-paused."""
    store, profiles = backlog
    server.seconds = 0.3

    async def stop_mails(sender, known_stores):
        await asyncio.to_thread(server.wait_for, 1)
        now = bench.clock.tick()
        if how != "pause":
            off = stores.StorePatch(mail={"mail_on": False})
            patch = off if how == "off" else stores.StorePatch(active=False)
            changed = await bench.db.write(stores.update, store.handle, patch, now)
            known_stores[store.id] = changed
        else:
            await bench.db.write(store_mails.pause, store, "", now)
        await sender.wait_until_idle()

    sending(bench, server.url, store, stop_mails)
    counts = count_states(bench, profiles)
    assert counts["sent"] == len(server.received) <= 32
    assert counts == {"sent": counts["sent"], "waiting": COUNT - counts["sent"]}


def test_process_that_stops_finishes_the_mails_that_are_being_sent(bench, server, backlog):
    """A process that is stopped begins no more mails and records those that it has begun, so that a
    restart sends none twice. Rule: mail-states."""
    store, profiles = backlog
    server.seconds = 0.5

    async def stop(sender, _):
        await asyncio.to_thread(server.wait_for, 1)
        await sender.stop()

    sending(bench, server.url, store, stop)
    counts = count_states(bench, profiles)
    assert counts == {"sent": len(server.received), "waiting": COUNT - len(server.received)}
    assert 0 < counts["sent"] <= 32


@pytest.mark.slow
def test_unusable_address_holds_up_no_other_mail(bench, server, backlog):
    """A stored address that no request can store, such as another program wrote, fails its own mail
    alone. Rule: mail-states."""
    store, profiles = backlog
    bad = "'a' || char(13) || char(10) || 'Bcc: b@evil.example'"
    if "://" in bench.where:
        bad = bad.replace("char(", "chr(")
    bench.execute(f"UPDATE profiles SET email = {bad} WHERE profile_id = '{profiles[0].id}'")

    async def wait(sender, _):
        await sender.wait_until_idle()

    sending(bench, server.url, store, wait)
    assert len(server.received) == COUNT - 1
    assert states(bench, profiles[0]) == ["failed"]


@pytest.mark.slow
def test_mail_that_cannot_be_composed_is_put_off(bench, server, backlog):
    """A setting that another program has stored, with which no mail can be composed, loses no mail.
    Rule: mail-states."""
    store, profiles = backlog
    bad = msgspec.structs.replace(store, look=msgspec.structs.replace(store.look, accent="black"))

    async def wait(sender, _):
        await sender.wait_until_idle()

    sending(bench, server.url, bad, wait)
    assert server.received == []
    assert {tuple(row[4:]) for one in profiles for row in rows(bench, one)} == {(1, 0)}
    assert count_states(bench, profiles) == {"waiting": COUNT}


@pytest.mark.slow
def test_crash_before_the_text_is_transmitted_loses_nothing(bench, backlog):
    """A mail is waiting until the server has accepted its recipient, so a crash before that doesn't
    count as an attempt with an unknown outcome. Rule: mail-states."""
    store, profiles = backlog
    reached = threading.Event()

    def behave(connection):
        lines = connection.makefile("rb")
        connection.sendall(b"220 here\r\n")
        while line := lines.readline():
            if line.startswith(b"RCPT"):
                reached.set()
                threading.Event().wait(3)
                break
            connection.sendall(b"250 OK\r\n")

    async def check(_, __):
        assert await asyncio.to_thread(reached.wait, 15)
        # As another process sees it.
        now = ids.timestamp(bench.clock() + queue.LEASE_SECONDS * 1000 + 1)
        assert len(await bench.db.write(queue.claim, store, COUNT, now)) == COUNT

    with misbehaving(behave) as url:
        sending(bench, url, store, check)
    assert count_states(bench, profiles) == {"waiting": COUNT}
    assert {unknown for profile in profiles for *_, unknown in rows(bench, profile)} == {0}


@pytest.mark.slow
def test_mails_of_a_batch_begin_one_after_the_other(bench, server, backlog):
    """The mails of a batch don't begin together, because composing them all would hold up requests.
    Rule: mail-states."""
    store, _ = backlog

    async def wait(sender, _):
        began = time.monotonic()
        await sender.wait_until_idle()
        assert time.monotonic() - began > COUNT * _START_PAUSE_SECONDS * 0.9

    sending(bench, server.url, store, wait)
    assert len(server.received) == COUNT


@pytest.mark.slow
def test_store_that_is_added_during_a_poll_fails_no_poll(bench, server, backlog):
    """A poll reads each store's queue, while other stores may be added. Rule: mail-states."""
    store, profiles = backlog

    async def add_stores(sender, known_stores):
        known_stores["another"] = bench.store

        async def add():
            for number in range(50):
                known_stores[f"store {number}"] = bench.store
                await asyncio.sleep(0)

        await asyncio.gather(sender.poll(), add(), sender.poll())
        await sender.wait_until_idle()

    sending(bench, server.url, store, add_stores)
    assert count_states(bench, profiles) == {"sent": COUNT}


def test_poll_reads_only_the_first_due_mail(bench, engine):
    """A poll, which runs every second, doesn't read all due mails; SQLite would for a plain min().
    Rule: mail-states."""
    if engine == "postgresql":
        pytest.skip("PostgreSQL reads the first entry of the index for min(), too")
    store = bench.new_store()
    at = bench.clock.tick()
    rows = [
        (ids.random_uuid(), bench.new_id(), store.id, "notices", "waiting", at, at)
        for _ in range(5_000)
    ]
    bench.insert("mails", "profile_id id store_id kind state created_at due_at", rows)
    step = statements.load(engine)["mails_due_since"].step
    calls = []
    with contextlib.closing(sqlite3.connect(bench.where)) as connection:
        connection.set_progress_handler(lambda: calls.append(1), 100)
        params = step.values({"store": store.id, "now": bench.clock.tick()})
        assert connection.execute(step.sql, params).fetchall() == [(at,)]
    assert len(calls) < 50
