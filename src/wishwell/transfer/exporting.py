"""Export of a store as JSON Lines (``file_records.py``), one profile after another."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence

import msgspec

from wishwell import ids, stores
from wishwell.db import Database, Reader, Row, mapping
from wishwell.stores import Store
from wishwell.transfer import file_records, order_records
from wishwell.transfer.file_records import (
    EndRecord,
    ItemRecord,
    ListRecord,
    ReservationRecord,
    ShareRecord,
)
from wishwell.transfer.order_records import RemovedRecord
from wishwell.transfer.record_types import Record, show_ids

_MAX_PROFILES = 1_000
_MAX_ITEMS = 2_000
"""Batch sizes: profiles read by one statement, and about how many items are in memory together.
Profiles aren't split, so a single large one may exceed the latter."""

_LIST, _POSITION, _ITEM, _SHARE, _RESERVATION, _REMOVED = range(6)
"""Values of ``kind`` in the statement ``export_records``."""

HoldersByKeys = dict[tuple[str, str], tuple[str, str | None]]
"""The GID of a reservation's holder, and its ``merged_id``, by keys of the holder and the item."""

_record_decoder = msgspec.json.Decoder(list)
_to_list = mapping.from_columns(ListRecord, "lists_filled")
_to_item = mapping.from_columns(ItemRecord, "items_filled")
_to_removed_item = mapping.from_columns(RemovedRecord, "removed_item_fields")
_to_share = mapping.from_columns(ShareRecord, "share_fields")
_to_token = mapping.from_columns(file_records.AdminTokenRecord, "admin_token_file_fields")
_to_webhook = mapping.from_columns(file_records.WebhookRecord, "webhook_file_fields")
_to_suppression = mapping.from_columns(file_records.SuppressionRecord, "suppression_file_fields")
_to_product = mapping.from_columns(file_records.ProductRecord, "product_file_fields")
_to_profile = mapping.from_columns(file_records.ProfileRecord, "profile_file_fields")


# rule: export-whole
async def export_lines(
    db: Database, handle: str, now: str, counts: EndRecord
) -> AsyncIterator[bytes]:
    """Yields a store's lines in batches of a few thousand. Raises ``NotFound``.

    Adds the numbers of records to ``counts``. All lines share one snapshot; on a cluster, only each
    profile's do. Memory use grows with the largest profile.
    """
    async with db.snapshot() as tx:
        store = await stores.by_handle(tx, handle)
        feed_end = await tx.one("feed_end", store=store.id)
        store_fields = file_records.StoreFields(*msgspec.structs.astuple(store))
        yield file_records.encode(
            file_records.StoreRecord(
                file_records.VERSION, now, store_fields, feed_end[0] if feed_end else 0
            )
        )
        async for piece in _export_store(tx, store):
            yield piece
        async for profile_rows in _read_profiles(tx, store):
            records = await _read_records(tx, store, profile_rows)
            _add_counts(counts, records)
            yield b"".join(map(file_records.encode, records))
        yield file_records.encode(counts)


async def _export_store(tx: Reader, store: Store) -> AsyncIterator[bytes]:
    if (row := await tx.one("store_secrets", store=store.id)) is not None:
        yield file_records.encode(file_records.SecretsRecord(row[0]))
    for row in await tx.all("export_admin_tokens", store=store.id):
        yield file_records.encode(_to_token(row))
    for row in await tx.all("export_webhooks", store=store.id):
        yield file_records.encode(_to_webhook(row))
    after = ids.NO_UUID
    while rows := await tx.all("export_products", store=store.id, after=after, limit=_MAX_PROFILES):
        products = [_to_product(row) for row in rows]
        yield b"".join(map(file_records.encode, products))
        after = products[-1].id
    after = ""
    while rows := await tx.all(
        "export_suppressions", store=store.id, after=after, limit=_MAX_ITEMS
    ):
        yield b"".join(file_records.encode(_to_suppression(row)) for row in rows)
        after = rows[-1][0]
    async for orders in order_records.read(tx, store):
        yield b"".join(map(file_records.encode, orders))


async def _read_profiles(tx: Reader, store: Store) -> AsyncIterator[Sequence[Row]]:
    """Yields the store's profiles in batches that fit into memory with all their records."""
    after = ids.NO_UUID
    while rows := await tx.all("export_profiles", store=store.id, after=after, limit=_MAX_PROFILES):
        after, group, item_count = rows[-1][0], [], 0
        for row in rows:
            group.append(row)
            item_count += row[1]
            if item_count >= _MAX_ITEMS:
                yield group
                group, item_count = [], 0
        if group:
            yield group


async def _read_records(tx: Reader, store: Store, rows: Sequence[Row]) -> list[Record]:
    profiles = {id: _to_profile(columns) for id, _, *columns in rows}
    # Skips the records of closed sessions, because they are about to be purged.
    rows_by_profile: dict[str, list[Row]] = {
        id: [] for id, profile in profiles.items() if profile.closed_at is None
    }
    for record in await tx.all("export_records", profiles=list(rows_by_profile)):
        rows_by_profile[record[0]].append(record)
    holders = await _read_holders(tx, rows_by_profile)
    revocations: dict[str, list[Record]] = defaultdict(list)
    for id, *columns in await tx.all("export_revocations", profiles=list(profiles)):
        revocations[id].append(file_records.RevocationRecord(*columns))
    records: list[Record] = []
    for id, profile in profiles.items():
        records += [profile, *revocations[id]]
        records += _build_records(store, rows_by_profile.get(id, ()), holders)
    return records


def _add_counts(counts: EndRecord, records: Sequence[Record]) -> None:
    counts_by_type = Counter(map(type, records))
    counts.profiles += counts_by_type[file_records.ProfileRecord]
    counts.lists += counts_by_type[ListRecord]
    counts.items += counts_by_type[ItemRecord]
    counts.shares += counts_by_type[ShareRecord]
    counts.reservations += counts_by_type[ReservationRecord]


async def _read_holders(tx: Reader, rows_by_profile: dict[str, list[Row]]) -> HoldersByKeys:
    """Returns the holders of reservations on these items.

    On a cluster some are missing, if their session was closed after ``rows_by_profile`` was read.
    """
    holder_ids = {
        row[2] for records in rows_by_profile.values() for row in records if row[1] == _RESERVATION
    }
    rows = (
        await tx.all("export_held", holders=list(holder_ids), owners=list(rows_by_profile))
        if holder_ids
        else ()
    )
    return {(holder, item): (gid, merged_id) for holder, item, merged_id, gid in rows}


def _build_records(store: Store, rows: Sequence[Row], holders: HoldersByKeys) -> list[Record]:
    lists: dict[str, ListRecord] = {}
    positions_by_list: dict[str, list[tuple[int, str]]] = defaultdict(list)
    shares, items, removed_items, reservations = [], [], [], []
    for _, kind, id, text in rows:
        values = _record_decoder.decode(text)
        if kind == _LIST:
            lists[id] = _to_list(values)
        elif kind == _POSITION:
            positions_by_list[id].append(tuple(values))
        elif kind == _ITEM:
            item = _to_item(values)
            show_ids(store, item, "product_id", "variant_id")
            items.append(item)
        elif kind == _REMOVED:
            removed_items.append(_to_removed_item(values))
            show_ids(store, removed_items[-1], "product_id", "variant_id")
        elif kind == _SHARE:
            share = _to_share(values)
            share.list_id = None if share.list_id == ids.NO_UUID else share.list_id
            shares.append(share)
        elif holder := holders.get((id, values[0])):
            item_id, quantity, created_at = values
            record = ReservationRecord(item_id, holder[0], quantity, created_at, holder[1])
            reservations.append(record)
    for id, positions in positions_by_list.items():
        lists[id].order = [item for _, item in sorted(positions)]
    reservations.sort(key=lambda record: (record.item_id, record.holder))
    return [*lists.values(), *shares, *items, *removed_items, *reservations]
