"""Joins rows that name only a variant to the stored product that has it."""

from collections.abc import AsyncIterator

import msgspec

from wishwell import ids, products
from wishwell.db import Database, run_statement, statements
from wishwell.importers.catalogue import Catalogue


# rule: catalogue-partial
async def join(db: Database, catalogue: Catalogue) -> AsyncIterator[None]:
    """Joins the rows of a file without titles, such as ids and stock, that name no stored product,
    but a variant of exactly one."""
    spool, after = catalogue.spool, ids.NO_UUID
    if "title" in catalogue.stated.any:
        return
    spool.query("CREATE TABLE stored (id TEXT PRIMARY KEY)")
    spool.query("CREATE TABLE variants (id TEXT PRIMARY KEY, product TEXT)")
    params = {"store": catalogue.store.id, "limit": products.MAX_BULK}
    while rows := await db.read(run_statement, "export_products", **params, after=after):
        for row in rows:
            product = statements.name_columns("product_file_fields", row)
            product_id, after = product["product_id"], product["id"]
            spool.query("INSERT INTO stored VALUES (?)", product_id)
            for variant in msgspec.json.decode(product["variants"]):
                spool.query(
                    "INSERT INTO variants VALUES (?, ?) ON CONFLICT DO UPDATE SET product = ''",
                    str(variant["variantId"]),
                    product_id,
                )
        yield
    spool.query(
        "UPDATE records SET kind = key, key = (SELECT product FROM variants WHERE id = key) "
        "WHERE kind = '' AND key IN (SELECT id FROM variants WHERE product > '') "
        "AND key NOT IN (SELECT id FROM stored)"
    )
