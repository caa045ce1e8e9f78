"""Reads the times of another app's wishes."""

import re
from collections.abc import Iterable
from datetime import datetime, tzinfo

from wishwell.errors import Invalid

_MAX_CLOCK_SKEW_MS = 60_000
"""Clock skew, in milliseconds, that the other app may have."""

_EPOCH_FACTORS = {10: 1000, 13: 1}
"""Milliseconds of a unit of time, by the number of digits: seconds and milliseconds since 1970."""

_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_NAMED_MONTHS = ("%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y")
_DAY_FIRST = ("%d/%m/%Y", "%d/%m/%y")


# rule: import-dates
def check_format(text: str) -> str:
    """Returns the value of ``--date-format``. Raises ``Invalid`` for an unknown directive."""
    try:
        datetime.strptime(datetime(2025, 4, 18, 18, 13).strftime(text), text)
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
        days = (*_NAMED_MONTHS, *(_DAY_FIRST if day_first else ()))
        self._written = [day + time for day in days for time in _TIMES]
        self._has_read = self._has_unread = False

    @property
    def is_unknown(self) -> bool:
        return self._has_unread and not self._has_read

    # rule: import-dates
    def read(self, cell: str) -> int:
        """Returns a time in milliseconds since 1970. Raises ``Invalid``."""
        try:
            milliseconds = self._milliseconds(cell)
        except Invalid:
            self._has_unread |= bool(re.search("[0-9]", cell))
            raise
        self._has_read = True
        if not 0 <= milliseconds <= self._now + _MAX_CLOCK_SKEW_MS:
            raise Invalid("must be between 1970 and now")
        return milliseconds

    def _milliseconds(self, cell: str) -> int:
        time = self._parse(cell, (self._format,)) if self._format else None
        if time is None and cell.isdigit() and len(cell) in _EPOCH_FACTORS:
            return int(cell) * _EPOCH_FACTORS[len(cell)]
        try:
            if time is None:
                time = self._written_out(cell)
            if time is None:
                time = datetime.fromisoformat(re.sub(r" ?(UTC|GMT)\Z", "+00:00", cell))
            if time.tzinfo is None and self._zone is not None:
                time = time.replace(tzinfo=self._zone)
            if time.tzinfo is None:
                raise Invalid("has no UTC offset; set the time zone with --time-zone")
            return int(time.timestamp() * 1000)
        except (ValueError, OverflowError) as error:
            raise Invalid(
                "must be a time in ISO 8601, such as 2025-04-18T18:13:27Z; for other notations "
                "set --day-first or --date-format"
            ) from error

    def _written_out(self, cell: str) -> datetime | None:
        """Returns a time such as ``Apr 18, 2025, 6:13 PM`` or, with ``day_first``,
        ``18.04.2025 18:13``; ``None`` for other text."""
        text = re.sub(r"\A([0-9]{1,2})([./-])([0-9]{1,2})\2", r"\1/\3/", cell)
        return self._parse(" ".join(text.replace(",", " ").split()), self._written)

    def _parse(self, text: str, formats: Iterable[str]) -> datetime | None:
        for format in formats:
            try:
                time = datetime.strptime(text, format)
            except ValueError:
                continue
            if format in self._written:  # the next cell is likely to have the same
                self._written.remove(format)
                self._written.insert(0, format)
            return time
        return None
