"""The warnings that concern a store."""

import functools

import msgspec

from wishwell import ids
from wishwell.contacts import store_mails
from wishwell.reports import counting, store_status


def test_warnings_name_old_counts_and_mails_that_wait(bench):
    """A store without problems has no warnings; a count older than a day, mails of a service that sends
    none, and paused mails each cause one. Rule: store-status."""
    store = bench.new_store()
    bench.drain(counting.run(bench.db, store, bench.clock))

    def warnings(sends_mails=True):
        now = ids.timestamp(bench.clock())
        find = functools.partial(store_status.find_warnings, sends_mails=sends_mails)
        return bench.read(find, store, now)

    assert warnings(sends_mails=False) == []
    began = ids.timestamp(bench.clock())
    bench.clock.milliseconds += ids.DAY_MS + 1_000
    assert warnings() == [f"Wishes were last counted at {began}: the figures are old."]
    bench.drain(counting.run(bench.db, store, bench.clock))
    store = msgspec.structs.replace(store, mail=msgspec.structs.replace(store.mail, mail_on=True))
    assert warnings() == []
    [off] = warnings(sends_mails=False)
    assert "WISHWELL_MAIL" in off
    now = bench.clock.tick()
    bench.write(store_mails.pause, store, "The server refused the password.", now)
    assert warnings() == [f"Mails wait since {now}. The server refused the password."]
