"""The columns of each record, in the order in which every statement returns them.

``from_row`` makes a record from such a row. The fields of the record have the same order
(tests/contract/test_statements.py).
"""

ITEM = (
    "id",
    "product_id",
    "variant_id",
    "quantity",
    "tags",
    "note",
    "list_ids",
    "created_at",
    "updated_at",
)
LIST = ("id", "name", "item_count", "created_at", "updated_at")
STORE = (
    "id",
    "handle",
    "platform",
    "product_ids",
    "auth_flow",
    "hosts",
    "naming",
    "origins",
    "limits",
    "price_drop_percent",
    "events_since",
    "created_at",
    "forget_customers_after",
    "forget_since",
)
EVENT = ("profile_id", "sequence", "type", "created_at", "gid", "data")
WEBHOOK = ("id", "url", "types", "enabled", "created_at", "updated_at", "failing_since")
DELIVERY = (
    "id",
    "profile_id",
    "sequence",
    "type",
    "status",
    "attempts",
    "last_status",
    "last_attempt_at",
    "next_at",
)
FILLED = {
    "profiles": (
        *("profile_id", "store_id", "gid", "is_session", "items", "lists", "events"),
        *("created_at", "touched_at", "closed_at", "email", "notices"),
    ),
    "lists": (
        *("profile_id", "id", "store_id", "item_count", "shared"),
        *("created_at", "updated_at", "name"),
    ),
    "items": (
        *("profile_id", "id", "store_id", "product_id", "variant_id", "quantity"),
        *("created_at", "updated_at", "dropped_at", "restocked_at", "list_ids", "tags", "note"),
    ),
    "entries": ("profile_id", "list_id", "item_id", "position"),
    "item_tags": ("profile_id", "item_id", "tag", "store_id"),
}
"""The columns of the tables that an import fills, in the order of its rows."""

PRODUCT = ("id", "product_id", "document", "created_at", "updated_at")
SHARE = ("id", "token", "list_id", "reservations", "notes", "created_at", "expires_at")
