"""The readers of product feeds: hostile XML, encodings, and rows that must not disappear."""

import csv
import io
import json
import tracemalloc
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wishwell.importers import xml_feed

from .test_catalogue import TEXTS, eur, products_in, read

RSS = '<rss xmlns:g="http://base.google.com/ns/1.0"><channel>{}</channel></rss>'
ITEM = "<item><g:id>{}</g:id><title>{}</title></item>"
SMALL = 4 << 20
"""Bytes of memory that reading a hostile file may take."""

ATTACKS = {
    "external entity": (
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        + RSS.format(ITEM.format(7, "&e;")),
        "document type",
    ),
    "billion laughs": (
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        + RSS.format(ITEM.format(7, "&b;")),
        "document type",
    ),
    "other DTD": (
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">' + RSS.format(ITEM.format(7, "x")),
        "document type",
    ),
    "unknown entity": (RSS.format(ITEM.format(7, "&nbsp;")), "isn't well-formed XML"),
    "depth": (RSS.format("<a>" * 70), "nested more than 64 deep"),
    "depth in a product": (RSS.format("<item>" + "<a>" * 70), "nested more than 64 deep"),
    "large product": (
        RSS.format("<item><g:id>7</g:id><a>" + "x" * (2 << 20) + "</a></item>"),
        "a product of more than 1,048,576 characters",
    ),
    "many elements": (
        RSS.format("<item>" + "".join(f"<a{n}>x</a{n}>" for n in range(300_000))),
        "a product of more than 1,048,576 characters",
    ),
    "large tag": (RSS.format(f'<item a="{"x" * (8 << 20)}"/>'), "a tag or comment of more than"),
    "large comment": (RSS.format(f"<!--{'x' * (8 << 20)}-->"), "a tag or comment of more than"),
    "cut": (RSS.format(ITEM.format(7, "x"))[:-30], "isn't well-formed XML"),
    "wrong encoding": (
        '<?xml version="1.0" encoding="x-none"?>' + RSS.format(ITEM.format(7, "x")),
        "isn't well-formed XML (unknown encoding",
    ),
    "product in a product": (
        RSS.format("<item><g:id>7</g:id><item><g:id>8</g:id></item></item>"),
        "has an <item> inside another product",
    ),
    "page of a proxy": ("<html><body><h1>502</h1></body></html>", "has no <item> or <entry>"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_xml_is_refused_in_little_memory(name):
    """XML with declarations, depth or sizes beyond the limits is a refused row, which names the
    reason; nothing is fetched, and memory stays small. Rule: catalogue-formats."""
    text, reason = ATTACKS[name]
    file = io.BytesIO(text.encode())
    tracemalloc.start()
    *before, (_, told) = xml_feed.read_products(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reason in told and peak < SMALL
    assert len(before) <= 1 and "passwd" not in str(before) and "ha" not in str(before)
    found, _ = read(text)
    assert found.refused >= 1 and found.is_unsure


def test_products_before_a_fault_are_read():
    """The products of a truncated file are read up to the fault, which is reported with its line.
    Rule: catalogue-formats."""
    text = RSS.format("\n".join(ITEM.format(n, f"t{n}") for n in range(1, 6)))
    found, [told] = read(text[: text.index("t5")])
    assert [product.product_id for product in found] == ["1", "2", "3", "4"]
    assert "first: line 5" in told


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize(
    "text",
    [
        "id\ttitle\n7\tThé\n",
        'id,title\n7,"Thé"\n',
        '{"id": 7, "title": "Thé"}\n',
        RSS.format(ITEM.format(7, "Thé")),
    ],
)
def test_text_with_a_byte_order_mark_is_read(text, encoding):
    """UTF-8 and UTF-16 with a byte order mark are read in all syntaxes. Rule: catalogue-formats."""
    assert products_in(text.encode(encoding))["7"].data.title == "Thé"


def test_entities_are_decoded_once():
    """HTML entities in titles are decoded once. Rule: catalogue-cells."""
    made = products_in("id,title\n7,Salt &amp; pepper &#8211; 2&Prime;\n8,&amp;lt;b&amp;gt;\n")
    assert made["7"].data.title == "Salt & pepper – 2″"
    assert made["8"].data.title == "&lt;b&gt;"


def test_availability_decides_over_available():
    """Where a file has both fields, `availability` decides, and a number is a stock.
    Rules: product-replaced, catalogue-cells."""
    rows = ["7,in_stock,false", "8,,false", "9,,3", "10,PreOrder,true", "11,BackOrder,"]
    made = products_in("id,availability,available\n" + "\n".join(rows))
    assert [(one.data.available, one.data.availability) for one in made.values()] == [
        (True, "preorder"),
        (True, "backorder"),
        (True, None),
        (False, None),
        (True, None),
    ]


def test_first_column_may_begin_with_a_number_sign():
    """Only rows that name no known column are comments. Rule: catalogue-formats."""
    assert list(products_in("#,id,title\n1,7,Lamp\n")) == ["7"]
    assert read("# Required | x,# Optional | y\nid,title\n7,Lamp\n")[0].feed.format.name == "meta"


def test_row_that_is_refused_counts_once():
    """A row that names a product and a variant is refused once. Rule: catalogue-cells."""
    text = "handle,title,option1_name,option1_value,variant_sku\na b,t,Title,x,S1\n"
    found, [told] = read(text, TEXTS)
    assert (found.rows, found.refused) == (1, 1) and "(1 row, first: line 2, 'a b')" in told


title = st.text("ab<&>\"'|;,\té\n", max_size=12).map(lambda text: f"t{text}t")
titles = st.lists(title, min_size=1, max_size=25)


def in_csv(*rows):
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


WRITERS = {
    "csv": lambda rows: in_csv(["id", "title"], *rows),
    "jsonl": lambda rows: "".join(json.dumps({"id": n, "title": t}) + "\n" for n, t in rows),
    "rss": lambda rows: RSS.format("".join(ITEM.format(n, escape(t)) for n, t in rows)),
    "meta": lambda rows: in_csv(['# An id, "unique"', "# A title"], ["id", "title"], *rows),
    "woocommerce": lambda rows: in_csv(
        ["ID", "SKU", "Name", "Regular price"], *([n, "", t, "1 EUR"] for n, t in rows)
    ),
    "bulk": lambda rows: "".join(
        json.dumps({"id": f"gid://shopify/Product/{n}", "title": t}) + "\n" for n, t in rows
    ),
    "shopify": lambda rows: in_csv(
        ["Handle", "Title", "Option1 Name", "Option1 Value", "Variant SKU"],
        *([n, t, "Title", "Default Title", f"S{n}"] for n, t in rows),
    ),
}


@pytest.mark.parametrize("name", WRITERS)
@example(titles=["t\nb,t"])
@given(titles=titles)
def test_no_row_of_a_well_formed_file_disappears(name, titles):
    """Each row of a well-formed file becomes a product with its title, in every format.
    Rule: catalogue-cells."""
    text = WRITERS[name](list(enumerate(titles, 1)))
    store = [TEXTS] if name == "shopify" else []
    # A line of a title may read as a row, which only this option takes for text.
    made = products_in(text, *store, accept_deletions=True)
    # An entity that the title happens to contain is decoded.
    assert [made[str(n)].data.title for n in range(1, len(titles) + 1)] == [
        " ".join(title.split()) for title in titles
    ]


def test_json_lines_in_the_form_of_the_api_are_read():
    """A JSON Lines file in the form of the API is read without `--map`. Rule: catalogue-formats."""
    line = {"id": 7, "price": {"amount": "5", "currency": "EUR"}, "availability": "backorder"}
    data = products_in(json.dumps(line))["7"].data
    assert (data.price, data.availability) == (eur("5"), "backorder")
