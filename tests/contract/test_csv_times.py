"""Times ahead of the clock in another app's CSV file."""

import pytest

from tests.contract.test_csv import AT, HEADER, becomes, read
from wishwell import ids


@pytest.mark.parametrize("seconds", [-1, 59, 61, 86_400])
def test_csv_times_up_to_a_minute_ahead_are_taken(tmp_path, seconds):
    """Times up to a minute ahead are accepted, because the other app's clock may be a little fast.
    Rule: import-csv."""
    now = AT + 60_000  # the time at which `read` reads the file
    saved = ids.timestamp(now + seconds * 1000)
    file = read(tmp_path, f"{HEADER}\n7,1,,,,,{saved},\n")
    if seconds < 60:
        assert [row[6] for row in becomes(file)] == [saved]
    else:
        assert file.spool.errors == ["line 2: column 'When': must be between 1970 and now"]


def test_csv_times_begin_with_1970(tmp_path):
    """A time before 1970 is refused. Rule: import-csv."""
    read_file = read(tmp_path, f"{HEADER}\n7,1,,,,,1970-01-01T00:00:00Z,\n")
    assert [row[6] for row in becomes(read_file)] == ["1970-01-01T00:00:00.000Z"]
    read_file = read(tmp_path, f"{HEADER}\n7,1,,,,,1969-12-31T23:59:59Z,\n")
    assert len(read_file.spool.errors) == 1
