"""Addresses, consent, and the queue of mails."""

import asyncio

import pytest
from msgspec import UNSET

from wishwell import config, ids, products, stores
from wishwell.contacts import (
    addresses,
    confirmations,
    mail_reports,
    queue,
    retention,
    store_mails,
    suppressions,
    tokens,
)
from wishwell.contacts.addresses import ShopAddress
from wishwell.contacts.confirmations import Asked
from wishwell.contacts.queue import Attempt, Notice
from wishwell.errors import Invalid
from wishwell.mailer import contents
from wishwell.privacy import erasure
from wishwell.products import ProductData
from wishwell.products.money import Money
from wishwell.profiles import records
from wishwell.profiles.pages import PageRequest
from wishwell.stores import StorePatch, create
from wishwell.wishlists import item_changes, purge

MAIL = {"mail_on": True, "mail_from": "shop@sender.example"}
MINUTE = 60_000
BASE = "/apps/wishlist"


@pytest.fixture
def mailing(bench):
    """A store that sends mails, with every shopper asked first."""
    host = f"https://{ids.random_uuid()}.example"
    return bench.new_store(mail=MAIL, hosts=(host,), notices="opt-in")


def now(bench):
    return bench.clock.tick()


def later(bench, minutes=0, days=0):
    bench.clock.milliseconds += minutes * MINUTE + days * ids.DAY_MS


def known(bench, store, email="ann@shop.example", notices=True):
    """Returns a customer whose address the shop has confirmed, and who has saved product 1."""
    customer = bench.new_customer(store)
    bench.save(customer, 1)
    bench.write(addresses.set_by_shop, store, [ShopAddress(customer, email, "de")], now(bench))
    if notices is not None:
        bench.write(records.set_notices, customer, notices, now(bench))
    return customer


def notify(bench, store, profile, count=1, kind="d", item_id=None):
    """Collects notices about an item of a profile, or about items that don't exist."""
    notices = [Notice(profile.id, item_id or bench.new_id(), kind) for _ in range(count)]
    bench.write(queue.collect, store, notices, now(bench))


def rows(bench, profile):
    sql = "SELECT kind, state, items, more, attempts, unknown FROM mails WHERE profile_id = $1 ORDER BY id"
    return bench.select(sql, profile.id)


def states(bench, profile):
    return [row[1] for row in rows(bench, profile)]


def claim(bench, store, limit=10):
    return bench.write(queue.claim, store, limit, now(bench))


def begin(bench, store, mail):
    return bench.write(queue.begin, store, mail, now(bench))


def attempt(bench, store, outcome, problem="", mail=None):
    """Claims the next mail, or takes ``mail``, and records an outcome. Returns the new state."""
    mail = mail or claim(bench, store)[0]
    begun = begin(bench, store, mail)
    return bench.write(queue.record, store, Attempt(begun, outcome, problem), now(bench))


def ask(bench, profile, email="ann@shop.example", client="192.0.2.1", limit=200):
    asked = Asked(email, "de", client, limit)
    bench.write(confirmations.ask, profile, asked, bench.new_id, now(bench))


def token_of(bench, profile, purpose, email="ann@shop.example"):
    """Creates the token of a link in a mail to an address."""
    address = suppressions.address_hash(profile.store.id, email)
    arguments = profile.store, profile.id, purpose, address, now(bench)
    return bench.write(tokens.create, *arguments)


def status(bench, profile):
    contact = bench.read(addresses.find, profile.id)
    return bench.read(addresses.find_status, profile.store, contact, now(bench))


def shown(bench, store):
    """Returns the mail settings and status as `GET /store` shows them."""
    return bench.read(mail_reports.show_store, store, now(bench)).mail


# ------------------------------------------------------------------------------ collecting


def test_notices_of_a_shopper_are_collected_into_one_mail(bench, mailing):
    """Notices within the delay are one mail with at most 24 items; further ones are counted. A mail
    that was begun collects no more. Rule: mail-collected."""
    ann = known(bench, mailing)
    notify(bench, mailing, ann, 2)
    notify(bench, mailing, ann, 20, kind="s")
    notify(bench, mailing, ann, 5)
    [(kind, state, items, more, *_)] = rows(bench, ann)
    assert (kind, state, len(items.split()) + more) == ("notices", "waiting", 27)
    assert len(items.split()) <= queue.MAX_ITEMS and items[0] == "d"
    assert claim(bench, mailing) == []
    later(bench, 16)
    [mail] = claim(bench, mailing)
    assert claim(bench, mailing) == []
    assert begin(bench, mailing, mail).contact.email == "ann@shop.example"
    notify(bench, mailing, ann)
    assert states(bench, ann) == ["sending", "waiting"]


def test_notices_are_never_mailed_while_the_store_is_off(bench, mailing):
    """While a store is off, notices begin no mail, and waiting mails aren't claimed; these are sent
    once it is on. Rule: store-off."""
    ann, bob = known(bench, mailing), known(bench, mailing, "bob@shop.example")
    notify(bench, mailing, bob)
    later(bench, 16)
    switch = StorePatch(active=False)
    off = bench.write(stores.update, mailing.handle, switch, now(bench))
    assert claim(bench, off) == [] and "off" in shown(bench, off).problem
    notify(bench, off, ann)
    ask(bench, bench.new_customer(off), "eve@shop.example")
    on = bench.write(stores.update, off.handle, StorePatch(active=True), now(bench))
    assert on == mailing
    assert [mail.profile_id for mail in claim(bench, on)] == [bob.id]
    assert states(bench, ann) == []


@pytest.mark.parametrize(
    ("setting", "choice", "source", "gets_mail"),
    [
        ("opt-in", True, "link", True),
        ("opt-in", None, "shop", False),
        ("opt-out", None, "shop", True),
        ("opt-out", None, "link", False),
        ("opt-out", False, "shop", False),
    ],
)
def test_only_consenting_shoppers_get_mails(bench, setting, choice, source, gets_mail):
    """Mails go to confirmed addresses of those who turned notices on; in an opt-out store also to
    those who never chose, if the shop confirmed the address. Rule: mail-consent."""
    host = f"https://{ids.random_uuid()}.example"
    store = bench.new_store(mail=MAIL, hosts=(host,), notices=setting)
    ann = known(bench, store, notices=choice)
    bench.execute(f"UPDATE profiles SET email_source = '{source}' WHERE profile_id = '{ann.id}'")
    notify(bench, store, ann)
    assert bool(rows(bench, ann)) is gets_mail


def test_mail_is_cancelled_when_its_shopper_turned_notices_off(bench, mailing):
    """Choice, address and suppression are read again before a mail is sent. Rule: mail-consent."""
    ann, ben, carl = (known(bench, mailing, f"{name}@shop.example") for name in "abc")
    for profile in (ann, ben, carl):
        notify(bench, mailing, profile)
    later(bench, 16)
    mails = claim(bench, mailing)
    bench.write(records.set_notices, ann, False, now(bench))
    bench.write(addresses.remove, ben, now(bench))
    address = suppressions.address_hash(mailing.id, "c@shop.example")
    bench.write(suppressions.add, mailing, address, "unsubscribed", now(bench))
    assert [begin(bench, mailing, mail) for mail in mails] == [None] * 3
    assert [states(bench, profile) for profile in (ann, ben, carl)] == [["cancelled"]] * 3


def put(bench, store, amount, product="1", **fields):
    data = ProductData("A title", "https://elsewhere.example/1", **fields)
    data.price = Money(amount, "EUR")
    new = [products.NewProduct(product, data)]
    bench.write(products.put, store, new, [bench.new_id()], now(bench))


def test_item_that_was_removed_or_became_dearer_is_left_out(bench, mailing):
    """A mail without items is cancelled; links lead only to the store's own hosts.
    Rules: mail-consent, mail-links."""
    put(bench, mailing, "10")
    ann = known(bench, mailing)
    put(bench, mailing, "5")
    [item] = bench.all("items_all", profile=ann.id)
    for amount, expected in (("5", 1), ("12", 0)):
        put(bench, mailing, amount)
        bench.write(queue.collect, mailing, [Notice(ann.id, item[0], "d")], now(bench))
        later(bench, 16, days=2)
        [mail] = claim(bench, mailing)
        content = bench.write(contents.begin, mailing, mail, BASE, now(bench))
        assert (len(content.lines) if content else 0) == expected
        if content:
            assert content.lines[0].url == f"{mailing.hosts[0]}{BASE}/"
            assert content.lines[0].saved_price == Money("10", "EUR")
            bench.write(queue.record, mailing, Attempt(content.begun, "sent"), now(bench))
    bench.write(item_changes.delete, ann, item[0], now(bench))
    assert states(bench, ann) == ["sent", "cancelled"]


# ---------------------------------------------------------------------------------- states


def test_two_processes_never_claim_one_mail(bench, mailing):
    """A mail is claimed by one conditional update. Rule: mail-states."""
    for n in range(20):
        notify(bench, mailing, known(bench, mailing, f"{n}@shop.example"))
    later(bench, 16)
    at = now(bench)

    async def both():
        claims = (bench.db.write(queue.claim, mailing, 15, at) for _ in range(2))
        return await asyncio.gather(*claims)

    first, second = bench.run(both())
    assert len({mail.id for mail in (*first, *second)}) == len(first) + len(second) == 20


def test_crash_before_the_transmission_loses_no_mail(bench, mailing):
    """A mail whose claim has expired is claimed again, any number of times. Rule: mail-states."""
    ann = known(bench, mailing)
    notify(bench, mailing, ann)
    later(bench, 16)
    for _ in range(5):
        assert len(claim(bench, mailing)) == 1
        assert claim(bench, mailing) == []
        later(bench, 3)
    assert attempt(bench, mailing, "sent") == "sent"


def test_mail_with_unknown_outcome_is_sent_at_most_twice(bench, mailing):
    """After a crash during the transmission, or a lost answer, there is one more attempt.
    Rule: mail-states."""
    for is_crash in (True, False):
        ann = known(bench, mailing, f"{is_crash}@shop.example".lower())
        notify(bench, mailing, ann)
        later(bench, 16)
        for _ in range(2):
            [mail] = claim(bench, mailing)
            begun = begin(bench, mailing, mail)
            assert begun is not None
            if not is_crash:
                bench.write(queue.record, mailing, Attempt(begun, "unknown"), now(bench))
            later(bench, 6)
        assert claim(bench, mailing) == []
        assert states(bench, ann) == ["failed"]


def test_result_of_an_expired_claim_changes_nothing(bench, mailing):
    """A process that was suspended can't overwrite what another did. Rule: mail-states."""
    ann = known(bench, mailing)
    notify(bench, mailing, ann)
    later(bench, 16)
    [slow] = claim(bench, mailing)
    later(bench, 3)
    assert attempt(bench, mailing, "sent") == "sent"
    assert begin(bench, mailing, slow) is None
    assert states(bench, ann) == ["sent"]


def test_temporary_failures_are_retried_for_a_day(bench, mailing):
    """Temporary failures are retried with backoff, and then the mail has failed.
    Rule: mail-states."""
    ann = known(bench, mailing)
    notify(bench, mailing, ann)
    later(bench, 16)
    for _ in range(8):
        assert attempt(bench, mailing, "temporary", "450 later") == "waiting"
        assert claim(bench, mailing) == []
        later(bench, 481)
    assert attempt(bench, mailing, "temporary") == "failed"


def test_address_gets_at_most_its_mails_of_the_day(bench, mailing):
    """An address in two profiles gets one mail in 24 hours; the next waits.
    Rule: mail-limits."""
    ann, other = known(bench, mailing), known(bench, mailing)
    for profile in (ann, other):
        notify(bench, mailing, profile)
    later(bench, 16)
    first, second = claim(bench, mailing)
    assert attempt(bench, mailing, "sent", mail=first) == "sent"
    assert begin(bench, mailing, second) is None
    later(bench, 23 * 60)
    assert claim(bench, mailing) == []
    later(bench, 61)
    assert attempt(bench, mailing, "sent") == "sent"


def test_mails_to_one_address_are_never_begun_at_the_same_time(bench, mailing):
    """Two processes that begin mails to one address, in two profiles, send one of them; the other
    waits until the outcome is known. Rule: mail-limits."""
    profiles = [known(bench, mailing) for _ in range(5)]
    for profile in profiles:
        notify(bench, mailing, profile)
    later(bench, 16)
    mails, at = claim(bench, mailing), now(bench)

    async def all_at_once():
        # Opens the connections.
        await asyncio.gather(*(bench.db.read(addresses.find, one.id) for one in profiles))
        return await asyncio.gather(
            *(bench.db.write(queue.begin, mailing, mail, at) for mail in mails)
        )

    [begun] = [begun for begun in bench.run(all_at_once()) if begun]
    assert sorted(states(bench, profile)[0] for profile in profiles) == ["sending"] + 4 * [
        "waiting"
    ]
    bench.write(queue.record, mailing, Attempt(begun, "recipient_refused"), now(bench))
    later(bench, 3)
    assert attempt(bench, mailing, "sent") == "sent"


def test_store_sends_at_most_its_mails_of_the_day(bench, mailing):
    """Mails that were sent in 24 hours, and those that a process is about to send, count against a
    store's limit; the rest waits. Rule: mail-limits."""
    limited = bench.update_store(mailing, mail=MAIL | {"mail_limit": 2})
    for n in range(4):
        notify(bench, limited, known(bench, limited, f"{n}@shop.example"))
    later(bench, 16)
    [first] = claim(bench, limited, limit=1)
    assert begin(bench, limited, first)
    [second] = claim(bench, limited)
    assert claim(bench, limited) == []
    assert attempt(bench, limited, "sent", mail=second) == "sent"
    assert claim(bench, limited) == []
    assert "The day's 2 mails (--mail-limit) are sent" in shown(bench, limited).problem
    later(bench, days=1)
    assert shown(bench, limited).problem is UNSET
    assert len(claim(bench, limited)) == 2


def test_address_is_suppressed_after_refusals_on_two_days(bench, mailing):
    """Two refusals of a recipient on different days suppress the address; other errors don't.
    Rules: mail-bounces, mail-suppressed."""
    ann = known(bench, mailing)
    for expected in ("confirmed", "confirmed", "suppressed"):
        notify(bench, mailing, ann)
        later(bench, 16)
        assert attempt(bench, mailing, "recipient_refused", "550 no such user") == "failed"
        assert status(bench, ann) == expected
        if expected == "confirmed" and len(states(bench, ann)) == 2:
            later(bench, days=1)
    notify(bench, mailing, ann)
    later(bench, 16)
    [mail] = claim(bench, mailing)
    assert begin(bench, mailing, mail) is None


@pytest.mark.parametrize(
    ("outcome", "count"), [("refused", 1), ("credentials", 3), ("recipient_refused", 11)]
)
def test_mails_are_paused_when_the_server_refuses_them(bench, mailing, outcome, count):
    """The service pauses a store's mails, and says why, after errors that aren't the recipient's;
    no address is suppressed by these. `resume` sends what waited. Rule: mail-paused."""
    for n in range(count + 1):
        notify(bench, mailing, known(bench, mailing, f"{n}@shop.example"))
    later(bench, 16)
    mails = claim(bench, mailing, 20)
    for mail in mails[:count]:
        assert not bench.read(store_mails.find, mailing.id).paused_at
        attempt(bench, mailing, outcome, "5xx why", mail=mail)
    state = bench.read(store_mails.find, mailing.id)
    assert state.paused_at and state.problem
    mail = shown(bench, mailing)
    assert (mail.paused_at, mail.problem) == (state.paused_at, state.problem)
    assert begin(bench, mailing, mails[count]) is None
    later(bench, 60)
    assert claim(bench, mailing) == []
    bench.write(store_mails.resume, mailing, now(bench))
    assert len(claim(bench, mailing, 20)) == (1 if outcome == "recipient_refused" else count + 1)


def test_restored_mails_are_cancelled_even_where_they_were_paused(bench, mailing):
    """After a restore the mails of the backup are cancelled, waiting or interrupted ones, also in a
    store that was paused. Rules: mail-paused, journal-replay."""
    profiles = [known(bench, mailing, f"{n}@shop.example") for n in range(2)]
    for profile in profiles:
        notify(bench, mailing, profile)
    later(bench, 16)
    assert begin(bench, mailing, claim(bench, mailing, limit=1)[0])
    bench.write(store_mails.pause, mailing, "535 refused", now(bench))
    bench.write(store_mails.pause_all, now(bench))
    assert bench.read(store_mails.find, mailing.id).problem == store_mails.RESTORED
    assert bench.write(queue.cancel_batch, mailing, now(bench)) == 1
    later(bench, 3)
    assert bench.write(queue.cancel_batch, mailing, now(bench)) == 1
    bench.write(store_mails.resume, mailing, now(bench))
    assert claim(bench, mailing) == []


def test_mails_are_paused_again_when_the_backlog_is_refused_too(bench, mailing):
    """After `resume`, refusals count by when they happened, not by when the mail was created.
    Rule: mail-paused."""
    for n in range(24):
        notify(bench, mailing, known(bench, mailing, f"{n}@shop.example"))
    later(bench, 16)
    for expected in (13, 2):
        mails = claim(bench, mailing, 30)
        for mail in mails[:11]:
            attempt(bench, mailing, "recipient_refused", "550 no", mail=mail)
        assert bench.read(store_mails.find, mailing.id).paused_at
        later(bench, 3)
        bench.write(store_mails.resume, mailing, now(bench))
        assert len(mails) == expected + 11
    page = bench.read(queue.find_page, mailing, PageRequest(None, 30))
    assert not [mail for mail in page.records if mail.sent_at]


# ------------------------------------------------------------------------------ confirming


def confirmations_of(bench, store):
    sql = "SELECT count(*) FROM mails WHERE store_id = $1 AND kind = 'confirmation'"
    [(count,)] = bench.select(sql, store.id)
    return count


def test_thousand_visitors_cannot_flood_an_address(bench, mailing):
    """An address gets one confirmation in 10 minutes, two a day and four in 90 days, whoever asks
    and whatever follows a plus sign. Rule: mail-confirm."""
    expected = {0: 1, 5: 1, 11: 2, 60: 2, 26 * 60: 3, 52 * 60: 4, 80 * 60: 4}
    began = bench.clock.milliseconds
    for minutes, count in expected.items():
        bench.clock.milliseconds = began + minutes * MINUTE
        for n in range(3):
            email = f"Ann+{n}@shop.example" if n else "ann@shop.example"
            ask(bench, bench.new_session(mailing), email, client=f"192.0.2.{minutes % 200 + n}")
        assert confirmations_of(bench, mailing) == count, minutes


def test_simultaneous_requests_send_one_confirmation(bench, mailing):
    """Visitors who type one address at the same time cause one mail. Rule: mail-confirm."""
    visitors, at = [bench.new_session(mailing) for _ in range(8)], now(bench)
    new_id = bench.new_id

    async def all_at_once(email):
        asked = Asked(email, "de", "", 200)
        await asyncio.gather(
            *(bench.db.write(confirmations.ask, one, asked, new_id, at) for one in visitors)
        )

    for count, email in enumerate(("ann@shop.example", "ben@shop.example", "c@shop.example"), 1):
        bench.run(all_at_once(email))  # the first opens the connections
        assert confirmations_of(bench, mailing) == count


def test_client_and_store_have_limits_of_confirmations(bench, mailing):
    """A client's address starts ten confirmations an hour, and a store sends as many as its
    setting. Rule: mail-confirm."""
    for n in range(12):
        ask(bench, bench.new_session(mailing), f"{n}@shop.example")
    assert confirmations_of(bench, mailing) == 10
    for n in range(12, 20):
        visitor = bench.new_session(mailing)
        ask(bench, visitor, f"{n}@shop.example", client=f"192.0.2.{n}", limit=13)
    assert confirmations_of(bench, mailing) == 13


def test_confirmations_pause_when_few_are_confirmed(bench, mailing):
    """If fewer than one in five of the last 200 was confirmed, confirmations pause until the
    store's mails are resumed. Rule: mail-confirm."""
    at, id = ids.timestamp(bench.clock.milliseconds), bench.new_id
    made = [(mailing.id, id(), f"a{n}", f"c{n}", at, at if n < 39 else "") for n in range(200)]
    bench.insert("confirmations", "store_id id address client created_at confirmed_at", made)
    assert not bench.read(confirmations.are_paused, mailing, now(bench))
    later(bench, days=1)
    assert bench.read(confirmations.are_paused, mailing, now(bench))
    assert "few addresses were confirmed" in shown(bench, mailing).problem
    ask(bench, bench.new_session(mailing))
    assert confirmations_of(bench, mailing) == 0
    bench.write(store_mails.resume, mailing, now(bench))
    assert not bench.read(confirmations.are_paused, mailing, now(bench))


def test_confirmation_works_once_and_turns_notices_on(bench, mailing):
    """The button confirms the address and turns notices on; used again after the shopper has
    unsubscribed, the link changes nothing. Rules: mail-confirm, mail-links."""
    visitor = bench.new_session(mailing)
    ask(bench, visitor)
    token = token_of(bench, visitor, "confirm")
    assert status(bench, visitor) == "pending"
    bench.write(confirmations.confirm, mailing, token, now(bench))
    contact = bench.read(addresses.find, visitor.id)
    assert (contact.notices, contact.notices_source, contact.email_source) == (1, "link", "link")
    assert status(bench, visitor) == "confirmed"
    leave = token_of(bench, visitor, "unsubscribe")
    for _ in range(2):
        bench.write(confirmations.unsubscribe, mailing, leave, now(bench))
        bench.write(confirmations.confirm, mailing, token, now(bench))
        assert status(bench, visitor) == "suppressed"
        assert bench.read(addresses.find, visitor.id).notices == 0


def test_unused_link_of_an_earlier_mail_does_not_lift_a_suppression(bench, mailing):
    """A link to confirm in a mail from before an unsubscription changes nothing; that of a later mail
    confirms the address again. Rules: mail-links, mail-suppressed."""
    visitor = bench.new_session(mailing)
    ask(bench, visitor)
    first, unused = (token_of(bench, visitor, "confirm") for _ in range(2))
    bench.write(confirmations.confirm, mailing, first, now(bench))
    leave = token_of(bench, visitor, "unsubscribe")
    bench.write(confirmations.unsubscribe, mailing, leave, now(bench))
    bench.write(confirmations.confirm, mailing, unused, now(bench))
    assert status(bench, visitor) == "suppressed"
    assert bench.read(addresses.find, visitor.id).notices == 0
    again = token_of(bench, visitor, "confirm")
    bench.write(confirmations.confirm, mailing, again, now(bench))
    assert status(bench, visitor) == "confirmed"


@pytest.mark.parametrize("wrong", ["old", "store", "address", "purpose", "text", "erased"])
def test_wrong_link_changes_nothing(bench, mailing, wrong):
    """A link that is too old, of another store, for another address, of an erased profile or for
    another purpose changes nothing. Rule: mail-links."""
    visitor = bench.new_session(mailing)
    ask(bench, visitor)
    token = token_of(bench, visitor, "confirm")
    used_in = bench.new_store() if wrong == "store" else mailing
    if wrong == "old":
        later(bench, days=8)
    if wrong == "address":
        ask(bench, visitor, "other@shop.example")
    if wrong == "purpose":
        token = token_of(bench, visitor, "unsubscribe")
    if wrong == "erased":
        bench.write(erasure.erase, visitor, bench.clock.milliseconds)
    if wrong == "text":
        token = f"wwmc_{'x' * 28}"
    bench.write(confirmations.confirm, used_in, token, now(bench))
    if wrong == "erased":
        assert bench.read(addresses.find, visitor.id) is None
    else:
        assert status(bench, visitor) == "pending"


def test_disowned_address_gets_no_mail_for_90_days(bench, mailing):
    """After "This wasn't me" not even a confirmation is sent for 90 days. A later unsubscription is
    for ever. Rules: mail-confirm, mail-suppressed."""
    visitor = bench.new_session(mailing)
    ask(bench, visitor)
    bench.write(confirmations.disown, mailing, token_of(bench, visitor, "confirm"), now(bench))
    assert bench.read(addresses.find, visitor.id).email is None
    later(bench, days=89)
    ask(bench, visitor)
    assert confirmations_of(bench, mailing) == 1
    later(bench, days=2)
    bench.write(addresses.remove, visitor, now(bench))
    ask(bench, visitor)
    assert confirmations_of(bench, mailing) == 2


def test_unsubscribing_stops_every_profile_with_the_address(bench, mailing):
    """Unsubscribing turns notices off for each profile of the store with the address, outlives the
    profile's erasure, and leaves other stores alone. Rules: mail-unsubscribe, mail-suppressed."""
    other_store = bench.new_store(mail=MAIL, hosts=(f"https://{ids.random_uuid()}.example",))
    ann, tablet = known(bench, mailing), known(bench, mailing, "Ann@Shop.example")
    elsewhere = known(bench, other_store)
    token = token_of(bench, ann, "unsubscribe")
    bench.write(erasure.erase, ann, bench.clock())
    bench.write(confirmations.unsubscribe, mailing, token, now(bench))
    assert status(bench, tablet) == "suppressed"
    token = token_of(bench, tablet, "unsubscribe")
    bench.write(confirmations.unsubscribe, mailing, token, now(bench))
    assert bench.read(addresses.find, tablet.id).notices == 0
    assert status(bench, elsewhere) == "confirmed"
    notify(bench, mailing, known(bench, mailing, "ann@shop.example"))
    later(bench, 16)
    assert [begin(bench, mailing, mail) for mail in claim(bench, mailing)] == [None]


# --------------------------------------------------------------------------------- sign-in


def test_address_of_a_session_becomes_pending_at_a_sign_in(bench, mailing):
    """Two people on one tablet: a session's address is never a customer's by itself. The shopper's
    consent confirms it if it was confirmed before; a customer's own address stays.
    Rules: mail-addresses, link-merges-items."""
    for was_confirmed in (True, False):
        visitor, customer = bench.new_session(mailing), bench.new_customer(mailing)
        bench.save(customer, 1)
        email = f"{was_confirmed}@shop.example".lower()
        ask(bench, visitor, email, client="")
        token = token_of(bench, visitor, "confirm", email)
        if was_confirmed:
            bench.write(confirmations.confirm, mailing, token, now(bench))
        bench.link(visitor, customer)
        bench.write(confirmations.confirm, mailing, token, now(bench))
        assert status(bench, customer) == "pending"
        assert bench.write(addresses.confirm_moved, customer, now(bench)) is was_confirmed
        assert status(bench, customer) == ("confirmed" if was_confirmed else "pending")
    visitor, customer = bench.new_session(mailing), known(bench, mailing, "own@shop.example")
    ask(bench, visitor, client="")
    bench.link(visitor, customer)
    assert bench.read(addresses.find, customer.id).email == "own@shop.example"


def test_link_to_unsubscribe_works_after_a_sign_in(bench, mailing):
    """A mail that a session got before its sign-in still unsubscribes, and turns the customer's
    notices off if the customer has the address now. Rules: mail-unsubscribe, link-atomic."""
    visitor, customer = bench.new_session(mailing), bench.new_customer(mailing)
    bench.save(customer, 1)
    ask(bench, visitor)
    bench.write(confirmations.confirm, mailing, token_of(bench, visitor, "confirm"), now(bench))
    token = token_of(bench, visitor, "unsubscribe")
    bench.link(visitor, customer)
    bench.write(addresses.confirm_moved, customer, now(bench))
    bench.execute(f"DELETE FROM profiles WHERE profile_id = '{visitor.id}'")
    bench.execute(f"DELETE FROM mail_tokens WHERE profile_id = '{visitor.id}'")
    assert bench.read(addresses.find, customer.id).notices == 1
    for _ in range(2):
        bench.write(confirmations.unsubscribe, mailing, token, now(bench))
        assert status(bench, customer) == "suppressed"
        assert bench.read(addresses.find, customer.id).notices == 0


def test_shops_address_replaces_a_typed_one_and_stays(bench, mailing):
    """The shop's address replaces a typed one, never the other way round; nothing is stored for
    unknown profiles. Rule: mail-addresses."""
    customer, unknown = bench.new_customer(mailing), bench.new_customer(mailing)
    bench.save(customer, 1)
    ask(bench, customer, "typed@shop.example")
    sent = [
        ShopAddress(customer, "own@shop.example", ""),
        ShopAddress(unknown, "b@shop.example", ""),
    ]
    assert bench.write(addresses.set_by_shop, mailing, sent, now(bench)) == (1, 1)
    ask(bench, customer, "typed@shop.example")
    bench.write(addresses.remember, customer, "typed@shop.example", now(bench))
    contact = bench.read(addresses.find, customer.id)
    assert (contact.email, contact.email_status, contact.notices) == (
        "own@shop.example",
        "confirmed",
        1,
    )


def test_waiting_notices_move_to_the_customer_at_a_sign_in(bench, mailing):
    """A session's waiting notices join the customer's mail. Rules: mail-collected, link-atomic."""
    visitor, customer = bench.new_session(mailing), known(bench, mailing)
    item = bench.save(visitor, 2)
    ask(bench, visitor, "own@shop.example")
    token = token_of(bench, visitor, "confirm", "own@shop.example")
    bench.write(confirmations.confirm, mailing, token, now(bench))
    bench.write(queue.collect, mailing, [Notice(visitor.id, item.id, "d")], now(bench))
    bench.link(visitor, customer)
    assert not rows(bench, visitor)
    assert f"d{item.id}" in rows(bench, customer)[-1][2]


# --------------------------------------------------------------------------------- the rest


def test_mails_need_a_sender_and_a_host(bench):
    """Mails can be turned on only with a sender's address and a host for links; that turns events
    on, and they can't be turned off. An unusable address is refused. Rule: mail-on."""
    at, hosts = now(bench), ("https://on.example",)
    for wrong, said in (
        ({"mail": {"mail_on": True}, "hosts": hosts}, "--mail-from"),
        ({"mail": MAIL}, "--host"),
        ({"mail": MAIL | {"mail_from": "a\nb@c.example"}, "hosts": hosts}, "mail-from"),
        ({"mail": MAIL | {"mail_picture_host": "https://cdn.example"}, "hosts": hosts}, "mail-pic"),
        ({"mail": MAIL | {"mail_picture_host": "cdn.example/"}, "hosts": hosts}, "mail-pic"),
        ({"mail": MAIL | {"mail_picture_host": "CDN.example"}, "hosts": hosts}, "mail-pic"),
        ({"mail": MAIL | {"mail_picture_host": "a@b.example"}, "hosts": hosts}, "mail-pic"),
        ({"mail": MAIL | {"mail_delay": 1_441}, "hosts": hosts}, "mail-delay"),
        ({"mail": MAIL, "hosts": hosts, "events": False}, "events"),
    ):
        with pytest.raises(Invalid, match=said):
            bench.write(create, bench.new_id(), f"s-{ids.random_uuid()}", StorePatch(**wrong), at)
    store = bench.new_store(mail=MAIL, hosts=(f"https://{ids.random_uuid()}.example",))
    assert store.events_since
    with pytest.raises(Invalid, match="events"):
        bench.update_store(store, events=False)


def test_mails_are_counted_by_day(bench, mailing):
    """Mails of 30 days are counted by the day of the store's time zone on which they were created,
    with what has become of them, and who unsubscribed. Rule: mail-retention."""
    store = bench.update_store(mailing, reporting={"time_zone": "Asia/Kathmandu"})
    midnight = ids.from_timestamp(f"{now(bench)[:10]}T18:15:00.000Z") + ids.DAY_MS
    bench.clock.milliseconds = midnight - MINUTE
    ann = known(bench, store)
    notify(bench, store, ann)
    bench.clock.milliseconds = midnight + MINUTE
    ben = known(bench, store, "ben@shop.example")
    notify(bench, store, ben)
    later(bench, 16)
    assert attempt(bench, store, "sent") == "sent"
    token = token_of(bench, ben, "unsubscribe", "ben@shop.example")
    bench.write(confirmations.unsubscribe, store, token, now(bench))
    days = bench.read(mail_reports.list_days, store, bench.clock.milliseconds)
    today = ids.timestamp(midnight + ids.DAY_MS)[:10]
    assert len(days) == 30 and days[-1].day == today
    counts = [(day.sent, day.waiting, day.failed, day.unsubscribed) for day in days[-3:]]
    assert counts == [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 1)]


def test_old_mails_and_links_are_removed(bench, mailing):
    """Mails are stored for 30 days, waiting ones as long as they wait. Rule: mail-retention."""
    ann = known(bench, mailing)
    notify(bench, mailing, ann)
    later(bench, 16)
    attempt(bench, mailing, "sent")
    token_of(bench, ann, "confirm")
    ask(bench, bench.new_session(mailing), "ben@shop.example")
    notify(bench, mailing, ann)
    later(bench, days=31)
    bench.drain(retention.remove_old(bench.db, bench.clock()))
    assert states(bench, ann) == ["waiting"]
    assert bench.select("SELECT 1 FROM mail_tokens WHERE profile_id = $1", ann.id) == []
    page = bench.read(queue.find_page, mailing, PageRequest(None, 10))
    assert [mail.kind for mail in page.records] == ["notices", "confirmation"]
    assert bench.select("SELECT 1 FROM confirmations WHERE store_id = $1", mailing.id) != []
    later(bench, days=60)
    bench.drain(retention.remove_old(bench.db, bench.clock()))
    assert bench.select("SELECT 1 FROM confirmations WHERE store_id = $1", mailing.id) == []


def test_session_that_gets_mails_lives_for_a_year(bench, mailing):
    """A session with a confirmed address and notices on is purged a year after its last use, others
    after 90 days. Rule: session-purged."""
    visitor, other = bench.new_session(mailing), bench.new_session(mailing)
    for session in (visitor, other):
        bench.save(session, 1)
    ask(bench, visitor)
    token = token_of(bench, visitor, "confirm")
    bench.write(confirmations.confirm, mailing, token, now(bench))

    def left_after(days):
        later(bench, days=days)
        bench.drain(purge.sessions(bench.db, config.Settings(), bench.clock()))
        return [bench.read(addresses.find, one.id) is not None for one in (visitor, other)]

    assert left_after(100) == [True, False]
    assert left_after(266) == [False, False]
