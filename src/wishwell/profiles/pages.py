"""Cursor pagination (keyset): pages of records, newest first unless requested otherwise.

A cursor is the id at a page's edge, a direction and, if sorted by another field, its sort key. It
is signed, so that a modified cursor, or one of a different request, is refused (rule:
cursor-pagination). A page is read by ``id < edge`` over an index, with one row more than requested
to detect a next page. So a page costs the same at any depth.
"""

import base64
import contextlib
import hmac
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

import msgspec

from wishwell import profiles
from wishwell.db import Reader, Row
from wishwell.db.pages import Noun, PageQuery
from wishwell.errors import Invalid
from wishwell.profiles import Profile, Scope, WholeStore
from wishwell.profiles.search import Search

DEFAULT_SIZE = 50
MAX_SIZE = 250
T = TypeVar("T")

_SIGNATURE_BYTES = 13
"""Bytes of a cursor's signature. With the 17 bytes of direction and id, a cursor is exactly 40
characters of base64 without padding, so it has only one spelling."""

MAX_KEY_BYTES = 99
"""Maximum length of a sort key: a multiple of 3, like every key, so cursors need no padding."""


class Cursor(msgspec.Struct, frozen=True):
    """The edge of a page: records after ``id`` or, if ``backward``, before it.

    ``key``: its sort key, empty if records are sorted by id.
    """

    id: str
    backward: bool
    key: bytes = b""


class PageRequest(msgspec.Struct, frozen=True):
    """The parameters of a page: a cursor, the number of records (1 to 250), the search, and whether
    the oldest records come first."""

    cursor: Cursor | None
    limit: int
    search: Search = Search()
    oldest_first: bool = False

    def among(self, **terms: str | int | list[str]) -> "PageRequest":
        """Returns the request narrowed to these values, by field, instead of a query."""
        search = Search(tuple(terms), tuple(terms.values()))
        return PageRequest(self.cursor, self.limit, search)


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Records, with the cursors of the next and previous page or None."""

    records: list[T]
    next: Cursor | None
    previous: Cursor | None


class HasCursors(Protocol):
    """A page, of records or of the items on a list."""

    @property
    def next(self) -> Cursor | None: ...

    @property
    def previous(self) -> Cursor | None: ...


# rule: cursor-pagination
class CursorSigner:
    """Signs cursors with the newest key and verifies them with any key."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = [hmac.digest(key, b"wishwell cursor", "sha256") for key in keys]

    def sign(self, cursor: Cursor, request: str) -> str:
        """Returns the cursor as text. ``request`` identifies the request that it is bound to."""
        return _sign(self._keys[0], cursor, request)

    def links(self, page: HasCursors, request: str) -> dict[str, str]:
        """Returns a page's existing cursors as text, by the names ``next`` and ``previous``."""
        cursors = {"next": page.next, "previous": page.previous}
        return {name: self.sign(cursor, request) for name, cursor in cursors.items() if cursor}

    def verify(self, text: str, request: str) -> Cursor:
        """Returns the cursor. Raises ``Invalid`` unless ``sign`` made it for this ``request``."""
        with contextlib.suppress(ValueError, IndexError):
            payload = base64.b64decode(text, b"-_")
            sort_key = payload[17:-_SIGNATURE_BYTES]
            cursor = Cursor(str(UUID(bytes=payload[1:17])), bool(payload[0]), sort_key)
            for key in self._keys:
                if hmac.compare_digest(_sign(key, cursor, request).encode(), text.encode()):
                    return cursor
        raise Invalid(
            "page: isn't a cursor for this request; use pageInfo.next or "
            "pageInfo.previous from an earlier response and leave the other parameters "
            "unchanged.",
            "invalid_cursor",
        )


def _sign(key: bytes, cursor: Cursor, request: str) -> str:
    payload = bytes([cursor.backward]) + UUID(cursor.id).bytes + cursor.key
    signature = hmac.digest(key, payload + request.encode(), "sha256")[:_SIGNATURE_BYTES]
    return base64.urlsafe_b64encode(payload + signature).decode()


# rule: cursor-pagination
async def read(
    tx: Reader, noun: Noun, scope: Scope, page_request: PageRequest, from_row: Callable[[Row], T]
) -> Page[T]:
    """Returns a page. ``from_row`` converts a row, whose first column is the id, to a record.

    Raises ``profiles.missing`` for a session that has ended, instead of returning an empty page.
    """
    cursor, limit = page_request.cursor, page_request.limit
    backward = cursor is not None and cursor.backward
    is_whole_store = isinstance(scope, WholeStore)
    newest_first = backward == page_request.oldest_first
    query = PageQuery(noun, is_whole_store, page_request.search.fields, newest_first=newest_first)
    if cursor is not None:
        query = query._replace(edge="older" if newest_first else "newer", beyond=True)
    edge_id = cursor.id if cursor else None
    rows = await tx.page(query, _scope_id(scope), edge_id, limit + 1, *page_request.search.values)
    if not rows:
        empty_page = await _empty_page(tx, query, scope, page_request)
        return empty_page or await read(tx, noun, scope, page_request, from_row)
    has_other_side = cursor is not None and bool(rows[0][-1])
    page_rows = rows[:limit] if cursor is None else [row[:-1] for row in rows[:limit]]
    has_previous, has_next = has_other_side, len(rows) > limit
    if backward:
        page_rows = page_rows[::-1]
        has_previous, has_next = has_next, has_previous
    return Page(
        list(map(from_row, page_rows)),
        Cursor(page_rows[-1][0], False) if has_next else None,
        Cursor(page_rows[0][0], True) if has_previous else None,
    )


# rule: item-sort
def sorted_page(page_request: PageRequest, keys: Mapping[str, bytes]) -> Page[str]:
    """Returns a page of ids in the order of their sort keys, the newest of equal ones first.

    ``keys``: the sort keys of all records, by id.
    """
    positions = sorted((key, -UUID(id).int) for id, key in keys.items())
    begin, end = 0, page_request.limit
    if page_request.cursor is not None:
        edge_position = page_request.cursor.key, -UUID(page_request.cursor.id).int
        begin = bisect_right(positions, edge_position)
        end = begin + page_request.limit
        if page_request.cursor.backward:
            end = bisect_left(positions, edge_position)
            begin = max(0, end - page_request.limit)

    def make_cursor(index: int, backward: bool) -> Cursor:
        """Returns a cursor at an index, or at the last cursor's edge if the page is empty."""
        is_empty = begin >= min(end, len(positions))
        key, negative_id = edge_position if is_empty else positions[index]
        if is_empty:  # moved by one, so that a page from there includes the edge's record
            negative_id += 1 if backward else -1
        return Cursor(str(UUID(int=-negative_id)), backward, key)

    return Page(
        [str(UUID(int=-negative_id)) for _, negative_id in positions[begin:end]],
        make_cursor(end - 1, False) if end < len(positions) else None,
        make_cursor(begin, True) if begin > 0 else None,
    )


async def _empty_page(
    tx: Reader, query: PageQuery, scope: Scope, page_request: PageRequest
) -> Page[Any] | None:
    """Returns an empty page with a cursor back to the records on the other side of the edge.

    One query for the furthest record in the page's direction answers both questions in the same
    snapshot: whether the page is still empty, and whether the other side has records. Returns None
    if a link has just moved a record into the page, which the caller then reads again.
    """
    if isinstance(scope, Profile):
        await profiles.check_open(tx, scope)
    if page_request.cursor is None:
        return Page([], None, None)
    is_newer_side, edge_id = query.edge == "newer", UUID(page_request.cursor.id)
    query = query._replace(newest_first=is_newer_side, edge=None, beyond=False)
    rows = await tx.page(query, _scope_id(scope), None, 1, *page_request.search.values)
    if not rows:
        return Page([], None, None)
    farthest_id = UUID(rows[0][0])
    if farthest_id > edge_id if is_newer_side else farthest_id < edge_id:
        return None
    backward = page_request.cursor.backward
    cursor_back = Cursor(str(UUID(int=edge_id.int + (1 if is_newer_side else -1))), not backward)
    return Page([], cursor_back, None) if backward else Page([], None, cursor_back)


# rule: search-terms
def _scope_id(scope: Scope) -> str:
    return scope.id if isinstance(scope, Profile) else scope.store.id
