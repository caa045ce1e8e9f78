"""What the client for asyncio can share, and see of what others share."""

from datetime import datetime

from wishwell.client import calls
from wishwell.client.asynchronous_line import Line
from wishwell.client.calls import UNSET, UnsetType
from wishwell.client.records import List, Page, Share, SharedItem, SharedList


class AsyncShares:
    """``/lists/{listId}/shares``: the links that show a list to others."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def list(
        self, list_id: str, *, page: str | None = None, limit: int | None = None
    ) -> Page[Share]:
        """The shares of a list, newest first; there are at most 20. Raises ``NotFound``."""
        return await self._line.result(calls.list_shares(list_id, page, limit))

    async def create(
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
        return await self._line.result(call)

    async def update(
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
        return await self._line.result(call)

    async def delete(self, list_id: str, id: str) -> None:
        """Ends a share. Raises ``NotFound``."""
        await self._line.result(calls.delete_share(list_id, id))


class AsyncShared:
    """``/shared/{token}``: a list that somebody shares."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def find(self, token: str) -> SharedList:
        """The list, as anybody sees it. Raises ``NotFound``, also when the share has ended."""
        return await self._line.result(calls.find_shared(token))

    async def reserve(self, token: str, item_id: str, quantity: int) -> SharedItem:
        """Reserves so many of an item, in place of what the profile had reserved of it.

        Raises ``Conflict`` if fewer are left, ``Forbidden`` on the profile's own list and where the
        share has no reservations, ``NotFound``.
        """
        return await self._line.result(calls.reserve(token, item_id, quantity))

    async def delete_reservation(self, token: str, item_id: str) -> None:
        """Ends it; the share may have ended. Raises ``NotFound``."""
        await self._line.result(calls.delete_reservation(token, item_id))

    async def copy(self, token: str, *, name: str | None = None) -> List:
        """Makes a list with what is on it, by default of the same name. Raises ``NotFound``.

        Not retried after a lost connection: each time it makes another list.
        """
        return await self._line.result(calls.copy_shared(token, name))
