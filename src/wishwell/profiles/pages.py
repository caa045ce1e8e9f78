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
from typing import Any, Generic, TypeVar
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

    def among(self, **chosen: str | int | list[str]) -> "PageRequest":
        """Returns the request narrowed to these values, by field, instead of a query."""
        search = Search(tuple(chosen), tuple(chosen.values()))
        return PageRequest(self.cursor, self.limit, search)


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Records, with the cursors of the next and previous page or None."""

    records: list[T]
    next: Cursor | None
    previous: Cursor | None


# rule: cursor-pagination
class CursorSigner:
    """Signs cursors with the newest key and verifies them with any key."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = [hmac.digest(key, b"wishwell cursor", "sha256") for key in keys]

    def sign(self, cursor: Cursor, request: str) -> str:
        """Returns the cursor as text. ``request`` identifies the request that it is bound to."""
        return _signed(self._keys[0], cursor, request)

    def links(self, page: Page[Any], request: str) -> dict[str, str]:
        """Returns a page's existing cursors as text, by the names ``next`` and ``previous``."""
        beside = {"next": page.next, "previous": page.previous}
        return {name: self.sign(at, request) for name, at in beside.items() if at is not None}

    def verify(self, text: str, request: str) -> Cursor:
        """Returns the cursor. Raises ``Invalid`` unless ``sign`` made it for this ``request``."""
        with contextlib.suppress(ValueError, IndexError):
            plain = base64.b64decode(text, b"-_")
            key = plain[17:-_SIGNATURE_BYTES]
            cursor = Cursor(str(UUID(bytes=plain[1:17])), bool(plain[0]), key)
            for key in self._keys:
                if hmac.compare_digest(_signed(key, cursor, request).encode(), text.encode()):
                    return cursor
        raise Invalid(
            "page: isn't a cursor for this request; use pageInfo.next or "
            "pageInfo.previous from an earlier response and leave the other parameters "
            "unchanged.",
            "invalid_cursor",
        )


def _signed(key: bytes, cursor: Cursor, request: str) -> str:
    plain = bytes([cursor.backward]) + UUID(cursor.id).bytes + cursor.key
    mac = hmac.digest(key, plain + request.encode(), "sha256")[:_SIGNATURE_BYTES]
    return base64.urlsafe_b64encode(plain + mac).decode()


# rule: cursor-pagination
async def read(
    tx: Reader, noun: Noun, scope: Scope, asked: PageRequest, from_row: Callable[[Row], T]
) -> Page[T]:
    """Returns a page. ``from_row`` converts a row, whose first column is the id, to a record.

    Raises ``profiles.missing`` for a session that has ended, instead of returning an empty page.
    """
    cursor, limit = asked.cursor, asked.limit
    backward = cursor is not None and cursor.backward
    whole_store = isinstance(scope, WholeStore)
    newest_first = backward == asked.oldest_first
    query = PageQuery(noun, whole_store, asked.search.fields, newest_first=newest_first)
    if cursor is not None:
        query = query._replace(edge="older" if newest_first else "newer", beyond=True)
    edge = cursor.id if cursor else None
    rows = await tx.page(query, _key(scope), edge, limit + 1, *asked.search.values)
    if not rows:
        empty = await _empty_page(tx, query, scope, asked)
        return empty or await read(tx, noun, scope, asked, from_row)
    other = cursor is not None and bool(rows[0][-1])
    kept = rows[:limit] if cursor is None else [row[:-1] for row in rows[:limit]]
    before, after = other, len(rows) > limit
    if backward:
        kept = kept[::-1]
        before, after = after, before
    return Page(
        list(map(from_row, kept)),
        Cursor(kept[-1][0], False) if after else None,
        Cursor(kept[0][0], True) if before else None,
    )


# rule: item-sort
def cut(asked: PageRequest, keys: Mapping[str, bytes]) -> Page[str]:
    """Returns a page of ids in the order of their sort keys, the newest of equal ones first.

    ``keys``: the sort keys of all records, by id.
    """
    places = sorted((key, -UUID(id).int) for id, key in keys.items())
    begin, end = 0, asked.limit
    if asked.cursor is not None:
        edge = asked.cursor.key, -UUID(asked.cursor.id).int
        begin = bisect_right(places, edge)
        end = begin + asked.limit
        if asked.cursor.backward:
            end = bisect_left(places, edge)
            begin = max(0, end - asked.limit)

    def cursor(at: int, backward: bool) -> Cursor:
        """Returns a cursor at a place, or at the last cursor's edge if the page is empty."""
        is_empty = begin >= min(end, len(places))
        key, negative = edge if is_empty else places[at]
        if is_empty:  # moved by one place, so that a page from there includes the edge's record
            negative += 1 if backward else -1
        return Cursor(str(UUID(int=-negative)), backward, key)

    return Page(
        [str(UUID(int=-negative)) for _, negative in places[begin:end]],
        cursor(end - 1, False) if end < len(places) else None,
        cursor(begin, True) if begin > 0 else None,
    )


async def _empty_page(
    tx: Reader, query: PageQuery, scope: Scope, asked: PageRequest
) -> Page[Any] | None:
    """Returns an empty page with a cursor back to the records on the other side of the edge.

    One query for the furthest record in the page's direction answers both questions in the same
    snapshot: whether the page is still empty, and whether the other side has records. Returns None
    if a link has just moved a record into the page, which the caller then reads again.
    """
    if isinstance(scope, Profile):
        await profiles.check_open(tx, scope)
    if asked.cursor is None:
        return Page([], None, None)
    newer, at = query.edge == "newer", UUID(asked.cursor.id)
    query = query._replace(newest_first=newer, edge=None, beyond=False)
    rows = await tx.page(query, _key(scope), None, 1, *asked.search.values)
    if not rows:
        return Page([], None, None)
    farthest = UUID(rows[0][0])
    if farthest > at if newer else farthest < at:
        return None
    backward = asked.cursor.backward
    edge = Cursor(str(UUID(int=at.int + (1 if newer else -1))), not backward)
    return Page([], edge, None) if backward else Page([], None, edge)


# rule: search-terms
def _key(scope: Scope) -> str:
    return scope.id if isinstance(scope, Profile) else scope.store.id
