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
from wishwell.transfer import store_records
from wishwell.transfer.additions import TABLES, ExistingProfile, Rows, find_additions, read_records
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
from wishwell.wishlists import item_life

_MAX_RECORDS = 2_000
_MAX_PROFILES = 500
"""Approximate batch size: records and profiles in one transaction, next to the store's traffic."""

_MAX_ROWS = 5_000
_MAX_RESERVATIONS = 500
"""Reservations of one profile in one transaction, which locks their holders."""

_MAX_CONCURRENT = 3
"""Number of concurrent transactions."""

_CHANGE_STATEMENTS = (
    *("share_add", "import_item_lists", "list_mark_shared"),
    *("lists_recount", "profile_recount", "import_profile"),
    *("import_resume", "import_removed"),
)
"""Statements for existing profiles and for shares, run after the tables are filled."""

_to_existing_profile = mapping.from_columns(ExistingProfile, "profile_file_fields")
T = TypeVar("T")
ImportMode = Literal["new", "same", "other"]


class Counts(msgspec.Struct):
    """Numbers of added records. ``existing``: the number of profiles that existed already."""

    profiles: int = 0
    lists: int = 0
    items: int = 0
    existing: int = 0


# rule: import-store
async def plan(tx: Reader, file: ImportFile, handle: str) -> ImportMode:
    """Returns how to import the file's store: create it as ``handle`` ("new"), add to the same
    store ("same"), or add its records to another store ("other").

    An empty store with default settings is replaced, unless the file's store exists here. Raises
    ``Invalid``, ``Conflict``.
    """
    rules.check({"handle": handle})
    stores_by_handle = {store.handle: store for store in await stores.listed(tx)}
    file_store, store = file.store, stores_by_handle.get(handle)
    existing_handle = next(
        (other.handle for other in stores_by_handle.values() if other.id == file_store.id), None
    )
    if store is not None:
        await stores.check_not_deleted(tx, store)
        if store.id == file_store.id:
            return "same"
        if existing_handle or not await _is_unchanged(tx, store):
            if file_store.product_ids != store.product_ids:
                raise Invalid(
                    f"The file has {file_store.product_ids} product ids, but the store {handle!r} "
                    f"has {store.product_ids} product ids. Change the store with: "
                    f"wishwell store update {handle} --product-ids {file_store.product_ids}"
                )
            return "other"
    if existing_handle:
        raise Invalid(
            f"line 1: wishwell.store.id: this store already exists as {existing_handle!r}. Import "
            f"into it with --store {existing_handle}."
        )
    return "new"


async def _is_unchanged(tx: Reader, store: Store) -> bool:
    """Returns whether a store has default settings and no records, tokens or webhooks."""
    blank = stores.blank(store.id, store.handle, store.created_at)
    if msgspec.structs.replace(store, notices=blank.notices) != blank:  # older ones are opt-out
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
                webhooks.decrypt(sealing, id, record.id, record.sealed)
        except (Misconfigured, Damaged) as error:
            raise Misconfigured(f"line {line}: {error.message}") from error


# rule: import-store
async def check_tokens(db: Database, file: ImportFile) -> None:
    """Raises ``Invalid`` if a token of the file exists here and belongs to something else."""
    store = file.store.id
    for tokens in _batches(file.records(AdminTokenRecord)):
        token_keys = [(record.id, record.hash) for _, _, record in tokens]
        token_ids, hashes = map(list, zip(*token_keys, strict=True))
        params = {"ids": token_ids, "hashes": hashes}
        rows = await db.read(run_statement, "import_admin_tokens_held", **params)
        for token_id, hash, owner in rows:
            if owner != store or (token_id, hash) not in token_keys:
                line = next(
                    line for _, line, token in tokens if token.id == token_id or token.hash == hash
                )
                raise Invalid(
                    f"line {line}: adminToken: another admin token here has the same id or hash"
                )
    for shares in _batches(file.records(ShareRecord)):
        lines = {opaque.hashed(record.token): line for _, line, record in shares}
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
    mode = await plan(tx, file, handle)
    if mode != "other":
        for records in _batches(file.records(RevocationRecord)):
            params = [asdict(record) | {"profile": key} for key, _, record in records]
            await tx.run_many("import_revocation", params)
    if mode != "new":
        return await stores.by_handle(tx, handle)
    store = await stores.restore(tx, msgspec.structs.replace(file.store, handle=handle), now)
    for _, _, record in file.records(SecretsRecord):
        await tx.run("store_secrets_set", store=store.id, now=now, **asdict(record))
    await store_secrets.check_apart(tx, sealing, store)
    if file.store_record.feed:  # rule: import-exact
        await tx.run("feed_open", store=store.id)
        await tx.run("feed_begin", store=store.id, number=file.store_record.feed)
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
    mode: ImportMode,
    clock: ids.Clock = ids.wall_clock,
) -> AsyncIterator[Counts]:
    """Adds the file's records to the store. Yields the counts so far after each batch.

    Each batch is a transaction, so an import that was killed can be repeated. With ``dry`` it only
    counts. Raises ``Unavailable``, and ``StoreDeleted`` if the store is deleted meanwhile.
    """
    counts = Counts()
    if isinstance(file, ImportFile) and not dry:
        # The other kinds belong to their store, so they aren't added to another one.
        kinds = (ProductRecord,) if mode == "other" else store_records.STATEMENTS
        for records in _batches(record for _, _, record in file.records(*kinds)):
            await db.long_write(store_records.put, store, records, ids.timestamp(clock()))
            yield counts
    for bundle_groups in _batches(_group_bundles(file, mode), _MAX_CONCURRENT):
        tasks = [
            _add_bundles(db, store, bundles, counts, clock, dry=dry) for bundles in bundle_groups
        ]
        for error in await asyncio.gather(*tasks, return_exceptions=True):
            if error is not None:
                raise error
        yield counts
    # A second pass, because each reservation needs two profiles.
    for bundle in () if dry or mode == "other" else file:
        for records in _batches(bundle.reservations, _MAX_RESERVATIONS):
            await db.long_write(_add_reservations, store, bundle, records)
            yield counts


def _batches(records: Iterable[T], size: int = _MAX_PROFILES) -> Iterator[list[T]]:
    iterator = iter(records)
    return iter(lambda: list(itertools.islice(iterator, size)), [])


def _group_bundles(file: Iterable[Bundle], mode: ImportMode) -> Iterator[list[Bundle]]:
    """Yields the file's profiles in batches, one for each transaction."""
    group: list[Bundle] = []
    record_count = 0
    for bundle in file:
        if mode == "other":
            bundle.detach()
        group.append(bundle)
        record_count += len(bundle.items) + len(bundle.lists)
        if record_count >= _MAX_RECORDS or len(group) >= _MAX_PROFILES:
            yield group
            group, record_count = [], 0
    if group:
        yield group


async def _add_bundles(
    db: Database,
    store: Store,
    bundles: Sequence[Bundle],
    counts: Counts,
    clock: ids.Clock,
    *,
    dry: bool,
) -> None:
    bundles_by_key = {ids.profile_key(store.id, bundle.profile.gid): bundle for bundle in bundles}
    while (additions_by_key := await _try_adding(db, store, bundles_by_key, dry=dry)) is None:
        for (key,) in await db.read(run_statement, "import_erasing", profiles=list(bundles_by_key)):
            while not await db.write(erasure.remove_batch, key, store.id, clock()):
                pass
    for additions in additions_by_key.values():
        counts.existing += "profiles" not in additions
        counts.profiles += "profiles" in additions
        counts.lists += len(additions.get("lists", ()))
        counts.items += len(additions.get("items", ()))


# rule: import-twice
async def _try_adding(
    db: Database, store: Store, bundles: Mapping[str, Bundle], *, dry: bool
) -> dict[str, Rows] | None:
    """Adds and returns the missing records of profiles; ``None`` while one is being erased.

    Records added before an erasure ends would be removed by it.
    """
    additions_by_key = await db.read(_find_missing, store, bundles, dry=dry)
    if not dry and additions_by_key is not None and any(additions_by_key.values()):
        return await db.long_write(add_missing, store, bundles)
    return additions_by_key


async def _find_missing(
    tx: Reader, store: Store, bundles: Mapping[str, Bundle], *, dry: bool = False
) -> dict[str, Rows] | None:
    """Returns the missing records of each profile, or ``None`` while a profile is being erased.

    With ``dry`` a profile that is being erased counts as removed.
    """
    profiles: dict[str, ExistingProfile] = {}
    for key, *columns in await tx.all("import_profiles_held", profiles=list(bundles)):
        profiles[key] = _to_existing_profile(columns)
    closed_keys = [key for key, profile in profiles.items() if profile.closed_at is not None]
    for (key,) in await tx.all("import_erasing", profiles=closed_keys) if closed_keys else ():
        if not dry:
            return None
        del profiles[key]
    if profiles:
        await read_records(tx, profiles)
    return {
        key: find_additions(store, key, bundle, profiles.get(key))
        for key, bundle in bundles.items()
    }


async def add_missing(
    tx: Writer, store: Store, bundles: Mapping[str, Bundle]
) -> dict[str, Rows] | None:
    """Locks the existing profiles and adds their missing records. Returns these records.

    Adds nothing and returns ``None`` while one of the profiles is being erased.
    """
    await stores.check_not_deleting(tx, store)
    sort_keys = sorted(_lock_sort_key(store, bundle.profile.gid) for bundle in bundles.values())
    await tx.all_many("profile_lock", [{"profile": key} for _, key in sort_keys])
    additions_by_key = await _find_missing(tx, store, bundles)
    if additions_by_key is None:
        return None
    all_rows: Rows = defaultdict(list)
    for additions in additions_by_key.values():
        for name, rows in additions.items():
            all_rows[name] += rows
    try:
        for table in TABLES:
            for rows in _batches(all_rows[table], _MAX_ROWS):
                await tx.fill(table, rows)
    except UniqueViolation as error:  # one of the profiles was created in the meantime
        raise RunAgain from error
    all_rows["share_add"] = await _add_tokens(tx, all_rows["share_add"])
    new_keys = [key for key, additions in additions_by_key.items() if "profiles" in additions]
    for key, sequence in await tx.all("import_erased", profiles=new_keys):  # rule: erase-event
        all_rows["import_resume"].append({"profile": key, "last": sequence})
    for statement in _CHANGE_STATEMENTS:
        await tx.run_many(statement, all_rows[statement])
    items_by_key = {key: rows.get("items", []) for key, rows in additions_by_key.items()}
    await item_life.imported(tx, store, items_by_key)
    return additions_by_key


def _lock_sort_key(store: Store, gid: str) -> tuple[bool, str]:
    """Returns the sort key for locking several profiles, in the same order as a link does: no
    deadlocks. Its second part is the profile's key."""
    return ids.customer_of(gid) is not None, ids.profile_key(store.id, gid)


# rule: import-twice
async def _add_tokens(tx: Writer, shares: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds the shares' tokens. Returns the shares whose tokens are still free: a sign-in after the
    export may have moved one."""
    shares_by_hash = {opaque.hashed(row["token"]): row for row in shares}
    if not shares_by_hash:
        return []
    # The same order everywhere prevents deadlocks.
    tokens = [
        {"hash": hash, "store": row["store"], "profile": row["profile"], "share": row["id"]}
        for hash, row in sorted(shares_by_hash.items())
    ]
    return [shares_by_hash[hash] for (hash,) in await tx.all_many("share_token_add", tokens)]


# rule: import-twice
async def _add_reservations(
    tx: Writer, store: Store, bundle: Bundle, records: Sequence[ReservationRecord]
) -> None:
    """Adds missing reservations of a profile's items.

    An item may have another id in this database than in the file. Skips a reservation if its item
    isn't on a shared list, or if its owner or holder doesn't exist or is closed.
    """
    await stores.check_not_deleting(tx, store)
    gids = {bundle.profile.gid, *(record.holder for record in records)}
    keys_by_gid = {}
    for _, key, gid in sorted((*_lock_sort_key(store, gid), gid) for gid in gids):
        row = await tx.one("profile_lock", profile=key)
        if row is not None and row[0] is None:
            keys_by_gid[gid] = key
    owner = keys_by_gid.get(bundle.profile.gid)
    kinds_by_item = {item.id: item.kind for item in bundle.items}
    params = [
        {
            **asdict(record),
            "profile": owner,
            "holder": keys_by_gid[record.holder],
            "product": kinds_by_item[record.item_id][0],
            "variant": kinds_by_item[record.item_id][1],
        }
        for record in records
        if owner is not None and record.holder in keys_by_gid
    ]
    added_rows = await tx.all_many("import_reservation", params) if params else ()
    columns = ("holder", "owner", "item", "store", "merged")
    await tx.run_many("held_add", [dict(zip(columns, row, strict=True)) for row in added_rows])
