"""Admission: bounds how many requests a process works on at once (docs/decisions/0015)."""

import contextlib
from collections.abc import Iterator

from wishwell.errors import Overloaded


# contract: overload-refused
class Admission:
    """The requests of the API in work, at most ``most``: as a context, one more.

    It raises ``Overloaded`` if that is one too many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.working = 0
        self.refused = 0
        """How many were one too many, since the start."""

    def __enter__(self) -> None:
        if self.working >= self._most:
            self.refused += 1
            raise Overloaded
        self.working += 1

    def __exit__(self, *_: object) -> None:
        self.working -= 1

    # contract: slow-clients
    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Awaits a body, which takes no room from others. At its end one may be too many."""
        self.working -= 1
        try:
            yield
        finally:
            self.working += 1
        if self.working > self._most:
            self.refused += 1
            raise Overloaded
