"""Import of a product catalogue: files with some of the columns, and some of the variants."""

import json

import pytest

from wishwell import products
from wishwell.errors import Invalid
from wishwell.products import NewProduct, ProductData, Variant

from .test_catalogue import TEXTS, eur, load, read
from .test_catalogue_deletions import put

FULL = (
    "id,title,link,image_link,price,availability\n"
    "501,Kettle Fjord,https://shop.example/p/501,https://shop.example/501.jpg,49.90 EUR,in_stock\n"
    "502,Lamp Skagen,https://shop.example/p/502,https://shop.example/502.jpg,89.00 EUR,in_stock\n"
)
VARIANTS = (
    "id,item_group_id,title,link,image_link,price,availability\n"
    "8711,871,Rug red,https://shop.example/p/871,https://shop.example/r.jpg,49.00 EUR,in_stock\n"
    "8712,871,Rug blue,https://shop.example/p/871,https://shop.example/b.jpg,49.00 EUR,in_stock\n"
)


def shown(bench, store, product):
    """Returns a stored product's fields, and those of its variants by id."""
    found = bench.read(products.find, store, product)
    fields = ("title", "url", "image", "price", "availability")
    return {name: getattr(found, name) for name in fields}, {
        str(one.variant_id): {name: getattr(one, name) for name in fields} for one in found.variants
    }


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("id,availability\n501,out_of_stock\n", {"availability": "out_of_stock"}),
        ("id,price\n501,39.90 EUR\n", {"price": eur("39.90")}),
        ("id,title,price\n501,,39.90 EUR\n", {"title": None, "price": eur("39.90")}),
        ("id,price,link\n501,20 %,\n", {"price": None, "url": None}),
        (
            '{"id": 501, "title": "New"}\n{"id": 502, "price": null}\n',
            {"title": "New", "price": None},
        ),
        (
            "<rss><item><id>501</id><link/></item><item><id>502</id><title>L</title></item></rss>",
            {"title": None},
        ),
        ("id,brand\n501,x\n", {}),
    ],
)
def test_file_changes_only_the_fields_of_its_columns(bench, store, text, changes):
    """A field without a column keeps its value; an empty or unreadable cell, and a JSON object or
    XML item without a column that others have, clear it. Rule: catalogue-partial."""
    load(bench, store, FULL)
    before, _ = shown(bench, store, "501")
    found = load(bench, store, text)
    assert shown(bench, store, "501") == (before | changes, {})
    assert found.put == (1 if "502" not in text else 2) * bool(changes)


def test_variants_keep_fields_without_a_column(bench, store):
    """A file with ids and stock of variants changes their stock, and that of their product.
    Rules: catalogue-partial, catalogue-variants."""
    load(bench, store, VARIANTS)
    product, variants = shown(bench, store, "871")
    assert product["title"] == "Rug" and variants["8711"]["title"] == "red"
    found = load(
        bench, store, "id,item_group_id,availability\n8711,871,out_of_stock\n8712,871,in_stock\n"
    )
    variants["8711"]["availability"] = "out_of_stock"
    assert shown(bench, store, "871") == (product, variants)
    assert (found.put, found.unchanged) == (1, 0)
    assert load(bench, store, VARIANTS.replace("red", "red ")).put == 1
    assert load(bench, store, VARIANTS).unchanged == 1


def test_product_without_a_row_gets_price_and_stock_from_its_variants(bench, store):
    """Without a row of its own, a product's price and availability are those of all its variants,
    also stored ones; title, URL and picture stay. Rule: catalogue-variants."""
    own = "871,,Carpet,https://shop.example/own,https://shop.example/own.jpg,60 EUR,in_stock\n"
    load(bench, store, VARIANTS + own)
    before, variants = shown(bench, store, "871")
    head = "id,item_group_id,title,link,image_link,price,availability\n"
    row = "8711,871,Rug rose,https://a.example/new,https://a.example/new.jpg,{} EUR,{}\n"
    load(bench, store, head + row.format(55, "out_of_stock"))
    product, after = shown(bench, store, "871")
    assert product == before | {"price": eur("49.00")}
    assert after["8712"] == variants["8712"]
    assert (after["8711"]["title"], after["8711"]["price"]) == ("Rug rose", eur("55"))
    load(bench, store, head + row.format(45, "") + row.replace("8711", "8713").format(70, "no"))
    product, after = shown(bench, store, "871")
    assert (product["price"], product["availability"]) == (eur("45"), "in_stock")
    assert [*after] == ["8711", "8712", "8713"]
    load(bench, store, "id,title,link,image_link,price\n871,,,,1 EUR\n")
    cleared = product | dict.fromkeys(("title", "url", "image")) | {"price": eur("1")}
    assert shown(bench, store, "871") == (cleared, after)


def test_unknown_fields_of_a_stored_product_are_not_computed(bench, store):
    """A column that the file lacks isn't filled in from stored variants. Rule: catalogue-partial."""
    known = Variant("7", "red", "https://a.example/i", eur("5"), True, "https://a.example/7")
    new = NewProduct("1", ProductData("Rug"), (known,))
    bench.write(products.put, store, [new], [bench.new_id()], bench.clock.tick())
    before = shown(bench, store, "1")
    assert load(bench, store, "id,title\n1,Rug\n").unchanged == 1
    assert shown(bench, store, "1") == before


SHOPIFY = "Handle,Title,Option1 Name,Option1 Value,Variant SKU{}\n"


def test_shopify_csv_changes_only_fields_whose_source_columns_it_has(bench):
    """In Shopify's CSV, stock is unknown without a column of quantities, and the product's picture
    and a variant's have columns of their own. Rules: catalogue-partial, catalogue-formats."""
    store = bench.new_store(product_ids="text")
    more = ",Variant Inventory Qty,Variant Price,Image Src,Variant Image"
    pictures = "https://a.example/p.jpg,https://a.example/v.jpg"
    full = SHOPIFY.format(more) + f"rug,Rug,Colour,Red,r1,0,9,{pictures}\n"
    put(bench, store, full, currency="EUR")
    product, variants = shown(bench, store, "rug")
    assert product["availability"] == variants["r1"]["availability"] == "out_of_stock"
    found = put(
        bench, store, SHOPIFY.format(",Variant Inventory Tracker") + "rug,Rug,Colour,Red,r1,\n"
    )
    assert (found.unchanged, shown(bench, store, "rug")) == (1, (product, variants))
    stock = SHOPIFY.format(",Variant Inventory Qty,Image Src") + "rug,Rug,Colour,Red,r1,4,\n"
    put(bench, store, stock)
    in_stock = {"availability": "in_stock"}
    after = product | in_stock | {"image": None}
    assert shown(bench, store, "rug") == (after, {"r1": variants["r1"] | in_stock})


def test_shopify_bulk_export_changes_only_the_queried_fields(bench, store):
    """A bulk export of ids and prices changes prices only. Rules: catalogue-partial, catalogue-formats."""
    product, variant = "gid://shopify/Product/7", "gid://shopify/ProductVariant/70"
    own = {"id": product, "title": "Rug", "onlineStoreUrl": "https://a.example/7"}
    offer = {
        "id": variant,
        "__parentId": product,
        "title": "Red",
        "price": "9",
        "inventoryQuantity": 3,
    }
    written = lambda *lines: "\n".join(map(json.dumps, lines))  # noqa: E731
    put(bench, store, written(own, offer), currency="EUR")
    before, variants = shown(bench, store, "7")
    price = {"id": variant, "__parentId": product, "price": "8"}
    put(bench, store, written({"id": product}, price), currency="EUR")
    new = {"price": eur("8")}
    assert shown(bench, store, "7") == (before | new, {"70": variants["70"] | new})


def test_woocommerce_file_may_lack_columns(bench, store):
    """With `--format woocommerce`, a file of ids and stock changes stock only.
    Rules: catalogue-partial, catalogue-formats."""
    head, row = (
        "ID,Type,SKU,Name,Regular price,Images,In stock?",
        "44,simple,a,Tee,9,https://a.example/t,1",
    )
    put(bench, store, f"{head}\n{row}\n", currency="EUR")
    before, _ = shown(bench, store, "44")
    assert before["image"] == "https://a.example/t"
    put(bench, store, "ID,Stock\n44,0\n", kind="woocommerce")
    assert shown(bench, store, "44")[0] == before | {"availability": "out_of_stock"}
    with pytest.raises(Invalid, match="'id' is missing"):
        read("Stock\n0\n", kind="woocommerce")


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("id,sale_price\n1,5 EUR\n", {}),
        ("id,cost,sale_price,sale_price_effective_date\n1,9 EUR,5 EUR,\n", {}),
        ('{"id": 1, "sale_price": "5 EUR"}\n', {}),
        ("<rss><item><id>1</id><sale_price>5 EUR</sale_price></item></rss>", {}),
        ("id,Sale price\n1,5\n", {"kind": "woocommerce"}),
        ("id,now\n1,5 EUR\n", {"columns": {"sale_price": "now"}}),
    ],
)
def test_sale_without_a_column_of_regular_prices_is_refused(text, how):
    """A file with a sale's column needs one of regular prices. Rule: catalogue-partial."""
    with pytest.raises(Invalid, match="but none of regular prices"):
        read(text, **how)
    mapped = {"price": "cost"} if "cost" in text else None
    if mapped:
        assert read(text, columns=mapped)[0].rows == 1


@pytest.mark.parametrize("kind", ["csv", "jsonl", "xml", "woocommerce"])
def test_mapped_column_that_never_occurs_is_an_error(kind):
    """A column named in `--map` that no record has is an error in every format; one that any record
    has isn't. Rule: catalogue-partial."""
    texts = {
        "csv": "id,a\n1,2\n",
        "jsonl": '{"id": 1}\n{"id": 2, "a": null}\n',
        "xml": "<rss><item><id>1</id></item><item><id>2</id><a>x</a></item></rss>",
        "woocommerce": "ID,SKU,Regular price,a\n1,x,2,3\n",
    }
    how = {"kind": kind} if kind == "woocommerce" else {}
    assert read(texts[kind], columns={"title": "a"}, **how)[0].rows > 0
    with pytest.raises(Invalid, match=r"'cost\.amount'"):
        read(texts[kind], columns={"price": "cost.amount"}, **how)
    many = [{"id": n, f"x{n}": 1} for n in range(11_000)] + [{"id": 1, "late": "Rug"}]
    [*rows] = read("\n".join(map(json.dumps, many)), columns={"title": "late"})[0]
    assert "Rug" in [one.data.title for one in rows]


def test_variants_over_the_limit_are_refused(bench):
    """A product whose stored and new variants are more than 2,048 stays as it is, and is named.
    Rule: catalogue-variants."""
    store = bench.new_store(product_ids="text")
    head = "p,v\n"
    columns = {"product": "p", "variant": "v"}
    put(bench, store, head + "".join(f"x,{n}\n" for n in range(1, 2_048)), columns=columns)
    found = put(bench, store, f"{head}x,a\nx,b\n8,c\n", columns=columns)
    assert (found.put, found.refused) == (1, 1)
    assert "more than 2,048 variants with the stored ones" in str(found.reasons[0])
    assert len(bench.read(products.find, store, "x").variants) == 2_047


def test_missing_variants_stay_unless_they_are_to_be_deleted(bench, store):
    """Only `--delete-missing` deletes variants without a row: of products with rows, if the file has
    variants, and not those put in the meantime. Rule: catalogue-delete-missing."""
    head, rows = "item_group_id,id,title\n", "7,1,a\n7,2,b\n8,3,c\n8,4,d\n"
    put(bench, store, head + rows)
    ids = lambda: [[*shown(bench, store, product)[1]] for product in "78"]  # noqa: E731
    for text, deletes in ((f"{head}7,1,new\n8,3,c\n", False), ("id,title\n7,new\n8,c\n", True)):
        put(bench, store, text, deletes=deletes)
        assert ids() == [["1", "2"], ["3", "4"]]
    late = Variant("9", "late")
    later = NewProduct("8", ProductData("c"), (late,))

    def meanwhile():
        bench.write(products.put, store, [later], [bench.new_id()], bench.clock.tick())

    put(bench, store, f"{head}7,1,new\n8,3,c\n", deletes=True, meanwhile=meanwhile)
    assert ids() == [["1"], ["9", "3"]]


@pytest.mark.parametrize("deletes", [False, True])
def test_row_of_a_variant_changes_that_variant(bench, store, deletes):
    """In a file of ids and stock, the id of a stored variant is no new product, and its product isn't
    missing. Rules: catalogue-partial, catalogue-delete-missing."""
    put(bench, store, VARIANTS)
    text = "id,availability\n8711,out_of_stock\n8712,in_stock\n"
    found = put(bench, store, text, deletes)
    _, variants = shown(bench, store, "871")
    stock = {id: one["availability"] for id, one in variants.items()}
    assert stock == {"8711": "out_of_stock", "8712": "in_stock"}
    assert (found.compared, found.missing.products, found.missing.variants) == (1, 0, 0)


def test_woocommerce_export_with_chosen_columns_is_recognised():
    """A WooCommerce export without prices is one by its stock. Rule: catalogue-formats."""
    found, told = read("ID,SKU,Name,Stock,In stock?\n1,a,b,0,0\n")
    [product] = found
    assert (told, found.feed.format.name) == ([], "woocommerce")
    assert (product.data.title, product.data.available) == ("b", False)


@pytest.mark.parametrize("cell", ["0", "-1", "0.0", "-1.0", "FALSE", "no", "'-1", "1", "1.0"])
def test_private_product_and_draft_of_woocommerce_are_left_out(cell):
    """`Published` is 0 or -1 in any form that spreadsheets write. Rule: catalogue-formats."""
    found, _ = read(f"ID,SKU,Name,Regular price,Published\n1,a,b,5 EUR,{cell}\n")
    assert (len([*found]), found.hidden.count) == ((1, 0) if cell.startswith("1") else (0, 1))


@pytest.mark.parametrize(
    ("head", "row", "product"),
    [
        ("Item,ID,Inventory Tracking,Name,Is Visible", "Product,7,none,a,{}", "ID"),
        ("store_view_code,sku,name,product_online", ",7,a,{}", "sku"),
    ],
)
def test_product_that_a_platform_hides_is_left_out(head, row, product):
    """BigCommerce's and Magento's hidden products count as unpublished. Rule: catalogue-other-rows."""
    columns = {"product": product, "title": "Name"}
    for cell, is_shown in (
        ("true", True),
        ("1", True),
        ("false" if "Item" in head else "2", False),
    ):
        found, told = read(f"{head}\n{row.format(cell)}\n", columns=columns)
        assert (len([*found]), found.hidden.count, told) == (is_shown, not is_shown, [])


def test_unpublished_product_of_shopifys_csv_is_left_out():
    """A product that Shopify's online store doesn't show is left out with its variants.
    Rule: catalogue-formats."""
    head = "Handle,Title,Option1 Name,Option1 Value,Published,Status,Variant Price"
    text = f"{head}\na,A,Size,S,false,active,5\na,,,M,,,5\nb,B,Size,S,TRUE,active,5\n"
    found, told = read(text, TEXTS, currency="EUR")
    assert ([one.product_id for one in found], found.hidden.count, told) == (["b"], 2, [])


@pytest.mark.parametrize(
    ("start", "end", "is_on"),
    [
        ("0000-00-00", "0000-00-00", True),
        ("0000-00-00 00:00:00", "2025-12-31", False),
        ("2026-02-01", "0000-00-00", False),
        ("", "2027-01-01", True),
        ("2025-01-01", "", True),
    ],
)
def test_sale_with_an_empty_date_is_open_ended(start, end, is_on):
    """An empty date, or 0000-00-00, doesn't limit a sale, in two columns and in one cell.
    Rule: catalogue-prices."""
    columns = {"price": "p", "sale_price": "s", "sale_starts": "a", "sale_ends": "b"}
    made = read(f"id,p,s,a,b\n7,20 EUR,15 EUR,{start},{end}\n", columns=columns)[0]
    assert [one.data.price for one in made] == [eur("15" if is_on else "20")]
    if "0000" not in start + end:
        head = "id,price,sale_price,sale_price_effective_date"
        made = read(f"{head}\n7,20 EUR,15 EUR,{start}/{end}\n")[0]
        assert [one.data.price for one in made] == [eur("15" if is_on else "20")]
