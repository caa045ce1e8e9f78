"""The currencies of ISO 4217."""

import pytest

from wishwell import currencies


@pytest.mark.parametrize(
    ("amount", "code", "shown"),
    [
        ("52.9", "EUR", "52.90"),
        ("60", "USD", "60.00"),
        ("60.0", "JPY", "60"),
        ("1980", "JPY", "1980"),
        ("1.5", "KWD", "1.500"),
        ("0.1999", "EUR", "0.1999"),
        ("100", "CLF", "100.0000"),
        ("12.50", "XYZ", "12.5"),
        ("999999999999.9999", "EUR", "999999999999.9999"),
    ],
)
def test_amount_has_the_decimals_of_its_currency(amount, code, shown):
    """An amount is written with its currency's decimals, and never rounded. Rule: format-events."""
    assert currencies.format_amount(amount, code) == shown


def test_only_current_currency_codes_are_known():
    """Current codes are known; retired ones, metals and words aren't. Rule: product-replaced."""
    known = {"EUR", "GBP", "JPY", "PLN", "CZK", "BRL", "INR", "XCG", "ZWG", "UYW"}
    other = {"BGN", "DEM", "HRK", "PCS", "XAU", "XXX", "XTS", "eur", "EURO", ""}
    assert {code for code in known | other if currencies.is_known(code)} == known
