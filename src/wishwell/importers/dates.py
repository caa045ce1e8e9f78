"""Reads the times of another app's wishes."""

import contextlib
import re
from datetime import UTC, datetime, timedelta, tzinfo

from wishwell.errors import Invalid

_MAX_CLOCK_SKEW_MS = 60_000
"""Clock skew, in milliseconds, that the other app may have."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNIT_MS_BY_DIGITS = {10: 1000, 13: 1}
"""Milliseconds of a unit of time, by the number of digits: seconds and milliseconds since 1970."""

_TIME_FORMATS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_MONTH_NAME_FORMATS = ("%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y")
_DAY_FIRST_FORMATS = ("%d/%m/%Y", "%d/%m/%y")


# rule: import-dates
def check_format(text: str) -> str:
    """Returns the value of ``--date-format``. Raises ``Invalid`` for an unknown directive, and for
    a format without day, month or year."""
    day = datetime(2025, 4, 18, tzinfo=UTC)
    try:
        if datetime.strptime(day.strftime(text), text).replace(tzinfo=UTC) != day:
            raise ValueError("without day, month or year")
    except (ValueError, re.error) as error:
        raise Invalid(
            f"--date-format: {text[:80]!r} isn't a format of strptime ({error})."
        ) from error
    return text


class Dates:
    """Reads the cells of a column of times.

    ``is_unknown``: whether no cell so far has a known notation, although one has digits.
    """

    def __init__(
        self, now: int, *, zone: tzinfo | None, format: str = "", day_first: bool = False
    ) -> None:
        """``now`` in milliseconds since 1970. ``zone``: time zone of times without a UTC offset;
        with ``None`` they are errors. ``format``: another notation, as for ``strptime``.
        ``day_first``: whether ``3/4/2025`` is read, as the third of April."""
        self._now, self._zone, self._format = now, zone, format
        day_formats = (*_MONTH_NAME_FORMATS, *(_DAY_FIRST_FORMATS if day_first else ()))
        self._formats = [
            day_format + time_format for day_format in day_formats for time_format in _TIME_FORMATS
        ]
        self._has_read = self._has_unread = False

    @property
    def is_unknown(self) -> bool:
        return self._has_unread and not self._has_read

    # rule: import-dates
    def read(self, cell: str) -> int:
        """Returns a time in milliseconds since 1970. Raises ``Invalid``."""
        try:
            time = self._parse(cell)
            if time.tzinfo is None and self._zone is not None:
                time = time.replace(tzinfo=self._zone)
            if time.tzinfo is None:
                raise Invalid("has no UTC offset; set the time zone with --time-zone")
            milliseconds = (time - _EPOCH) // timedelta(milliseconds=1)
        except (ValueError, OverflowError, Invalid) as error:
            self._has_unread |= bool(re.search("[0-9]", cell))
            if isinstance(error, Invalid):
                raise
            raise Invalid(
                "must be a time in ISO 8601, such as 2025-04-18T18:13:27Z; for other notations "
                "set --day-first or --date-format"
            ) from error
        self._has_read = True
        if not 0 <= milliseconds <= self._now + _MAX_CLOCK_SKEW_MS:
            raise Invalid("must be between 1970 and now")
        return milliseconds

    def _parse(self, cell: str) -> datetime:
        """Returns a time, of the offset that it has. Raises ``ValueError`` and
        ``OverflowError``."""
        if self._format:
            with contextlib.suppress(ValueError):
                return datetime.strptime(cell, self._format)
        if cell.isdecimal() and len(cell) in _UNIT_MS_BY_DIGITS:
            return _EPOCH + timedelta(milliseconds=int(cell) * _UNIT_MS_BY_DIGITS[len(cell)])
        with contextlib.suppress(ValueError):
            return datetime.fromisoformat(re.sub(r" ?(UTC|GMT)\Z", "+00:00", cell))
        text = re.sub(r"\A([0-9]{1,2})([./-])([0-9]{1,2})\2", r"\1/\3/", cell)
        text = " ".join(text.replace(",", " ").split())
        for index, format in enumerate(self._formats):
            with contextlib.suppress(ValueError):
                time = datetime.strptime(text, format)
                # The next cell is likely to have the same format.
                self._formats.insert(0, self._formats.pop(index))
                return time
        raise ValueError(cell)
