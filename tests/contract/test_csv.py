"""Import of another app's CSV file: parsing rows and reporting bad ones."""

import os
from zoneinfo import ZoneInfo

import pytest

from tests.contract.conftest import bounds, new_item
from tests.contract.moved import export, items_by_product, wish
from wishwell import ids, profiles, stores
from wishwell.errors import Invalid, Misconfigured
from wishwell.importers import csv_file
from wishwell.privacy import erasure
from wishwell.profiles import pages
from wishwell.profiles.search import Search
from wishwell.transfer import importing
from wishwell.wishlists import items, lists, saving

NOW = "2026-01-01T00:00:00.000Z"
AT = ids.from_timestamp(NOW)
NUMBERS = stores.blank(ids.uuid7_at(AT), "numbers", NOW)
TEXTS = stores.apply_patch(NUMBERS, stores.StorePatch(product_ids="text"), NOW)
BERLIN = ZoneInfo("Europe/Berlin")
MAP = "customer=Who,product=What,variant=Kind,list=On,quantity=Many,note=Note,saved=When,email=Mail"
WHO = "customer=Who,product=What"
HEADER = "Who,What,Kind,On,Many,Note,When,Mail"


def read(tmp_path, text, store=NUMBERS, columns=MAP, at=AT, **how):
    """Returns the parsed and checked file with this text and modification time."""
    path = tmp_path / "wishes.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (at / 1000, at / 1000))
    reading = csv_file.Reading(csv_file.parse_columns(columns), **how)
    file = csv_file.CsvFile(str(path), store, reading, AT + 60_000)
    for _ in file.check():
        pass
    return file


def parsed_items(file):
    """Returns the displayed fields and list names of each parsed item, newest first."""
    assert file.spool.errors == []
    return [
        (
            bundle.profile.gid.rpartition("/")[2],
            *item.kind,
            sorted(bundle.lists[id].name for id in item.list_ids),
            *(item.quantity, item.note, item.created_at),
        )
        for bundle in file
        for item in sorted(bundle.items, key=lambda item: item.id, reverse=True)
    ]


# ------------------------------------------------------------------------------ columns and form


def test_map_option_names_the_columns(tmp_path):
    """`--map` names the columns in any order; a name may contain spaces and commas.
    Rule: import-csv."""
    named = {"customer": "Customer, id", "product": "P", "saved": "a=b"}
    assert csv_file.parse_columns("product=P, customer = Customer, id,saved=a=b") == named
    file = read(tmp_path, '"Customer, id",x,P\n7,,1\n', columns="customer=Customer, id,product=P")
    assert parsed_items(file)[0][:2] == ("7", "1")


@pytest.mark.parametrize(
    ("columns", "text", "names"),
    [
        ("customer=A", "A,x\n", "no column has a usual name for product; the columns are 'A', 'x'"),
        ("", "", "field=column"),
        ("customer=A,product=", "", "field=column"),
        ("customer=A,product=B,colour=C", "", "colour=C"),
        ("customer=A,product=B,product=C", "", "product is repeated"),
        (WHO, "", "line 1: must contain the names of the columns"),
        (WHO, "\n", "line 1: must contain the names of the columns"),
        (
            WHO,
            "Who,Which\n",
            "line 1: the column 'What' is missing; the columns are 'Who', 'Which'. Assign",
        ),
        (WHO, "Who;What;Who\n", "line 1: the column 'Who' is repeated"),
        (WHO, 'Who,"What\n', "line 1: "),
    ],
)
def test_bad_map_or_first_line_is_refused(tmp_path, columns, text, names):
    """A map or first line with missing or duplicate columns is refused.
    Rule: import-csv."""
    with pytest.raises(Invalid, match=names):
        read(tmp_path, text, columns=columns)


GERMAN = 'Kunde;Artikel;Liste;Notiz\r\n7;12;Für Ämter;"Zeile 1\r\nZeile 2; ""groß"""\r\n;;;\r\n\r\n8;13;;\r\n'
KUNDE = "customer=Kunde,product=Artikel,list=Liste,note=Notiz"


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (GERMAN.encode("cp1252"), "cp1252"),
        (GERMAN.encode("utf-8-sig"), "utf-8-sig"),
        (GERMAN.encode(), "utf-8-sig"),
        (GERMAN.replace("; ", "\0").replace(";", ",").replace("\0", "; ").encode(), "utf-8"),
    ],
    ids=["German Excel", "with a mark", "without", "American Excel"],
)
def test_file_is_read_as_spreadsheets_write_it(tmp_path, raw, encoding):
    """Delimiters, byte order marks, encodings, quotes and line breaks are read as spreadsheets
    write them.
    Rule: import-csv."""
    first, second = parsed_items(read(tmp_path, raw, columns=KUNDE, encoding=encoding))
    if first[0] == "8":
        first, second = second, first
    assert first[:6] == ("7", "12", "", ["Für Ämter"], 1, 'Zeile 1\nZeile 2; "groß"')
    assert second[:6] == ("8", "13", "", [], 1, "")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_quotes_between_tabs_are_data(tmp_path, encoding):
    """Between tabs, only quotes that enclose a field on one line aren't data, so no row disappears
    in another one's note; UTF-16 is recognised by its byte order mark.
    Rules: catalogue-cells, import-csv."""
    rows = ['7\t12\t"A ""good"" one"', '7\t13\t"open', '7\t14\t6" pans', '7\t15\tclosed"']
    raw = "Kunde\tArtikel\tNotiz\n" + "\n".join(rows)
    made = read(tmp_path, raw.encode(encoding), columns="customer=Kunde,product=Artikel,note=Notiz")
    notes = {wish[1]: wish[5] for wish in parsed_items(made)}
    assert notes == {"12": 'A "good" one', "13": '"open', "14": '6" pans', "15": 'closed"'}
    broken = read(
        tmp_path,
        'Kunde\tArtikel\tNotiz\n7\t12\t"two\nlines"\n',
        columns="customer=Kunde,product=Artikel,note=Notiz",
    )
    assert broken.spool.errors == ["line 3: has 1 cells, but the first line has 3"]


def test_file_of_another_encoding_is_refused(tmp_path):
    """A file in another encoding is refused, and the message names `--encoding`.
    Rule: import-csv."""
    file = read(tmp_path, GERMAN.encode("cp1252"), columns=KUNDE)
    for error in file.spool.errors:
        assert error.startswith("line 2: column '") and "isn't valid utf-8 text" in error
        assert "--encoding" in error
    with pytest.raises(Invalid, match="isn't valid utf-16 text; set its --encoding"):
        read(tmp_path, GERMAN.encode(), columns=KUNDE, encoding="utf-16")
    for unknown in ("klingon", "hex"):
        with pytest.raises(Misconfigured, match="--encoding"):
            read(tmp_path, GERMAN, columns=KUNDE, encoding=unknown)


def test_empty_cells_count_as_missing(tmp_path):
    """Empty cells, NULL, 0 and `\\N` count as missing; a file without rows is valid.
    Rule: import-csv."""
    assert parsed_items(read(tmp_path, HEADER)) == []
    text = f"{HEADER}\n7,1,0,NULL,null,\\N,,NULL\n , , ,,,,,\n \n7,2, , ,,,,\n"
    assert [row[1:6] for row in parsed_items(read(tmp_path, text))] == [
        ("1", "", [], 1, ""),
        ("2", "", [], 1, ""),
    ]


# ------------------------------------------------------------------------------------ bad rows

BAD = {
    ",1,,,,,,": "column 'Who': is empty; skip rows",
    "0,1,,,,,,": "column 'Who': is empty",
    f"{'7' * 256},1,,,,,,": "column 'Who': must be gid://shopify/Customer/<id>",
    f"gid://shopify/Session/{ids.random_uuid()},1,,,,,,": "column 'Who': must be gid://shopify/Cust",
    "7,,,,,,,": "column 'What': is empty",
    "7,shirt,,,,,,": "column 'What': must be an integer from 1",
    "7,1.5,,,,,,": "column 'What': must be an integer from 1",
    "7,gid://shopify/ProductVariant/1,,,,,,": "column 'What': must be an integer from 1",
    "7,1,,,,,2025-02-29T00:00:00Z,": "column 'When': must be a time in ISO 8601",
    "7,1,,,,,2025-02-28T00:00:00,": "column 'When': has no UTC offset; set the time zone with --time-zone",
    "7,1": "has 2 cells, but the first line has 8",
    "7,1,,,,,,,": "has 9 cells, but the first line has 8",
    '"7"7,1,,,,,,': "isn't a valid CSV row",
    f'7,1,,,,"{"x" * 140_000}",,': "has a cell of more than 131,072 characters",
    '7,1,,,,"never closed,,\n7,1,,,,,,': "isn't a valid CSV row",
}

LOST = {
    "7,1,gid://shopify/Product/1,,,,,": "Kind: must be an integer from 1",
    "7,1,-1,,,,,": "Kind: must be an integer from 1",
    f"7,1,,{'x' * 256},,,,": "On: must be 1 to 255 characters",
    "7,1,,,0,,,": "Many: must be an integer from 1 to 1000000",
    f"7,1,,,,{'x' * 501},,": "Note: must be at most 500 characters",
    "7,1,,,,a\0b,,": "Note: must not contain control characters",
    "7,1,,,,,yesterday,": "When: must be a time in ISO 8601",
    "7,1,,,,,2026-01-01T00:03:00Z,": "When: must be between 1970 and now",
    "7,1,,,,,1969-12-31T23:59:59Z,": "When: must be between 1970 and now",
    "7,1,,,,,0001-01-01T00:00:00+14:00,": "When: must be ",
    "7,1,,,,,,nobody": "Mail: must be an e-mail address",
}


@pytest.mark.parametrize(("row", "names"), BAD.items(), ids=[f"{n}" for n in range(len(BAD))])
def test_bad_row_is_named_by_line_and_column(tmp_path, row, names):
    """A bad row is reported with the line on which it begins, and the column.
    Rule: import-csv."""
    file = read(tmp_path, f'{HEADER}\n7,1,,,,"two\nlines",,\n\n{row}\n')
    [error] = file.spool.errors
    assert error.startswith(f"line 5: {names}")
    assert not error.endswith(".")


@pytest.mark.parametrize(("row", "names"), LOST.items(), ids=[f"{n}" for n in range(len(LOST))])
def test_bad_optional_cell_is_left_out_and_counted(tmp_path, row, names):
    """An unreadable cell of any field but customer and product is left out and counted.
    Rules: import-csv, import-omissions."""
    file = read(tmp_path, f"{HEADER}\n7,1,,,,,,\n{row}\n")
    assert (file.spool.errors, file.omissions.cells, file.omissions.rows) == ([], 1, 0)
    [reason] = file.omissions.describe_reasons()
    assert reason.startswith(names) and "(1 cell, first: line 3, " in reason
    assert {item[0] for item in parsed_items(file)} == {"7"}


def test_at_most_20_errors_are_reported(tmp_path):
    """At most 20 errors are reported; several in one row count separately.
    Rule: import-csv."""
    file = read(tmp_path, f"{HEADER}\n" + "x x,y,,,,,,\n" * 10)
    assert [error.split(":")[0] for error in file.spool.errors] == [
        f"line {line}" for line in range(2, 12) for _ in "ab"
    ]
    file = read(tmp_path, f"{HEADER}\n" + "7,y,,,,,,\n" * 10**5)
    assert len(file.spool.errors) == 21
    assert file.spool.errors[-1] == "and more errors"


def test_guests_are_left_out_and_counted(tmp_path):
    """`--skip-guests` counts and skips rows without a customer; their other errors are still
    reported.
    Rule: import-csv."""
    text = f"{HEADER}\n,1,,,,,,\n0,2,,,,,,\n7,3,,,,,,\n"
    file = read(tmp_path, text, skip_guests=True)
    assert [row[:2] for row in parsed_items(file)] == [("7", "3")]
    assert file.guest_rows == 2
    assert (
        read(tmp_path, f"{text},y,,,,,,\n", skip_guests=True).spool.errors[0].startswith("line 5: ")
    )


@pytest.mark.parametrize(
    ("store", "cell", "stored"),
    [
        (NUMBERS, "gid://shopify/Product/632910392", "632910392"),
        (NUMBERS, "9007199254740991", "9007199254740991"),
        (TEXTS, "007", "007"),
        (TEXTS, "gid://shopify/Product/5", "5"),
        (TEXTS, "a b", None),
    ],
)
def test_product_ids_are_those_of_the_store(tmp_path, store, cell, stored):
    """Product and variant ids have the store's type, or are GIDs. Rule: import-csv."""
    variant = cell.replace("/Product/", "/ProductVariant/")
    text = f"{HEADER}\ngid://shopify/Customer/7,{cell},{variant},,,,,\n"
    file = read(tmp_path, text, store)
    if stored is None:
        what = "line 2: column 'What': must be a string of 1 to 100 characters"
        assert file.spool.errors[0].startswith(what)
    else:
        assert parsed_items(file)[0][:3] == ("7", stored, stored)


# -------------------------------------------------------------------------------- parsed rows


@pytest.mark.parametrize(
    ("cell", "zone", "time"),
    [
        ("2025-04-18T18:13:27Z", None, "2025-04-18T18:13:27.000Z"),
        ("2025-04-18T18:13:27.4819+02:00", BERLIN, "2025-04-18T16:13:27.481Z"),
        ("2025-04-18 18:13:27", BERLIN, "2025-04-18T16:13:27.000Z"),
        ("2025-01-18 18:13:27", BERLIN, "2025-01-18T17:13:27.000Z"),
        ("2025-10-26 02:30:00", BERLIN, "2025-10-26T00:30:00.000Z"),
        ("2025-04-18", BERLIN, "2025-04-17T22:00:00.000Z"),
        ("2025-04-18 18:13:27.5+00", BERLIN, "2025-04-18T18:13:27.500Z"),
    ],
)
def test_time_has_its_own_offset_or_the_given_time_zone(tmp_path, cell, zone, time):
    """A time has its own offset or the given zone's; of an ambiguous hour the first occurrence is
    used.
    Rule: import-csv."""
    [row] = parsed_items(read(tmp_path, f"{HEADER}\n7,1,,,,,{cell},\n", zone=zone))
    assert row[6] == time


def test_first_row_is_the_newest_when_rows_have_no_time(tmp_path):
    """Rows without a time are a millisecond a line older than the file, so the first is the newest.
    Rule: import-csv."""
    text = f"{HEADER}\n" + "".join(f"7,{product},,,,,,\n" for product in range(1, 2_001))
    rows = parsed_items(read(tmp_path, text))
    assert [int(row[1]) for row in rows] == [*range(1, 2_001)]
    assert rows[0][6] == ids.timestamp(AT - 2)
    assert rows[-1][6] == ids.timestamp(AT - 2_001)
    old = read(tmp_path, text, at=0)
    assert {row[6][:19] for row in parsed_items(old)} <= {
        f"1970-01-01T00:00:0{n}" for n in range(3)
    }


def test_upper_row_is_newer_when_times_are_equal(tmp_path):
    """Among rows with the same time the upper one is newer, even past a millisecond's counter,
    reproducibly.
    Rule: import-csv."""
    text = f"{HEADER}\n" + "".join(f"7,{p},,,,,2025-01-01T00:00:00Z,\n" for p in range(1, 5_001))
    file = read(tmp_path, f"{text}7,9999,,,,,2025-01-01T00:00:00.001Z,\n")
    assert [int(row[1]) for row in parsed_items(file)] == [9999, *range(1, 5_001)]
    [bundle], [again] = file, file
    assert bundle == again
    assert all(ids.RECORD_ID.fullmatch(item.id) for item in bundle.items)
    assert len({item.id for item in bundle.items}) == 5_001


def test_rows_of_the_same_wish_are_merged(tmp_path):
    """Rows of one customer, product and variant are merged, wherever they are in the file.
    Rule: import-csv."""
    rows = (
        "7,1,5, For Ada ,2,first,2025-03-01T00:00:00Z,",
        "8,1,5,,,,2025-03-01T00:00:00Z,",
        "7,1,,,,another variant,2025-05-01T00:00:00Z,",
        "7,1,5,Straße,9,second,2025-01-01T00:00:00Z,ada@shop.example",
        "7,1,5,FOR ADA,,,2025-04-01T00:00:00Z,other@shop.example",
    )
    file = read(tmp_path, "\n".join([HEADER, *rows]))
    assert sorted(parsed_items(file)) == [
        ("7", "1", "", [], 1, "another variant", "2025-05-01T00:00:00.000Z"),
        ("7", "1", "5", ["For Ada", "Straße"], 2, "first", "2025-01-01T00:00:00.000Z"),
        ("8", "1", "5", [], 1, "", "2025-03-01T00:00:00.000Z"),
    ]
    mails = {bundle.profile.gid[-1]: bundle.profile.email for bundle in file}
    assert mails == {"7": "ada@shop.example", "8": None}
    [ada] = [bundle for bundle in file if bundle.profile.gid[-1] == "7"]
    assert ada.profile.created_at == "2025-01-01T00:00:00.000Z"


def test_dry_run_prints_the_first_rows(tmp_path):
    """A dry run prints the first five rows as they would be imported. Rule: import-csv."""
    row = '7,1,5,Für Ada,2,"a\nb",2025-03-01T00:00:00Z,ada@shop.example\n'
    file = read(tmp_path, f"{HEADER}\n{row}" + "8,2,,,,,,\n" * 9)
    assert len(file.example_lines) == 5
    assert file.example_lines[:2] == [
        "line 2: customer 'gid://shopify/Customer/7', product '1', variant '5', list 'Für Ada', "
        "quantity 2, note 'a\\nb', saved '2025-03-01T00:00:00.000Z', email 'ada@shop.example'",
        "line 4: customer 'gid://shopify/Customer/8', product '2'",
    ]


# ------------------------------------------------------------------------------------ in a store


def load(bench, file, store):
    assert file.spool.errors == []
    return bench.drain(importing.load(bench.db, file, store, dry=False, mode="same"))[-1]


MANY = HEADER + "".join(
    f"\n{n % 41},{n % 7 + 1},,{'AB'[n % 2] * (n % 3)},{n},,{'2025-01-01T00:00:00Z' * (n % 2)},"
    for n in range(1, 300)
    if n % 41
)


def test_imported_wishes_read_like_saved_ones_and_emit_no_events(bench, store, tmp_path):
    """Imported items read like saved ones, newest first, and make no events.
    Rule: import-csv."""
    text = f"{HEADER}\n7,1,,Ünder,3,note,2025-01-01T00:00:00Z,a@b.example\n7,2,5,,,,2025-01-02T00:00:00Z,\n"
    counts = load(bench, read(tmp_path, text, store), store)
    assert (counts.profiles, counts.lists, counts.items, counts.existing) == (1, 1, 2, 0)
    customer = profiles.of_customer(store, "gid://shopify/Customer/7")
    bench.check(customer)
    asked = pages.PageRequest(None, 50, Search())
    found = bench.read(items.page, customer, asked).records
    assert [(item.product_id, item.quantity) for item in found] == [("2", 1), ("1", 3)]
    assert found[1].note == "note"
    [on] = bench.read(lists.page, customer, asked).records
    assert (on.name, on.item_count, [on.id]) == ("Ünder", 1, [*found[1].list_ids])
    assert bench.select("SELECT 1 FROM events WHERE store_id = $1", store.id) == []
    bench.write(saving.save, customer, new_item(3), bench.new_id(), bounds(9), bench.clock.tick())
    assert bench.read(items.page, customer, asked).records[0].product_id == "3"


def test_second_import_changes_nothing(bench, store, tmp_path):
    """Importing again changes nothing, even if the file's modification time changed.
    Rule: import-csv."""
    file = read(tmp_path, MANY, store)
    first = load(bench, file, store)
    once = export(bench, store)
    for again in (file, read(tmp_path, MANY, store)):
        counts = load(bench, again, store)
        assert (counts.profiles, counts.lists, counts.items) == (0, 0, 0)
        assert counts.existing == first.profiles
    counts = load(bench, read(tmp_path, MANY, store, at=AT - 10**9), store)
    assert (counts.profiles, counts.lists, counts.items) == (0, 0, 0)
    assert export(bench, store) == once


def test_import_of_a_customer_who_is_being_erased_adds_the_wishes_afterwards(
    bench, store, tmp_path
):
    """A CSV import finishes the customer's erasure first, which leaves the file's wishes.
    Rule: import-twice."""
    customer = profiles.of_customer(store, "gid://shopify/Customer/7")
    wish(bench, customer, 1, 2, 3)
    bench.write(erasure.erase, customer, AT)
    counts = load(bench, read(tmp_path, "Who,What\n7,4\n", store, WHO), store)
    bench.drain(erasure.remove_erased(bench.db, bench.clock))
    assert (counts.profiles, counts.existing, [*items_by_product(bench, customer)]) == (1, 0, [4])


def test_imported_customers_are_not_forgotten_for_their_old_wishes(bench, store, tmp_path):
    """A customer imported with old items isn't forgotten for inactivity, because the import counts
    as activity.
    Rule: forget-customers."""
    patch = stores.StorePatch(forget_customers_after=1)
    bench.write(stores.update, store.handle, patch, "2001-01-01T00:00:00.000Z")
    load(bench, read(tmp_path, f"{HEADER}\n7,1,,,,,2020-01-01T00:00:00Z,\n", store), store)

    async def idle(days):
        found = erasure.erase_idle(bench.db, AT + days * 86_400_000, dry=True)
        return [one.gid async for one, _ in found if one.store.id == store.id]

    assert bench.run(idle(29)) == []
    assert bench.run(idle(33)) == ["gid://shopify/Customer/7"]


def test_lists_join_those_of_the_same_name(bench, store, tmp_path):
    """Imported lists join the customer's lists of the same name; existing records aren't changed.
    Rule: import-csv."""
    customer = profiles.of_customer(store, "gid://shopify/Customer/7")
    mine, other = bench.new_list(customer, "Geschenke für Ada"), bench.new_list(customer, "Other")
    wish(bench, customer, 1, quantity=5, list_ids=(other.id,))
    rows = "7,1,,GESCHENKE FÜR ADA,2,,,\n7,2,, Geschenke für ada,,,,\n7,3,,New,,,2025-01-01T00:00:00Z,\n"
    counts = load(bench, read(tmp_path, f"{HEADER}\n{rows}", store), store)
    assert (counts.lists, counts.items) == (1, 2)
    bench.check(customer)
    after = items_by_product(bench, customer)
    assert after[1].quantity == 5
    assert {*after[1].list_ids} == {mine.id, other.id}
    assert after[2].list_ids == [mine.id]
    # Two list names of the file may match one existing list.
    [made] = after[3].list_ids
    bench.write(lists.delete, customer, mine.id, bench.clock.tick())
    bench.write(
        lists.change, customer, made, lists.ListFields("Geschenke für Ada"), bench.clock.tick()
    )
    rows += "7,4,,New,,,,\n7,4,,Geschenke für Ada,,,,\n"
    load(bench, read(tmp_path, f"{HEADER}\n{rows}", store), store)
    bench.check(customer)
    assert items_by_product(bench, customer)[4].list_ids == [made]


@pytest.mark.parametrize("seconds", [-1, 59, 61, 86_400])
def test_csv_times_up_to_a_minute_ahead_are_accepted(tmp_path, seconds):
    """Times up to a minute ahead are accepted, because the other app's clock may be a little fast.
    Rule: import-csv."""
    now = AT + 60_000  # the time at which `read` reads the file
    saved = ids.timestamp(now + seconds * 1000)
    file = read(tmp_path, f"{HEADER}\n7,1,,,,,{saved},\n")
    [row] = parsed_items(file)
    if seconds < 60:
        assert row[6] == saved
    else:
        assert next(file.omissions.describe_reasons()).startswith(
            "When: must be between 1970 and now (1 cell"
        )
