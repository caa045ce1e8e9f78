"""Double opt-in: the owner of a typed address confirms it by the link in a mail.

Nothing here reveals whether an address is known, or whether a mail was sent (rule: mail-confirm).
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from wishwell import ids, profiles
from wishwell.contacts import addresses, queue, store_mails, suppressions, tokens
from wishwell.contacts.suppressions import address_hash
from wishwell.db import Reader, Writer
from wishwell.profiles import Profile, records
from wishwell.stores import Store

_MINUTE_MS = 60_000
_ADDRESS_LIMITS = ((1, 10 * _MINUTE_MS), (2, ids.DAY_MS), (4, 90 * ids.DAY_MS))
"""The most confirmations to an address in so many milliseconds."""

_CLIENT_LIMIT = 10
_STORE_LIMIT_MS = 60 * _MINUTE_MS
_JUDGED_COUNT = 200
"""The number of a store's last confirmations of which one in five must have been confirmed."""

_JUDGED_MS = 7 * ids.DAY_MS


class Asked(NamedTuple):
    """A request to confirm an address. ``client``: the client's address, of IPv6 the /64, or ''
    if unknown.
    ``store_limit``: the most confirmations of the store in an hour."""

    email: str
    language: str
    client: str
    store_limit: int


# rules: mail-confirm, mail-addresses
async def ask(
    tx: Writer, profile: Profile, asked: Asked, new_id: Callable[[], str], now: str
) -> None:
    """Stores a typed address as pending, and queues the mail with its confirmation link.

    An address that is already confirmed for the profile needs no mail. The shop's address stays.
    Raises ``missing(profile)``.
    """
    await profiles.lock(tx, profile, now)
    store = profile.store
    contact = await addresses.find(tx, profile.id)
    hash = address_hash(store.id, asked.email)
    reason = await suppressions.find(tx, store.id, hash, now)
    if contact is not None and contact.email_status == "confirmed":
        is_same = contact.email is not None and contact.email.lower() == asked.email.lower()
        if contact.email_source == "shop" or (is_same and not reason):
            await addresses.choose(tx, profile.id, True, "page", now)
            return
    await addresses.set_address(tx, profile.id, asked.email, "pending", language=asked.language)
    # An address whose owner said "This wasn't me" gets no mail, not even a confirmation.
    if reason != "not_me" and await _is_allowed(tx, store, asked, now):
        await _record(tx, store, asked, new_id(), now)
        await queue.add_confirmation(tx, profile, new_id(), now)


async def _is_allowed(tx: Writer, store: Store, asked: Asked, now: str) -> bool:
    """Returns whether the limits allow another confirmation."""
    if not store.sends_mails:
        return False
    # Concurrent requests for one address, or from one client, are counted one after the other.
    await store_mails.lock(tx, store.id)
    now_ms = ids.from_timestamp(now)
    address = _base_hash(store.id, asked.email)
    for limit, period_ms in _ADDRESS_LIMITS:
        since = ids.timestamp(now_ms - period_ms)
        if await _count(tx, "confirmations_of_address", store, since, address=address) >= limit:
            return False
    since, client = ids.timestamp(now_ms - _STORE_LIMIT_MS), _client_hash(store.id, asked.client)
    if asked.client:
        count = await _count(tx, "confirmations_of_client", store, since, client=client)
        if count >= _CLIENT_LIMIT:
            return False
    if await _count(tx, "confirmations_of_store", store, since) >= asked.store_limit:
        return False
    return not await are_paused(tx, store, now)


async def _count(tx: Reader, statement: str, store: Store, since: str, **params: str) -> int:
    row = await tx.one(statement, store=store.id, since=since, **params)
    assert row is not None
    count: int = row[0]
    return count


# rule: mail-confirm
async def are_paused(tx: Reader, store: Store, now: str) -> bool:
    """Returns whether so few of the store's last confirmations were confirmed within a day that
    somebody seems to type addresses of others."""
    now_ms = ids.from_timestamp(now)
    state = await store_mails.find(tx, store.id)
    since = max(ids.timestamp(now_ms - _JUDGED_MS), state.resumed_at)
    row = await tx.one(
        "confirmations_judged",
        store=store.id,
        since=since,
        before=ids.timestamp(now_ms - ids.DAY_MS),
        limit=_JUDGED_COUNT,
    )
    return row is not None and row[0] >= _JUDGED_COUNT and row[1] * 5 < row[0]


async def _record(tx: Writer, store: Store, asked: Asked, id: str, now: str) -> None:
    await tx.run(
        "confirmation_add",
        store=store.id,
        id=id,
        address=_base_hash(store.id, asked.email),
        client=_client_hash(store.id, asked.client),
        now=now,
    )


# rules: mail-confirm, mail-links
async def confirm(tx: Writer, store: Store, token: str, now: str) -> None:
    """Confirms the address that a token was sent to, and turns the profile's notices on.

    Does nothing if the token is unknown, has expired or was used, if the profile has another
    address by now, or if the address was suppressed after the mail.
    """
    await tx.begin()
    mail_token = await tokens.find(tx, store, token, now)
    if mail_token is None or mail_token.purpose != "confirm":
        return
    await tokens.remove(tx, mail_token)
    contact = await _lock_owner(tx, store, mail_token)
    if contact is None or contact.email is None:
        return
    if await suppressions.is_newer(tx, store, mail_token.address, mail_token.created_at, now):
        return
    await addresses.set_address(
        tx, contact.profile_id, contact.email, "confirmed", source="link", confirmed_at=now
    )
    await addresses.choose(tx, contact.profile_id, True, "link", now)
    await suppressions.remove(tx, store, mail_token.address, now)
    base = _base_hash(store.id, contact.email)
    await tx.run("confirmations_confirm", store=store.id, address=base, now=now)


# rules: mail-confirm, mail-suppressed
async def disown(tx: Writer, store: Store, token: str, now: str) -> None:
    """Suppresses the address that a confirmation was sent to, because its owner didn't ask for it,
    and removes it from the profile."""
    await tx.begin()
    mail_token = await tokens.find(tx, store, token, now)
    if mail_token is None or mail_token.purpose != "confirm":
        return
    await tokens.remove(tx, mail_token)
    await suppressions.add(tx, store, mail_token.address, "not_me", now)
    contact = await _lock_owner(tx, store, mail_token)
    if contact is not None and contact.email_status != "confirmed":
        await addresses.set_address(tx, contact.profile_id, None, "")


# rules: mail-unsubscribe, mail-suppressed
async def unsubscribe(tx: Writer, store: Store, token: str, now: str) -> None:
    """Suppresses the address that a mail was sent to, and turns the notices of all of the store's
    profiles with this address off. The token stays valid, and changes nothing when used again."""
    await tx.begin()
    mail_token = await tokens.find(tx, store, token, now)
    if mail_token is None or mail_token.purpose != "unsubscribe":
        return
    if await suppressions.find(tx, store.id, mail_token.address, now) != "unsubscribed":
        await suppressions.add(tx, store, mail_token.address, "unsubscribed", now)
    contact = await addresses.find(tx, mail_token.profile_id)
    if contact is None or contact.email is None:
        return
    if address_hash(store.id, contact.email) == mail_token.address:
        await turn_off(tx, store, contact.email, now)


# rules: mail-suppressed, mail-bounces
async def suppress(
    tx: Writer, store: Store, rows: Sequence[tuple[str, suppressions.Reason]], now: str
) -> None:
    """Suppresses addresses, each with its reason, of which a relay or the shop has learnt. A
    complaint also turns notices off."""
    await tx.begin()
    for email, reason in rows:
        await suppressions.add(tx, store, address_hash(store.id, email), reason, now)
        if reason == "complained":
            await turn_off(tx, store, email, now)


async def turn_off(tx: Writer, store: Store, email: str, now: str) -> None:
    """Turns the notices of all of the store's profiles with this address off, by a link."""
    spellings = sorted({email.encode().lower().decode(), email.lower(), email.upper()})
    rows = await tx.all("contacts_to_turn_off", store=store.id, emails=spellings)
    for profile_id in sorted(row[0] for row in rows):
        await tx.one("profile_lock", profile=profile_id)
        await tx.record(records.withdrawal(store, profile_id, now))
        await addresses.choose(tx, profile_id, False, "link", now)


async def _lock_owner(
    tx: Writer, store: Store, token: tokens.MailToken
) -> addresses.Contact | None:
    """Locks the profile of a token. Returns its contact data if it still has the address that the
    token was sent to."""
    await tx.one("profile_lock", profile=token.profile_id)
    contact = await addresses.find(tx, token.profile_id)
    if contact is None or contact.email is None:
        return None
    return contact if address_hash(store.id, contact.email) == token.address else None


# rule: mail-confirm
def _base_hash(store_id: str, email: str) -> str:
    """Returns the hash of an address without the part after a +, which reaches the same person."""
    local, _, domain = email.rpartition("@")
    return address_hash(store_id, f"{local.split('+')[0] or local}@{domain}")


def _client_hash(store_id: str, client: str) -> str:
    return hashlib.sha256(f"{store_id}\n{client}".encode()).hexdigest()
