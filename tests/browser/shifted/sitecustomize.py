"""Shifts the clock of the service: the machine's plus the seconds in the file TEST_CLOCK.

Python runs this file at its start, because the folder is on PYTHONPATH.
"""

import os
import time
from pathlib import Path

_real = time.time_ns
_offset = Path(os.environ["TEST_CLOCK"])


def time_ns() -> int:
    return _real() + int(float(_offset.read_text()) * 1e9)


time.time_ns = time_ns
