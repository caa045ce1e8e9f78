"""The products that items are shown with (contract: include-product)."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from wishwell.db import Reader
from wishwell.profiles import Scope, pages
from wishwell.stores import Store
from wishwell.wishes.items import Item
from wishwell.wishes.lists import List
from wishwell.wishes.shares import SharedItem

P = ParamSpec("P")
S = TypeVar("S", bound=Scope)
T = TypeVar("T", Item, List, pages.Page[Item])

_NOTHING = "{}"
_ORDER = ("title", "variantTitle", "url", "image", "price", "available")
_scan = json.JSONDecoder().raw_decode


def including(
    use_case: Callable[Concatenate[Any, S, P], Awaitable[T]],
) -> Callable[Concatenate[Any, S, P], Awaitable[T]]:
    """The use-case, that also looks up the products of the items that it returns."""

    async def run(tx: Reader, scope: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        found = await use_case(tx, scope, *arguments, **named)
        if isinstance(found, pages.Page):
            await include(tx, scope.store, found.records)
        elif isinstance(found, List):
            await include(tx, scope.store, found.items or ())
        else:
            await include(tx, scope.store, [found])
        return found

    return run


async def include(tx: Reader, store: Store, shown: Sequence[Item] | Sequence[SharedItem]) -> None:
    """Sets the ``product`` of those items of whose product something is known."""
    products = {str(item.product_id) for item in shown}
    if not products:
        return
    varied = {str(item.product_id) for item in shown if item.variant_id}
    these = {"store": store.id, "products": [*products], "varied": [*varied]}
    known = {row[0]: row for row in await tx.all("products_shown", **these)}
    for item in shown:
        row = known.get(str(item.product_id))
        if row is not None:
            _, document, variants = row
            if item.variant_id and variants != "[]":
                document = _of_variant(document, variants, str(item.variant_id))
            if document != _NOTHING:
                item.product = msgspec.Raw(document)


def _of_variant(document: str, variants: str, variant_id: str) -> str:
    """The document of a product, with what is known of one of its variants.

    In JSON no text has a quote without a backslash before it, so what begins as the variant does is
    the variant. Decoding a page's variants, up to 250 a product, would take milliseconds.
    """
    at = variants.find(f'{{"variantId":"{variant_id}"')
    if at < 0:
        return document
    own, _ = _scan(variants, at)
    own["variantTitle"] = own.pop("title", None)
    known = msgspec.json.decode(document) | own
    shown = {name: known[name] for name in _ORDER if known.get(name) is not None}
    return msgspec.json.encode(shown).decode()
