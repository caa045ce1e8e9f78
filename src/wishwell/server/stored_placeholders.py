"""Customers and products that older versions stored under placeholders."""

from wishwell import stores
from wishwell.db import Reader
from wishwell.stores import placeholders

# Looked up exactly, because an index finds them then.
_SPELLINGS = ["NaN"] + [
    spell(word)
    for word in sorted(placeholders.PRODUCT_WORDS)
    for spell in (str.lower, str.upper, str.capitalize)
]
_MAX_COMMANDS = 5


# rule: placeholder-ids
async def commands(tx: Reader) -> tuple[int, list[str]]:
    """Returns how many customers, products and wished products have a placeholder as id, and
    commands that erase or show the first of them."""
    handles = {store.id: store.handle for store in await stores.listed(tx)}
    stored: list[str] = []
    for store, gid in await tx.all(
        "customers_like_placeholders", words=[*placeholders.CUSTOMER_WORDS]
    ):
        if placeholders.names_nobody(gid):
            stored.append(f"wishwell profile erase '{gid}' --store {handles.get(store, store)}")
    for store, product in await tx.all("products_named", ids=_SPELLINGS):
        stored.append(f"DELETE /products/{product} ({handles.get(store, store)})")
    for store, product in await tx.all("items_named", ids=_SPELLINGS):
        stored.append(f"GET /items?query=product:{product} ({handles.get(store, store)})")
    return len(stored), stored[:_MAX_COMMANDS]
