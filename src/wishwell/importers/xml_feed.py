"""Reads Google's feeds in XML (RSS 2.0 and Atom) as a stream, with bounded memory.

The parser is Expat, of Python's standard library. A document type declaration is refused, so a file
can neither declare entities nor refer to other files.
"""

from collections.abc import Iterator
from typing import BinaryIO
from xml.parsers import expat

from wishwell.errors import Invalid

_CHUNK_BYTES = 1 << 16
_MAX_DEPTH = 64
_ELEMENT_SIZE = 100  # what an element counts, besides its text
MAX_TEXT = 1 << 20
"""Maximum characters of one product."""

_GOOGLE = "http://base.google.com/ns/1.0"
_ITEMS = ("item", "entry")


class _Feed:
    """Collects the direct children of the elements of ``_ITEMS`` as rows."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, dict[str, str]]] = []
        self.has_items = False
        self._depth = self._item_depth = self._line = self._size = 0
        self._cells: dict[str, tuple[bool, str]] = {}
        self._name, self._text = "", [""]
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start_element
        self.parser.EndElementHandler = self._end_element
        self.parser.CharacterDataHandler = self._add_text

    def _refuse_doctype(self, *_: object) -> None:
        raise Invalid("has a document type declaration (<!DOCTYPE>), which isn't allowed")

    def _start_element(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Invalid(f"has elements nested more than {_MAX_DEPTH} deep")
        local_name = name.rpartition(" ")[2]
        if not self._item_depth:
            if local_name in _ITEMS:
                self.has_items = True
                self._item_depth, self._line = self._depth, self.parser.CurrentLineNumber
                self._cells, self._size = {}, 0
        elif local_name in _ITEMS:
            raise Invalid(f"has an <{local_name}> inside another product")
        elif self._depth == self._item_depth + 1:
            self._name, self._text = name, [attributes.get("href", "")]  # Atom's link
            self._add_size(len(name) + _ELEMENT_SIZE)

    def _add_text(self, text: str) -> None:
        if not self._item_depth:
            return
        self._add_size(len(text))
        if self._depth == self._item_depth + 1:
            self._text.append(text)

    def _add_size(self, size: int) -> None:
        self._size += size
        if self._size > MAX_TEXT:
            raise Invalid(f"has a product of more than {MAX_TEXT:,} characters")

    def _end_element(self, name: str) -> None:
        if self._item_depth and self._depth == self._item_depth + 1:
            namespace, _, local_name = name.rpartition(" ")
            is_google, text = namespace == _GOOGLE, "".join(self._text).strip()
            earlier_cell = self._cells.get(local_name)
            # g:title has priority over title, and the first of repeated elements over the others.
            if text and (earlier_cell is None or (is_google and not earlier_cell[0])):
                self._cells[local_name] = is_google, text
        elif self._depth == self._item_depth:
            self._item_depth = 0
            self.rows.append((self._line, {name: text for name, (_, text) in self._cells.items()}))
        self._depth -= 1


def read_products(file: BinaryIO) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yields each product's line and cells by name. Ends with an error message instead of cells if
    the rest can't be read."""
    feed, read_bytes = _Feed(), 0
    try:
        while chunk := file.read(_CHUNK_BYTES):
            feed.parser.Parse(chunk, False)
            read_bytes += len(chunk)
            if (
                read_bytes - feed.parser.CurrentByteIndex > MAX_TEXT
            ):  # Expat keeps an unfinished tag
                raise Invalid(f"has a tag or comment of more than {MAX_TEXT:,} bytes")
            yield from feed.rows
            feed.rows.clear()
        feed.parser.Parse(b"", True)
        if not feed.has_items:
            raise Invalid("has no <item> or <entry>: not a feed for Google's Merchant Center")
    except (expat.ExpatError, LookupError, ValueError, Invalid) as error:  # of unknown encodings
        yield from feed.rows
        reason = error.message if isinstance(error, Invalid) else f"isn't well-formed XML ({error})"
        yield feed.parser.CurrentLineNumber, reason
