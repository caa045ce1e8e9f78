"""Import of a product catalogue: parsing rows, reporting bad ones, and saving the products."""

import contextlib
import io
import json
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wishwell import ids, products, stores
from wishwell.errors import Invalid, StoreDeleted
from wishwell.importers.catalogue import Catalogue, in_pattern
from wishwell.privacy import store_deletion
from wishwell.products import NewProduct, ProductData, Variant
from wishwell.products.notices import Money

NOW = "2026-01-01T00:00:00.000Z"
NUMBERS = stores.blank(ids.uuid7_at(ids.from_timestamp(NOW)), "numbers", NOW)
TEXTS = stores.apply_patch(NUMBERS, stores.StorePatch(product_ids="text"), NOW)
FEED = "id\titem_group_id\ttitle\tlink\timage_link\tprice\tsale_price\tavailability\n"


def read(text, store=NUMBERS, **how):
    """Returns the parsed catalogue of this text, and the messages it reported."""
    raw, told = text if isinstance(text, bytes) else text.encode(), []
    found = Catalogue("feed", io.BytesIO(raw), store, told.append, **how)
    for _ in found.read():
        pass
    return found, told


def becomes(text, *more, **how):
    """Returns the products of a valid file by id."""
    found, told = read(text, *more, **how)
    made = {product.product_id: product for product in found}
    assert told == []
    return made


def eur(amount):
    return Money(amount, "EUR")


# ----------------------------------------------------------------------------------- parsed rows


def test_feed_of_google_needs_no_map():
    """A Google feed needs no `--map`; the rows of a product need not be adjacent.
    Rules: catalogue-strict, catalogue-variants."""
    text = (
        f"{FEED}11\t7\tOslo shirt - Red / M\thttps://a.example/7?v=1\thttps://a.example/1.jpg\t24.90 EUR\t19.90 EUR\tin_stock\n"
        "8\t\tNordkapp  hat\thttps://a.example/hüte/8 9\t\t1,299.00 EUR\t\tbackorder\n"
        "12\t7\tOslo shirt - Blue / M\thttps://a.example/7?v=2\t\t24.90 EUR\t\tout of stock\n"
    )
    at, price = "https://a.example/", eur("19.90")
    red = Variant("11", "Red / M", f"{at}1.jpg", price, True, f"{at}7?v=1")
    blue = Variant("12", "Blue / M", None, eur("24.90"), False, f"{at}7?v=2")
    shirt = ProductData("Oslo shirt", f"{at}7?v=1", f"{at}1.jpg", price, True)
    hat = ProductData("Nordkapp hat", f"{at}h%C3%BCte/8%209", None, eur("1299.00"), True)
    assert becomes(text) == {
        "7": NewProduct("7", shirt, (red, blue)),
        "8": NewProduct("8", hat),
    }


def test_json_lines_are_rows(tmp_path):
    """JSON Lines may hold numbers, booleans and prices as in the API, a byte order mark and empty
    lines.
    Rules: catalogue-import, catalogue-strict."""
    rows = [
        {"SKU": "a-1", "Kind": 3, "offer price": 19.9, "stock": -1, "tags": ["x"]},
        {"SKU": "a-2", "price": {"amount": "5", "currency": "USD"}, "stock": 7, "title": None},
        {"SKU": "a-3", "price": 1299, "stock": False},
        {"SKU": "a-4", "price": 7, "stock": 0},
    ]
    text = "\ufeff" + "\n\n".join(map(json.dumps, rows))
    named = {
        "product": "sku",
        "variant": "kind",
        "price": "Offer Price|price",
        "available": "stock",
    }
    made = becomes(text, TEXTS, is_json=True, columns=named, currency="EUR")
    assert {id: product.data for id, product in made.items()} == {
        "a-1": ProductData(price=eur("19.9"), available=False),
        "a-2": ProductData(price=Money("5", "USD"), available=True),
        "a-3": ProductData(price=eur("1299"), available=False),
        "a-4": ProductData(price=eur("7"), available=False),
    }
    assert [variant.variant_id for variant in made["a-1"].variants] == ["3"]


@pytest.mark.parametrize(
    ("titles", "title", "rests"),
    [
        (["Shirt (Red)", "Shirt (Blue)"], "Shirt", ["Red", "Blue"]),
        (["Shirt Red", "Shirt Rose"], "Shirt", ["Red", "Rose"]),
        (["Shirt", "Shirt, blue"], "Shirt", [None, "blue"]),
        (["Shirt", "Shirt"], "Shirt", [None, None]),
        (["Red shirt", "Blue shirt"], "Red shirt", ["Red shirt", "Blue shirt"]),
        (["", "Shirt"], "Shirt", [None, None]),
        (["", ""], None, [None, None]),
    ],
)
def test_titles_of_variants_are_parted(titles, title, rests):
    """The common first words of variant titles become the product's title.
    Rule: catalogue-variants."""
    text = "item_group_id,id,title\n" + "".join(f'7,{n},"{t}"\n' for n, t in enumerate(titles, 1))
    product = becomes(text)["7"]
    assert product.data.title == title
    assert [variant.title for variant in product.variants] == rests


@pytest.mark.parametrize(
    ("rows", "price", "available"),
    [
        ("7,1,9.90 EUR,no\n7,2,10 EUR,yes", eur("9.90"), True),
        ("7,1,9.90 EUR,no\n7,2,10 USD,no", None, False),
        ("7,1,9.90 EUR,yes\n7,2,,", None, None),
        ("7,1,9.90 EUR,no\n7,,8 EUR,yes\n7,2,5 EUR,no", eur("8"), True),
    ],
)
def test_product_of_variants_costs_the_least(rows, price, available):
    """A product's price is from its row without a variant, else the lowest variant's.
    Rule: catalogue-variants."""
    named = {"product": "p", "variant": "v"}
    facts = becomes(f"p,v,price,availability\n{rows}\n", columns=named)["7"].data
    assert (facts.price, facts.available) == (price, available)


# ------------------------------------------------------------------------------------- ids and
# prices

part = st.text("ab_19-", min_size=1, max_size=6)


@given(
    part,
    part,
    st.sampled_from(["x_{product}_{variant}", "{variant}/{product}", "(.*){product}a{variant}"]),
)
def test_id_is_read_as_it_was_made_or_refused(product, variant, pattern):
    """An id is parsed as it was built, or refused as ambiguous; never taken for another product's.
    Rule: catalogue-strict."""
    id = pattern.replace("{product}", product).replace("{variant}", variant)
    found = None
    with contextlib.suppress(Invalid):
        found = in_pattern(pattern)(id)
    assert found in (None, (product, variant))


def test_ids_have_the_form_of_the_pattern():
    """Ids are parsed by `--id-pattern`; without {variant}, a column may hold the variant.
    Rule: catalogue-strict."""
    pattern = "shopify_DE_{product}_{variant}"
    text = (
        "id,price\nshopify_DE_7_11,1 EUR\nshopify_DE_7_12,2 EUR\nshopify_AT_7_13,3 EUR\n7,4 EUR\n"
    )
    found, told = read(text, pattern=pattern)
    [product] = found
    assert [variant.variant_id for variant in product.variants] == ["11", "12"]
    assert told == [f"line {n}: product: doesn't match --id-pattern" for n in (4, 5)]
    assert found.nameless == 2
    made = becomes("id,v\nSKU.7,9\n", pattern="SKU.{product}", columns={"variant": "v"})
    assert made["7"].variants == (Variant("9"),)
    for bad in ("", "x", "{variant}", "{product}{product}", "{product}{variant}{variant}"):
        with pytest.raises(Invalid, match="--id-pattern"):
            in_pattern(bad)


@given(
    st.integers(0, 999_999_999), st.integers(0, 99), st.sampled_from(["EUR {}", "{} EUR", "{}EUR"])
)
def test_price_is_the_same_in_each_way_of_writing(whole, cents, form):
    """A price has the same value in every supported notation. Rule: catalogue-strict."""
    ways = [f"{whole}.{cents:02}", f"{whole},{cents:02}", f"{whole:,}.{cents:02}"]
    ways.append(f"{whole:,}".replace(",", ".") + f",{cents:02}")
    text = "id,price\n" + "".join(f'{n},"{form.format(way)}"\n' for n, way in enumerate(ways, 1))
    amounts = {product.data.price for product in becomes(text).values()}
    assert amounts == {eur(f"{whole}.{cents:02}")}


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("1.299 EUR", "is ambiguous: it can mean 1.299 or 1299"),
        ("19.90", "--currency"),
        ("EUR 1 USD", "such as 19.90 EUR"),
        ("19.90 €", "such as 19.90 EUR"),
        ("-1 EUR", "such as 19.90 EUR"),
        ("1.2.3 EUR", "isn't an amount"),
        ("1.23456 EUR", "isn't an amount"),
        ("1234567890123 EUR", "at most 12 digits"),
    ],
)
def test_price_that_is_none_is_refused(cell, names):
    """An ambiguous or malformed price is refused, naming line and column.
    Rule: catalogue-strict."""
    found, [told] = read(f"id,price\n7,{cell}\n")
    assert told.startswith("line 2: price: ") and names in told
    assert list(found) == []


def test_price_of_thousandths_has_a_point():
    """Currencies with three decimal places (ISO 4217) accept a price such as 1.250.
    Rule: catalogue-strict."""
    for currency in ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"):
        price = becomes(f"id,price\n7,1.250 {currency}\n")["7"].data.price
        assert price == Money("1.250", currency)


# ------------------------------------------------------------------------------------ refused rows

BAD = {
    "x,,": "product: must be an integer",
    ",x,": "product: must be an integer",
    "8,,,": "has 4 cells, but the first line has 3",
    "8,ftp://a.example/,": "image: must be an http or https URL",
    "8,https://shop.example@evil.example/,": "image: must be an http or https URL",
    f"8,,{'t' * 256}": "title: must have at most 255 characters",
    "8,,a\x00b": "title: must have at most 255 characters",
    "8,,\udce9": "title: isn't valid utf-8 text; set its --encoding",
    '8,,"a"b': "isn't a valid CSV row",
}


def test_row_that_does_not_fit_is_named_and_the_rest_goes_in():
    """A bad row is reported and its product isn't changed, not even by its good rows; other
    products are.
    Rule: catalogue-strict."""
    rows = ["7,,first", *BAD, "9,,last", "9,ftp://x/,last"]
    text = "id,image_link,title\n" + "\n".join(rows) + "\n"
    found, told = read(text.encode("utf-8", "surrogateescape"))
    for line, (said, names) in enumerate(zip(told, [*BAD.values(), "image"], strict=False), 3):
        assert said.startswith(f"line {line if line < 12 else 13}: {names}")
    assert [product.product_id for product in found] == ["7"]
    assert (found.refused, found.nameless) == (len(BAD) + 1, 4)


def test_line_that_is_no_object_is_named():
    """A line that isn't a JSON object is reported. Rule: catalogue-strict."""
    lines = [
        '{"id": 7}',
        "[]",
        "{",
        '{"id": [1]}',
        "\udcff",
        '{"id": ' + "9" * 5_000 + "}",
        '{"id": 8}',
    ]
    raw = "\n".join(lines).encode("utf-8", "surrogateescape")
    found, told = read(raw, is_json=True)
    assert [said.partition(":")[0] for said in told] == [f"line {n}" for n in range(2, 7)]
    assert [product.product_id for product in found] == ["7", "8"]


def test_upper_row_counts_and_too_many_variants_are_refused():
    """The first of several duplicate rows counts; a product with over 250 variants is refused.
    Rule: catalogue-strict."""
    rows = ["7,1,up", "7,1,down", *(f"8,{n},x" for n in range(1001, 1252))]
    found, told = read("p,v,title\n" + "\n".join(rows), columns={"product": "p", "variant": "v"})
    [product] = found
    assert product.variants == (Variant("1"),) and product.data.title == "up"
    assert told == [
        "line 3: has the same product and variant as an earlier row",
        "line 254: is variant 251 of its product; at most 250 are allowed",
    ]


def test_column_that_is_missing_is_named():
    """A missing product column, or a missing column of `--map`, is reported.
    Rule: catalogue-strict."""
    for named in ({"product": "nr|no"}, {"price": "cost"}):
        [[column]] = [named.values()]
        with pytest.raises(Invalid, match=re.escape(f"the column {column!r} is missing")):
            read("id,sku\n1,2\n", columns=named)
    assert list(becomes("ID , sku\n1,2\n")) == ["1"]


# -------------------------------------------------------------------------------------- into a
# store


def load(bench, store, text):
    found, _ = read(text, store)
    bench.drain(found.load(bench.db, bench.new_id, bench.clock.tick))
    return found


def test_what_is_known_so_already_stays(bench, store):
    """Unchanged products aren't written again, also across several transactions.
    Rules: catalogue-import, product-replaced."""
    rows = [f"{n},{n} EUR\n" for n in range(1, 601)]
    found = load(bench, store, "id,price\n" + "".join(rows))
    assert (found.put, found.unchanged) == (600, 0)
    before = bench.read(products.find, store, "300")
    assert before.price == eur("300")
    rows[6] = "7,5 EUR\n"
    found = load(bench, store, "id,price\n" + "".join(rows))
    assert (found.put, found.unchanged) == (1, 599)
    assert bench.read(products.find, store, "7").price == eur("5")
    assert bench.read(products.find, store, "300") == before


def test_file_without_variants_takes_none_away(bench, store):
    """A file without any variants removes none; one with variants replaces them. Columns that
    aren't read are reported.
    Rule: catalogue-variants."""
    with_variants = "id,item_group_id,title\n1,7,Shirt red\n2,7,Shirt blue\n3,8,Hat red\n"
    load(bench, store, with_variants)
    found, told = read("id,Variant ID,title\n7,1,Shirt\n7,2,Shirt\n9,,Mug\n", store)
    bench.drain(found.load(bench.db, bench.new_id, bench.clock.tick))
    assert found.unread == {"variant_id"}
    assert (found.put, found.refused, found.unchanged) == (1, 2, 0)
    assert told[1].startswith(
        "product 7: has variants, but this file has none. Assign their column"
    )
    assert [variant.title for variant in bench.read(products.find, store, "7").variants] == [
        "red",
        "blue",
    ]
    found = load(bench, store, "id,item_group_id,title\n7,,Shirt\n3,8,Hat\n")
    assert (found.put, found.refused, found.unread) == (2, 0, set())
    assert bench.read(products.find, store, "7").variants == []
    found, _ = read('{"id": 1, "Colour": "red"}\n', is_json=True)
    assert found.unread == {"colour"}


def test_what_the_file_lacks_is_deleted(bench, store):
    """`--delete-missing` deletes products that the file lacks, except those put since it started
    and those with bad rows.
    Rule: catalogue-delete-missing."""
    load(bench, store, "id,title\n" + "".join(f"{n},t\n" for n in range(1, 601)))
    load(bench, other := bench.new_store(), "id,title\n5,other\n")
    begun = bench.clock.tick()
    bench.write(
        products.put,
        store,
        [NewProduct("3", ProductData("new"))],
        [bench.new_id()],
        bench.clock.tick(),
    )
    found = load(bench, store, "id,title,price\n1,t,\n2,t,x\n")
    bench.drain(found.delete_missing(bench.db, begun, bench.clock))
    assert found.deleted == 597
    left = bench.select("SELECT product_id FROM products WHERE store_id = $1", store.id)
    assert sorted(left) == [("1",), ("2",), ("3",)]
    assert bench.read(products.find, other, "5").title == "other"


def test_nothing_is_put_into_a_store_that_is_deleted(bench, store):
    """A load into a store that is being deleted fails. Rules: catalogue-import, store-delete."""
    bench.write(store_deletion.begin, store.handle, NOW)
    with pytest.raises(StoreDeleted):
        load(bench, store, "id\n1\n")


def test_line_that_is_too_long_is_refused_as_one(tmp_path):
    """A line that is too long is one bad row: later lines keep their numbers, and memory never holds all of
    it. Rule: import-checked."""
    size = 32 << 20
    hidden = b" " * (size - 30) + b'{"id": 9, "title": "hidden"}\n'
    path = tmp_path / "feed.jsonl"
    path.write_bytes(b'{"id": 1}\n' + hidden + b'{"id": "x"}\n{"id": 2}')
    with path.open("rb") as file:
        told = []
        found = Catalogue("feed", file, NUMBERS, told.append, is_json=True)
        tracemalloc.start()
        for _ in found.read():
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert told[0] == f"line 2: has {len(hidden):,} bytes; a line may have at most 1,048,576"
    assert told[1].startswith("line 3: product: ")
    assert {product.product_id for product in found} == {"1", "2"}
    assert peak < size / 4
    table = b"id\ttitle\n1\ta\n2\t" + b"x" * (1 << 20) + b"\n3\tb\n"
    with pytest.raises(Invalid, match="line 3: has more than 1,048,576 characters"):
        read(table)
