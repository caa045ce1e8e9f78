"""Readers of the cells of product feeds. Each returns a value or raises ``Invalid``, whose message
completes a sentence about the cell."""

import html
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import quote, urljoin

import msgspec

from wishwell import currencies, ids, products
from wishwell.errors import Invalid
from wishwell.products import Availability
from wishwell.products.money import Money
from wishwell.wishlists import fields

_PRINTABLE_ASCII = "".join(map(chr, range(0x21, 0x7F)))

_TO_PLAIN_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ")
_SYMBOLS = "|".join(map(re.escape, sorted(currencies.SYMBOLS, key=len, reverse=True)))
_UNIT = rf"(?:{_SYMBOLS}|[A-Za-z]{{3}})"
_PRICE = re.compile(
    rf"(?:({_UNIT}) ?)?([0-9.,][0-9.,'’ ]{{0,40}}?)([.,][-–—]{{1,2}})?(?: ?({_UNIT}))?"
)
_WHOLE_NUMBER = re.compile(
    r"[0-9]+|[1-9][0-9]{0,2}(?:(?P<mark>[.,'’ ])[0-9]{3})(?:(?P=mark)[0-9]{3})*"
    r"|[0-9]{1,2}(?:(?P<indian>,)[0-9]{2})(?:,[0-9]{2})*,[0-9]{3}"
)
_AVAILABILITY: dict[str, Availability] = {
    **dict.fromkeys(
        (
            *("in stock", "instock", "in store only", "limited availability", "true", "yes", "y"),
            *(
                "wahr",
                "vrai",
                "verdadero",
                "online only",
                "onlineonly",
                "available",
                "low stock",
                "lowstock",
                "limited stock",
                "last items in stock",
            ),
        ),
        "in_stock",
    ),
    **dict.fromkeys(
        (
            *(
                "falsch",
                "faux",
                "falso",
                "soldout",
                "out of stock",
                "outofstock",
                "sold out",
                "discontinued",
                "false",
                "no",
                "n",
            ),
            *("unavailable", "not available", "not in stock", "no stock"),
        ),
        "out_of_stock",
    ),
    **dict.fromkeys(("preorder", "pre order", "presale", "coming soon"), "preorder"),
    **dict.fromkeys(
        (
            *(
                "backordered",
                "backorder",
                "back order",
                "on backorder",
                "onbackorder",
                "available for order",
            ),
            *("on order", "made to order"),
        ),
        "backorder",
    ),
}
_QUANTITY = re.compile(
    r"(?P<above>>=?|≥)? ?(?P<minus>-?)(?P<number>[0-9][0-9.,]{0,14})\+?"
    r"(?: ?(?:pcs?|pieces?|units?|items?|in stock|left|available)\.?)?",
    re.IGNORECASE,
)
"""Numbers as ``1,000``, ``>10``, ``5+`` or ``5 pcs``."""


# rule: catalogue-prices
def parse_price(cell: str, currency: str = "") -> Money:
    """Returns the price in a cell that can be read in exactly one way.

    ``currency``: the currency of amounts without a three-letter code. Beside the number, only a
    code, a currency's symbol or a dash for no cents may be written.
    """
    match = _PRICE.fullmatch(cell.translate(_TO_PLAIN_SPACES).strip())
    if match is None:
        raise Invalid("isn't a price such as 19.90 EUR")
    unit_before, number, _, unit_after = match.groups()
    code = _find_currency([unit for unit in (unit_before, unit_after) if unit], currency)
    amounts = _read_amounts(number.strip(), code)
    if not amounts:
        raise Invalid("isn't an amount such as 19.90 or 1,299.00")
    if len(amounts) > 1:
        raise Invalid(f"is ambiguous: it can mean {' or '.join(sorted(amounts.values()))}")
    try:
        [amount] = amounts.values()
        return msgspec.convert({"amount": amount, "currency": code}, Money)
    except msgspec.ValidationError as error:
        raise Invalid("must have at most 12 digits before and 4 after the point") from error


def _find_currency(units: Sequence[str], default: str) -> str:
    """Returns the currency that codes and symbols beside a number mean."""
    codes = {unit.upper() for unit in units if unit not in currencies.SYMBOLS}
    for unknown_code in codes - currencies.DECIMALS.keys():
        raise Invalid(f"has {unknown_code}, which isn't a currency of ISO 4217")
    if len(codes) > 1:
        raise Invalid("has two currencies")
    symbols = [unit for unit in units if unit in currencies.SYMBOLS]
    code = codes.pop() if codes else default
    if not code and symbols:
        shared_codes = set.intersection(*(currencies.SYMBOLS[symbol] for symbol in symbols))
        code = shared_codes.pop() if len(shared_codes) == 1 else ""
    if not code:
        raise Invalid("has no currency code; set the currency with --currency")
    for symbol in symbols:
        if code not in currencies.SYMBOLS[symbol]:
            raise Invalid(f"has the symbol {symbol}, which doesn't mean {code}")
    return code


def _read_amounts(text: str, currency: str) -> dict[Decimal, str]:
    """Returns the possible readings of an amount, as decimal text by value."""
    amounts: dict[Decimal, str] = {}
    for point in ("", ".", ","):
        whole_part, fraction = text, ""
        if point:
            if text.count(point) != 1:
                continue
            whole_part, _, fraction = text.partition(point)
            if not re.fullmatch("[0-9]+", fraction) or not _can_be_decimals(
                point, fraction, currency
            ):
                continue
        match = _WHOLE_NUMBER.fullmatch(whole_part or "0")
        if (
            not point
            and currencies.DECIMALS.get(currency) == 3
            and re.fullmatch(r"[0-9]+\.[0-9]{3}", text)
        ):
            continue
        if match is None or (point and point in (match["mark"], match["indian"])):
            continue
        amount = re.sub("[^0-9]", "", whole_part).lstrip("0") or "0"
        if len(fraction) > 4:  # as databases write decimals
            fraction = fraction.rstrip("0").ljust(2, "0")
        if fraction:
            amount += f".{fraction}"
        amounts.setdefault(Decimal(amount), amount)
    return amounts


def _can_be_decimals(point: str, fraction: str, currency: str) -> bool:
    """Whether digits can be decimals. Three behind a comma are thousands, as in ``1,299``."""
    decimals = currencies.DECIMALS.get(currency, 2)
    if decimals == 0:
        return not fraction.strip("0") and len(fraction) != 3
    return point == "." or len(fraction) != 3 or decimals == 3


def parse_title(cell: str) -> str:
    """Returns a title as plain text. HTML entities are decoded, once."""
    try:
        text = " ".join(html.unescape(cell).split())
    except ValueError:  # a reference to a character by a number of thousands of digits
        text = ""
    if not 0 < len(text) <= products.MAX_TITLE or fields.has_control(text):
        raise Invalid(
            f"must have at most {products.MAX_TITLE} characters and no control characters"
        )
    return text


def parse_url(cell: str, base: str = "") -> str:
    """Returns an absolute URL. ``base``: the URL that a relative one is resolved against."""
    try:
        if base and "://" not in cell:
            cell = urljoin(base, cell)
        return msgspec.convert(quote(cell, safe=_PRINTABLE_ASCII), products.Url)
    except (msgspec.ValidationError, ValueError) as error:
        max_characters = f"{products.MAX_URL:,}"
        raise Invalid(
            f"must be an http or https URL of at most {max_characters} characters"
        ) from error


# rule: product-replaced
def parse_availability(cell: str) -> Availability:
    """Returns the availability that a word or a stock quantity stands for."""
    if match := _QUANTITY.fullmatch(cell):
        is_positive = match["number"].strip("0.,") or match["above"]
        return "in_stock" if is_positive and not match["minus"] else "out_of_stock"
    word = re.sub(r"^https?://schema\.org/", "", cell)
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word) if word != cell else word
    word = re.sub("[ _-]+", " ", word.lower())
    if word not in _AVAILABILITY:
        raise Invalid("must be in stock, out of stock, preorder, backorder, or a number")
    return _AVAILABILITY[word]


class Period(NamedTuple):
    """A sale's period in milliseconds since 1970, both ends included. None: without limit."""

    start: int | None
    end: int | None

    def includes(self, now: int) -> bool:
        has_begun = self.start is None or self.start <= now
        return has_begun and (self.end is None or now <= self.end)


# rule: catalogue-prices
def parse_period(cell: str, zone: tzinfo) -> Period:
    """Returns the period in a cell of two ISO 8601 times with a slash between; one may be empty."""
    start, slash, end = cell.partition("/")
    if not slash or not (start + end).strip():
        raise Invalid("must be two times with a slash between, such as 2027-03-01/2027-03-08")
    start_ms = parse_time(start, zone) if start.strip() else None
    return Period(start_ms, parse_time(end, zone, is_end=True) if end.strip() else None)


def parse_time(cell: str, zone: tzinfo, *, is_end: bool = False) -> int:
    """Returns a time in milliseconds since 1970, at most that of the year 9999's end in UTC. Times
    without an offset are in ``zone``. A date alone is its first moment, or if
    ``is_end`` its last."""
    text = cell.strip()
    try:
        # Google's feeds have offsets without a colon, which Python 3.11 reads only with seconds.
        text = re.sub(r"(T[0-9]{2}:?[0-9]{2})([+-][0-9]{2}):?([0-9]{2})\Z", r"\1:00\2:\3", text)
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid("must have times in ISO 8601, such as 2027-03-01T00:00+0100") from error
    subtracted_ms = 0
    if is_end and len(text) <= len("2027-03-01"):
        if time.date() == date.max:
            return ids.MAX_TIMESTAMP_MS
        time, subtracted_ms = time + timedelta(days=1), 1
    aware_time = time if time.tzinfo else time.replace(tzinfo=zone)
    return min(int(aware_time.timestamp() * 1000) - subtracted_ms, ids.MAX_TIMESTAMP_MS)
