"""Says what the shop knows of its products: python feed.py products.csv"""

import csv
import os
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from wishwell_client import Money, NewProduct, Wishwell


def product(row: dict[str, str]) -> NewProduct:
    """All that is known of it, each time: what is left out is unknown from then on."""
    return NewProduct(
        int(row["id"]),
        title=row["title"],
        url=row["url"],
        price=Money(row["price"], row["currency"]),
        available=row["available"] == "yes",
    )


def tell(shop: Wishwell, products: Iterable[NewProduct]) -> None:
    """In batches, each of which is done as a whole or not at all. All may be told again."""
    rest = iter(products)
    while batch := list(islice(rest, 250)):
        shop.products.put_many(batch)


with (
    Wishwell(os.environ["WISHLIST_API"], os.environ["WISHLIST_TOKEN"]) as shop,
    Path(sys.argv[1]).open(newline="", encoding="utf-8") as feed,
):
    tell(shop, map(product, csv.DictReader(feed)))
