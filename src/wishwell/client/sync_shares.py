"""The client that blocks. ``make format`` writes it: change ``asynchronous_shares.py``."""

from datetime import datetime

from wishwell.client import calls
from wishwell.client.calls import UNSET, UnsetType
from wishwell.client.records import List, Page, Share, SharedItem, SharedList
from wishwell.client.sync_line import Line


class Shares:
    """``/lists/{listId}/shares``: the links that show a list to others."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def list(
        self, list_id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Share]:
        """The shares of a list, newest first; there are at most 20. Raises ``NotFound``."""
        return self._line.result(calls.list_shares(list_id, page, limit))

    def create(
        self,
        list_id: str,
        *,
        expires_at: datetime | None = None,
        reservations: bool = False,
        notes: bool = False,
    ) -> Share:
        """Shares a list. Not retried after a lost connection: each time it makes another one.

        ``expires_at`` must have a time zone; None is for ever. Raises ``NotFound``.
        """
        call = calls.create_share(list_id, expires_at, reservations, notes)
        return self._line.result(call)

    def update(
        self,
        list_id: str,
        id: str,
        *,
        expires_at: datetime | UnsetType | None = UNSET,
        reservations: bool | UnsetType = UNSET,
        notes: bool | UnsetType = UNSET,
    ) -> Share:
        """Changes the given fields. Raises ``NotFound``."""
        call = calls.update_share(list_id, id, expires_at, reservations, notes)
        return self._line.result(call)

    def delete(self, list_id: str, id: str) -> None:
        """Ends a share. Raises ``NotFound``."""
        self._line.result(calls.delete_share(list_id, id))


class Shared:
    """``/shared/{token}``: a list that somebody shares."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def find(self, token: str) -> SharedList:
        """The list, as anybody sees it. Raises ``NotFound``, also when the share has ended."""
        return self._line.result(calls.find_shared(token))

    def reserve(self, token: str, item_id: str, quantity: int) -> SharedItem:
        """Reserves so many of an item, in place of what the profile had reserved of it.

        Raises ``Conflict`` if fewer are left, ``Forbidden`` on the profile's own list and where the
        share has no reservations, ``NotFound``.
        """
        return self._line.result(calls.reserve(token, item_id, quantity))

    def delete_reservation(self, token: str, item_id: str) -> None:
        """Ends it; the share may have ended. Raises ``NotFound``."""
        self._line.result(calls.delete_reservation(token, item_id))

    def copy(self, token: str, *, name: str | None = None) -> List:
        """Makes a list with what is on it, by default of the same name. Raises ``NotFound``.

        Not retried after a lost connection: each time it makes another list.
        """
        return self._line.result(calls.copy_shared(token, name))
