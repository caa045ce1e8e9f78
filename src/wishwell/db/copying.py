"""Rows in the text form of PostgreSQL's COPY."""

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

_CHUNK = 1 << 16
_SPECIAL = re.compile(r"[\\\b\f\n\r\t\v]")


async def text(rows: Iterable[Sequence[Any]]) -> AsyncIterator[bytes]:
    """Some 64 KiB of it at a time."""
    piece: list[str] = []
    size = 0
    for row in rows:
        line = "\t".join([_field(value) for value in row])
        piece.append(line)
        size += len(line)
        if size > _CHUNK:
            yield ("\n".join(piece) + "\n").encode()
            piece, size = [], 0
    if piece:
        yield ("\n".join(piece) + "\n").encode()


def _field(value: str | int | None) -> str:
    if value is None:
        return r"\N"
    text = value if isinstance(value, str) else str(value)
    if not _SPECIAL.search(text):
        return text
    return _SPECIAL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
