"""The value of wishes: price times quantity, by currency (rule: report-value)."""

import contextlib
import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Annotated, Any

import msgspec

from wishwell import field_types as types
from wishwell.db import Row
from wishwell.products import shown
from wishwell.products.money import Money, is_drop

_AMOUNT = types.published(pattern=r"^[0-9]+(\.[0-9]{1,4})?$")


class WishValue(msgspec.Struct, rename="camel"):
    """The value of wishes in one currency: price times quantity."""

    amount: Annotated[str, _AMOUNT]
    """Decimal text; exact. Without products that are sold out."""
    sold_out: Annotated[str, _AMOUNT]
    """The same of products that are sold out."""
    currency: Annotated[str, types.published(pattern="^[A-Z]{3}$")]


MAX_DROPPED = 1_000
"""Products with a lower price that a count remembers."""

_decode_price = msgspec.json.Decoder(Money).decode


class ValueSum:
    """The running value of a count's wishes, and the products whose price has dropped."""

    def __init__(self) -> None:
        self._amounts: dict[tuple[str, bool], Decimal] = {}
        self._dropped_units = Counter[str]()

    def add(
        self, units_by_key: Mapping[tuple[str, str], Counter[str]], rows: Sequence[Row]
    ) -> None:
        """Adds wishes. ``units_by_key``: units by the price when they were saved, by product and
        variant; ``rows`` of ``products_varied`` have the current prices."""
        with localcontext(prec=60):
            for product, variant, document, variant_document in rows:
                data = shown.merged_data(document, variant_document)
                if data.price is None:
                    continue
                key = data.price["currency"], _is_sold_out(data)
                units = units_by_key[product, variant]
                amount = Decimal(data.price["amount"]) * units.total()
                self._amounts[key] = self._amounts.get(key, Decimal()) + amount
                self._add_dropped(product, Money(**data.price), units)

    # rule: report-dropped
    def _add_dropped(self, product: str, price: Money, units: Counter[str]) -> None:
        for saved_price, number in units.items():
            # An unreadable price counts as unknown.
            with contextlib.suppress(msgspec.MsgspecError):
                if saved_price and is_drop(_decode_price(saved_price), price, 0):
                    self._dropped_units[product] += number
        if len(self._dropped_units) > 2 * MAX_DROPPED:
            self._dropped_units = Counter({id: self._dropped_units[id] for id in self.dropped()})

    def dropped(self) -> list[str]:
        """Returns the products with the most units that were saved at a higher price."""
        units = self._dropped_units
        return heapq.nsmallest(MAX_DROPPED, units, key=lambda product: (-units[product], product))

    def encode(self) -> str:
        """Returns the value in JSON, as a count stores it."""

        def amount(currency: str, is_sold_out: bool) -> str:
            return f"{self._amounts.get((currency, is_sold_out), Decimal()):f}"

        currencies = sorted({currency for currency, _ in self._amounts})
        values = [
            WishValue(amount(currency, False), amount(currency, True), currency)
            for currency in currencies
        ]
        return msgspec.json.encode(values).decode()


_decode = msgspec.json.Decoder(list[WishValue]).decode


def decode(text: str) -> list[WishValue]:
    """Returns the value that a count has stored."""
    return _decode(text) if text else []


def _is_sold_out(product: shown.ProductView) -> bool:
    return (product.availability or product.available) in ("out_of_stock", False)


def flatten(values: Sequence[WishValue]) -> dict[str, Any]:
    """Returns the value by column, such as ``value.EUR`` and ``value.soldOut.EUR``."""
    columns = {f"value.{money.currency}": money.amount for money in values}
    return columns | {f"value.soldOut.{money.currency}": money.sold_out for money in values}
