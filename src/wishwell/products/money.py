"""Prices, and how they are compared."""

from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from wishwell import currencies
from wishwell.errors import Invalid


# rule: product-replaced
class Money(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A price."""

    amount: Annotated[str, Meta(pattern=r"^[0-9]{1,12}(\.[0-9]{1,4})?\Z")]
    """Decimal text, with up to 4 digits after the point."""
    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
    """The three-letter code of the currency."""


# rule: product-replaced
def check_currency(field: str, price: Money | None) -> None:
    """Raises ``Invalid`` for a currency that isn't in ISO 4217 today."""
    if price is not None and not currencies.is_known(price.currency):
        raise Invalid(f"{field}: {price.currency} isn't a currency of ISO 4217.")


def is_known(price: Money | None) -> bool:
    """Returns whether a price can be compared: 0 is as good as none."""
    return price is not None and bool(amount(price))


def is_drop(before: Money, after: Money, percent: int) -> bool:
    """Returns whether a price is lower by at least ``percent``, in the same currency."""
    if before.currency != after.currency:
        return False
    old_amount, new_amount = amount(before), amount(after)
    return new_amount < old_amount and new_amount * 100 <= old_amount * (100 - percent)


def decrease(before: Money | None, after: Money | None) -> Decimal:
    """Returns by how many percent a price is lower; 0 if it isn't, or can't be compared."""
    if not (before and after and is_known(before) and is_known(after)):
        return Decimal()
    old_amount, new_amount = amount(before), amount(after)
    is_lower = before.currency == after.currency and new_amount < old_amount
    return (old_amount - new_amount) * 100 / old_amount if is_lower else Decimal()


def amount(price: Money) -> Decimal:
    return Decimal(price.amount)
