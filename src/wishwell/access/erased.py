"""What a process knows of the profiles that are being erased (contract: erase-moment)."""

from collections.abc import Iterable


class ErasedProfiles:
    """The keys of those that may be: as the last refresh found them, and those of this process.

    One look into memory for each request. What may have ended meanwhile, the database knows.
    """

    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()
        self._here: dict[str, int] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._known or key in self._here

    def __bool__(self) -> bool:
        return bool(self._known or self._here)

    def add(self, keys: Iterable[str], now: int) -> None:
        """Notes at once that these are being erased; ``now`` in milliseconds."""
        self._here |= dict.fromkeys(keys, now)

    def refresh(self, known: frozenset[str], asked_at: int) -> None:
        """``known``: all that there were at some moment after ``asked_at``."""
        self._known = known
        self._here = {key: at for key, at in self._here.items() if at >= asked_at}
