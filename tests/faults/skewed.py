"""``wishwell`` with another wall clock: the machine's plus the seconds in the file TORTURE_CLOCK.

The file is read on every call, so a step takes effect immediately. Only the program's own wall
clock is replaced; the machine's isn't changed.
"""

import os
import sys
import time
from pathlib import Path

from wishwell import ids

_OFFSET = Path(os.environ["TORTURE_CLOCK"])


def wall_clock() -> int:
    """Returns milliseconds since 1970 by the clock under test."""
    return time.time_ns() // 1_000_000 + int(float(_OFFSET.read_text()) * 1000)


ids.wall_clock = wall_clock

if __name__ == "__main__":
    from wishwell.cli import main

    sys.exit(main())
