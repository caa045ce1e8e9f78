"""Currencies of ISO 4217: their codes and decimals."""

import csv
from decimal import Decimal
from importlib import resources

_TABLE = resources.files("wishwell").joinpath("currencies.csv").read_text("utf-8")

DECIMALS = {row["code"]: int(row["decimals"]) for row in csv.DictReader(_TABLE.splitlines())}
"""Number of decimals (minor unit) by code. Codes without one, such as metals, are left out."""


def is_known(code: str) -> bool:
    """Returns whether a code is a currency that prices can have today."""
    return code in DECIMALS


def text(amount: str, code: str) -> str:
    """Returns an amount with the decimals of its currency, such as ``52.90``; more only if it has
    more."""
    number = Decimal(amount)
    own = -int(number.normalize().as_tuple().exponent)
    return f"{number:.{max(own, DECIMALS.get(code, 0))}f}"
