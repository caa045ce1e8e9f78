"""Files that settings and commands name.

They must be regular: a FIFO would block until another program writes to it.
"""

import errno
import stat
from pathlib import Path
from typing import BinaryIO


# rule: command-error
def open_regular(path: str | Path) -> BinaryIO:
    """Opens a regular file, or a link to one. Raises ``OSError``, ``ValueError`` for a NUL."""
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise OSError(errno.EINVAL, "it is a folder, a pipe or a device, not a file", str(path))
    return Path(path).open("rb")
