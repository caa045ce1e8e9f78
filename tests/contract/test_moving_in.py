"""Import of a hosted app's file: guessed columns, joined ids, other dates, and what is left out."""

import csv
import os
import stat
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.contract.test_csv import AT, BERLIN, NUMBERS, TEXTS
from wishwell import profiles
from wishwell.errors import Invalid
from wishwell.importers import csv_file, dates, table
from wishwell.transfer import importing

ISO = "2025-04-18T18:13:00.000Z"


def read(tmp_path, text, store=NUMBERS, columns="", files=(), **how):
    """Returns the checked file with this text. ``files``: texts of further files, by option."""
    for option, content in dict(files).items():
        how[option] = str(tmp_path / f"{option}.csv")
        Path(how[option]).write_text(content)
    path = tmp_path / "wishes.csv"
    path.write_text(text)
    os.utime(path, (AT / 1000, AT / 1000))
    mapped = csv_file.parse_columns(columns) if columns else {}
    file = csv_file.CsvFile(str(path), store, csv_file.Reading(mapped, **how), AT)
    for _ in file.check():
        pass
    return file


def wishes(file):
    """Returns each wish's customer id and product, in the file's order."""
    assert file.spool.errors == []
    found = [(item.id, bundle.profile.gid, *item.kind) for bundle in file for item in bundle.items]
    return [(gid.rpartition("/")[2], product) for _, gid, product, _ in sorted(found, reverse=True)]


# ---------------------------------------------------------------------------------------- columns

HEADERS = {
    "customer_id,customer_email,product_id,variant_id,added": "customer product variant saved email",
    "Customer ID;Email;Product ID;Variant ID;List Name;Quantity;Date Added": (
        "customer product variant list quantity saved email"
    ),
    "user_id,prod_id,variation_id,wishlist_name,quantity,dateadded": (
        "customer product variant list quantity saved"
    ),
    "author,product_id,variation_id,quantity,date": "customer product variant quantity saved",
    "shopifyCustomerId,productId,productTitle,variantId,createdAt": "customer product variant saved",
    "Product Handle,Customer Email,Price": "customer product email",
    "customer,product,saved": "customer product saved",
    "id_customer,id_product,id_product_attribute,note": "customer product variant note",
    "useremail,empi,epi,cts": "customer product variant saved email",
}


@pytest.mark.parametrize("header", HEADERS)
def test_columns_with_usual_names_are_guessed(tmp_path, header):
    """Columns with the names that wishlist apps give them need no `--map`. Rule: import-guess."""
    file = read(tmp_path, f"{header}\n")
    assert " ".join(file.columns) == HEADERS[header]


def test_map_overrides_guesses(tmp_path):
    """`--map` overrides a guess; if it names customer and product, no other column is read.
    Rule: import-guess."""
    text = "customer_id,product_id,date,comment,When\n"
    guessed = {"customer": "customer_id", "product": "product_id", "note": "comment"}
    assert read(tmp_path, text).columns == guessed | {"saved": "date"}
    assert read(tmp_path, text, columns="saved=When").columns == guessed | {"saved": "When"}
    mapped = read(tmp_path, text, columns="customer=customer_id,product=product_id")
    assert mapped.columns == {"customer": "customer_id", "product": "product_id"}
    assert mapped.ignored == ["date", "comment", "When"]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Name,product_id", "no column has a usual name for customer; the columns are 'Name'"),
        ("a,b", "usual name for customer and product; .* Name it with --map customer=COLUMN"),
        ("user_id,product_id,Product ID", "'product_id' and 'Product ID' have alike names"),
    ],
)
def test_columns_that_cannot_be_guessed_are_named(tmp_path, header, names):
    """A needed column without a usual name, or two with one name, are refused.
    Rule: import-guess."""
    with pytest.raises(Invalid, match=names):
        read(tmp_path, f"{header}\n")


# -------------------------------------------------------------------------------------------- ids


def test_decimals_of_a_whole_number_are_dropped(tmp_path):
    """Ids that a data tool wrote as decimals are the whole numbers. Rule: spreadsheet-ids."""
    text = "customer_id,product_id\n7120953278001.0,7130.0\n'7120953278001,7131\n,7131\n0.0,7131\n"
    file = read(tmp_path, text, skip_guests=True)
    assert wishes(file) == [("7120953278001", "7130"), ("7120953278001", "7131")]
    assert file.guest_rows == 2
    gid = "gid://shopify/Customer/7120953278001.0"
    assert wishes(read(tmp_path, f"customer,product\n{gid},5\n")) == [("7120953278001", "5")]
    assert table.product_id(NUMBERS, "ProductVariant", "808950810.00") == "808950810"
    assert table.product_id(TEXTS, "Product", "7130.0") == "7130.0"


SPOILT = {
    "7.12095E+12": "dropped digits. Import the app's own file, or export it again",
    "7,12095e+12": "dropped digits",
    "7E12": "dropped digits",
    "7.011": "isn't a whole number",
    "7017,5": "isn't a whole number",
    "-1": "isn't a whole number",
    "#REF!": "is a spreadsheet's error",
    "7,120,953,278,003": "has separators between thousands",
    "NaN": "is a placeholder and names no customer",
    "None": "is a placeholder",
    "guest": "is a placeholder",
    "#N/A": "is a spreadsheet's error",
    "(null)": "is a placeholder",
    "-": "must be gid://shopify/Customer/<id>",
    "null": "is empty; skip rows",
    "0.0": "is empty; skip rows",
    "\\N": "is empty; skip rows",
    "ada@shop.example": "Join addresses to ids by an export of the shop's customers with --customers",
}


@pytest.mark.parametrize("cell", SPOILT)
def test_spoilt_customer_id_is_refused(tmp_path, cell):
    """An id that lost digits, a placeholder and an e-mail address are refused as customer ids.
    Rules: spreadsheet-ids, placeholder-ids, import-emails."""
    [error] = read(tmp_path, f'customer,product\n"{cell}",1\n').spool.errors
    assert error.startswith("line 2: column 'customer': ") and SPOILT[cell] in error


def test_text_in_a_spreadsheet_formula_is_read(tmp_path):
    """`="7"`, by which Excel's files keep a text, is 7. Rule: spreadsheet-ids."""
    file = read(tmp_path, 'customer,product\n"=""7120953279""",1\n')
    assert [bundle.profile.gid for bundle in file] == ["gid://shopify/Customer/7120953279"]


def test_product_ids_that_lost_digits_are_refused_in_a_store_with_integer_ids(tmp_path):
    """A store with integer ids refuses the product id `7.1E+12`; a store with text ids accepts any
    text. Rule: spreadsheet-ids."""
    text = "customer,product\n7,7.1E12\n"
    assert "dropped digits" in read(tmp_path, text).spool.errors[0]
    assert wishes(read(tmp_path, "customer,product\n7,7.1E12\n", TEXTS)) == [("7", "7.1E12")]


def test_email_addresses_are_customer_ids_only_if_requested_or_stored(bench, store, tmp_path):
    """E-mail addresses are customer ids with `--emails-are-ids`, or if the store has such a
    customer. Rule: import-emails."""
    assert not bench.read(importing.has_email_ids, store)
    text = "customer,product\nada@shop.example,1\ngid://shopify/Customer/bob%40shop.example,1\n"
    assert len(read(tmp_path, text, store).spool.errors) == 2
    file = read(tmp_path, text, store, emails_are_ids=True)
    assert [id for id, _ in wishes(file)] == ["ada@shop.example", "bob@shop.example"]
    bench.drain(importing.load(bench.db, file, store, dry=False, mode="same"))
    assert bench.read(importing.has_email_ids, store)
    customer = profiles.of_customer(store, "gid://shopify/Customer/ada@shop.example")
    bench.check(customer)


# ------------------------------------------------------------------------------------------ joins

CUSTOMERS = {
    "Shopify": "Customer ID,First Name,Email,Accepts Email Marketing\n'71,Ada,Ada@shop.example,no\n"
    "'72,Bob,,no\n'73,Cy,cy@shop.example,no\n'74,Cy,cy@shop.example,no\n",
    "WordPress": "ID,user_login,display_name,user_email,user_registered,roles\n"
    "71,ada,Ada,ada@shop.example,2020-01-01,x\n73,c,C,CY@shop.example,,x\n74,c,C,cy@shop.example,,x\n",
    "other": "mail;id\nada@shop.example;71.0\ncy@shop.example;73\ncy@shop.example;74\n;0\n",
}


@pytest.mark.parametrize("name", CUSTOMERS)
def test_email_addresses_are_joined_to_customer_ids(tmp_path, name):
    """`--customers` joins e-mail addresses to ids, ignoring case. Rows whose address has no id, or
    two, are left out and listed. Rules: import-join, import-omissions."""
    text = (
        "Customer Email,Product ID\nADA@shop.example,1\ncy@shop.example,2\nno@shop.example,3\n"
        "no@shop.example,4\n9,5\n"
    )
    mapped = "customer=Customer Email,product=Product ID"
    file = read(tmp_path, text, columns=mapped, files={"customers": CUSTOMERS[name]})
    assert wishes(file) == [("71", "1"), ("9", "5")]
    path = tmp_path / "customers.csv"
    assert [*file.omissions.describe_reasons()] == [
        f"Customer Email: has no id in {path} (2 rows with 1 different values, first: line 4)",
        f"Customer Email: has two ids in {path} (1 row, first: line 3)",
    ]
    listed = Path(file.omissions.write(str(tmp_path / "wishes.csv")))
    assert listed.parent == tmp_path and listed.name.startswith("wishes-left-out-")
    assert stat.S_IMODE(listed.stat().st_mode) == 0o600
    rows = [*csv.DictReader(listed.read_text("utf-8-sig").splitlines())]
    assert [(row["line"], row["value"]) for row in rows] == [
        ("3", "cy@shop.example"),
        ("4", "no@shop.example"),
        ("5", "no@shop.example"),
    ]


@pytest.mark.parametrize("store", [NUMBERS, TEXTS], ids=["integers", "text"])
def test_handles_are_joined_to_product_ids(tmp_path, store):
    """`--handles` joins handles to product ids; ids among them stay. Rule: import-join."""
    files = {"handles": "ID,Handle,Title\n632910392,Blue-Shirt,x\n632910392,Blue-Shirt,y\n"}
    gid = "gid://shopify/Product/5"
    text = f"user_id,handle\n7,blue-shirt\n7,{gid}\n7,red-shirt\n"
    file = read(tmp_path, text, store, files=files)
    assert wishes(file) == [("7", "632910392"), ("7", "5")]
    assert file.omissions.rows == 1
    if store is NUMBERS:
        assert "Join handles to ids with --handles" in read(tmp_path, text).spool.errors[0]
        assert wishes(read(tmp_path, "user_id,handle\n7,8\n", files=files)) == [("7", "8")]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Name,ID\n", "line 1: must have a column 'email' and a column 'customerid' or 'id'"),
        ("Email,Customer ID\na@b.example,7.12E+12\n", "line 2: column 'Customer ID': is a number"),
        ("Email,ID\na@b.example,undefined\n", "line 2: column 'ID': undefined is a placeholder"),
        ("Email,ID\na@b.example\n", "line 2: has 1 cells"),
        ("Email,ID,id\n", "'ID' and 'id' have alike names"),
    ],
)
def test_bad_file_of_ids_is_refused(tmp_path, content, names):
    """A file of ids without the columns, or with an unusable id, is refused. Rule: import-join."""
    with pytest.raises(Invalid, match=names):
        read(tmp_path, "email,product_id\n", files={"customers": content})


# ------------------------------------------------------------------------------------------ dates


@pytest.mark.parametrize(
    ("cell", "how"),
    [
        ("18/04/2025 20:13", {"day_first": True}),
        ("18.4.2025 20:13", {"day_first": True}),
        ("18-04-25, 8:13 pm", {"day_first": True}),
        ("Apr 18, 2025, 8:13 PM", {"day_first": True}),
        ("April 18, 2025 8:13\u202fPM", {}),
        ("18 Apr 2025 20:13:00", {}),
        ("18/04/2025 20:13", {"date_format": "%d/%m/%Y %H:%M"}),
        (
            "Fri Apr 18 2025 20:13:00 GMT+0200 (CEST)",
            {"date_format": "%a %b %d %Y %H:%M:%S GMT%z (CEST)"},
        ),
        ("4/18/2025 8:13 PM", {"date_format": "%m/%d/%Y %I:%M %p"}),
        ("20250418 201300 +0200", {"date_format": "%Y%m%d %H%M%S %z", "zone": ZoneInfo("UTC")}),
        ("2025-04-18T18:13:00Z", {"date_format": "%d/%m/%Y"}),
        ("2025-04-18 18:13:00 UTC", {"day_first": True}),
        ("1744999980", {}),
        ("1744999980000", {"date_format": "%d/%m/%Y"}),
    ],
)
def test_dates_in_other_notations_are_read(tmp_path, cell, how):
    """`--day-first` and `--date-format` read other notations; ISO 8601 and named months always
    are. Rule: import-dates."""
    text = f'customer,product,date\n7,1,"{cell}"\n'
    file = read(tmp_path, text, **{"zone": BERLIN} | how)
    assert file.spool.errors == [] and file.omissions.cells == 0
    assert [item.created_at for bundle in file for item in bundle.items] == [ISO]


def test_column_of_dates_in_an_unknown_notation_stops_the_import(tmp_path):
    """If no date can be read, the file needs an option; otherwise a bad date costs the cell.
    Rule: import-dates."""
    text = "customer,product,date\n7,1,18/04/2025\n7,2,n/a\n7,3,²²²²²²²²²²\n"
    [error] = read(tmp_path, text, zone=BERLIN).spool.errors
    assert error.startswith("line 2: column 'date': must be a time") and "--day-first" in error
    assert "--time-zone" in read(tmp_path, text, day_first=True).spool.errors[0]
    file = read(tmp_path, f"{text}7,4,2025-04-18\n", zone=BERLIN)
    assert (len(wishes(file)), file.omissions.cells) == (4, 3)
    assert wishes(read(tmp_path, "customer,product,date\n7,1,n/a\n")) == [("7", "1")]
    for bad in ("%Q", "%H:%M", "%d.%m. %H:%M", "%"):
        with pytest.raises(Invalid, match=r"--date-format: '%.*' isn't a format of strptime"):
            dates.check_format(bad)


# -------------------------------------------------------------------------------------- omissions


def test_skip_rows_imports_the_rest(tmp_path):
    """With `--skip-rows` rows without a usable customer or product, or of another width, are left
    out; a fault of quotes, which may hide rows, stops the import.
    Rule: import-omissions."""
    text = "customer,product,email\n7,1,\n=x y,2,\n,3,\n8,x,n/a\n8\n9,6,n/a\n"
    assert len(read(tmp_path, text).spool.errors) == 4
    file = read(tmp_path, text, skip_rows=True)
    assert wishes(file) == [("7", "1"), ("9", "6")]
    assert (file.omissions.rows, file.omissions.cells) == (4, 1)
    listed = Path(file.omissions.write("/proc/wishes.csv"))  # a folder that can't be written
    assert "3,customer,'=x y," in listed.read_text("utf-8-sig")
    listed.unlink()
    assert read(tmp_path, f'{text}"7"7,1,\n', skip_rows=True).spool.errors


def test_bad_email_address_is_left_out(tmp_path):
    """A bad e-mail address is left out and its row imported; spaces around an address are removed.
    Rule: import-omissions."""
    text = (
        "customer,product,email\n18, 18 , Ada@Shop.Example \n20,20,n/a\n"
        '21,21,"ada@shop.example, bob@shop.example"\n22,22,mailto:x@shop.example\n'
    )
    file = read(tmp_path, text)
    mails = {bundle.profile.gid.rpartition("/")[2]: bundle.profile.email for bundle in file}
    assert mails["18"] == "Ada@Shop.Example" and mails["20"] is None and mails["21"] is None
    assert mails["22"] is None and len(wishes(file)) == 4
    assert "n/a" in next(file.omissions.describe_reasons())
