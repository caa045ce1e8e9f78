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
    """The outcome of a run. ``columns``: those read, ``fields``: where each field is read from.
    ``refused``: rows that were left out, ``hidden``: those of products that aren't published,
    ``skipped``: those of no product, ``lost``: cells. ``reasons``: why, at most 102.
    ``missing``: products that the file lacks, and variants, which an import deletes unless they are
    too many. ``held``: the first of the ``held_prices``.

    In a dry run, ``unchanged`` and ``deleted`` are numbers of products that an import would skip
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


def summarise(catalogue: Catalogue, changes: Changes, now: int) -> Summary:
    """Returns the summary of a run so far. ``now``: milliseconds since 1970."""
    return Summary(
        finished_at=ids.timestamp(now),
        format=catalogue.feed.format.name,
        syntax=catalogue.feed.syntax,
        columns=sorted(catalogue.feed.columns_read),
        fields=catalogue.read_columns if catalogue.feed.is_plain else {},
        ignored=sorted(catalogue.feed.columns_ignored),
        rows=catalogue.rows,
        products=catalogue.put + catalogue.unchanged,
        imported=catalogue.put,
        unchanged=catalogue.unchanged,
        deleted=catalogue.missing.deleted,
        refused=catalogue.refused,
        hidden=catalogue.hidden.count,
        skipped=catalogue.skipped.count,
        lost=catalogue.lost,
        reasons=catalogue.reasons
        + [reason for reason in (catalogue.hidden, catalogue.skipped) if reason.count],
        missing_products=catalogue.missing.products,
        missing_variants=catalogue.missing.variants,
        new=changes.new,
        changed=changes.changed,
        held_prices=changes.held_prices,
        held=changes.held_drops,
        largest_drops=changes.largest_drops,
    )


def summarise_dry_run(catalogue: Catalogue, changes: Changes, now: int) -> Summary:
    """Returns the summary of a dry run: the changes that an import would make."""
    summary = summarise(catalogue, changes, now)
    deletes = not (catalogue.is_unsure or catalogue.missing.is_withheld)
    summary.products, summary.dry_run = catalogue.count(), True
    summary.unchanged, summary.deleted = changes.unchanged, catalogue.missing.products * deletes
    summary.price_drops, summary.restocks = changes.notices
    return summary


# rule: catalogue-import
async def save(db: Database, store: Store, summary: Summary) -> None:
    """Stores the summary as that of the store's last run, for the metrics."""
    fields = ("finished_at", "imported", "refused", "lost")
    params = {field: getattr(summary, field) for field in fields}
    await db.write(run_statement, "catalogue_run_put", store=store.id, **params)


_COLUMNS = ("id", "title", "price", "sale until", "availability", "picture")
_WIDTHS = (20, 40, 16, 10, 12, 40)


def format_table(examples: Sequence[NewProduct], sales: Mapping[str, int]) -> str:
    """Returns a table of products as they will appear. ``sales``: when a product's sale ends, in
    milliseconds since 1970."""
    lines = [_format_line(_COLUMNS)]
    for product in examples:
        sale_end = (
            ids.timestamp(sales[product.product_id])[:10] if product.product_id in sales else ""
        )
        lines.append(_format_product(product.product_id, product.data, sale_end))
        lines += [
            _format_product(str(variant.variant_id), variant, indent="  ")
            for variant in product.variants
        ]
    return "\n".join(lines)


def _format_product(
    id: str, data: ProductData | Variant, sale_end: str = "", indent: str = ""
) -> str:
    price = f"{data.price.amount} {data.price.currency}" if data.price else ""
    availability = (products.availability_of(data) or "").replace("_", " ")
    title = data.title or ""
    return _format_line(
        (indent + id, indent + title, price, sale_end, availability, data.image or "")
    )


def _format_line(cells: Sequence[str]) -> str:
    return "  ".join(map(_pad, cells, _WIDTHS)).rstrip()


def _pad(text: str, width: int) -> str:
    """Returns the text, cut or filled to a width. Wide characters take two columns."""
    padded, used_width = "", 0
    for character in text:
        size = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used_width + size > width - 1 and len(text) > width:
            return padded + "…" + " " * (width - used_width - 1)
        padded, used_width = padded + character, used_width + size
    return padded + " " * (width - used_width)
