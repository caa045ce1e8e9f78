"""Imports the profiles of a file into a store. Idempotent (rule: import-twice)."""

import asyncio
import itertools
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import asdict

from wishwell import ids, opaque, stores
from wishwell.db import Database, Reader, RunAgain, UniqueViolation, Writer, mapping, run_statement
from wishwell.errors import Invalid, Misconfigured
from wishwell.events import webhooks
from wishwell.privacy import erasure
from wishwell.stores import Store, rules, store_secrets
from wishwell.stores.sealing import Damaged, Sealing
from wishwell.transfer.additions import TABLES, ExistingProfile, Rows, additions
from wishwell.transfer.file_records import (
    AdminTokenRecord,
    ProductRecord,
    ReservationRecord,
    RevocationRecord,
    SecretsRecord,
    ShareRecord,
    WebhookRecord,
)
from wishwell.transfer.import_file import Bundle, ImportFile
from wishwell.transfer.order_records import OrderRecord
from wishwell.transfer.record_types import Record
from wishwell.wishlists import item_life, merging, orders

_MAX_RECORDS = 2_000
_MAX_PROFILES = 500
"""Approximate batch size: records and profiles in one transaction, next to the store's traffic."""

_MAX_ROWS = 5_000
_MAX_RESERVATIONS = 500
"""Reservations of one profile in one transaction, which locks their holders."""

_MAX_CONCURRENT = 3
"""Number of concurrent transactions."""

_OF_STORE: dict[type[Record], str] = {
    ProductRecord: "import_product",
    OrderRecord: "",
    AdminTokenRecord: "import_admin_token",
    WebhookRecord: "import_webhook",
}
_CHANGES = (
    *("share_add", "import_item_lists", "list_mark_shared"),
    *("lists_recount", "profile_recount", "import_profile"),
    *("import_resume", "import_removed"),
)
"""Statements for existing profiles and for shares, run after the tables are filled."""

_existing = mapping.from_columns(ExistingProfile, "profile_file_fields")
T = TypeVar("T")
How = Literal["new", "same", "other"]


class Counts(msgspec.Struct):
    """Numbers of added records. ``there``: the number of profiles that existed already."""

    profiles: int = 0
    lists: int = 0
    items: int = 0
    there: int = 0


# rule: import-store
async def plan(tx: Reader, file: ImportFile, handle: str) -> How:
    """Returns how to import the file's store: create it as ``handle`` ("new"), add to the same
    store ("same"), or add its records to another store ("other").

    An empty store with default settings is replaced, unless the file's store exists here. Raises
    ``Invalid``, ``Conflict``.
    """
    rules.check({"handle": handle})
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
                    f"The file has {mine.product_ids} product ids, but the store {handle!r} has "
                    f"{store.product_ids} product ids. Change the store with: "
                    f"wishwell store update {handle} --product-ids {mine.product_ids}"
                )
            return "other"
    if here:
        raise Invalid(
            f"line 1: wishwell.store.id: this store already exists as {here!r}. Import into it "
            f"with --store {here}."
        )
    return "new"


async def _is_as_made(tx: Reader, store: Store) -> bool:
    """Returns whether a store has default settings and no records, tokens or webhooks."""
    if store != stores.blank(store.id, store.handle, store.created_at):
        return False
    for statement in ("export_admin_tokens", "export_webhooks"):
        if await tx.all(statement, store=store.id):
            return False
    for statement in ("store_profiles", "export_products"):
        if await tx.all(statement, store=store.id, after=ids.NO_UUID, limit=1):
            return False
    return True


def check_secrets(sealing: Sealing | None, file: ImportFile) -> None:
    """Raises ``Misconfigured`` for a secret of the store that can't be decrypted here."""
    id = file.store.id
    for _, line, record in file.records(SecretsRecord, WebhookRecord):
        if sealing is None:
            raise Misconfigured(
                "The store has encrypted secrets. Add the WISHWELL_SEALING_KEYS of the deployment "
                "that exported it to this deployment's, after its own keys."
            )
        try:
            if isinstance(record, SecretsRecord):
                store_secrets.opened(sealing, id, record.sealed)
            elif isinstance(record, WebhookRecord):
                webhooks.decrypted(sealing, id, record.id, record.sealed)
        except (Misconfigured, Damaged) as error:
            raise Misconfigured(f"line {line}: {error.message}") from error


# rule: import-store
async def check_apart(db: Database, file: ImportFile) -> None:
    """Raises ``Invalid`` if a token of the file exists here and belongs to something else."""
    store = file.store.id
    for tokens in _batches(file.records(AdminTokenRecord)):
        of = [(record.id, record.hash) for _, _, record in tokens]
        token_ids, hashes = map(list, zip(*of, strict=True))
        held = await db.read(
            run_statement, "import_admin_tokens_held", ids=token_ids, hashes=hashes
        )
        for token_id, hash, owner in held:
            if owner != store or (token_id, hash) not in of:
                line = next(n for _, n, t in tokens if t.id == token_id or t.hash == hash)
                raise Invalid(
                    f"line {line}: adminToken: another admin token here has the same id or hash"
                )
    for links in _batches(file.records(ShareRecord)):
        lines = {opaque.hashed(record.token): line for _, line, record in links}
        for hash, owner in await db.read(
            run_statement, "import_share_tokens_held", hashes=list(lines)
        ):
            if owner != store:
                raise Invalid(
                    f"line {lines[hash]}: share.token: a share of another store has the same token"
                )


async def take_store(
    tx: Writer, sealing: Sealing | None, file: ImportFile, handle: str, now: str
) -> Store:
    """Returns the store to import into; creates it if ``plan`` returns "new". Unless it is another
    store, adds the file's revocations in the same transaction, so that no process accepts a revoked
    token."""
    await stores.lock(tx)
    how = await plan(tx, file, handle)
    if how != "other":
        for some in _batches(file.records(RevocationRecord)):
            revoked = [asdict(record) | {"profile": key} for key, _, record in some]
            await tx.run_many("import_revocation", revoked)
    if how != "new":
        return await stores.by_handle(tx, handle)
    store = await stores.restore(tx, msgspec.structs.replace(file.store, handle=handle), now)
    for _, _, record in file.records(SecretsRecord):
        await tx.run("store_secrets_set", store=store.id, now=now, **asdict(record))
    await store_secrets.check_apart(tx, sealing, store)
    if file.first.feed:  # rule: import-exact
        await tx.run("feed_open", store=store.id)
        await tx.run("feed_begin", store=store.id, number=file.first.feed)
    return store


# rule: import-emails
async def has_email_ids(tx: Reader, store: Store) -> bool:
    """Returns whether the store has a customer whose id is an e-mail address."""
    return bool(await tx.all("import_email_ids", store=store.id))


# rules: import-exact, import-twice
async def load(
    db: Database,
    file: Iterable[Bundle],
    store: Store,
    *,
    dry: bool,
    how: How,
    clock: ids.Clock = ids.wall_clock,
) -> AsyncIterator[Counts]:
    """Adds the file's records to the store. Yields the counts so far after each batch.

    Each batch is a transaction: after a kill, the next import of the file resumes. With ``dry`` it
    only counts. Raises ``Unavailable``, and ``StoreDeleted`` if the store is deleted meanwhile.
    """
    counts = Counts()
    if isinstance(file, ImportFile) and not dry:
        # Tokens, webhooks and orders belong to their store, so they aren't added to another one.
        kinds = (ProductRecord,) if how == "other" else _OF_STORE
        for records in _batches(record for _, _, record in file.records(*kinds)):
            await db.long_write(_put, store, records, ids.timestamp(clock()))
            yield counts
    for some in _batches(_groups(file, how), _MAX_CONCURRENT):
        adding = [_add(db, store, bundles, counts, clock, dry=dry) for bundles in some]
        for error in await asyncio.gather(*adding, return_exceptions=True):
            if error is not None:
                raise error
        yield counts
    # A second pass, because each reservation needs two profiles.
    for bundle in () if dry or how == "other" else file:
        for records in _batches(bundle.reservations, _MAX_RESERVATIONS):
            await db.long_write(_reserve, store, bundle, records)
            yield counts


def _batches(records: Iterable[T], size: int = _MAX_PROFILES) -> Iterator[list[T]]:
    left = iter(records)
    return iter(lambda: list(itertools.islice(left, size)), [])


def _groups(file: Iterable[Bundle], how: How) -> Iterator[list[Bundle]]:
    """Yields the file's profiles in batches, one for each transaction."""
    some: list[Bundle] = []
    size = 0
    for bundle in file:
        if how == "other":
            bundle.detach()
        some.append(bundle)
        size += len(bundle.items) + len(bundle.lists)
        if size >= _MAX_RECORDS or len(some) >= _MAX_PROFILES:
            yield some
            some, size = [], 0
    if some:
        yield some


async def _put(tx: Writer, store: Store, records: Sequence[Record], now: str) -> None:
    await stores.lock(tx)
    await stores.check_not_deleting(tx, store)
    for record in records:
        if isinstance(record, OrderRecord):
            await orders.restore(tx, store, record.hash, record.updated_at, record.rows(store), now)
        else:
            await tx.run(_OF_STORE[type(record)], store=store.id, **asdict(record))


async def _add(
    db: Database,
    store: Store,
    bundles: Sequence[Bundle],
    counts: Counts,
    clock: ids.Clock,
    *,
    dry: bool,
) -> None:
    keyed = {ids.profile_key(store.id, bundle.profile.gid): bundle for bundle in bundles}
    while (lacking := await _try(db, store, keyed, dry=dry)) is None:
        for (key,) in await db.read(run_statement, "import_erasing", profiles=list(keyed)):
            while not await db.write(erasure.remove_batch, key, store.id, clock()):
                pass
    for added in lacking.values():
        counts.there += "profiles" not in added
        counts.profiles += "profiles" in added
        counts.lists += len(added.get("lists", ()))
        counts.items += len(added.get("items", ()))


# rule: import-twice
async def _try(
    db: Database, store: Store, keyed: Mapping[str, Bundle], *, dry: bool
) -> dict[str, Rows] | None:
    """Adds and returns the missing records of profiles; ``None`` while one is being erased.

    Records added before an erasure ends would be removed by it.
    """
    lacking = await db.read(_lacking, store, keyed, dry=dry)
    if not dry and lacking is not None and any(lacking.values()):
        return await db.long_write(add_missing, store, keyed)
    return lacking


async def _lacking(
    tx: Reader, store: Store, keyed: Mapping[str, Bundle], *, dry: bool = False
) -> dict[str, Rows] | None:
    """Returns the missing records of each profile, or ``None`` while a profile is being erased.

    With ``dry`` a profile that is being erased counts as removed.
    """
    held: dict[str, ExistingProfile] = {}
    for key, *columns in await tx.all("import_profiles_held", profiles=list(keyed)):
        held[key] = _existing(columns)
    closed = [key for key, profile in held.items() if profile.closed_at is not None]
    for (key,) in await tx.all("import_erasing", profiles=closed) if closed else ():
        if not dry:
            return None
        del held[key]
    there = list(held)
    if there:
        for key, id, shared, name in await tx.all("import_lists_held", profiles=there):
            held[key].lists[id] = shared
            names, name = held[key].named, merging.normalised_name(name)
            names[name] = min(id, names.get(name, id))
        for key, id in await tx.all("import_shares_held", profiles=there):
            held[key].shares.add(id)
        for key, id, product, variant, on in await tx.all("import_items_held", profiles=there):
            held[key].items[product, variant] = id, on
    return {key: additions(store, key, bundle, held.get(key)) for key, bundle in keyed.items()}


async def add_missing(
    tx: Writer, store: Store, keyed: Mapping[str, Bundle]
) -> dict[str, Rows] | None:
    """Locks the existing profiles and adds their missing records. Returns these records.

    Adds nothing and returns ``None`` while one of the profiles is being erased.
    """
    await stores.check_not_deleting(tx, store)
    in_order = sorted(_place(store, bundle.profile.gid) for bundle in keyed.values())
    await tx.all_many("profile_lock", [{"profile": key} for _, key in in_order])
    lacking = await _lacking(tx, store, keyed)
    if lacking is None:
        return None
    whole: Rows = defaultdict(list)
    for added in lacking.values():
        for name, more in added.items():
            whole[name] += more
    try:
        for table in TABLES:
            for rows in _batches(whole[table], _MAX_ROWS):
                await tx.fill(table, rows)
    except UniqueViolation as error:  # one of the profiles was created in the meantime
        raise RunAgain from error
    whole["share_add"] = await _take_tokens(tx, whole["share_add"])
    fresh = [key for key, added in lacking.items() if "profiles" in added]
    for key, last in await tx.all("import_erased", profiles=fresh):  # rule: erase-event
        whole["import_resume"].append({"profile": key, "last": last})
    for statement in _CHANGES:
        await tx.run_many(statement, whole[statement])
    added = {key: rows.get("items", []) for key, rows in lacking.items()}
    await item_life.imported(tx, store, added)
    return lacking


def _place(store: Store, gid: str) -> tuple[bool, str]:
    """Returns the sort key for locking several profiles, in the same order as a link does: no
    deadlocks. Its second part is the profile's key."""
    return ids.customer_of(gid) is not None, ids.profile_key(store.id, gid)


# rule: import-twice
async def _take_tokens(tx: Writer, shares: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds the shares' tokens. Returns the shares whose tokens are still free: a sign-in after the
    export may have moved one."""
    hashed = {opaque.hashed(row["token"]): row for row in shares}
    if not hashed:
        return []
    # The same order everywhere prevents deadlocks.
    tokens = [
        {"hash": hash, "store": row["store"], "profile": row["profile"], "share": row["id"]}
        for hash, row in sorted(hashed.items())
    ]
    return [hashed[hash] for (hash,) in await tx.all_many("share_token_add", tokens)]


# rule: import-twice
async def _reserve(
    tx: Writer, store: Store, bundle: Bundle, records: Sequence[ReservationRecord]
) -> None:
    """Adds missing reservations of a profile's items.

    An item may have another id in this database than in the file. Skips a reservation if its item
    isn't on a shared list, or if its owner or holder doesn't exist or is closed.
    """
    await stores.check_not_deleting(tx, store)
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
    of = ("holder", "owner", "item", "store", "merged")
    await tx.run_many("held_add", [dict(zip(of, row, strict=True)) for row in added])
