"""Puts what an export wrote into a store (contract: import-twice)."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Literal

import msgspec

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, UniqueViolation, Writer
from wishwell.errors import Invalid, Misconfigured
from wishwell.events import webhooks
from wishwell.moving import import_shares
from wishwell.moving.additions import TABLES, Additions, Held, additions
from wishwell.moving.file_records import (
    AdminTokenRecord,
    ProductRecord,
    SecretsRecord,
    WebhookRecord,
)
from wishwell.moving.import_file import Bundle, ImportFile, product_ids_differ
from wishwell.moving.transfer import Record
from wishwell.stores import Store, store_secrets
from wishwell.stores.sealing import Damaged, Sealing

_RECORDS = 2_000
_PROFILES = 500
"""About how many items and profiles go into one transaction, beside which others write."""

_ROWS = 5_000
_AT_ONCE = 3
_TRIES = 5

How = Literal["new", "same", "other"]
OfStore = Sequence[tuple[int, SecretsRecord | WebhookRecord]]
"""Records of the store itself, with their lines."""


class Counts(msgspec.Struct):
    """What was added, and what was there already."""

    profiles: int = 0
    lists: int = 0
    items: int = 0
    there: int = 0
    read: int = 0


# contract: import-store
async def plan(tx: Reader, file: ImportFile, handle: str) -> How:
    """What becomes of the file's store: it is made here as ``handle`` ("new"), it is this one
    ("same"), or its records go into another one ("other").

    A store that is as it was made, and empty, is replaced, unless the file's is here.
    Raises ``Invalid``, ``Conflict``.
    """
    stores.check_handle(handle)
    known = {store.handle: store for store in await stores.listed(tx)}
    mine, store = file.store, known.get(handle)
    here = next((one.handle for one in known.values() if one.id == mine.id), None)
    if store is not None:
        await stores.check_not_deleted(tx, store)
        if store.id == mine.id:
            return "same"
        if here or not (stores.is_as_made(store) and await stores.is_empty(tx, store)):
            if why := product_ids_differ(file, store):
                raise Invalid(why)
            return "other"
    if here:
        raise Invalid(
            f"line 1: wishwell.store.id: is here already, as {here!r}; name that with --store."
        )
    return "new"


def check_secrets(sealing: Sealing | None, file: ImportFile, of_store: OfStore) -> None:
    """Raises ``Misconfigured`` for a secret of the store that can't be opened here."""
    id = file.store.id
    for line, record in of_store:
        if sealing is None:
            raise Misconfigured(
                "The store has secrets: set WISHWELL_SEALING_KEYS to the keys of where it was "
                "exported, behind new ones if you like."
            )
        try:
            if isinstance(record, SecretsRecord):
                store_secrets.opened(sealing, id, record.sealed)
            else:
                webhooks.opened(sealing, id, record.id, record.sealed)
        except (Misconfigured, Damaged) as error:
            raise Misconfigured(f"line {line}: {error.message}") from error


# contract: import-apart
async def check_apart(db: Database, file: ImportFile) -> None:
    """Raises ``Invalid`` for a token of the file that is here as one of something else."""
    id = file.store.id
    for tokens in file.register.named("adminToken"):
        mine = {tuple(name.split()): line for name, line in tokens.items()}
        known, hashes = zip(*mine, strict=True)
        for row in await db.read(_tokens_held, [*known], [*hashes]):
            if row[2] != id or (row[0], row[1]) not in mine:
                line = next(mine[one] for one in mine if one[0] == row[0] or one[1] == row[1])
                raise Invalid(
                    f"line {line}: adminToken: its id or hash is that of another one here"
                )
    for links in file.register.named("share.token"):
        for hash, of in await db.read(_share_tokens_held, [*links]):
            if of != id:
                raise Invalid(f"line {links[hash]}: share.token: is that of another store's share")


async def _tokens_held(tx: Reader, known: list[str], hashes: list[str]) -> Sequence[Row]:
    return await tx.all("import_admin_tokens_held", ids=known, hashes=hashes)


async def _share_tokens_held(tx: Reader, hashes: list[str]) -> Sequence[Row]:
    return await tx.all("import_share_tokens_held", hashes=hashes)


async def take_store(
    tx: Writer,
    sealing: Sealing | None,
    file: ImportFile,
    handle: str,
    of_store: OfStore,
    now: str,
) -> Store:
    """The store that the records go into, made where ``plan`` says "new"; if it is the file's, with
    all that was revoked, so that no process sees it without."""
    await stores.lock(tx)
    how = await plan(tx, file, handle)
    if how != "other":
        for revoked in file.register.revocations():
            names = ("profile", "jti", "revoked_at")
            rows = [dict(zip(names, row, strict=True)) for row in revoked]
            await tx.run_many("import_revocation", rows)
    if how != "new":
        return await stores.by_handle(tx, handle)
    store = await stores.restore(tx, msgspec.structs.replace(file.store, handle=handle), now)
    for _, record in of_store:
        if isinstance(record, SecretsRecord):
            await tx.run("store_secrets_set", store=store.id, sealed=record.sealed, now=now)
    await store_secrets.check_apart(tx, sealing, store)
    if file.first.feed:  # contract: import-feed
        await tx.run("feed_open", store=store.id)
        await tx.run("feed_begin", store=store.id, number=file.first.feed)
    return store


# contract: import-whole, import-twice, import-resumed
async def load(
    db: Database, file: ImportFile, store: Store, *, dry: bool, how: How
) -> AsyncIterator[Counts]:
    """Puts the file's records into the store, and yields after each step what was done so far.

    Several transactions: killed in between, the next import of the file goes on. With ``dry`` it
    only counts. Raises ``Unavailable``, and ``StoreDeleted`` once somebody deletes the store.
    """
    counts = Counts()
    running: set[asyncio.Task[None]] = set()

    async def settle(most: int) -> None:
        nonlocal running
        while len(running) > most:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()

    reserved = False
    try:
        for step in _steps(file, how):
            if not isinstance(step, list):
                if not dry:
                    await _of_store(db, store, step, how)
                continue
            reserved = reserved or any(bundle.reservations for bundle in step)
            running.add(asyncio.create_task(_add(db, store, step, counts, dry=dry)))
            await settle(_AT_ONCE - 1)
            counts.read = file.read
            yield counts
        await settle(0)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    if reserved and not dry:
        # The file again, as each needs two profiles.
        for piece in file:
            if isinstance(piece, Bundle) and piece.reservations:
                await import_shares.reserve(db, store, piece)
                yield counts
    counts.read = file.size
    yield counts


def _steps(file: ImportFile, how: How) -> Iterable[Record | list[Bundle]]:
    group: list[Bundle] = []
    size = 0
    for piece in file:
        if not isinstance(piece, Bundle):
            yield piece
            continue
        if how == "other":  # a token leads to one store
            piece.unshare()
        if size >= _RECORDS or len(group) >= _PROFILES:
            yield group
            group, size = [], 0
        group.append(piece)
        size += len(piece.items) + len(piece.lists)
    yield group


async def _of_store(db: Database, store: Store, record: Record, how: How) -> None:
    """What belongs to the store itself; of what names it by its id, nothing moves to another."""
    if isinstance(record, ProductRecord):
        await db.write(_put, "import_product", store, record)
    elif how == "other":
        return
    elif isinstance(record, AdminTokenRecord):
        await db.write(_put, "import_admin_token", store, record)
    elif isinstance(record, WebhookRecord):
        await db.write(_put, "import_webhook", store, record)


async def _put(tx: Writer, statement: str, store: Store, record: Record) -> None:
    await stores.check_kept(tx, store)
    await tx.run(statement, store=store.id, **msgspec.structs.asdict(record))


async def _add(
    db: Database, store: Store, bundles: Sequence[Bundle], counts: Counts, *, dry: bool
) -> None:
    keyed = {ids.profile_key(store.id, bundle.profile.gid): bundle for bundle in bundles}
    for left in reversed(range(_TRIES)):
        held = await db.read(_held, list(keyed))
        fresh = [additions(store, k, b, None) for k, b in keyed.items() if k not in held]
        try:
            if fresh and not dry:
                await db.long_write(_fill, store, fresh)
            break
        except UniqueViolation:  # somebody made one of these profiles meanwhile
            if not left:
                raise
    _count(counts, fresh)
    for key, there in held.items():
        more = additions(store, key, keyed[key], there)
        if more.any and not dry:
            more = await db.long_write(_merge, store, key, keyed[key])
        counts.there += 1
        _count(counts, [more])


def _count(counts: Counts, added: Iterable[Additions]) -> None:
    for profile in added:
        counts.profiles += len(profile.rows["profiles"])
        counts.lists += len(profile.rows["lists"])
        counts.items += len(profile.rows["items"])


async def _held(tx: Reader, keys: list[str]) -> dict[str, Held]:
    """Those of these profiles that are there, with what they hold."""
    found: dict[str, Held] = {}
    for row in await tx.all("import_profiles_held", profiles=keys):
        key, created_at, touched_at, events, email, closed_at = row
        found[key] = Held(created_at, touched_at, events, email, closed_at, {}, {}, set())
    known = list(found)
    if known:
        for key, id, shared in await tx.all("import_lists_held", profiles=known):
            found[key].lists[id] = shared
        for key, id in await tx.all("import_shares_held", profiles=known):
            found[key].shares.add(id)
        for key, id, product, variant, on in await tx.all("import_items_held", profiles=known):
            found[key].items[product, variant] = id, on
    return found


async def _fill(tx: Writer, store: Store, added: Sequence[Additions]) -> None:
    await stores.check_kept(tx, store)
    for table in TABLES:
        rows = [row for profile in added for row in profile.rows[table]]
        for at in range(0, len(rows), _ROWS):
            await tx.fill(table, rows[at : at + _ROWS])
    await import_shares.add(tx, [row for profile in added for row in profile.shares])


async def _merge(tx: Writer, store: Store, key: str, bundle: Bundle) -> Additions:
    """Adds what a profile lacks to one that is there, under its lock. Returns what it added."""
    await tx.one("profile_lock", profile=key)
    held = (await _held(tx, [key])).get(key)
    added = additions(store, key, bundle, held)
    await _fill(tx, store, [added])
    if held is not None and added.any:
        profile = bundle.profile
        await tx.run_many("import_item_lists", added.item_lists)
        await tx.run("lists_mark_shared", profile=key, ids=added.shared)
        await tx.run("lists_recount", profile=key)
        await tx.run("profile_recount", profile=key, email=profile.email)
        await tx.run(
            "import_profile",
            profile=key,
            created_at=profile.created_at,
            touched_at=profile.touched_at,
            events=profile.events,
        )
    return added
