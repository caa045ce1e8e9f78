"""The value of wishes: price times quantity, by currency (rule: report-value)."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Annotated, Any

import msgspec

from wishwell import field_types as types
from wishwell.db import Row
from wishwell.products import shown

_AMOUNT = types.published(pattern=r"^[0-9]+(\.[0-9]{1,4})?$")


class WishValue(msgspec.Struct, rename="camel"):
    """The value of wishes in one currency: price times quantity."""

    amount: Annotated[str, _AMOUNT]
    """Decimal text; exact. Without products that are sold out."""
    sold_out: Annotated[str, _AMOUNT]
    """The same of products that are sold out."""
    currency: Annotated[str, types.published(pattern="^[A-Z]{3}$")]


class ValueSum:
    """The running value of a count's wishes."""

    def __init__(self) -> None:
        self._amounts: dict[tuple[str, bool], Decimal] = {}

    def add(self, quantities: dict[tuple[str, str], int], rows: Sequence[Row]) -> None:
        """Adds wishes. ``quantities``: units by product and variant; ``rows`` of
        ``products_varied`` have their prices."""
        with localcontext(prec=60):
            for product, variant, document, variant_document in rows:
                data = shown.merged_data(document, variant_document)
                if data.price is None:
                    continue
                key = data.price["currency"], _is_sold_out(data)
                amount = Decimal(data.price["amount"]) * quantities[product, variant]
                self._amounts[key] = self._amounts.get(key, Decimal()) + amount

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
