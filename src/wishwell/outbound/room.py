"""Room that owners share, so that none can take all of it. No I/O."""

from collections import Counter


# contract: delivery-slow
class Room:
    """``most`` places. An owner never holds more than it leaves free for the others.

    So an owner that holds its places for long leaves half of them, ten of that kind leave an
    eleventh, and a newcomer always finds a place.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._all = 0
        self._of: Counter[str] = Counter()

    def take(self, owner: str, wanted: int, own: int = 0) -> int:
        """How many of ``wanted`` places the owner gets. It gives each back.

        ``own``: how many it holds for the same purpose (a webhook). They are at most as many as it
        leaves for its other purposes.
        """
        left = self._most - self._all - self._of[owner] - own
        got = max(0, min(wanted, -(-left // 3)))  # each one that is taken makes it three fewer
        self._add(owner, got)
        return got

    def has(self, owner: str) -> bool:
        """Whether there is a place for a new purpose of an owner."""
        return self._most > self._all + self._of[owner]

    def give_back(self, owner: str, count: int = 1) -> None:
        """Frees places."""
        self._add(owner, -count)

    def _add(self, owner: str, count: int) -> None:
        self._all += count
        self._of[owner] += count
        if not self._of[owner]:
            del self._of[owner]
