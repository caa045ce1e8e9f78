"""Currencies of ISO 4217: their codes and decimals, and symbols that shops write."""

import csv
import functools
import re
from decimal import Decimal
from importlib import resources

_TEXT = resources.files("wishwell").joinpath("currencies.csv").read_text("utf-8")
_ROWS = [*csv.DictReader(_TEXT.splitlines())]

DECIMALS = {row["code"]: int(row["decimals"]) for row in _ROWS}
"""Number of decimals (minor unit) by code. Codes without one, such as metals, are left out."""

SYMBOLS: dict[str, set[str]] = {}
"""The codes of the currencies that a symbol can mean, exactly as written, such as ``zł``."""
for _row in _ROWS:
    for _symbol in _row["symbols"].split():
        SYMBOLS.setdefault(_symbol, set()).add(_row["code"])


def is_known(code: str) -> bool:
    """Returns whether a code is a currency that prices can have today."""
    return code in DECIMALS


@functools.lru_cache(maxsize=100)
def of_column(name: str) -> str:
    """Returns the currency that a column's name has in brackets, as ``Price (EUR)``, or ""."""
    for code in re.findall(r"[(\[]([A-Za-z]{3})[)\]]", name):
        if is_known(code.upper()):
            return str(code.upper())
    return ""


def format_amount(amount: str, code: str) -> str:
    """Returns an amount with the decimals of its currency, such as ``52.90``; more only if it has
    more."""
    number = Decimal(amount)
    own_decimals = -int(number.normalize().as_tuple().exponent)
    return f"{number:.{max(own_decimals, DECIMALS.get(code, 0))}f}"
