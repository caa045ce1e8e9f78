"""Profiles: the owners of items and lists. A profile is a store's customer or a visitor's session.

Start here for the scope of a request and the lock that serialises a profile's writes.
``records.py`` shows profiles, ``pages.py`` implements cursor pagination, ``search.py`` parses
queries.

Every customer GID is valid; the first write creates the row. A session is created with its first
token, and ends when it is linked to (merged into) a customer (``linking.py``), purged or erased.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from wishwell import errors, ids
from wishwell.db import Reader, Writer
from wishwell.stores import Store, placeholders

# An e-mail address without quoting: local part and domain with non-empty labels, in any script.
_NOT_IN_EMAIL = r"\s\x00-\x1f\x7f-\x9f@<>()\[\]\\,;:\""
_EMAIL = re.compile(rf"[^{_NOT_IN_EMAIL}]{{1,64}}@[^.{_NOT_IN_EMAIL}]+(\.[^.{_NOT_IN_EMAIL}]+)*")


class Profile(msgspec.Struct, frozen=True):
    """The owner of records. ``by_token``: a session identified by its own token, not a header."""

    id: str
    store: Store
    gid: str
    is_session: bool
    by_token: bool = False

    @property
    def log_name(self) -> str:
        """The GID as log lines show it: the key in place of an id that may be an e-mail address."""
        return self.id if "@" in self.gid else self.gid

    @property
    def is_nobody(self) -> bool:
        """Whether it is the empty profile of a visitor without a session (see ``of_nobody``)."""
        return not self.gid

    @property
    def lock_key(self) -> str:
        """The key that its writes lock, so that they take turns (``db/postgres/database.py``)."""
        return self.id


REMOVED = ids.timestamp(0)
"""Stored as the last use of a profile that a purge or an erasure has closed. A linked session keeps
its time, because it may be linked again."""


class WholeStore(msgspec.Struct, frozen=True):
    """The scope of an admin token without a ``Profile`` header."""

    store: Store


Scope = Profile | WholeStore
Kind = Literal["customer", "session"]
KINDS: tuple[Kind, ...] = ("customer", "session")


# rule: profile-gid
# rules: profile-gid, placeholder-ids
def parse(
    store: Store, namespace: str, gid: str, field: str, *, is_stored: bool = False
) -> Profile:
    """Returns the profile with a GID in a store. Doesn't check whether a session exists.

    Raises ``Invalid``, naming ``field``, unless the GID has the right form, the store's platform or
    the namespace, and the kind that ``field`` is, if it is one; also for a placeholder, unless
    ``is_stored``: what an older version stored under it can still be read and deleted.
    """
    kinds = [kind for kind in KINDS if kind == field] or KINDS
    prefix = f"gid://{namespace}/Session/"
    uuid = gid.removeprefix(prefix).lower()
    if gid.startswith(prefix) and ids.is_uuid(uuid) and "session" in kinds:
        return of_session(store, f"{prefix}{uuid}")
    customer = ids.customer_of(gid)
    if customer is not None and customer[0] == store.platform and "customer" in kinds:
        if not is_stored and placeholders.is_customer(customer[1]):
            raise errors.Invalid(
                f"{field}: {customer[1]} is a placeholder and names no customer. Use a session for "
                "a visitor who isn't signed in.",
                "placeholder_id",
            )
        return of_customer(store, ids.customer_gid(*customer))
    forms = {
        "customer": f"gid://{store.platform}/Customer/<id> with an id of 1 to 255 printable ASCII "
        "characters without space and /; % begins an escape, such as %7C",
        "session": f"{prefix}<uuid>",
    }
    raise errors.Invalid(f"{field}: must be {', or '.join(forms[kind] for kind in kinds)}.")


def of_session(store: Store, gid: str, *, by_token: bool = False) -> Profile:
    return Profile(ids.profile_key(store.id, gid), store, gid, True, by_token)


def of_customer(store: Store, gid: str) -> Profile:
    return Profile(ids.profile_key(store.id, gid), store, gid, False)


# rule: storefront-visitor
def of_nobody(store: Store) -> Profile:
    """Returns the empty profile of a visitor without a session: it has no GID, and never a row."""
    return Profile(ids.NO_UUID, store, "", False)


# rules: session-ended, erase-completes
def missing(profile: Profile) -> errors.NotFound | errors.Unauthenticated | errors.Unavailable:
    """Returns the error to raise when a profile's row is missing or closed.

    For a session that was linked, purged, erased or never created: 401 if its own token was used,
    404 if a header named it. For a customer, whose erasure is then in progress: 503.
    """
    if not profile.is_session:
        return errors.BeingErased()
    if profile.by_token:
        return errors.SessionEnded(
            "This session has ended because it was linked to a customer or purged. "
            "Request a new token."
        )
    return errors.NotFound("Profile: the session doesn't exist.", "session_not_found")


# rules: profile-gid, session-ended
async def check_open(tx: Reader, profile: Profile) -> None:
    """Raises ``missing(profile)`` for a session that doesn't exist or has ended."""
    if profile.is_session:
        row = await tx.one("profile_state", profile=profile.id)
        if row is None or row[0] is not None:
            raise missing(profile)


async def is_known(tx: Reader, profile: Profile) -> bool:
    """Returns whether a session's row exists, even if closed. Always true for a customer."""
    return not profile.is_session or await tx.one("profile_state", profile=profile.id) is not None


# rules: profile-limits, request-linearizable
async def lock(tx: Writer, profile: Profile, now: str) -> None:
    """Locks the profile for the rest of the transaction, creating a customer's row if needed.

    Every use-case with several writing statements starts with this, which serialises the writes,
    links and purges of a profile. Raises ``missing(profile)``.
    """
    if not await lock_known(tx, profile):
        await _create(tx, profile, now)
        await lock_known(tx, profile)
        await tx.run("profile_resume", profile=profile.id)


async def lock_known(tx: Writer, profile: Profile) -> bool:
    """Locks the profile if it has a row. Returns False for a customer without one.

    Raises ``missing(profile)``.
    """
    row = await tx.one("profile_lock", profile=profile.id)
    if row is None and not profile.is_session:
        return False
    if row is None or row[0] is not None:
        raise missing(profile)
    return True


async def count(tx: Writer, profile: Profile, *, items: int = 0, lists: int = 0) -> None:
    """Adds to the profile's stored counts of items and lists. The caller holds its lock."""
    await tx.run("profile_count", profile=profile.id, items=items, lists=lists)


async def create_session(tx: Writer, store: Store, namespace: str, id: str, now: str) -> Profile:
    """Creates a session with the UUID ``id``."""
    profile = of_session(store, ids.session_gid(namespace, id))
    await _create(tx, profile, now)
    return profile


async def _create(tx: Writer, profile: Profile, now: str) -> None:
    params = {"profile": profile.id, "store": profile.store.id, "gid": profile.gid}
    await tx.run("profile_create", **params, is_session=int(profile.is_session), now=now)


# rule: session-purged
async def renew_session(tx: Writer, profile: Profile, now: str) -> None:
    """Restarts a session's time to its purge, for a new token.

    Raises ``NotFound`` if the session is unknown or closed.
    """
    if await tx.one("session_renew", profile=profile.id, now=now) is None:
        raise unknown_session()


def unknown_session() -> errors.NotFound:
    return errors.NotFound(
        "session: doesn't exist, or has been linked to a customer.", "session_not_found"
    )


# rule: profile-email
def check_email(email: str) -> str:
    """Returns the address. Raises ``Invalid`` unless it is valid and has 3 to 254 characters."""
    if email != email.strip():
        raise errors.Invalid("email: must not begin or end with a space.")
    if len(email) > 254 or not _EMAIL.fullmatch(email):
        raise errors.Invalid("email: must be an e-mail address of 3 to 254 characters.")
    return email


async def count_customers(tx: Reader, store: Store) -> int:
    """Returns how many customers of the store's platform have a profile."""
    prefix = ids.customer_gid(store.platform, "")
    [[count]] = await tx.all("customers_count", store=store.id, prefix=prefix)
    return int(count)


async def sessions_owning(tx: Reader, scope: WholeStore, item_ids: Sequence[str]) -> set[str]:
    """Returns the keys of the sessions that own any of the given items."""
    valid_ids = [id for id in item_ids if ids.is_uuid(id)]
    owners = await tx.all("items_owners", store=scope.store.id, ids=valid_ids)
    return {row[0] for row in owners if row[2]}


async def owner(tx: Reader, scope: WholeStore, noun: Literal["item", "list"], id: str) -> Profile:
    """Returns the owner of an item or list of the store. Raises ``NotFound``."""
    row = await tx.one(f"{noun}s_owners", store=scope.store.id, ids=[id])
    if row is None:
        raise errors.no_record(noun)
    profile_id, _, is_session, gid = row
    return Profile(profile_id, scope.store, gid, bool(is_session))
