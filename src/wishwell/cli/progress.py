"""Progress of a command that takes long."""

import time

from wishwell.run import terminal

_EVERY = 5.0
"""Seconds between two lines."""


class Progress:
    """Lines on standard error, so that it is seen that a command goes on."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def tell(self, text: str) -> None:
        """Prints the text, if the last line was a while ago."""
        if time.monotonic() - self._last > _EVERY:
            self._last = time.monotonic()
            terminal.say(text, err=True)
