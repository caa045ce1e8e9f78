"""Every column is part of a store's export or listed here with a reason, so a new one can't be
forgotten."""

from typing import Any

import msgspec
import pytest

from tests import schema
from wishwell import stores
from wishwell.db import mapping, statements
from wishwell.transfer import file_records
from wishwell.wishlists import items, shares

RECORDS: dict[str, Any] = {name: record for record, name in file_records.KINDS.items()}

KEYS = {
    "profile_id": "the line stands below its profile's",
    "store_id": "the file is of one store",
    "owner_id": "the line stands below its owner's",
}
"""Columns that no export line has."""

ELSEWHERE = {
    "profiles": {
        "is_session": "the GID says it",
        "items": "counted",
        "lists": "counted",
        "changes": "counts what happens here",
        "linked_id": "whose events go with the customer's; events stay behind",
    },
    "lists": {"item_count": "counted"},
    "entries": {"list_id": "listIds of the item", "item_id": "the line's id", "position": "order of the list"},
    "item_tags": {"item_id": "the line's id", "tag": "tags"},
    "purchases": dict.fromkeys(
        ("line", "quantity", "product_id", "variant_id", "wish_variant_id", "day", "placed_at",
         "amount", "currency", "mailed"), "in purchases of the line"),
    "items": {"changed": "of an event that was told", "purchased": "follows from the orders"},
    "orders": {"received_at": "when the order was received here"},
    "products": {"version": "of the platform's webhooks, which go on"},
    "reservations": {"holder_id": "holder, a GID"},
    "stores": {"updated_at": "when it was changed here", "handle": "store.handle"},
    "store_hosts": {"host": "hosts of the store, and its platform's shop"},
    "store_secrets": {"updated_at": "when they were changed here"},
    "webhooks": {"position": "of the feed here", "missed": "of the feed here", "due_at": "what is sent here",
        "skipped": "of the feed here", "problem": "what happened here", "wait_until": "what happened here"},
    "share_tokens": {"hash": "of the token", "share_id": "the line's id"},
}  # fmt: skip


def exported_fields(table):
    record = RECORDS[schema.CARRIED[table]]
    inner = [field for field in msgspec.structs.fields(record) if field.name == "store"]
    return {
        field.encode_name
        for shape in (record, *(field.type for field in inner))
        for field in msgspec.structs.fields(shape)
    }


def camel(column):
    first, *rest = column.split("_")
    return first + "".join(map(str.title, rest))


def test_every_table_is_exported_or_listed_as_not_exported():
    """Each table is exported, or ``schema.CARRIED`` says that it isn't. Rule: export-whole."""
    of_stores = {name for name, of in schema.tables().items() if {"profile_id", "store_id"} & {*of}}
    assert schema.CARRIED.keys() == of_stores | {"stores"}


@pytest.mark.parametrize("table", sorted(table for table, line in schema.CARRIED.items() if line))
def test_every_column_is_exported_or_has_a_reason_why_not(table):
    """Each column is in its table's export line, or has a reason why not. Rule: export-whole."""
    reasons = ELSEWHERE.get(table, {})
    left = {
        column
        for column in schema.tables()[table]
        if camel(column) not in exported_fields(table) and column not in KEYS
    }
    assert left - reasons.keys() == set(), (
        f"put it into the line's type, or say here why not: {table}"
    )
    assert reasons.keys() <= set(schema.tables()[table]), f"columns of {table} that are not there"


UNFILLED = {"profiles": {"changes", "linked_id"}, "items": {"changed"}}
"""Columns that get their default value from every insert."""


@pytest.mark.parametrize("table", ["profiles", "items", "item_tags", "lists", "entries", "events"])
def test_import_and_sign_in_fill_every_column(table):
    """Import and sign-in fill every column except the listed ones.
    Rules: export-whole, link-merges-items."""
    filled = {*statements.columns(f"{table}_filled")}
    different = {*schema.tables()[table]} ^ (filled | UNFILLED.get(table, set()))
    assert not different, f"columns that only one of {table}_filled and the migrations has"


class Odd(msgspec.Struct):
    """A type with a field that no column fills."""

    id: str
    missing: str | msgspec.UnsetType


def test_error_names_the_type_and_field_that_lacks_a_column():
    """A type can't be read from columns that lack one of its fields; the error names both."""
    with pytest.raises(TypeError, match=r"Odd.missing: isn't a column of item_fields"):
        mapping.from_columns(Odd, "item_fields")


ITEM = {"id": "7", "product_id": "1", "variant_id": "", "quantity": 3, "tags": "a b", "note": ""}
ITEM |= {"list_ids": "x", "created_at": "2020", "updated_at": "2021"}
SHARE = {"id": "7", "token": "t", "list_id": "x", "reservations": 1, "notes": 0}
SHARE |= {"created_at": "2020", "expires_at": None}


@pytest.mark.parametrize(
    ("read", "of", "row"),
    [(items.from_row, "item_fields", ITEM), (shares.from_row, "share_fields", SHARE)],
)
def test_row_is_read_by_the_names_of_its_columns(read, of, row):
    """Each column fills the field with the same name, and is stored as it was read."""
    record = read(tuple(row.get(name, "") for name in statements.columns(of)))
    assert row.items() <= mapping.to_columns(record, of).items()
    shown = msgspec.to_builtins(record)
    assert shown["createdAt"] == "2020"
    assert "" not in shown.values() and None not in shown.values(), "a missing value is shown"


def test_missing_value_is_stored_as_its_column_declares():
    """None is an empty text in a column with that initial value, and NULL in others."""
    item = file_records.ItemRecord("7", 1, "2020", "2021")
    columns = mapping.to_columns(item, "items_filled")
    missing = {"dropped_at", "restocked_at", "saved_at", "saved_price"}
    assert missing == {name for name, value in columns.items() if value == ""} - {
        "note",
        "tags",
        "list_ids",
    }
    profile = file_records.ProfileRecord("gid", "2020", "2021")
    assert mapping.to_columns(profile, "profiles_filled")["email"] is None


def test_zero_is_read_as_a_value():
    """An empty text is a missing value of a text; 0 is never a missing value of a number."""
    read = mapping.from_columns(file_records.ProfileRecord, "profile_file_fields")
    columns = {"closed_at": "", "notices": 0, "events": 0}
    profile = read([columns.get(name, "x") for name in statements.columns("profile_file_fields")])
    assert (profile.closed_at, profile.notices, profile.events) == (None, 0, 0)


@pytest.mark.either_engine
def test_each_store_setting_has_a_column():
    """A setting that isn't in `store_fields` would be lost without an error."""
    fields = {field.name for field in msgspec.structs.fields(stores.Store)}
    assert fields == {*statements.columns("store_fields")}
