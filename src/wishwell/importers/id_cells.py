"""Ids in the form in which spreadsheets and data tools write large numbers."""

import re

from wishwell.errors import Invalid

_DECIMAL_ZEROS = re.compile(r"([0-9]+)\.0+")
_ROUNDED = re.compile(r"[0-9]+([.,][0-9]+)?E\+?[0-9]+", re.IGNORECASE)
_GROUPED = re.compile("[0-9]{1,3}(,[0-9]{3})+")
_FORMULA = re.compile('="([^"]*)"')
_NOT_AN_ID = re.compile(r"-[0-9]+|[0-9]+[.,][0-9]+|#(REF|VALUE|NAME|NUM|NULL|DIV/0|N/A)[!?]?")


# rule: spreadsheet-ids
def parse_number(id: str) -> str:
    """Returns a whole number without its decimals (``7120953278001.0``), and another id as it is.

    Raises ``Invalid`` for a number that lost digits, such as ``7.12095E+12``.
    """
    if _ROUNDED.fullmatch(id):
        raise Invalid(
            "is a number of which a spreadsheet dropped digits. Import the app's own file, or "
            "export it again and format the column as text before saving"
        )
    if _GROUPED.fullmatch(id):
        raise Invalid("has separators between thousands. Format the column as text before saving")
    match = _DECIMAL_ZEROS.fullmatch(id) or _FORMULA.fullmatch(id)
    return match[1] if match else id


# rule: spreadsheet-ids
def parse_customer(id: str) -> str:
    """Returns the customer id in a cell. Raises ``Invalid`` as ``parse_number`` does, and for other
    numbers than whole ones and a spreadsheet's errors."""
    number = parse_number(id)
    if _NOT_AN_ID.fullmatch(number):
        raise Invalid("isn't a whole number, or is a spreadsheet's error")
    return number
