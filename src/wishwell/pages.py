"""Pages: newest first, walked by cursors that are opaque outside and plain inside.

A cursor is the id at a page's edge and a direction, sealed so that a changed one, or one of another
request, is refused (contract: cursor-opaque, cursor-bound-to-request). A page is read by
``id < edge`` over an index, one row more than asked for, so that it costs the same at any depth:
never OFFSET, never a count.
"""

import base64
import binascii
import hmac
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from wishwell.db import Database, Row
from wishwell.db.statements import Fragments
from wishwell.errors import Invalid
from wishwell.profiles import Profile, Scope
from wishwell.search import Search

DEFAULT_SIZE = 50
MAX_SIZE = 250
T = TypeVar("T")

# 1 + 16 + 13 bytes are 40 characters of base64 with none to spare: one text for each cursor.
_SEAL = 13


class Cursor(msgspec.Struct, frozen=True):
    """``id`` is the edge: the page holds what is older, or with ``backward`` what is newer."""

    id: str
    backward: bool


class PageRequest(msgspec.Struct, frozen=True):
    """What was asked: the cursor, 1 to 250 records, and the parsed query."""

    cursor: Cursor | None
    limit: int
    search: Search


class Page(msgspec.Struct, Generic[T], frozen=True):
    """The records, and the cursors of the pages beside them, where there are any."""

    records: list[T]
    next: Cursor | None
    previous: Cursor | None


class Sealer:
    """Seals cursors with the newest of the keys, opens them with any."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = [hmac.digest(key, b"wishwell cursor", "sha256") for key in keys]

    def seal(self, cursor: Cursor, request: str) -> str:
        """``request`` is all that the cursor is bound to, as text."""
        plain = bytes([cursor.backward]) + UUID(cursor.id).bytes
        mac = hmac.digest(self._keys[0], plain + request.encode(), "sha256")[:_SEAL]
        return base64.urlsafe_b64encode(plain + mac).decode()

    def open(self, text: str, request: str) -> Cursor:
        """Raises ``Invalid`` for what ``seal`` has not made for this very request."""
        try:
            raw = base64.b64decode(text.encode(), altchars=b"-_", validate=True)
            if base64.urlsafe_b64encode(raw).decode() != text:
                raw = b""  # another spelling of the same bytes: + and / for - and _
        except (binascii.Error, UnicodeEncodeError):
            raw = b""
        plain, mac = raw[:17], raw[17:]
        for key in self._keys:
            expected = hmac.digest(key, plain + request.encode(errors="replace"), "sha256")
            if len(raw) == 17 + _SEAL and hmac.compare_digest(mac, expected[:_SEAL]):
                return Cursor(str(UUID(bytes=plain[1:])), bool(plain[0]))
        raise Invalid(
            "page: is not a cursor of this request; take pageInfo.next or pageInfo.previous of an "
            "earlier answer and repeat the other parameters."
        )


async def read(
    db: Database, noun: str, scope: Scope, asked: PageRequest, shape: Callable[[Row], T]
) -> Page[T]:
    """One page of ``items`` or ``lists``; ``shape`` makes a record of a row, whose id is first."""
    alias = noun[0]
    cursor, limit = asked.cursor, asked.limit
    whole = not isinstance(scope, Profile)
    key = scope.id if isinstance(scope, Profile) else scope.store_id
    arguments: list[object] = [key, cursor.id if cursor else None, limit + 1]
    conditions, values = asked.search.conditions(4, whole_store=whole)
    backward = cursor is not None and cursor.backward
    fragments = Fragments(
        conditions=conditions,
        from_cursor=_edge(alias, cursor),
        direction="ASC" if backward else "DESC",
        beyond=_beyond(noun, alias, whole, conditions, cursor),
    )
    name = f"store_{noun}_page" if whole else f"{noun}_page"
    rows = await db.page(name, fragments, *arguments, *values)
    kept = list(rows[:limit])
    if not kept:
        empty: Page[T] | None = (
            await _empty(db, noun, scope, asked) if cursor else Page([], None, None)
        )
        # A link has just moved a record to where there was none: once more.
        return empty or await read(db, noun, scope, asked, shape)
    more = len(rows) > limit
    other = cursor is not None and bool(kept[0][-1])
    if backward:
        kept.reverse()
    newer, older = (more, other) if backward else (other, more)
    return Page(
        [shape(row) for row in kept],
        Cursor(kept[-1][0], False) if older else None,
        Cursor(kept[0][0], True) if newer else None,
    )


async def _empty(db: Database, noun: str, scope: Scope, asked: PageRequest) -> Page[Any] | None:
    """A page whose records are all gone, with the cursor to what lies at its edge and beyond, if
    that is still there; None when the page is not empty any more.

    The record that is farthest to the page's side tells both, and at one moment.
    """
    assert asked.cursor is not None
    backward, at = asked.cursor.backward, UUID(asked.cursor.id)
    conditions, values = asked.search.conditions(4, whole_store=not isinstance(scope, Profile))
    fragments = Fragments(
        conditions, " AND $2::uuid IS NOT NULL", "DESC" if backward else "ASC", ""
    )
    name = noun + "_page" if isinstance(scope, Profile) else f"store_{noun}_page"
    key = scope.id if isinstance(scope, Profile) else scope.store_id
    rows = await db.page(name, fragments, key, asked.cursor.id, 1, *values)
    if not rows:
        return Page([], None, None)
    farthest = UUID(rows[0][0])
    if farthest > at if backward else farthest < at:
        return None
    edge = Cursor(str(UUID(int=(at.int + (1 if backward else -1)) % 2**128)), not backward)
    return Page([], edge, None) if backward else Page([], None, edge)


def _edge(alias: str, cursor: Cursor | None) -> str:
    if cursor is None:
        # The parameter must still have a type.
        return " AND $2::uuid IS NULL"
    return f" AND {alias}.id {'>' if cursor.backward else '<'} $2::uuid"


def _beyond(noun: str, alias: str, whole: bool, conditions: str, cursor: Cursor | None) -> str:
    """A column that tells whether a record lies at the cursor or on its other side."""
    if cursor is None:
        return ""
    owner = "store_id" if whole else "profile_id"
    sign, order = ("<=", "DESC") if cursor.backward else (">=", "ASC")
    # The nearest, by the index: of EXISTS PostgreSQL reads the whole table instead, as nearly every
    # record answers it, and begins with the oldest, which do not.
    # All of it is our own text: no value ever becomes part of a statement.
    return (
        f", (SELECT {alias}.id FROM {noun} {alias}"  # noqa: S608
        f" WHERE {alias}.{owner} = $1{conditions} AND {alias}.id {sign} $2::uuid"
        f" ORDER BY {alias}.id {order} LIMIT 1) IS NOT NULL"
    )
