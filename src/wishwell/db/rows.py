"""The columns of each record, in the order in which every statement answers them.

A record of a noun is made of such a row in one place, its ``from_row``; its fields stand in the
same order (tests/contract/test_statements.py).
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
STORE = ("id", "handle", "platform", "product_ids", "auth_flow", "origins", "limits", "created_at")
