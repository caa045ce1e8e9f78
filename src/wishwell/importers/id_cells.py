"""Ids in the form in which spreadsheets and data tools write large numbers."""

import re

from wishwell.errors import Invalid

_WHOLE = re.compile(r"([0-9]+)\.0+")
_ROUNDED = re.compile(r"[0-9]+([.,][0-9]+)?E\+?[0-9]+", re.IGNORECASE)
_GROUPED = re.compile("[0-9]{1,3}(,[0-9]{3})+")


# rule: spreadsheet-ids
def number(id: str) -> str:
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
    match = _WHOLE.fullmatch(id)
    return match[1] if match else id
