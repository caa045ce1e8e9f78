"""The corpus in tests/files/: files as platforms write them, each with its right result."""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from wishwell import ids, stores
from wishwell.errors import Invalid
from wishwell.importers import catalogue_summary, csv_file, feed_formats, table
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.catalogue_changes import Changes
from wishwell.importers.csv_file import CsvFile, Reading

FILES = Path(__file__).parent.parent / "files"
NOW = ids.from_timestamp("2026-11-26T12:00:00.000Z")
STORE = stores.blank(ids.uuid7_at(NOW), "shop", ids.timestamp(NOW))
TEXTS = stores.apply_patch(STORE, stores.StorePatch(product_ids="text"), ids.timestamp(NOW))


def products_of(path, store, how):
    """Reads a file as a catalogue. Returns its products."""
    named = (
        table.parse_columns(how["map"], feed_formats.MAPPABLE_FIELDS, ()) if "map" in how else None
    )
    with path.open("rb") as file:
        found = Catalogue(
            str(path),
            file,
            store,
            NOW,
            currency=how.get("currency", ""),
            kind=how.get("format", ""),
            columns=named,
        )
        for _ in found.read():
            pass
    made = [[one.product_id, one.data, one.variants] for one in found]
    return {
        "format": f"{found.feed.format.name} {found.feed.syntax}",
        "products": json.loads(msgspec.json.encode(made)),
        "left_out": [*map(str, catalogue_summary.summarise(found, Changes(found), NOW).reasons)],
    }


def wishes_of(path, store, how):
    """Reads a file as another app's wishlists. Returns them."""
    zone = ZoneInfo(how["time_zone"]) if "time_zone" in how else None
    flags = {name: how.get(name, False) for name in ("skip_guests", "emails_are_ids")}
    reading = Reading(csv_file.parse_columns(how["map"]), zone=zone, **flags)
    found = CsvFile(str(path), store, reading, NOW)
    for _ in found.check():
        pass
    made = []
    for bundle in found:
        names = {id: one.name for id, one in bundle.lists.items()}
        made += [
            {
                "customer": bundle.profile.gid,
                "email": bundle.profile.email,
                "product": item.product_id,
                "variant": item.variant_id,
                "quantity": item.quantity,
                "note": item.note,
                "lists": [names[id] for id in item.list_ids],
                # Without a time, an item's is that of the file, less its line.
                "saved": item.created_at if item.created_at < "2026" else None,
            }
            for item in bundle.items
        ]
    made.sort(key=lambda one: (one["customer"], one["product"]))
    return {"wishes": made, "guests": found.guest_rows, "faults": found.spool.errors}


@pytest.mark.parametrize("name", [path.stem for path in sorted(FILES.glob("*.json"))])
def test_platform_file_is_read_without_naming_its_format(name):
    """Files as platforms write them are read as documented, without naming the format.
    Rules: catalogue-formats, catalogue-variants, catalogue-prices, catalogue-cells, catalogue-other-rows,
    import-csv."""
    how = json.loads((FILES / f"{name}.json").read_text())
    right = how.pop("result")
    read = {"products": products_of, "wishes": wishes_of}[how["reads"]]
    assert read(FILES / name, TEXTS if how.get("store") == "text" else STORE, how) == right


def test_every_file_of_the_corpus_is_tested():
    """No file of the corpus is left untested."""
    files = {path.name for path in FILES.iterdir()}
    assert files == {name for path in FILES.glob("*.json") for name in (path.name, path.stem)}


@pytest.mark.parametrize("name", ["shopify_old.csv", "shopify_new.csv"])
def test_shopify_csv_is_refused_by_store_with_integer_ids(name):
    """Shopify's CSV has handles, so a store with integer ids refuses it and names the bulk export.
    Rule: catalogue-formats."""
    with pytest.raises(Invalid, match=r"Import Shopify's bulk export \(JSON Lines\)"):
        products_of(FILES / name, STORE, {})
