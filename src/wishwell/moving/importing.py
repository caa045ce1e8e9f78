"""Puts the profiles of a file into a store (contract: import-twice)."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import asdict

from wishwell import ids, opaque, stores
from wishwell.db import Database, Reader, UniqueViolation, Writer, ask
from wishwell.errors import Invalid, Misconfigured
from wishwell.events import webhooks
from wishwell.moving.additions import TABLES, Held, Rows, additions
from wishwell.moving.csv_file import CsvFile
from wishwell.moving.file_records import (
    AdminTokenRecord,
    ProductRecord,
    Record,
    ReservationRecord,
    SecretsRecord,
    WebhookRecord,
)
from wishwell.moving.import_file import Bundle, ImportFile
from wishwell.stores import Store, store_secrets
from wishwell.stores.sealing import Damaged, Sealing
from wishwell.wishes import merging

_RECORDS = 2_000
_PROFILES = 500
"""About how many items and profiles go into one transaction, beside which others write."""

_ROWS = 5_000
_RESERVATIONS = 500
"""How many of one profile go into one transaction, which locks their holders."""

_AT_ONCE = 3
"""Transactions."""

_TRIES = 5

_OF_STORE: dict[type[Record], str] = {
    ProductRecord: "import_product",
    AdminTokenRecord: "import_admin_token",
    WebhookRecord: "import_webhook",
}
_CHANGES = (
    *("share_add", "import_item_lists", "list_mark_shared"),
    *("lists_recount", "profile_recount", "import_profile"),
    "import_resume",
)
"""What is run for profiles that are there, and for shares, once the tables are filled."""

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
        if here or not await _is_as_made(tx, store):
            if mine.product_ids != store.product_ids:
                raise Invalid(
                    f"The file has {mine.product_ids} product ids and the store {handle!r} has "
                    f"{store.product_ids} ones; `wishwell store update --product-ids` changes that."
                )
            return "other"
    if here:
        raise Invalid(
            f"line 1: wishwell.store.id: is here already, as {here!r}; name that with --store."
        )
    return "new"


async def _is_as_made(tx: Reader, store: Store) -> bool:
    """Whether none of its settings was ever changed, and it has no records, tokens or webhooks."""
    if store != stores.blank(store.id, store.handle, store.created_at):
        return False
    for statement in ("export_admin_tokens", "export_webhooks"):
        if await tx.all(statement, store=store.id):
            return False
    for statement in ("store_profiles", "export_products"):
        if await tx.all(statement, store=store.id, after=ids.NO_UUID, limit=1):
            return False
    return True


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
    for tokens in file.register.named("adminToken.hash"):
        hashes, _, token_ids = map(list, zip(*tokens, strict=True))
        pairs = set(zip(token_ids, hashes, strict=True))
        held = await db.read(ask, "import_admin_tokens_held", ids=token_ids, hashes=hashes)
        for token_id, hash, of in held:
            if of != id or (token_id, hash) not in pairs:
                line = next(line for h, line, t in tokens if h == hash or t == token_id)
                raise Invalid(
                    f"line {line}: adminToken: its id or hash is that of another one here"
                )
    for links in file.register.named("share.token"):
        lines = {hash: line for hash, line, _ in links}
        for hash, of in await db.read(ask, "import_share_tokens_held", hashes=list(lines)):
            if of != id:
                raise Invalid(f"line {lines[hash]}: share.token: is that of another store's share")


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
        names = ("profile", "jti", "revoked_at")
        for revoked in file.register.revocations():
            each = [dict(zip(names, row, strict=True)) for row in revoked]
            await tx.run_many("import_revocation", each)
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
    db: Database, file: ImportFile | CsvFile, store: Store, *, dry: bool, how: How
) -> AsyncIterator[Counts]:
    """Puts the file's records into the store, and yields after each step what was done so far.

    Several transactions: killed in between, the next import of the file goes on. With ``dry`` it
    only counts. Raises ``Unavailable``, and ``StoreDeleted`` once somebody deletes the store.
    """
    counts, reserved = Counts(), False
    adding: set[asyncio.Task[None]] = set()
    try:
        for some in _some(file, how):
            if isinstance(some, Record):
                if not dry:
                    await db.write(_put, store, some)
                continue
            reserved = reserved or any(bundle.reservations for bundle in some)
            adding.add(asyncio.create_task(_add(db, store, some, counts, dry=dry)))
            await asyncio.sleep(0)  # it begins, and goes on while the next are read
            if len(adding) == _AT_ONCE:
                done, _ = await asyncio.wait(adding, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                adding -= done
                counts.read = file.read
                yield counts
        while adding:
            await adding.pop()
            yield counts
    finally:
        await asyncio.gather(*adding, return_exceptions=True)
    if reserved and not dry:
        # The file again, as each needs two profiles.
        for piece in file:
            if isinstance(piece, Bundle):
                for at in range(0, len(piece.reservations), _RESERVATIONS):
                    records = piece.reservations[at : at + _RESERVATIONS]
                    await db.long_write(_reserve, store, piece, records)
                    yield counts
    counts.read = file.size
    yield counts


def _some(file: ImportFile | CsvFile, how: How) -> Iterable[Record | list[Bundle]]:
    """The store's own records that move, and profiles, as many as go into one transaction."""
    some: list[Bundle] = []
    size = 0
    for piece in file:
        if isinstance(piece, Record):
            # What names the store by its id does not move to another.
            if type(piece) in _OF_STORE and (how != "other" or isinstance(piece, ProductRecord)):
                yield piece
            continue
        if how == "other":  # a token leads to one store
            piece.unshare()
        some.append(piece)
        size += len(piece.items) + len(piece.lists)
        if size >= _RECORDS or len(some) >= _PROFILES:
            yield some
            some, size = [], 0
    if some:
        yield some


async def _put(tx: Writer, store: Store, record: Record) -> None:
    await stores.check_kept(tx, store)
    await tx.run(_OF_STORE[type(record)], store=store.id, **asdict(record))


async def _add(
    db: Database, store: Store, bundles: Sequence[Bundle], counts: Counts, *, dry: bool
) -> None:
    keyed = {ids.profile_key(store.id, bundle.profile.gid): bundle for bundle in bundles}
    for left in reversed(range(_TRIES)):
        lacking = await db.read(_lacking, store, keyed)
        try:
            if not dry and any(lacking.values()):
                lacking = await db.long_write(_fill, store, keyed, lacking)
            break
        except UniqueViolation:  # somebody made one of these profiles meanwhile
            if not left:
                raise
    for added in lacking.values():
        counts.there += "profiles" not in added
        counts.profiles += "profiles" in added
        counts.lists += len(added.get("lists", ()))
        counts.items += len(added.get("items", ()))


async def _lacking(tx: Reader, store: Store, keyed: Mapping[str, Bundle]) -> dict[str, Rows]:
    """What each of these profiles lacks."""
    held: dict[str, Held] = {}
    for key, *columns in await tx.all("import_profiles_held", profiles=list(keyed)):
        held[key] = Held(*columns)
    there = list(held)
    if there:
        for key, id, shared, name in await tx.all("import_lists_held", profiles=there):
            held[key].lists[id] = shared
            names, name = held[key].named, merging.alike(name)
            names[name] = min(id, names.get(name, id))
        for key, id in await tx.all("import_shares_held", profiles=there):
            held[key].shares.add(id)
        for key, id, product, variant, on in await tx.all("import_items_held", profiles=there):
            held[key].items[product, variant] = id, on
    return {key: additions(store, key, bundle, held.get(key)) for key, bundle in keyed.items()}


async def _fill(
    tx: Writer, store: Store, keyed: Mapping[str, Bundle], lacking: dict[str, Rows]
) -> dict[str, Rows]:
    """Adds what these profiles lack, to those that are there under their locks. Returns it."""
    await stores.check_kept(tx, store)
    there = [key for key, added in lacking.items() if added and "profiles" not in added]
    if there:
        in_order = sorted(_place(store, keyed[key].profile.gid) for key in there)
        await tx.all_many("profile_lock", [{"profile": key} for _, key in in_order])
        lacking = lacking | await _lacking(tx, store, {key: keyed[key] for key in there})
    whole: Rows = defaultdict(list)
    for added in lacking.values():
        for name, more in added.items():
            whole[name] += more
    for table in TABLES:
        for at in range(0, len(whole[table]), _ROWS):
            await tx.fill(table, whole[table][at : at + _ROWS])
    whole["share_add"] = await _take_tokens(tx, whole["share_add"])
    fresh = [key for key, added in lacking.items() if "profiles" in added]
    for key, last in await tx.all("import_erased", profiles=fresh):  # contract: erase-sequence
        whole["import_resume"].append({"profile": key, "last": last})
    for statement in _CHANGES:
        if whole[statement]:
            await tx.run_many(statement, whole[statement])
    return lacking


def _place(store: Store, gid: str) -> tuple[bool, str]:
    """Where a profile stands when several are locked, as in a link, and its key: no deadlocks."""
    return ids.customer_of(gid) is not None, ids.profile_key(store.id, gid)


# contract: import-shares
async def _take_tokens(tx: Writer, shares: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of these shares whose tokens lead to no other: a sign-in since the export moved it."""
    hashed = {opaque.hashed(row["token"]): row for row in shares}
    if not hashed:
        return []
    # In one order everywhere: no deadlocks.
    tokens = [
        {"hash": hash, "store": row["store"], "profile": row["profile"], "share": row["id"]}
        for hash, row in sorted(hashed.items())
    ]
    return [hashed[hash] for (hash,) in await tx.all_many("share_token_add", tokens)]


# contract: import-shares
async def _reserve(
    tx: Writer, store: Store, bundle: Bundle, records: Sequence[ReservationRecord]
) -> None:
    """Adds what others have reserved of a profile's items, if it is not there.

    The item may have another id here. Where it is not on a shared list, or where owner or holder
    are not there or have ended, nothing is added.
    """
    await stores.check_kept(tx, store)
    gids = {bundle.profile.gid, *(record.holder for record in records)}
    keys = {}
    for _, key, gid in sorted((*_place(store, gid), gid) for gid in gids):
        row = await tx.one("profile_lock", profile=key)
        if row is not None and row[0] is None:
            keys[gid] = key
    owner = keys.get(bundle.profile.gid)
    kinds = {item.id: item.kind for item in bundle.items}
    wanted = [
        {
            **asdict(record),
            "profile": owner,
            "holder": keys[record.holder],
            "product": kinds[record.item_id][0],
            "variant": kinds[record.item_id][1],
        }
        for record in records
        if owner is not None and record.holder in keys
    ]
    added = await tx.all_many("import_reservation", wanted) if wanted else ()
    if added:
        of = ("holder", "owner", "item", "store", "merged")
        await tx.run_many("held_add", [dict(zip(of, row, strict=True)) for row in added])
