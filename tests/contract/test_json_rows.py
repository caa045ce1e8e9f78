"""Product files in JSON: lines, an array, or an object with one array, also pretty-printed."""

import json
import tracemalloc

import pytest

from tests.conftest import slow
from wishwell.errors import Invalid

from .test_catalogue import eur, products_in, read

LAMP, HAT = {"id": 7, "title": "Lamp", "price": "3.00 EUR"}, {"id": 8, "title": "Hat"}
# The form of Shopify's answers, with arrays inside the products.
TEA_POT = {
    "id": 632,
    "title": "Tea pot",
    "variants": [{"id": 6321, "price": "39.00"}],
    "images": [{"src": "https://shop.example/632.jpg"}],
}


def pretty(value):
    return json.dumps(value, indent=2)


FILES = {
    "lines": (f"{json.dumps(LAMP)}\n{json.dumps(HAT)}\n", "jsonl"),
    "pretty objects": (f"{pretty(LAMP)}\n{pretty(HAT)}", "json"),
    "array": (json.dumps([LAMP, HAT]), "json"),
    "pretty array": (f"\n {pretty([LAMP, HAT])}", "json"),
    "array of lines": (f"[\n{json.dumps(LAMP)},\n{json.dumps(HAT)}\n]\n", "json"),
    "arrays": (f"{json.dumps([LAMP])}\n{json.dumps([HAT])}", "json"),
    "object with an array": (json.dumps({"products": [LAMP, HAT]}), "json"),
    "pretty object with an array": (pretty({"products": [LAMP, HAT]}), "json"),
    "array among other values": (
        pretty({"count": 2, "errors": [], "data": {"products": [LAMP, HAT]}, "tags": ["x"]}),
        "json",
    ),
    "pages": (f"{json.dumps({'data': [LAMP]})}\n{json.dumps({'data': [HAT]})}\n", "json"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", FILES)
def test_json_is_read_in_each_form(name, encoding):
    """JSON is read as lines, as one array or as an object with one array, pretty-printed or not.
    Rule: catalogue-json."""
    text, syntax = FILES[name]
    found, reasons = read(text.encode(encoding))
    assert (reasons, found.feed.syntax) == ([], syntax)
    lamp, hat = found
    assert (lamp.product_id, lamp.data.title, lamp.data.price) == ("7", "Lamp", eur("3.00"))
    assert (hat.product_id, hat.data.title) == ("8", "Hat")


@pytest.mark.parametrize("text", ["[]", '{"products": []}', '{"a": {"products": [ ]}}'])
def test_empty_array_has_no_products(text):
    """An empty array has no rows; an object without products is a row without an id.
    Rule: catalogue-json."""
    found, _ = read(text)
    assert (list(found), found.rows) == ([], text != "[]")


def test_product_with_arrays_is_one_product():
    """An object with a product's id isn't an object that contains products, and numbers in a path
    are positions in arrays. Rule: catalogue-json."""
    columns = {"image": "images.0.src", "price": "variants.0.price"}
    for value in (TEA_POT, {"products": [TEA_POT]}, {"variants": TEA_POT["variants"], "id": 632}):
        for text in (json.dumps(value), pretty(value)):
            assert list(products_in(text)) == ["632"]
    data = products_in(pretty({"products": [TEA_POT]}), columns=columns, currency="EUR")["632"].data
    assert (data.price, data.image) == (eur("39.00"), "https://shop.example/632.jpg")
    with pytest.raises(Invalid, match=r"several arrays \(products, a.variants\).*jq '.products'"):
        read(json.dumps({"products": [LAMP], "a": {"variants": [HAT]}}))


def test_price_with_a_currency_code_is_a_price():
    """An object with amount and currencyCode, or currency, is a price; others are named with the
    path that helps. Rules: catalogue-json, catalogue-prices."""
    rows = [
        {"id": 646, "price": {"amount": "12.50", "currencyCode": "EUR"}},
        {"id": 647, "price": {"amount": 12.5, "currency": "EUR"}},
        {"id": 648, "price": {"amount": {"value": 3}}},
        {"id": 649, "price": {"centAmount": 1250, "currencyCode": "EUR"}},
    ]
    for text in ("".join(json.dumps(row) + "\n" for row in rows), pretty(rows)):
        found, [reason] = read(text)
        prices = [product.data.price for product in found]
        assert prices == [eur("12.50"), eur("12.5"), None, None]
        assert "such as price=price.amount (2 cells" in reason


def test_mapped_path_names_a_value_inside_another():
    """--map takes dotted paths, for ids too, and the value around one isn't called ignored.
    Rule: catalogue-json."""
    rows = [{"node": {"ID": 7, "Offer": {"amountV2": {"amount": "5", "code": "EUR"}}, "x": 1}}]
    columns = {"product": "node.id", "price": "node.offer.amountV2.amount|price"}
    for text in (json.dumps(rows), json.dumps(rows[0]), pretty({"data": {"edges": rows}})):
        found, reasons = read(text, columns=columns, currency="EUR")
        assert reasons == [] and found.feed.columns_ignored == set()
        assert [product.data.price for product in found] == [eur("5")]
        assert found.read_columns["price"] == "node.offer.amountv2.amount"


SHORT = '[\n{"id": 7},\n{"id": 8},\n'
FAULTS: dict[str, tuple[str | bytes, str, int | None]] = {
    "cut": (SHORT, "isn't valid JSON (parse error: premature EOF)", 4),
    "comma": (SHORT + "]", "isn't valid JSON (parse error: unallowed token", 4),
    "number": (SHORT + '{"id": NaN}]', "isn't valid JSON (lexical error", 4),
    "digits": (SHORT + f'{{"id": {"9" * 5000}}}]', "isn't valid JSON (a large number)", 4),
    "exponent": (SHORT + f'{{"id": 1.0e{"9" * 30}}}]', "isn't valid JSON (a large number)", 4),
    "bytes": (SHORT.encode() + b'{"id": "\xff"}]', "isn't valid JSON (lexical error: inv", 4),
    "one line": (SHORT.replace("\n", "") + "x]", "isn't valid JSON (lexical error", 1),
    "depth": (SHORT + "[" * 200_000, "is nested more than 64 deep", 4),
    "row": (SHORT + f'{{"id": 9, "a": [{"1,2," * 300_000}', "row of more than 1,048,576 bytes", 4),
    "lines of a row": (SHORT + '{"id": 9, "a": [' + "1111,\n" * 200_000, "row of more than", None),
    "text": (SHORT + f'{{"id": 9, "title": "{"x" * (32 << 20)}', "row of more than", 4),
    "key": (SHORT + '{"id": 9, "' + "x" * (32 << 20), "row of more than", 4),
    "other": ('{"products": ' + SHORT[:-2] + '], "x": "' + "x" * (32 << 20), "row of more than", 3),
}


@pytest.mark.parametrize(
    "name", [slow(name) if name in ("row", "lines of a row") else name for name in FAULTS]
)
def test_invalid_json_ends_the_reading_and_is_named_with_its_line(name):
    """Reading ends in little memory at invalid JSON, at a row that is too large and at one that is
    too deep. The fault is named with its line, and rows before it are products.
    Rules: catalogue-json, catalogue-limits."""
    text, message, line = FAULTS[name]
    raw = text if isinstance(text, bytes) else text.encode()
    tracemalloc.start()
    found, [reason] = read(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert message in reason and "reading ended here" in reason
    assert line is None or f"first: line {line}" in reason
    assert [product.product_id for product in found] == ["7", "8"]
    assert found.is_unsure and peak < 24 << 20


def test_element_that_is_no_object_is_refused():
    """Elements that aren't objects are refused one by one. Rule: catalogue-json."""
    found, [reason] = read('[{"id": 7}, [1, {"a": []}], "x", null, {"id": 8}]')
    assert "isn't a JSON object (3 rows" in reason
    assert [product.product_id for product in found] == ["7", "8"]


def test_invalid_json_line_is_skipped_alone():
    """Only the invalid lines of JSON Lines are skipped, even if the first one is invalid.
    Rules: catalogue-json, catalogue-cells."""
    found, [reason] = read(f'{{"id": 6, "title": "x\n{json.dumps(LAMP)}\n')
    assert "line 1" in reason and [product.product_id for product in found] == ["7"]
