"""Tables with other separators, and with rows above the names of their columns."""

import pytest

from wishwell.errors import Invalid

from .test_catalogue import eur, products_in, read
from .test_csv import parsed_items
from .test_csv import read as read_wishes

TITLE = "Shop export 28.11.2026"
TABLES = {
    "pipes": "id|title|price\n605|Krug, blau; groß|9,90\n",
    "title": f"{TITLE};;\n;;\nid;title;price\n605;Krug, blau;9,90\n",
    "title of one cell": f'{TITLE}\n\nid,title,price\n605,"Krug, blau",9.90\n',
    "title with tabs": f'{TITLE}\n\nid\ttitle\tprice\n605\tKrug 5"\t9,90\n',
    "many rows": "a,b\n" * 10 + "id,title,price\n605,Krug,9.90\n",
    "title like a column": 'Price,,\nid,title,price\n605,"price, title, id",9.90\n',
    "title with separators": f"{TITLE}; id, and | more\nid|title|price\n605|Krug|9,90\n",
    "meta": "# An id,# A title,#\nid,title,price\n605,Krug,9.90\n#7,Hat,price\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_header_is_found_below_titles_and_empty_rows(name):
    """The header is the row with the most known names, below titles and empty rows, whichever
    separator the file has. Rule: table-header."""
    found, reasons = read(TABLES[name], currency="EUR")
    assert [(one.product_id, one.data.price) for one in found if one.product_id == "605"] == [
        ("605", eur("9.90"))
    ]
    assert len(reasons) == (name == "meta")
    assert found.feed.format.name == ("meta" if name == "meta" else "google")


def test_messages_count_the_lines_of_a_title_above_the_header():
    """Messages name the line of the header and of rows as in the file. Rule: table-header."""
    _, [reason] = read(f"{TITLE};;\n;;\nid;title;price\n605;Krug\n")
    assert reason == "has 2 cells, but line 3 has 3 (1 row, first: line 4)"
    with pytest.raises(Invalid, match="line 3: the column 'code'"):
        read(f"{TITLE}\n\nid,title,price\n", columns={"product": "Code"})
    with pytest.raises(Invalid, match=r"line 1: the column 'item_group_id\|id' is missing; the"):
        read(f"{TITLE}\na,b\n1,2\n")
    with pytest.raises(Invalid, match="line 1: the column"):
        read("a,b\n" * 11 + "id,title\n7,Lamp\n")


def test_comment_below_the_header_is_a_row():
    """Only comments above the header make a file one of Meta's. Rule: table-header."""
    assert read("id,title\n#7,Lamp\n")[0].feed.format.name == "google"
    assert list(products_in("title,id\n# of things,7\n")) == ["7"]


def test_wishes_below_a_title_are_read(tmp_path):
    """Another app's file may have a title, and pipes as separators.
    Rules: table-header, import-csv."""
    file = read_wishes(tmp_path, f"{TITLE}\n\nWho|What\n7|1\n", columns="customer=Who,product=What")
    assert [item[:2] for item in parsed_items(file)] == [("7", "1")]
