"""Import of a product catalogue: rows that disappear in quotes, and too many deletions."""

import pytest

from wishwell import products
from wishwell.importers import catalogue_variants
from wishwell.importers.catalogue import Catalogue

from .test_catalogue import NUMBERS, TEXTS, read
from .test_catalogue import put as put_products
from .test_csv import read as read_wishes

HEAD = "id,title,price\n"
SHOPIFY = "Handle,Title,Option1 Name,Option1 Value,Body\n"
ENCLOSED = {
    "last line of a field": (NUMBERS, 'title,id,x\n"\nHat,8,9",7,\n', 3),
    "physical line": (NUMBERS, f'{HEAD}7,"Lamp,5 EUR\n8,closed",6 EUR\n', 3),
    "line between": (NUMBERS, f'{HEAD}7,"Lamp\r\nand\r\n\'8,Hat,5 EUR\r\n9,closed",6 EUR\r\n', 4),
    "other quotes": (NUMBERS, f'{HEAD}7,"Lamp\n8,""Hat"",5 EUR\n",6 EUR\n', 3),
    "two quotes": (NUMBERS, 'brand,title,id,x\nA,"Tee,7,5\nA,Cap",8,6\n', 2),
    "quotes in a third row": (NUMBERS, 'b,title,id,x\nA,"Tee,7,5\nA,Hat,9,4\nA,Cap",8,6\n', 2),
    "second field": (NUMBERS, 'a,b,id,x\n"p\nq","Tee,7,5\nA,Cap",8,6\n', 3),
    "semicolons": (NUMBERS, 'id;title\n7;"Lamp\n8;Hat"\n', 3),
    "shopify": (TEXTS, f'{SHOPIFY}a,A,Title,x,"<p>\nb,B,Title,y,</p>"\n', 3),
    "woocommerce": (NUMBERS, 'ID,SKU,Name,Regular price\n7,a,"Tee,9\n8,b,Cap",\n', 3),
}


@pytest.mark.parametrize("name", ENCLOSED)
def test_quotes_that_enclose_a_row_are_refused(name):
    """A row whose quotes enclose a line with as many cells and a usable id is named with both
    lines, unless such lines are accepted. Rule: catalogue-quotes."""
    store, text, enclosed = ENCLOSED[name]
    found, [told] = read(text, store)
    starts = f"encloses line {enclosed} in its quotes" if enclosed > 2 else "opens a quote"
    assert told.startswith(starts) and "first: line 2" in told
    assert ([*found], found.is_unsure) == ([], True)
    found, told = read(text, store, accept_deletions=True)
    assert (len([*found]), told) == (1, [])


def test_quoted_line_whose_id_does_not_match_the_pattern_is_text():
    """With `--id-pattern`, a line inside quotes counts as a row only if its id matches the pattern.
    Rule: catalogue-quotes."""
    text = 'id,title\nde_7,"Lamp\n8, two\n{}"\n'
    assert read(text.format("de_9;x"), pattern="de_{product}")[0].refused == 0
    assert read(text.format("de_9,x"), pattern="de_{product}")[0].refused == 1


@pytest.mark.parametrize(
    "text",
    ["small,\n12 cm, 3 kg\n", "8\n9", "\n\n", "8,9\n10", ',,"\n', "x,8,\n,8,", "8,a,b,c\n"],
)
def test_line_breaks_in_descriptions_are_text(text):
    """Descriptions with line breaks, commas and numbers are read as text.
    Rule: catalogue-quotes."""
    quoted = text.replace('"', '""')
    found, told = read(f'{HEAD}7,"Lamp, {quoted}",6 EUR\n10,Hat,\n')
    assert (told, [one.product_id for one in found]) == ([], ["10", "7"])


def test_quoted_line_may_end_with_the_id_of_its_own_row():
    """A line that begins inside quotes may end with its own row's id. Rule: catalogue-quotes."""
    found, told = read('title,id,brand\n"Lamp\nred",7,x\n"""Hat""\n,",8,"a\nb"\n')
    assert (told, [one.product_id for one in found]) == ([], ["7", "8"])


def test_wish_enclosed_in_a_quoted_note_is_refused(tmp_path):
    """Another app's file is refused if a quoted note encloses the row of a wish.
    Rules: catalogue-quotes, import-csv."""
    text = 'Who,What,Note\n7,1,"{}\n8,2,bye"\n9,{},x\n'
    columns = "customer=Who,product=What,note=Note"
    [error] = read_wishes(tmp_path, text.format("hello", 3), columns=columns).spool.errors
    assert error.startswith("line 2: encloses line 3") and "accept" not in error
    both = 'Mail,Note,Who,What\na@x.example,"hi,1,5\nb@x.example,yo",2,6\n'
    [error] = read_wishes(tmp_path, both, columns=columns).spool.errors
    assert error.startswith("line 2: opens a quote")
    for legit in (text.replace("8,2", "8 2"), 'Note,Who,What\n"a\nb",7,{1}\n'):
        file = read_wishes(tmp_path, legit.format("a", 3), columns=columns)
        assert file.spool.errors == []


def put(bench, store, text, deletes=False, meanwhile=None, **how):
    """Imports a feed as the command does. Returns its catalogue."""
    found: Catalogue = read(text, store, **how)[0]
    begun = bench.clock.tick()
    bench.drain(catalogue_variants.join(bench.db, found))
    bench.drain(found.missing.count(bench.db, deletes=deletes))
    put_products(bench, found, meanwhile, since=begun if deletes else "")
    if deletes and not found.is_unsure and not found.missing.is_withheld:
        bench.drain(found.missing.delete(bench.db, begun, bench.clock))
    return found


def stored(bench, store):
    """Returns the number of the store's products, and of all their variants."""
    rows = bench.select("SELECT variants FROM products WHERE store_id = $1", store.id)
    return len(rows), sum(text.count("variantId") for (text,) in rows)


@pytest.mark.parametrize(
    ("before", "after", "is_withheld"),
    [(100, 80, False), (100, 79, True), (50, 39, True), (12, 2, False), (12, 1, True)],
)
def test_no_product_is_deleted_when_more_than_ten_and_a_fifth_are_missing(
    bench, store, before, after, is_withheld
):
    """Missing products are deleted if they are at most ten or a fifth; if more, none is deleted
    without acceptance, and the rest of the file is imported. Rule: catalogue-delete-missing."""
    rows = [f"{n},t\n" for n in range(1, before + 1)]
    put(bench, store, "id,title\n" + "".join(rows))
    cut = "id,title\n" + "".join(rows[: after - 1]) + f"{after},new\n"
    found = put(bench, store, cut, deletes=True)
    assert (found.missing.is_withheld, found.missing.products) == (is_withheld, before - after)
    assert (found.put, found.unchanged) == (1, after - 1)
    assert stored(bench, store) == (before if is_withheld else after, 0)
    put(bench, store, cut, deletes=True, accept_deletions=True)
    assert stored(bench, store) == (after, 0)
    assert put(bench, store, cut).missing.products == 0


def test_no_variant_is_deleted_when_more_than_ten_and_a_fifth_are_missing(bench, store):
    """The same limits hold for missing variants, counted with those of missing products; without
    `--delete-missing`, none is deleted. Rule: catalogue-delete-missing."""
    head, rows = "item_group_id,id,price\n", [f"{n // 10},{n},1 EUR\n" for n in range(10, 70)]
    put(bench, store, head + "".join(rows))
    cut = head + "".join(row.replace("1 EUR", "2 EUR") for row in rows if int(row[3:4]) < 7)
    assert put(bench, store, cut).missing.variants == 0
    found = put(bench, store, cut, deletes=True)
    assert str(found.missing) == "0 of 6 products and 18 of 60 variants"
    assert (found.missing.is_withheld, found.unchanged) == (True, 6)
    shown = bench.read(products.find, store, "3").variants
    assert [variant.price.amount for variant in shown] == [*"2222222111"]
    found = put(bench, store, head + "".join(rows[:47]), deletes=True)
    assert str(found.missing) == "1 of 6 products and 13 of 60 variants"
    assert (found.missing.is_withheld, stored(bench, store)) == (True, (6, 60))
    put(bench, store, head + "".join(rows[:48]), deletes=True)
    assert stored(bench, store) == (5, 48)
    put(bench, store, cut, deletes=True, accept_deletions=True)
    assert stored(bench, store) == (6, 42)
    assert put(bench, store, f"{head}1,10,2 EUR\n", accept_deletions=True).unchanged == 1
    assert stored(bench, store) == (6, 42)
    put(bench, store, "id\n1\n2\n3\n4\n5\n6\n", deletes=True)
    assert stored(bench, store) == (6, 42)


def test_missing_variants_are_kept_when_any_row_is_refused(bench, store):
    """If any row was refused, products keep variants that the file lacks, because the row may be
    theirs. Rule: catalogue-delete-missing."""
    head = "item_group_id,id,title\n"
    put(bench, store, f"{head}7,1,a\n7,2,b\n8,3,c\n8,4,d\n")
    found = put(bench, store, f'{head}7,1,new\n7,2,"b\n8,3,c"\n8,4,new\n', deletes=True)
    assert (found.put, found.refused, stored(bench, store)) == (2, 1, (2, 4))
    put(bench, store, f"{head}7,1,a\n8,4,new\n", deletes=True)
    assert stored(bench, store) == (2, 2)
