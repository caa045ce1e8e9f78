"""Import of a product catalogue: files with rows, ids and times that are too large."""

import contextlib
import io
import json
import tracemalloc
from datetime import UTC

import pytest

from tests.conftest import slow
from wishwell import ids
from wishwell.errors import Invalid
from wishwell.importers import cells
from wishwell.importers.catalogue import Catalogue, parse_id_pattern

from .test_catalogue import AT, NUMBERS, TEXTS, eur, products_in, read
from .test_csv import parsed_items
from .test_csv import read as read_wishes
from .test_feed_readers import RSS

MIB = 1 << 20
CELL = 131_072
WIDE = "7," + "x" * MIB + "\n8,inside\n"
LONG = "\n".join(f"{n},inside" for n in range(100_000))
FAULTS = {
    "cell": (f'id,title\n1,a\n7,"{"x" * CELL}\n8,inside\n"\n9,b\n', 3),
    "tabs": (f"id\ttitle\n1\ta\n7\t{'x' * (CELL + 1)}\n9\tb\n", 3),
    "line": (f"id,title\n1,a\n{WIDE}9,b\n", 3),
    "row": ("id,title\n1,a\n7" + ',"x\ny"' * 200_000 + "\n9,b\n", 3),
    "open quote": (f'id,title\n1,a\n7,"{LONG}\n9,b\n', 3),
    "woocommerce": (f'ID,SKU,Name,Regular price\n1,a,A,\n7,"{LONG}\n9,,b,\n', 3),
    "jsonl": (json.dumps({"id": 1}) + f'\n{{"id": 7, "title": "{"x" * MIB}"}}\n{{"id": 9}}\n', 2),
    "xml": (RSS.format(f"<item><id>1</id></item>\n<item><id>7</id><a>{WIDE}</a></item>"), 2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_reading_ends_at_a_row_that_is_too_large(name):
    """A cell or row beyond the limits ends the reading and is named with its line: rows before it
    are products, and nothing from its quotes or after it is. Rule: catalogue-limits."""
    text, line = FAULTS[name]
    found, [told] = read(text)
    assert f"first: line {line}" in told
    assert [product.product_id for product in found] == ["1"]
    assert (found.rows, found.refused, found.is_unsure) == (2, 1, True)


def test_largest_cell_and_row_are_read():
    """Cells of 131,072 characters are read, if the row has at most 1 MiB. Rule: catalogue-limits."""
    row = ",".join(["7", "Lamp", *["x" * CELL] * 7, ""])
    row += "x" * (MIB - 1 - len(row))
    columns = "id,title,a,b,c,d,e,f,g,h"
    assert products_in(f"{columns}\n{row}\n8,Hat,,,,,,,,\n")["8"].data.title == "Hat"
    assert read(f"{columns}\n{row}xx\n8,Hat,,,,,,,,\n")[0].refused == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        slow("csv", b'id,title\n1,a\n7,"' + b'x\n",y,"' * (4 << 20)),
        ("comment", b"#" + b",x" * (16 << 20)),
        ("jsonl", b'{"id": 1}\n{"id": 7, "title": "' + b"x" * (32 << 20) + b'"}\n'),
    ],
)
def test_oversized_row_is_never_wholly_in_memory(name, text):
    """Memory holds at most the allowed part of a row. Rule: catalogue-limits."""
    tracemalloc.start()
    with pytest.raises(Invalid) if name == "comment" else contextlib.nullcontext():
        [*Catalogue("feed", io.BytesIO(text), NUMBERS, 0).read()]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * MIB


def test_number_of_stored_column_names_is_limited():
    """A file whose rows all have other columns doesn't fill the memory with their names.
    Rule: catalogue-limits."""
    found, told = read("".join(f'{{"id": 1, "x{n}": 2}}\n' for n in range(12_000)))
    assert (told, found.rows, len(found.feed.columns_ignored)) == ([], 12_000, 9_999)


def test_wishes_after_an_oversized_row_are_not_read(tmp_path):
    """In another app's file, a cell or row beyond the limits is reported like other errors.
    Rules: catalogue-limits, import-csv."""
    for text in (f'"{"x" * CELL}\n7,2,inside\n"', f'"{LONG}'):
        file = read_wishes(
            tmp_path, f"Who,What,Note\n7,1,\n7,1,{text}\n", columns="customer=Who,product=What"
        )
        [error] = file.spool.errors
        assert error.startswith("line 3: ") and "reading ended here" in error


@pytest.mark.parametrize(
    "pattern",
    ["{product}a{variant}b", "a{product}a{variant}a", "{product}{variant}", "b{product}b"],
)
def test_pattern_is_matched_in_linear_time(pattern):
    """An id of 98 kB is refused without backtracking. Rule: catalogue-limits."""
    text = f"id,title\n{'a' * 98_000},x\n7,y\n"
    assert read(text, TEXTS, pattern=pattern)[0].refused == 2
    assert parse_id_pattern("x{variant}--{product}y")("xa-b--cy") == ("c", "a-b")
    assert parse_id_pattern("{product}_{variant}")("a_b_") == ("a", "b_")


@pytest.mark.parametrize("offset", ["-05:00", "-2359", "+14:00", "Z", ""])
def test_sale_that_ends_in_the_year_9999_is_read_with_any_offset(offset):
    """A time in the year 9999 is read with any offset. Rule: catalogue-limits."""
    text = f"2020-01-01T00:00:00Z/9999-12-31T23:59:59{offset}"
    found, told = read(
        f"id,price,sale_price,sale_price_effective_date\n7,9 EUR,5 EUR,{text}\n", at=AT
    )
    [product] = found
    assert (told, product.data.price) == ([], eur("5"))
    assert ids.timestamp(found.sales["7"])[:10] == "9999-12-31"
    assert cells.parse_time("9999-12-31", UTC, is_end=True) == ids.MAX_TIMESTAMP_MS


def test_cell_that_python_cannot_parse_is_left_out():
    """Entities of thousands of digits and malformed relative URLs are left out.
    Rule: catalogue-cells."""
    text = f"id,title,link,image_link\n7,&#{'9' * 5_000};,https://a.example/,//[x\n"
    found, told = read(text)
    assert (found.refused, found.lost, len(told)) == (0, 2, 2)


@pytest.mark.parametrize(
    ("elements", "title"),
    [
        ("<g:title>a</g:title><g:title>b</g:title>", "a"),
        ("<title>a</title><title>b</title>", "a"),
        ("<title>a</title><g:title>b</g:title><g:title>c</g:title>", "b"),
        ("<g:title>a</g:title><title>b</title>", "a"),
        ("<g:title> </g:title><g:title>b</g:title>", "b"),
    ],
)
def test_first_nonempty_element_counts_when_an_item_repeats_it(elements, title):
    """Of an item's repeated elements the first one with text counts, and `g:` names come before
    others. Rule: catalogue-cells."""
    item = f"<item><g:id>7</g:id><g:id>8</g:id>{elements}</item>"
    assert [(id, one.data.title) for id, one in products_in(RSS.format(item)).items()] == [
        ("7", title)
    ]


def test_tabs_inside_quotes_are_data_if_the_row_has_too_many_cells(tmp_path):
    """A quoted field between tabs may contain tabs, if the row has as many cells as the first then.
    Rule: catalogue-cells."""
    rows = ['7\t"a\tb ""c"""\tx', '8\t"a\tb\tx', '9\t"a"b\tx', '10\t"a\tb"\tx\ty']
    found, [told] = read("id\ttitle\tbrand\n" + "\n".join(rows))
    assert {one.product_id: one.data.title for one in found} == {"7": 'a b "c"', "9": '"a"b'}
    assert told == "has 4 cells, but the first line has 3 (2 rows, first: line 3)"
    wishes = read_wishes(tmp_path, 'W\tP\tN\n7\t1\t"a\tb"\n', columns="customer=W,product=P")
    assert parsed_items(wishes)[0][:2] == ("7", "1")
