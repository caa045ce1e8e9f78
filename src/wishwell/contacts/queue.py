"""The mails of a store: a state machine in the database, without the text of any mail.

A mail is ``waiting`` until a process claims it by one conditional update, with a lease. Once the
server has accepted its recipient, and before its text is transmitted, it becomes ``sending``; so
after a crash a mail that is still ``waiting`` was certainly not sent, and one that is ``sending``
may have been (rule: mail-states). Final states are ``sent``, ``failed`` and ``cancelled``.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec

from wishwell import field_types as types
from wishwell import ids
from wishwell.contacts import addresses, store_mails, suppressions
from wishwell.contacts.addresses import Contact
from wishwell.db import Reader, Row, Writer
from wishwell.field_types import published
from wishwell.profiles import Profile, WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store

Kind = Literal["confirmation", "notices"]
State = Literal["waiting", "sending", "sent", "failed", "cancelled"]
NoticeKind = Literal["d", "s"]
"""A price drop, or back in stock."""

_KINDS: tuple[Kind, ...] = ("confirmation", "notices")
"""In the order of sending: a shopper waits for a confirmation."""

MAX_ITEMS = 24
"""Items that a mail keeps for its lines; further ones are only counted."""

LEASE_SECONDS = 120
_ENTRY_CHARACTERS = 38
_BACKOFF_MINUTES = (1, 5, 15, 60, 120, 240, 480, 480)
"""Minutes until each retry: together about a day."""

_MAX_UNKNOWN = 2
"""Attempts with an unknown outcome after which a mail has failed."""

_UNKNOWN_BACKOFF_MS = 5 * 60_000
_JUDGED_MAILS = 100
_MAX_REFUSED = 10
"""Refused recipients among the last ``_JUDGED_MAILS`` above which a store's mails are paused."""

_BATCH_SIZE = 200


class Notice(NamedTuple):
    """A notice about an item of a profile."""

    profile_id: str
    item_id: str
    kind: NoticeKind


class ClaimedMail(NamedTuple):
    """A mail that this process may send until its lease ends."""

    profile_id: str
    id: str
    kind: Kind
    attempts: int
    unknown: int
    lease: str


class BegunMail(NamedTuple):
    """A mail that is about to be transmitted to ``contact``. ``notices``: each a kind and the id of
    an item, the oldest first. ``more``: the number of further notices."""

    mail: ClaimedMail
    contact: Contact
    notices: list[tuple[NoticeKind, str]]
    more: int


Outcome = Literal["sent", "recipient_refused", "refused", "credentials", "temporary", "unknown"]


class Attempt(NamedTuple):
    """A finished attempt. ``problem``: what the server answered, without addresses."""

    begun: BegunMail
    outcome: Outcome
    problem: str = ""


class MailView(msgspec.Struct, rename="camel"):
    """A mail to a shopper, without its text and address."""

    id: types.Id
    profile: types.ProfileGid
    kind: Annotated[Kind, published("MailKind", "What the mail is about.")]
    state: Annotated[State, published("MailState", "Whether the mail was sent.")]
    created_at: types.Time
    items: list[types.Id]
    """The items that its notices are about."""
    sent_at: types.Time | msgspec.UnsetType = msgspec.UNSET
    problem: Annotated[str, published(maxLength=300)] | msgspec.UnsetType = msgspec.UNSET
    """Why it failed."""


# ------------------------------------------------------------------------------- adding mails


# rules: mail-collected, mail-consent
async def collect(tx: Writer, store: Store, notices: Sequence[Notice], now: str) -> None:
    """Adds notices to the waiting mails of their owners, and begins mails where there are none.

    Skips profiles without a confirmed address or without consent. The caller holds the profiles'
    locks.
    """
    if not store.sends_mails:
        return
    entries_by_profile: dict[str, list[str]] = {}
    for notice in notices:
        entries = entries_by_profile.setdefault(notice.profile_id, [])
        entries.append(notice.kind + notice.item_id)
    now_ms = ids.from_timestamp(now)
    await tx.begin()
    await tx.run_many(
        "mail_collect",
        [
            {
                "profile": profile_id,
                "id": ids.uuid7_at(now_ms),
                "items": " ".join(entries[:MAX_ITEMS]),
                "count": len(entries),
                "more": max(0, len(entries) - MAX_ITEMS),
                "opt_out": int(store.notices == "opt-out"),
                "characters": MAX_ITEMS * _ENTRY_CHARACTERS - 1,
                "now": now,
                "due": ids.timestamp(now_ms + store.mail.mail_delay * 60_000),
            }
            for profile_id, entries in entries_by_profile.items()
        ],
    )


async def add_confirmation(tx: Writer, profile: Profile, id: str, now: str) -> None:
    """Queues a mail with a confirmation link. The profile is locked."""
    params = {"profile": profile.id, "id": id, "store": profile.store.id}
    await tx.run("mail_add_confirmation", **params, now=now)


# rules: mail-collected, link-atomic
async def merge(
    tx: Writer, session: Profile, customer: Profile, new_ids: Mapping[str, str], now: str
) -> None:
    """Moves a session's mails to the customer at a sign-in; waiting notices join those of the
    customer if mails may be sent there. Both profiles are locked.

    ``new_ids``: the ids that the session's items have now, by their old ids.
    """
    rows = await tx.all("mails_collecting", profile=session.id)
    entries = [entry for (items,) in rows for entry in items.split()]
    moved = [
        Notice(customer.id, new_ids[entry[1:]], "d" if entry[0] == "d" else "s")
        for entry in entries
        if entry[1:] in new_ids
    ]
    await collect(tx, customer.store, moved, now)
    await tx.run("link_move_mails", session=session.id, customer=customer.id)
    await tx.run("link_leave_mails", profile=session.id)


# ------------------------------------------------------------------------------ sending mails


async def due_since(tx: Reader, store: Store, now: str) -> str | None:
    """Returns the earliest time at which a mail of the store was due, or None without due mails."""
    row = await tx.one("mails_due_since", store=store.id, now=now)
    return None if row is None else row[0]


# rules: mail-states, mail-paused, mail-limits
async def claim(tx: Writer, store: Store, limit: int, now: str) -> list[ClaimedMail]:
    """Claims due mails of a store, at most what its daily limit leaves. Returns none while the
    store's mails are paused.

    A mail whose sender crashed while it was ``sending`` has an unknown outcome.
    """
    state = await store_mails.lock(tx, store.id)
    if state.paused_at or not store.sends_mails:
        return []
    await _give_up_unknown(tx, store, now)
    lease = secrets.token_hex(8)
    until = ids.timestamp(ids.from_timestamp(now) + LEASE_SECONDS * 1000)
    if (limit := min(limit, await count_remaining(tx, store, now))) <= 0:
        return []
    claimed: list[ClaimedMail] = []
    for due_kind in _KINDS:
        params = {"store": store.id, "kind": due_kind, "now": now}
        for row in await tx.all("mails_due", **params, limit=limit - len(claimed)):
            profile_id, id, kind, attempts, unknown, due_at = row
            claim_params = {"profile": profile_id, "id": id, "due": due_at, "lease": lease}
            if await tx.one("mail_claim", **claim_params, until=until) is not None:
                claimed.append(ClaimedMail(profile_id, id, kind, attempts, unknown, lease))
    return claimed


# rule: mail-limits
async def count_remaining(tx: Reader, store: Store, now: str) -> int:
    """Returns how many mails the store's daily limit leaves."""
    now_ms = ids.from_timestamp(now)
    since, until = now_ms - ids.DAY_MS, now_ms + LEASE_SECONDS * 1000
    times = {"since": ids.timestamp(since), "now": now, "until": ids.timestamp(until)}
    row = await tx.one("mails_sent_count", store=store.id, **times, kinds=list(_KINDS))
    return store.mail.mail_limit - (row[0] if row else 0)


# rule: mail-states
async def _give_up_unknown(tx: Writer, store: Store, now: str) -> None:
    """Returns mails whose sender crashed to ``waiting`` for one more attempt, or fails them after
    the last one."""
    for profile_id, id, unknown in await tx.all("mails_crashed", store=store.id, now=now):
        is_last = unknown + 1 >= _MAX_UNKNOWN
        await tx.run(
            "mail_crashed",
            profile=profile_id,
            id=id,
            state="failed" if is_last else "waiting",
            due=None if is_last else now,
            problem="It is unknown whether the mail was sent." if is_last else "",
        )


# rules: mail-states, mail-consent
async def find_recipient(tx: Reader, store: Store, mail: ClaimedMail, now: str) -> Contact | None:
    """Returns whom a claimed mail is for, or None if it may not be sent now."""
    contact = await addresses.find(tx, mail.profile_id)
    state = await store_mails.find(tx, store.id)
    if contact is None or state.paused_at or not await _may_send(tx, store, mail, contact, now):
        return None
    return contact


# rules: mail-states, mail-consent, mail-limits
async def begin(
    tx: Writer, store: Store, mail: ClaimedMail, now: str, recipient: str | None = None
) -> BegunMail | None:
    """Marks a claimed mail as ``sending``, directly before its text is composed and transmitted.

    Returns None if another process has it, or if its owner's address isn't the ``recipient`` any
    longer; also cancels it if its owner no longer wants it, or postpones it if the address has had
    its mails of the day.
    """
    if await tx.one("profile_lock", profile=mail.profile_id) is None:
        return None
    row = await tx.one("mail_held", profile=mail.profile_id, id=mail.id, lease=mail.lease)
    if row is None:
        return None
    items, more = row
    contact = await addresses.find(tx, mail.profile_id)
    state = await store_mails.find(tx, store.id)
    if state.paused_at:
        return None
    if contact is None or not await _may_send(tx, store, mail, contact, now):
        await cancel(tx, mail)
        return None
    if recipient is not None and contact.email != recipient:
        return None
    address = suppressions.address_hash(store.id, contact.email or "")
    if mail.kind == "notices":
        free_at = await _when_allowed(tx, store, address, now)
        if free_at > now:
            await tx.run("mail_postpone", profile=mail.profile_id, id=mail.id, due=free_at)
            return None
    until = ids.timestamp(ids.from_timestamp(now) + LEASE_SECONDS * 1000)
    params = {"profile": mail.profile_id, "id": mail.id, "address": address, "until": until}
    await tx.run("mail_begin", **params)
    entries = [("d" if entry[0] == "d" else "s", entry[1:]) for entry in items.split()]
    return BegunMail(mail, contact, entries, more)  # type: ignore[arg-type]


async def _may_send(
    tx: Reader, store: Store, mail: ClaimedMail, contact: Contact, now: str
) -> bool:
    if contact.email is None:
        return False
    status = await addresses.find_status(tx, store, contact, now)
    if mail.kind == "confirmation":
        address = suppressions.address_hash(store.id, contact.email)
        reason = await suppressions.find(tx, store.id, address, now)
        return contact.email_status == "pending" and reason != "not_me"
    return status == "confirmed" and contact.wants_notices(store)


# rule: mail-limits
async def _when_allowed(tx: Writer, store: Store, address: str, now: str) -> str:
    """Returns when an address may get the next mail with notices, or '' for now."""
    # Two processes may begin mails to one address at the same time.
    await store_mails.lock(tx, store.id)
    now_ms, per_day = ids.from_timestamp(now), store.mail.mail_per_day
    params = {"store": store.id, "address": address}
    since = ids.timestamp(now_ms - ids.DAY_MS)
    rows = await tx.all("mails_sent_to", **params, since=since, limit=per_day)
    if len(rows) < per_day:
        row = await tx.one("mails_sending_to", **params)
        is_free = row is not None and len(rows) + row[0] < per_day
        return "" if is_free else ids.timestamp(now_ms + LEASE_SECONDS * 1000)
    return ids.timestamp(ids.from_timestamp(rows[-1][0]) + ids.DAY_MS)


async def cancel(tx: Writer, mail: ClaimedMail) -> None:
    """Cancels a claimed mail."""
    params = {"profile": mail.profile_id, "id": mail.id, "lease": mail.lease}
    final = {"state": "cancelled", "due": None, "sent_at": "", "problem": ""}
    await tx.run("mail_finish", **params, **final, unknown=mail.unknown)


# rules: mail-states, mail-bounces, mail-paused
async def record(tx: Writer, store: Store, attempt: Attempt, now: str) -> State:
    """Stores the outcome of an attempt, and what follows from it. Returns the mail's new state."""
    await tx.begin()
    mail, outcome = attempt.begun.mail, attempt.outcome
    now_ms, attempts, unknown = ids.from_timestamp(now), mail.attempts, mail.unknown
    state: State = "failed"
    due: str | None = None
    if outcome == "sent":
        state = "sent"
    elif outcome == "unknown":
        unknown += 1
        if unknown < _MAX_UNKNOWN:
            state, due = "waiting", ids.timestamp(now_ms + _UNKNOWN_BACKOFF_MS)
    elif outcome in ("temporary", "credentials") and attempts < len(_BACKOFF_MINUTES):
        state, due = "waiting", ids.timestamp(now_ms + _BACKOFF_MINUTES[attempts] * 60_000)
    elif outcome == "refused":
        # The server or the sender is at fault, not the mail: it is sent again after the pause.
        state, due = "waiting", now
    await tx.run(
        "mail_finish",
        profile=mail.profile_id,
        id=mail.id,
        lease=mail.lease,
        state=state,
        due=due,
        sent_at=now if outcome in ("sent", "recipient_refused") else "",
        unknown=unknown,
        problem="" if state == "sent" else attempt.problem[:300],
    )
    if outcome == "recipient_refused":
        address = suppressions.address_hash(store.id, attempt.begun.contact.email or "")
        await suppressions.note_refusal(tx, store, address, now)
        await _pause_after_refusals(tx, store, now)
    elif outcome == "refused":
        await store_mails.pause(tx, store, attempt.problem[:300], now)
    elif outcome == "credentials":
        await store_mails.count_refusal(tx, store, attempt.problem[:300], now)
    else:
        await store_mails.clear_refusals(tx, store)
    return state


# rule: mail-paused
async def _pause_after_refusals(tx: Writer, store: Store, now: str) -> None:
    state = await store_mails.find(tx, store.id)
    row = await tx.one(
        "mails_refused_count", store=store.id, since=state.resumed_at, limit=_JUDGED_MAILS
    )
    if row is not None and row[0] > _MAX_REFUSED:
        problem = f"{row[0]} of the last {_JUDGED_MAILS} recipients were refused."
        await store_mails.pause(tx, store, problem, now)


# ------------------------------------------------------------------------------ for the shop


async def find_page(tx: Reader, store: Store, page_request: PageRequest) -> Page[MailView]:
    """Returns a page of the store's mails, the newest first."""
    return await pages.read(tx, "mails", WholeStore(store), page_request, _from_row)


# rule: profile-export
async def find_of_profile(tx: Reader, profile: Profile) -> list[MailView]:
    """Returns a profile's mails of 30 days, the newest first."""
    return [_from_row(row) for row in await tx.all("person_mails", profile=profile.id)]


def _from_row(row: Row) -> MailView:
    id, gid, kind, state, created_at, sent_at, items, problem = row
    return MailView(
        id=id,
        profile=gid,
        kind=kind,
        state=state,
        created_at=created_at,
        items=[entry[1:] for entry in items.split()],
        sent_at=sent_at if state == "sent" else msgspec.UNSET,
        problem=problem or msgspec.UNSET,
    )


# rule: mail-paused
async def cancel_batch(tx: Writer, store: Store, now: str) -> int:
    """Cancels some of a store's waiting mails. Returns how many."""
    return len(await tx.all("mails_cancel", store=store.id, now=now, limit=_BATCH_SIZE))
