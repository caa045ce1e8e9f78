"""For the API of one test: the machine's clock, plus the seconds in the file TEST_CLOCK.

Rate limits count in minutes of the clock; so a test need not wait for one to end. Python runs this
at its start, as the folder is on PYTHONPATH then.
"""

import os
import time
from pathlib import Path

_real = time.time_ns
_offset = Path(os.environ["TEST_CLOCK"])


def time_ns() -> int:
    return _real() + int(float(_offset.read_text()) * 1e9)


time.time_ns = time_ns
