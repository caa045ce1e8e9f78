"""Profiles: who owns items and lists, a store's customer or a visitor's session.

A customer exists as soon as somebody names it; its row is made by its first write. A session is
made by asking for its token, and ends by being linked to a customer (``linking.py``) or purged.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from wishwell import ids
from wishwell.db import Reader, Row, Writer
from wishwell.errors import Invalid, NotFound, Unauthenticated
from wishwell.stores import Store

# What any mail server would take, without quoting: a local part, and a domain of non-empty labels,
# in any script.
_SPECIAL = r"\s\x00-\x1f\x7f-\x9f@<>()\[\]\\,;:\""
_EMAIL = re.compile(rf"[^{_SPECIAL}]{{1,64}}@[^.{_SPECIAL}]+(\.[^.{_SPECIAL}]+)*")


class Profile(msgspec.Struct, frozen=True):
    """The owner of records. ``by_token``: named by its own token, not by an admin's header."""

    id: str
    store_id: str
    gid: str
    is_session: bool
    by_token: bool = False


class WholeStore(msgspec.Struct, frozen=True):
    """What an admin token acts on when it names no profile."""

    store_id: str


Scope = Profile | WholeStore
Kind = Literal["customer", "session"]
KINDS: tuple[Kind, ...] = ("customer", "session")


# contract: gid-customer, gid-session
def parse(
    store: Store, namespace: str, gid: str, field: str, kinds: Sequence[Kind] = KINDS
) -> Profile:
    """The profile that a GID names in a store; whether the session exists is not asked here.

    Raises ``Invalid`` for another form, another platform than the store's, another namespace, and
    one of none of the ``kinds``.
    """
    prefix = f"gid://{namespace}/Session/"
    if gid.startswith(prefix) and ids.is_uuid(gid.removeprefix(prefix)) and "session" in kinds:
        return of_session(store, gid)
    customer = ids.customer_of(gid)
    if customer is not None and customer[0] == store.platform and "customer" in kinds:
        return of_customer(store, gid)
    forms = {
        "customer": f"gid://{store.platform}/Customer/<id>, the id 1 to 64 of A-Z a-z 0-9 _ -",
        "session": f"{prefix}<uuid>",
    }
    raise Invalid(f"{field}: must be {', or '.join(forms[kind] for kind in kinds)}.")


def of_session(store: Store, gid: str) -> Profile:
    return Profile(ids.profile_key(store.id, gid), store.id, gid, True)


def of_customer(store: Store, gid: str) -> Profile:
    return Profile(ids.profile_key(store.id, gid), store.id, gid, False)


# contract: session-ended, session-unknown
def missing(profile: Profile) -> NotFound | Unauthenticated:
    """What to answer for a session that was linked, purged or never made.

    Its own token is told to ask for a new one; a GID in a header is just unknown.
    """
    if profile.by_token:
        return Unauthenticated(
            "This session has ended (it was linked to a customer, or purged): ask for a new token."
        )
    return NotFound("Profile: there is no such session.")


async def check_open(tx: Reader, profile: Profile) -> None:
    """Raises ``missing(profile)`` unless a session is there and open; a customer always is."""
    if profile.is_session:
        row = await tx.one("profile_state", profile.id)
        if row is None or row[0] is not None:
            raise missing(profile)


async def is_known(tx: Reader, profile: Profile) -> bool:
    """Whether a session was ever made here; any customer may exist."""
    return not profile.is_session or await tx.one("profile_state", profile.id) is not None


# contract: customer-exists, limit-exact, request-linearizable
async def lock(tx: Writer, profile: Profile, now: str) -> None:
    """Takes the profile for the rest of the transaction, making a customer's row if need be.

    Every use-case that writes in several statements begins with this: so the writes of a profile,
    links and purges happen one after the other. Raises ``missing(profile)`` for a session that is
    not there or closed.
    """
    if not await lock_known(tx, profile):
        await tx.run("profile_create", profile.id, profile.store_id, profile.gid, 0, now)
        await lock_known(tx, profile)


async def lock_known(tx: Writer, profile: Profile) -> bool:
    """``lock`` for what changes a record that is there: makes no row.

    False for a customer of whom nothing is known. Raises ``missing(profile)`` as ``lock`` does.
    """
    row = await tx.one("profile_lock", profile.id)
    if row is None and not profile.is_session:
        return False
    if row is None or row[0] is not None:
        raise missing(profile)
    return True


async def certain(tx: Writer, profile: Profile, statement: str, *arguments: object) -> Row | None:
    """The row of a writing statement that takes the profile's lock by itself; None where there is
    nothing to write to. Raises ``missing(profile)`` as ``lock`` does.

    It also gives no row when it has waited for the lock: what it sees is then of before. With the
    lock in hand it gives one.
    """
    row = await tx.one(statement, profile.id, *arguments)
    if row is None and await lock_known(tx, profile):
        row = await tx.one(statement, profile.id, *arguments)
    return row


async def create_session(tx: Writer, store: Store, namespace: str, id: str, now: str) -> Profile:
    """A new session, with the UUID given."""
    profile = of_session(store, ids.session_gid(namespace, id))
    await tx.run("profile_create", profile.id, store.id, profile.gid, 1, now)
    return profile


# contract: session-touched
async def renew_session(tx: Writer, profile: Profile, now: str) -> None:
    """Notes that a session was given a token. Raises ``NotFound`` unless it is there and open."""
    if await tx.one("session_renew", profile.id, now) is None:
        raise NotFound("session: there is no such session, or it has been linked to a customer.")


async def remember_email(tx: Writer, profile: Profile, email: str, now: str) -> None:
    """Keeps the address on the profile. Raises ``missing(profile)`` for a session that is gone."""
    await lock(tx, profile, now)
    await tx.run("profile_remember_email", profile.id, email)


# contract: identify-email
def check_email(email: str) -> str:
    """The address, if it is one: something@something, 3 to 254 characters, no spaces."""
    if len(email) > 254 or not _EMAIL.fullmatch(email):
        raise Invalid("email: must be an e-mail address of 3 to 254 characters.")
    return email


async def sessions_owning(tx: Reader, store: WholeStore, item_ids: Sequence[str]) -> set[str]:
    """The keys of the sessions that have any of these items."""
    known = [id for id in item_ids if ids.is_uuid(id)]
    owners = await tx.all("item_owners", store.store_id, known)
    return {row[0] for row in owners if row[2]}


async def owner(tx: Reader, store: WholeStore, noun: Literal["item", "list"], id: str) -> Profile:
    """Whose this item or list of the store is. Raises ``NotFound``."""
    row = await tx.one(f"{noun}_owner", store.store_id, id)
    if row is None:
        raise NotFound(f"There is no such {noun}.")
    profile_id, gid, is_session = row
    return Profile(profile_id, store.store_id, gid, bool(is_session))
