"""Import of a product catalogue: parsing rows, reporting bad ones, and saving the products."""

import contextlib
import csv
import io
import json
import re
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wishwell import ids, products, stores
from wishwell.errors import Invalid, StoreDeleted
from wishwell.importers.catalogue import Catalogue, parse_id_pattern
from wishwell.importers.catalogue_changes import Changes
from wishwell.privacy import store_deletion
from wishwell.products import NewProduct, ProductData, Variant
from wishwell.products.money import Money

NOW = "2026-01-01T00:00:00.000Z"
AT = ids.from_timestamp(NOW)
NUMBERS = stores.blank(ids.uuid7_at(AT), "numbers", NOW)
TEXTS = stores.apply_patch(NUMBERS, stores.StorePatch(product_ids="text"), NOW)
FEED = "id\titem_group_id\ttitle\tlink\timage_link\tprice\tsale_price\tavailability\n"


def read(text, store=NUMBERS, at=AT, **how):
    """Returns the parsed catalogue of this text, and the messages it reported."""
    raw = text if isinstance(text, bytes) else text.encode()
    found = Catalogue("feed", io.BytesIO(raw), store, at, **how)
    for _ in found.read():
        pass
    return found, [str(reason) for reason in found.reasons]


def products_in(text, *more, **how):
    """Returns the products of a valid file by id."""
    found, told = read(text, *more, **how)
    made = {product.product_id: product for product in found}
    assert told == []
    return made


def eur(amount):
    return Money(amount, "EUR")


# ----------------------------------------------------------------------------------- parsed rows


def test_google_feed_needs_no_column_map():
    """A Google feed needs no `--map`; the rows of a product need not be adjacent.
    Rules: catalogue-cells, catalogue-variants."""
    text = (
        f"{FEED}11\t7\tOslo shirt - Red / M\thttps://a.example/7?v=1\thttps://a.example/1.jpg\t24.90 EUR\t19.90 EUR\tin_stock\n"
        "8\t\tNordkapp  hat\thttps://a.example/hüte/8 9\t\t1,299.00 EUR\t\tbackorder\n"
        "12\t7\tOslo shirt - Blue / M\thttps://a.example/7?v=2\t\t24.90 EUR\t\tout of stock\n"
    )
    at, price = "https://a.example/", eur("19.90")
    red = Variant("11", "Red / M", f"{at}1.jpg", price, True, f"{at}7?v=1")
    blue = Variant("12", "Blue / M", None, eur("24.90"), False, f"{at}7?v=2")
    shirt = ProductData("Oslo shirt", f"{at}7?v=1", f"{at}1.jpg", price, True)
    hat = ProductData(
        "Nordkapp hat", f"{at}h%C3%BCte/8%209", None, eur("1299.00"), True, "backorder"
    )
    assert products_in(text) == {
        "7": NewProduct("7", shirt, (red, blue)),
        "8": NewProduct("8", hat),
    }


def test_json_lines_are_read_as_rows(tmp_path):
    """JSON Lines may hold numbers, booleans and prices as in the API, a byte order mark and empty
    lines.
    Rules: catalogue-import, catalogue-cells."""
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
    made = products_in(text, TEXTS, columns=named, currency="EUR")
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
def test_common_words_of_variant_titles_become_the_product_title(titles, title, rests):
    """The common first words of variant titles become the product's title.
    Rule: catalogue-variants."""
    text = "item_group_id,id,title\n" + "".join(f'7,{n},"{t}"\n' for n, t in enumerate(titles, 1))
    product = products_in(text)["7"]
    assert product.data.title == title
    assert [variant.title for variant in product.variants] == rests


@pytest.mark.parametrize(
    ("rows", "price", "available"),
    [
        ("7,1,9.90 EUR,no\n7,2,10 EUR,yes", eur("9.90"), True),
        ("7,1,9.90 EUR,no\n7,2,10 USD,no", None, False),
        ("7,1,9.90 EUR,yes\n7,2,,", eur("9.90"), True),
        ("7,1,9.90 EUR,no\n7,2,,", eur("9.90"), None),
        ("7,1,9.90 EUR,preorder\n7,2,,no", eur("9.90"), True),
        ("7,1,9.90 EUR,no\n7,,8 EUR,yes\n7,2,5 EUR,no", eur("8"), True),
    ],
)
def test_product_without_its_own_price_has_the_lowest_variant_price(rows, price, available):
    """A product's price is from its row without a variant, else the lowest variant's.
    Rule: catalogue-variants."""
    named = {"product": "p", "variant": "v"}
    facts = products_in(f"p,v,price,availability\n{rows}\n", columns=named)["7"].data
    assert (facts.price, facts.available) == (price, available)


# ------------------------------------------------------------------------------------- ids and
# prices

part = st.text("ab_19-", min_size=1, max_size=6)


@given(
    part,
    part,
    st.sampled_from(["x_{product}_{variant}", "{variant}/{product}", "(.*){product}a{variant}"]),
)
def test_id_is_parsed_as_it_was_built_or_refused_as_ambiguous(product, variant, pattern):
    """An id is parsed as it was built, or refused as ambiguous; never taken for another product's.
    Rule: catalogue-cells."""
    id = pattern.replace("{product}", product).replace("{variant}", variant)
    found = None
    with contextlib.suppress(Invalid):
        found = parse_id_pattern(pattern)(id)
    assert found in (None, (product, variant))


def test_ids_are_parsed_by_the_id_pattern():
    """Ids are parsed by `--id-pattern`; without {variant}, a column may hold the variant.
    Rule: catalogue-cells."""
    pattern = "shopify_DE_{product}_{variant}"
    text = (
        "id,price\nshopify_DE_7_11,1 EUR\nshopify_DE_7_12,2 EUR\nshopify_AT_7_13,3 EUR\n7,4 EUR\n"
    )
    found, told = read(text, pattern=pattern)
    [product] = found
    assert [variant.variant_id for variant in product.variants] == ["11", "12"]
    assert told == ["id: doesn't match --id-pattern (2 rows, first: line 4, 'shopify_AT_7_13')"]
    assert found.refused == 2
    made = products_in("id,v\nSKU.7,9\n", pattern="SKU.{product}", columns={"variant": "v"})
    assert made["7"].variants == (Variant("9"),)
    for bad in ("", "x", "{variant}", "{product}{product}", "{product}{variant}{variant}"):
        with pytest.raises(Invalid, match="--id-pattern"):
            parse_id_pattern(bad)


@given(
    st.integers(1, 999_999_999), st.integers(0, 99), st.sampled_from(["EUR {}", "{} EUR", "{}EUR"])
)
def test_price_has_the_same_value_in_every_notation(whole, cents, form):
    """A price has the same value in every supported notation. Rule: catalogue-cells."""
    ways = [f"{whole}.{cents:02}", f"{whole},{cents:02}", f"{whole:,}.{cents:02}"]
    ways.append(f"{whole:,}".replace(",", ".") + f",{cents:02}")
    text = "id,price\n" + "".join(f'{n},"{form.format(way)}"\n' for n, way in enumerate(ways, 1))
    amounts = {product.data.price for product in products_in(text).values()}
    assert amounts == {eur(f"{whole}.{cents:02}")}


@pytest.mark.parametrize(
    ("cell", "amount"),
    [
        ("1'299.00 CHF", "1299.00 CHF"),
        ("1’299.00 CHF", "1299.00 CHF"),
        ("1\u00a0299,00 SEK", "1299.00 SEK"),
        ("1\u202f299,00 EUR", "1299.00 EUR"),
        ("1 299 eur", "1299 EUR"),
        ("eur 19,90", "19.90 EUR"),
        ("1,29,900.00 INR", "129900.00 INR"),
        ("24.900000 EUR", "24.90 EUR"),
        ("12.990 CLP", "12990 CLP"),
        ("1200.00 JPY", "1200.00 JPY"),
        ("1.250 KWD", "1.250 KWD"),
        ("1,299 EUR", "1299 EUR"),
        ("1.299.000 COP", "1299000 COP"),
        ("19,- EUR", "19 EUR"),
        ("0.99 EUR", "0.99 EUR"),
        ("007.50 EUR", "7.50 EUR"),
    ],
)
def test_unambiguous_price_is_read(cell, amount):
    """A price that can be read in exactly one way is read so. Rule: catalogue-prices."""
    price = products_in(f'id;price\n7;"{cell}"\n')["7"].data.price
    assert f"{price.amount} {price.currency}" == amount


@pytest.mark.parametrize(
    ("cell", "currency", "amount"),
    [
        ("$1,299.00", "USD", "1299.00"),
        ("24,90 €", "EUR", "24.90"),
        ("€24", "EUR", "24"),
        ("1 299 kr", "SEK", "1299"),
        ("R$ 1.299,00", "BRL", "1299.00"),
        ("19.90", "EUR", "19.90"),
    ],
)
def test_currency_symbol_means_the_configured_currency(cell, currency, amount):
    """A currency symbol, or none, counts as `--currency`, or else as the store's.
    Rule: catalogue-prices."""
    text, other = f'id;price\n7;"{cell}"\n', "USD" if currency == "EUR" else "EUR"
    price = products_in(text, currency=currency)["7"].data.price
    assert price == Money(amount, currency)
    for own, named in ((currency, ""), (other, currency)):
        patch = stores.StorePatch(reporting={"currency": own})
        store = stores.apply_patch(NUMBERS, patch, NOW)
        assert products_in(text, store, currency=named)["7"].data.price == price


NO_PRICES = (
    *("20%", "60 g", "from 20", "ab 19,90 EUR", "*60.00", "<60.00", "~60", "#60", "60.00!", "x2"),
    *("24,90 EUR/Stk", "10.00 - 20.00 EUR", "20 % off", "60.00 EUR*", "€ € 5", "5 km", "(5.00)"),
)


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("1.299 EUR", "is ambiguous: it can mean 1.299 or 1299"),
        ("19.90", "set the currency with --currency"),
        ("19.90 $", "set the currency with --currency"),
        ("19.90 kr", "set the currency with --currency"),
        ("¥1,980", "set the currency with --currency"),
        ("EUR 1 USD", "has two currencies"),
        ("$19.90 EUR", "has the symbol $, which doesn't mean EUR"),
        ("60 pcs", "has PCS, which isn't a currency of ISO 4217"),
        ("19.90 BGN", "has BGN, which isn't a currency of ISO 4217"),
        *((cell, "isn't a price such as 19.90 EUR") for cell in NO_PRICES),
        ("-1 EUR", "isn't a price such as 19.90 EUR"),
        ("0,999 EUR", "isn't an amount"),
        ("1.2.3 EUR", "isn't an amount"),
        ("1.23456 EUR", "must have at most 12 digits before and 4 after"),
        ("1234567890123 EUR", "at most 12 digits"),
        ("12,34 CLP", "isn't an amount"),
    ],
)
def test_ambiguous_price_is_left_unknown(cell, names):
    """A price that can be read in two ways, or in none, is left out and reported with its line.
    Rules: catalogue-prices, catalogue-cells."""
    found, [told] = read(f'id;title;price\n7;Lamp;"{cell}"\n')
    assert told.startswith("price: ") and names in told
    assert f"(1 cell, first: line 2, {cell!r})" in told
    [product] = found
    assert product.data == ProductData("Lamp") and found.refused == 0


def test_price_of_zero_is_unknown():
    """A price of 0 in a file is unknown, and a sale price of 0 doesn't count as a sale. Rule: catalogue-prices."""
    made = products_in("id,price,sale_price\n7,0.00 EUR,\n8,9 EUR,0 EUR\n")
    assert [product.data.price for product in made.values()] == [None, eur("9")]


@pytest.mark.parametrize(
    ("price", "sale", "counts", "reason"),
    [
        ("20.00 EUR", "15.00 EUR", "15.00 EUR", ""),
        ("20.00 EUR", "25.00 EUR", "20.00 EUR", "isn't below the regular price"),
        ("20.00 EUR", "20.00 EUR", "20.00 EUR", "isn't below the regular price"),
        ("20.00 EUR", "15.00 USD", "20.00 EUR", "isn't in the currency of the regular price"),
        ("", "15.00 EUR", None, "has no regular price beside it"),
        ("0 EUR", "15.00 EUR", None, "has no regular price beside it"),
        ("80.00 EUR", "20%", "80.00 EUR", "isn't a price such as 19.90 EUR"),
        ("£80", "£60", "80 GBP", ""),
    ],
)
def test_sale_price_counts_only_below_the_regular_price(price, sale, counts, reason):
    """A sale price that is higher, in another currency or without a regular price is left out, with the
    reason. Rule: catalogue-prices."""
    found, told = read(f"id,price,sale_price\n7,{price},{sale}\n")
    [product] = found
    expected = None
    if counts:
        amount, currency = ("60", "GBP") if sale == "£60" else counts.split()
        expected = Money(amount, currency)
    assert product.data.price == expected
    assert [reason in text for text in told] == [True] * bool(reason)


@pytest.mark.parametrize(
    ("cell", "currency", "amount"),
    [
        ("£1,299", "GBP", "1299"),
        ("R$ 1.299,90", "BRL", "1299.90"),
        ("24,90 zł", "PLN", "24.90"),
        ("24.90 Kč", "CZK", "24.90"),
        ("Rs. 1,29,900", "INR", "129900"),
        ("kr. 1.299,00", "DKK", "1299.00"),
        ("¥1,980", "JPY", "1980"),
        ("S/. 12.50", "PEN", "12.50"),
        ("R 99.90", "ZAR", "99.90"),
    ],
)
def test_price_is_left_out_when_its_symbol_is_of_another_currency(cell, currency, amount):
    """A symbol is read with a currency that it can mean, and refused with any other.
    Rule: catalogue-prices."""
    text = f'id;price\n7;"{cell}"\n'
    assert products_in(text, currency=currency)["7"].data.price == Money(amount, currency)
    found, [told] = read(text, currency="EUR")
    assert found.count() and "which doesn't mean EUR" in told


def test_currency_code_in_a_column_name_applies_to_its_cells():
    """A code in brackets in a column's name is the currency of its cells. Rule: catalogue-prices."""
    text = "id,title,Price (GBP)\n7,a,19.90\n8,b,£5\n9,c,$6\n"
    found, told = read(text, currency="USD", columns={"price": "Price (GBP)"})
    prices = {one.product_id: one.data.price for one in found}
    assert prices == {"7": Money("19.90", "GBP"), "8": Money("5", "GBP"), "9": None}
    assert len(told) == 1 and "which doesn't mean GBP" in told[0]


@pytest.mark.parametrize(
    ("zone", "named", "expected"),
    [("Australia/Sydney", "", [60, 80]), ("", "Australia/Sydney", [60, 80]), ("", "", [80, 60])],
)
def test_dates_of_sales_are_in_the_stores_time_zone(zone, named, expected):
    """A sale's date without an offset begins and ends in the store's time zone, or in that of
    `--time-zone`. Rule: catalogue-prices."""
    at = ids.from_timestamp("2026-11-28T14:44:00.000Z")  # the 29th in Sydney
    patch = stores.StorePatch(reporting={"time_zone": zone})
    store = stores.apply_patch(NUMBERS, patch, NOW)
    text = (
        "ID,SKU,Name,Regular price,Sale price,Date sale price starts,Date sale price ends\n"
        "801,a,A,80,60,2026-11-29,\n802,b,B,80,60,,2026-11-28\n"
    )
    how = {"zone": ZoneInfo(named)} if named else {}
    made = products_in(text, store, currency="AUD", at=at, **how)
    assert [int(product.data.price.amount) for product in made.values()] == expected


NO_STOCK = ("0", "-3", "0.00", "N", "unavailable", "0 pcs")
STOCK = (">10", "5+", "1,000", "5 pcs", "> 0", "Y", "available", "low_stock", "3 in stock", "12.0")


@pytest.mark.parametrize("cell", NO_STOCK + STOCK)
def test_words_and_numbers_for_stock_are_read(cell):
    """Words and numbers are read in the forms that platforms write. Rule: product-replaced."""
    data = products_in(f'id;availability\n7;"{cell}"\n')["7"].data
    assert data.available == (cell in STOCK)


def test_each_unknown_word_for_stock_is_named():
    """The summary has one line for each word that isn't known. Rule: catalogue-cells."""
    _, told = read("id,availability\n7,maybe\n8,Maybe\n9,perhaps\n")
    assert [("maybe" in text, "2 cells" in text) for text in told] == [(True, True), (False, False)]


@pytest.mark.parametrize(
    ("period", "is_on"),
    [
        ("2025-12-01T00:00+0100/2026-01-31T23:59+0100", True),
        ("2025-12-01/2026-01-01", True),
        ("2025-12-01T00:00:00Z/2026-01-01T00:00:00Z", True),
        ("2026-01-01T01:00+0100/2026-02-01T00:00+0100", True),
        ("2026-01-01T00:01+0000/2026-02-01T00:00+0000", False),
        ("2025-12-01/2025-12-31", False),
        ("2027-03-01T00:00+0100/2027-03-08T23:59+0100", False),
    ],
)
def test_sale_price_counts_only_during_its_period(period, is_on):
    """A sale's price counts while its period includes the time of the run. Rule: catalogue-prices."""
    text = f"id,price,sale_price,sale_price_effective_date\n7,80 EUR,50 EUR,{period}\n"
    assert products_in(text)["7"].data.price == eur("50" if is_on else "80")


def test_sale_with_an_unreadable_period_is_ignored():
    """An unreadable period is left out, and so is its sale.
    Rules: catalogue-prices, catalogue-cells."""
    text = "id,price,sale_price,sale_price_effective_date\n7,80 EUR,50 EUR,in March\n"
    [product], [told] = read(text)
    assert product.data.price == eur("80") and told.startswith(
        "sale_price_effective_date: must be two"
    )


# ------------------------------------------------------------------------------------ refused rows

LOST = {
    "8,ftp://a.example/,": ("image_link: must be an http or https URL", None),
    "8,https://shop.example@evil.example/,": ("image_link: must be an http or https URL", None),
    f"8,,{'t' * 256}": ("title: must have at most 255 characters", None),
    "8,,a\x00b": ("title: must have at most 255 characters", None),
    "8,,\udce9": ("title: isn't valid utf-8 text; set its --encoding", None),
}
REFUSED = {
    "x,,": "id: must be an integer",
    ",x,": "id: must be an integer",
    "8,,,": "has 4 cells, but the first line has 3",
    '8,,"a"b': "isn't a valid CSV row",
}


@pytest.mark.parametrize("row", LOST)
def test_unreadable_optional_cell_is_left_out_and_its_row_imported(row):
    """A bad optional cell is left out and counted; its row is imported. Rule: catalogue-cells."""
    text = f"id,image_link,title\n7,,first\n{row}\n9,,last\n"
    found, [told] = read(text.encode("utf-8", "surrogateescape"))
    assert told.startswith(LOST[row][0]) and "1 cell, first: line 3" in told
    assert [product.product_id for product in found] == ["7", "8", "9"]
    assert found.refused == 0


@pytest.mark.parametrize("row", REFUSED)
def test_row_without_usable_id_is_refused(row):
    """A bad row is reported with its line, and the others are imported. Rule: catalogue-cells."""
    found, [told] = read(f"id,image_link,title\n7,,first\n{row}\n9,,last\n")
    assert told.startswith(REFUSED[row]) and "1 row, first: line 3" in told
    assert [product.product_id for product in found] == ["7", "9"]
    assert found.refused == 1


def test_product_with_a_refused_row_is_unchanged():
    """A product isn't changed if one of its rows is refused, so that it keeps all variants.
    Rule: catalogue-cells."""
    found, [told] = read("item_group_id,id,title\n7,1,Shirt red\n7,x y,Shirt blue\n8,3,Hat\n")
    assert told.startswith("id: must be") and [one.product_id for one in found] == ["8"]


def test_summary_counts_each_reason_and_names_its_first_line():
    """The summary has one entry for each reason. Rule: catalogue-cells."""
    rows = "".join(f"{n},1.{n + 100} EUR\n" for n in range(1, 60))
    found, told = read("id,price\n" + rows)
    assert (found.lost, found.refused) == (59, 0)
    assert told == [
        "price: is ambiguous: it can mean 1.101 or 1101 (59 cells, first: line 2, '1.101 EUR')"
    ]


def test_unclosed_quote_names_the_line_where_its_field_begins():
    """Rows after an unclosed quote are reported, not read as part of its field.
    Rule: catalogue-cells."""
    text = 'id,title\n7,"two\nlines"\n8,"open\n9,next\n10,last\n'
    found, [told] = read(text)
    assert "first: line 4" in told and "closing quote" in told
    assert [product.product_id for product in found] == ["7"] and found.is_unsure
    _, [told] = read('id,title,link\n7,"two\nlines","a"b\n')
    assert "first: line 3" in told


part_of_title = st.text('ab "', min_size=1, max_size=8).map(lambda text: f"t{text}t")


@given(st.lists(part_of_title, min_size=1, max_size=20), st.sampled_from("\t,;"))
def test_no_row_of_a_well_formed_file_disappears(titles, delimiter):
    """Each row becomes a product with its title, whatever quotes titles contain.
    Rule: catalogue-cells."""
    lines = [["id", "title"], *([str(n), title] for n, title in enumerate(titles, 1))]
    if delimiter == "\t":
        text = "".join("\t".join(line) + "\n" for line in lines)
    else:
        written = io.StringIO()
        csv.writer(written, delimiter=delimiter).writerows(lines)
        text = written.getvalue()
    made = products_in(text)
    assert [made[str(n)].data.title for n in range(1, len(titles) + 1)] == [
        " ".join(title.split()) for title in titles
    ]


def test_json_line_that_is_not_an_object_is_reported():
    """A line that isn't a JSON object is reported. Rule: catalogue-cells."""
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
    found, told = read(raw)
    assert sorted(re.search("first: line ([0-9]+)", said)[1] for said in told) == [*"23456"]
    assert [product.product_id for product in found] == ["7", "8"]


def test_first_nonempty_cell_of_a_products_rows_counts():
    """The first non-empty cell counts; a row with only a picture removes nothing, and a parent row
    without a price shows the lowest of its variants. Rule: catalogue-variants."""
    text = (
        "p,v,title,price,image_link\n"
        "7,,Shirt,,\n7,1,Shirt red,9 EUR,\n7,,Other,,https://a.example/1.jpg\n"
        "7,2,Shirt blue,8 EUR,\n7,1,,,https://a.example/2.jpg\n7,1,Shirt green,1 EUR,\n"
    )
    [product] = products_in(text, columns={"product": "p", "variant": "v"}).values()
    assert product.data == ProductData("Shirt", None, "https://a.example/1.jpg", eur("8"))
    assert product.variants == (
        Variant("1", "red", "https://a.example/2.jpg", eur("9")),
        Variant("2", "blue", None, eur("8")),
    )


def test_product_may_have_2048_variants():
    """A file's product may have 2,048 variants; one with more is refused. Rule: catalogue-formats."""
    rows = [
        f"{product},{n},x"
        for product, most in ((7, 2048), (8, 2049))
        for n in range(100, most + 100)
    ]
    text = "p,v,title\n" + "\n".join(rows)
    found = read(text, TEXTS, columns={"product": "p", "variant": "v"})[0]
    [product] = found
    assert product.product_id == "7" and len(product.variants) == 2_048
    assert "has more than 2,048 variants" in str(found.reasons[0])


def test_missing_column_is_reported():
    """A missing product column, or a missing column of `--map`, is reported.
    Rule: catalogue-cells."""
    for named in ({"product": "nr|no"}, {"price": "cost"}):
        [[column]] = [named.values()]
        with pytest.raises(Invalid, match=re.escape(f"the column {column!r} is missing")):
            read("id,sku\n1,2\n", columns=named)
    assert list(products_in("ID , sku\n1,2\n")) == ["1"]


# -------------------------------------------------------------------------------------- into a
# store


def load(bench, store, text):
    found, _ = read(text, store)
    put(bench, found)
    return found


def put(bench, found, meanwhile=None, **how):
    """Puts the products of a catalogue, after ``meanwhile``. Returns its changes."""
    changes = Changes(found, **how)
    bench.drain(changes.compare(bench.db))
    if meanwhile is not None:
        meanwhile()
    bench.drain(changes.put(bench.db, bench.new_id, bench.clock.tick))
    return changes


def test_unchanged_products_are_not_written_again(bench, store):
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


def test_file_without_variants_removes_no_variants(bench, store):
    """A file without any variants removes none. Columns that aren't read are reported.
    Rule: catalogue-variants."""
    load(bench, store, "id,item_group_id,title\n1,7,Shirt red\n2,7,Shirt blue\n3,8,Hat red\n")
    found = load(bench, store, "id,Variant ID,title\n7,1,Tee\n7,2,Shirt\n9,,Mug\n")
    assert found.feed.columns_ignored == {"variant_id"}
    assert (found.put, found.refused, found.unchanged) == (2, 0, 0)
    product = bench.read(products.find, store, "7")
    assert (product.title, [one.title for one in product.variants]) == ("Tee", ["red", "blue"])
    assert load(bench, store, "id,item_group_id,title\n7,,Tee\n3,8,Hat red\n").unchanged == 2
    found, _ = read('{"id": 1, "Colour": "red"}\n')
    assert found.feed.columns_ignored == {"colour"}


def test_delete_missing_deletes_products_that_the_file_lacks(bench, store):
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
    found, _ = read("id,title,price\n1,t,\n2,t,x\n", store)
    bench.drain(found.missing.count(bench.db, deletes=True))
    bench.drain(found.missing.delete(bench.db, begun, bench.clock))
    assert found.missing.deleted == 597
    left = bench.select("SELECT product_id FROM products WHERE store_id = $1", store.id)
    assert sorted(left) == [("1",), ("2",), ("3",)]
    assert bench.read(products.find, other, "5").title == "other"


def test_import_into_a_store_that_is_being_deleted_fails(bench, store):
    """A load into a store that is being deleted fails. Rules: catalogue-import, store-delete."""
    bench.write(store_deletion.begin, store.handle, NOW)
    with pytest.raises(StoreDeleted):
        load(bench, store, "id\n1\n")
