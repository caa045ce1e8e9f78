"""The summary of an import of the catalogue: for the command, as JSON, and for metrics."""

import unicodedata
from collections.abc import Mapping, Sequence

import msgspec

from wishwell import ids, products
from wishwell.db import Database, run_statement
from wishwell.importers.catalogue import Catalogue, Reason
from wishwell.importers.catalogue_changes import Changes, Drop
from wishwell.products import NewProduct, ProductData, Variant
from wishwell.stores import Store


class Summary(msgspec.Struct, rename="camel"):
    """What a run found and did. ``columns``: those read, ``fields``: where each field is read from.
    ``refused``: rows that were left out, ``hidden``: those of products that aren't published,
    ``skipped``: those of no product, ``lost``: cells. ``reasons``: why, at most 102.
    ``missing``: products that the file lacks, and variants, which an import deletes unless they are
    too many. ``held``: the first of the ``held_prices``.

    Of a dry run, ``unchanged`` and ``deleted`` are numbers of products that an import would skip
    and delete, ``price_drops`` and ``restocks`` numbers of items that would get a notice."""

    finished_at: str
    format: str
    syntax: str
    columns: list[str]
    fields: dict[str, str]
    ignored: list[str]
    rows: int
    products: int
    imported: int
    unchanged: int
    deleted: int
    refused: int
    hidden: int
    skipped: int
    lost: int
    reasons: list[Reason]
    missing_products: int
    missing_variants: int
    new: int
    changed: int
    held_prices: int
    held: list[Drop]
    largest_drops: list[Drop]
    price_drops: int = 0
    restocks: int = 0
    dry_run: bool = False


def of(found: Catalogue, changes: Changes, now: int) -> Summary:
    """Returns the summary of a run so far. ``now``: milliseconds since 1970."""
    return Summary(
        finished_at=ids.timestamp(now),
        format=found.feed.format.name,
        syntax=found.feed.syntax,
        columns=sorted(found.feed.read),
        fields=found.read_columns if found.feed.is_plain else {},
        ignored=sorted(found.feed.unread),
        rows=found.rows,
        products=found.put + found.unchanged,
        imported=found.put,
        unchanged=found.unchanged,
        deleted=found.missing.deleted,
        refused=found.refused,
        hidden=found.hidden.count,
        skipped=found.skipped.count,
        lost=found.lost,
        reasons=found.reasons + [one for one in (found.hidden, found.skipped) if one.count],
        missing_products=found.missing.products,
        missing_variants=found.missing.variants,
        new=changes.new,
        changed=changes.changed,
        held_prices=changes.held_prices,
        held=changes.held,
        largest_drops=changes.largest,
    )


def of_dry_run(found: Catalogue, changes: Changes, now: int) -> Summary:
    """Returns the summary of what an import would do."""
    summary = of(found, changes, now)
    deletes = not (found.is_unsure or found.missing.is_withheld)
    summary.products, summary.dry_run = found.count(), True
    summary.unchanged, summary.deleted = changes.unchanged, found.missing.products * deletes
    summary.price_drops, summary.restocks = changes.notices
    return summary


# rule: catalogue-import
async def save(db: Database, store: Store, summary: Summary) -> None:
    """Stores the summary as that of the store's last run, for the metrics."""
    names = ("finished_at", "imported", "refused", "lost")
    numbers = {name: getattr(summary, name) for name in names}
    await db.write(run_statement, "catalogue_run_put", store=store.id, **numbers)


_COLUMNS = ("id", "title", "price", "sale until", "availability", "picture")
_WIDTHS = (20, 40, 16, 10, 12, 40)


def table_of(shown: Sequence[NewProduct], sales: Mapping[str, int]) -> str:
    """Returns a table of products as they will appear. ``sales``: when a product's sale ends, in
    milliseconds since 1970."""
    lines = [_line(_COLUMNS)]
    for product in shown:
        until = ids.timestamp(sales[product.product_id])[:10] if product.product_id in sales else ""
        lines.append(_row(product.product_id, product.data, until))
        lines += [_row(str(one.variant_id), one, indent="  ") for one in product.variants]
    return "\n".join(lines)


def _row(id: str, data: ProductData | Variant, until: str = "", indent: str = "") -> str:
    price = f"{data.price.amount} {data.price.currency}" if data.price else ""
    stock = (products.availability_of(data) or "").replace("_", " ")
    title = data.title or ""
    return _line((indent + id, indent + title, price, until, stock, data.image or ""))


def _line(cells: Sequence[str]) -> str:
    return "  ".join(map(_padded, cells, _WIDTHS)).rstrip()


def _padded(text: str, width: int) -> str:
    """Returns the text, cut or filled to a width. Wide characters take two columns."""
    made, used = "", 0
    for character in text:
        size = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used + size > width - 1 and len(text) > width:
            return made + "…" + " " * (width - used - 1)
        made, used = made + character, used + size
    return made + " " * (width - used)
