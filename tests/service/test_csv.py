"""`wishwell import` of another app's CSV file: the command, and its documentation."""

import gzip
import re
import sqlite3

import pytest

from tests.conftest import SEALING_KEY
from wishwell.cli import terminal
from wishwell.cli.common_options import Progress

from .test_documents import ROOT, commands, shell

pytestmark = pytest.mark.either_engine

MAP = ("--store", "default", "--map", "customer=Who,product=What,list=On,saved=When")


@pytest.fixture
def service(new_service):
    made = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    made.quick("init")
    return made


def write_csv(service, text, name="wishes.csv"):
    path = service.folder / name
    path.write_text(text)
    return str(path)


def lines_of(service):
    """Returns the exported lines about the store's customers."""
    lines = service.quick("export", "--store", "default").splitlines()
    return [line for line in lines if not line.startswith(('{"wishwell"', '{"secrets"'))]


def test_import_with_a_bad_row_changes_nothing_and_reports_line_and_column(service):
    """A faulty row changes nothing and is reported by line and column; the last line summarises the
    import.
    Rule: import-csv."""
    good = "Who,What,On,When\n7,5,Birthday,2025-01-01T00:00:00\n,6,,\n"
    path, empty = write_csv(service, good + "8,x,,\n8,,,\n"), lines_of(service)
    berlin = ("--time-zone", "Europe/Berlin")
    done = service.run([str(service.command), "import", path, *MAP, *berlin, "--skip-guests"])
    assert (done.returncode, done.stdout) == (1, "")
    first, second, last = done.stderr.splitlines()
    assert first.startswith("line 4: column 'What': must be an integer")
    assert second == "line 5: column 'What': is empty"
    assert last.startswith("wishwell: ") and last.endswith("Nothing was imported.")
    path = write_csv(service, good)
    for more, names in ((berlin, "line 3: column 'Who'"), (("--skip-guests",), "--time-zone")):
        code, out, said = service.attempt("import", path, *MAP, *more)
        assert (code, out) == (1, "") and names in said
    command = ("import", path, *MAP, *berlin, "--skip-guests")
    dry, said = service.quick(*command, "--dry-run").splitlines()
    assert dry == (
        "line 2: customer 'gid://shopify/Customer/7', product '5', list 'Birthday', "
        "saved '2024-12-31T23:00:00.000Z'"
    )
    counts = "1 profile, 1 list, 1 item; 0 profiles already existed"
    assert said == f"to add: {counts}; skipped 1 row without a customer"
    assert lines_of(service) == empty
    said = service.quick(*command)
    assert said.startswith(f"added: {counts}; ")
    assert "gid://shopify/Customer/7" in lines_of(service)[0]


WRONG = [
    (("empty.csv", "--store", "default"), 1, "no column has a usual name for customer and product"),
    (("wishes.txt", "--store", "default", "--skip-guests"), 1, "'Who', 'What'. Name it with --map"),
    (("empty.csv", *MAP, "--date-format", "%d.%m.%Y", "--day-first"), 2, "can't be combined"),
    (("empty.csv", *MAP, "--date-format", "%Q"), 1, "--date-format: '%Q' isn't a format"),
    (
        ("empty.csv", *MAP[:3], "customer=Who,product=What", "--customers", "no.csv"),
        1,
        "no.csv: can't",
    ),
    (("wishes.txt", "--store", "default"), 1, "a CSV file needs --map"),
    (("empty.csv", "--store", "default", "--map", "customer=Who"), 1, "usual name for product"),
    (("empty.csv", *MAP, "--time-zone", "Berlin"), 1, "'Berlin' isn't an IANA"),
    (("empty.csv", *MAP, "--time-zone", "../x"), 1, "'../x' isn't an IANA"),
    (("empty.csv", *MAP, "--encoding", "klingon"), 1, "--encoding"),
    (("wishes.csv", *MAP), 1, "No such file"),
    ((".", *MAP), 1, "can't be read"),
    (("empty.csv", "--store", "nowhere", *MAP[2:]), 1, "The store 'nowhere' doesn't exist"),
]


@pytest.mark.slow
def test_compressed_file_is_imported(service):
    """A compressed CSV file and a compressed export are imported, also from standard input.
    Rules: files-unpacked, import-csv, import-checked."""
    path = service.folder / "wishes.csv.gz"
    path.write_bytes(gzip.compress(b"Who,What,On,When\n7,5,,\n"))
    assert (
        "no column has a usual name"
        in service.attempt("import", str(path), "--store", "default")[2]
    )
    assert service.quick("import", str(path), *MAP).startswith("added: 1 profile,")
    piped = "gzip < {} | wishwell import - --store default --map customer=Who,product=What"
    text = write_csv(service, "Who,What\n8,5\n")
    assert shell(service, [piped.format(text)]).startswith("added: 1 profile,")
    path = service.folder / "store.jsonl.gz"
    path.write_bytes(gzip.compress(service.quick("export", "--store", "default").encode()))
    assert "2 profiles already existed" in service.quick("import", str(path), "--store", "default")
    said = service.attempt("import", "https://shop.example/wishes.csv", *MAP)[2]
    assert "| wishwell import -" in said


def test_wrong_arguments_are_refused(service):
    """Wrong arguments are refused.
    Rules: import-csv, command-error."""
    write_csv(service, "Who,What\n", "empty.csv")
    write_csv(service, "Who,What\n", "wishes.txt")
    for words, code, names in WRONG:
        failed, out, said = service.attempt("import", *words)
        assert (failed, out) == (code, ""), words
        assert names in said


def test_file_of_a_hosted_app_is_imported_by_one_command(service):
    """The command says which columns it guessed and why it leaves rows and cells out, and lists
    these rows; afterwards the store's customers have their wishes.
    Rules: import-guess, import-join, import-omissions, import-dates, spreadsheet-ids."""
    path = write_csv(service, "Email,Product ID,Date Added,Price\nAda@shop.example,5.0,18/04/2025 18:13,1\n"
                   "bob@shop.example,6,18/04/2025 18:14,1\nada@shop.example,7,n/a,1\n")  # fmt: skip
    done = service.run([str(service.command), "import", path, "--store", "default"])
    assert done.returncode == 1 and "--customers FILE" in done.stderr
    assert done.stdout == (
        "columns: customer from Email, product from Product ID, saved from Date Added, email from Email\n"
        "ignored columns: Price\n"
    )
    customers = write_csv(service, "Customer ID,Email\n'71,ada@shop.example\n", "customers.csv")
    command = ("import", path, "--store", "default", "--customers", customers, "--day-first",
               "--time-zone", "UTC")  # fmt: skip
    *_, no_id, no_date, listed, summary = service.quick(*command).splitlines()
    assert no_id == f"left out: Email: has no id in {customers} (1 row, first: line 3)"
    assert no_date.startswith("left out: Date Added: must be a time in ISO 8601")
    name = listed.removeprefix("rows left out are listed in ")
    assert "3,Email,bob@shop.example,has no id" in (service.folder / name).read_text()
    assert summary == (
        "added: 1 profile, 0 lists, 2 items; 0 profiles already existed; left out 1 row and 1 cell"
    )
    profile, *items = lines_of(service)
    assert "gid://shopify/Customer/71" in profile and "Ada@shop.example" in profile
    assert "2025-04-18T18:13:00.000Z" in items[0] and len(items) == 3  # and the last line


def test_progress_names_the_time_left_of_each_step(capfd):
    """Progress is reported at most every 5 s, and the time left of a step is estimated from its own beginning.
    Rule: import-csv."""
    seconds = iter((0, 0, 4, 10, 16, 20, 30))
    progress = Progress(lambda: next(seconds))
    for share in (0.0, 0.1, 0.5, None, 0.0, 0.25):
        progress.report("some rows", share)
    assert capfd.readouterr().err.splitlines() == [
        "some rows, 50%, about 10 s left",
        "some rows",
        "some rows, 25%, about 30 s left",
    ]


@pytest.mark.slow
def test_long_import_says_how_much_time_is_left(service):
    """An import that takes long says how far it is and how much longer it takes. Rule: import-csv."""
    path = write_csv(
        service, "Who,What,On,When\n" + "".join(f"{n},5,a,\n" for n in range(1, 75_001))
    )
    done = service.run([str(service.command), "import", path, *MAP], timeout=300)
    said = re.findall(
        r"^added: ([\d,]+) profiles,.*, (\d+)%, about [\d,]+ s left$", done.stderr, re.MULTILINE
    )
    assert done.returncode == 0 and said
    for profiles, percent in said:
        assert int(percent) == pytest.approx(int(profiles.replace(",", "")) / 750, abs=1)


def test_queries_of_the_document_select_the_columns_of_its_commands():
    """The documentation's queries run on tables as the platforms define them, and select one row for each wish.
    Rule: import-csv."""
    text = (ROOT / "docs/coming-from-another-app.md").read_text()
    queries = {}
    for block in re.findall(r"```sql\n(.*?)```", text, re.DOTALL):
        block = re.sub(r"COPY \((.*)\) TO STDOUT.*", r"\1;", block, flags=re.DOTALL)
        for query in filter(str.strip, block.split(";")):
            queries[re.search(r"SELECT (\S+) (\S+),", query).groups()] = query
    assert queries.keys() == {columns for columns, *_ in PLATFORMS}
    for columns, schema, names, rows in PLATFORMS:
        db = sqlite3.connect(":memory:")
        db.executescript(schema)
        found = db.execute(queries[columns])
        assert [column[0] for column in found.description] == names.split()
        assert found.fetchall() == rows, columns


# Key: the first two columns of a query. Value: its tables as the platform creates them, and the result.
PLATFORMS: tuple[tuple[tuple[str, ...], str, str, list[tuple[object, ...]]], ...] = (
    (("w.user_id,", "COALESCE(p.post_parent"), """
        CREATE TABLE wp_posts (ID, post_parent, post_type);
        INSERT INTO wp_posts VALUES (5021, 0, 'product'), (5029, 5022, 'product_variation');
        CREATE TABLE wp_yith_wcwl (ID, prod_id, quantity, user_id, wishlist_id, position, original_price,
            original_currency, dateadded, on_sale);
        CREATE TABLE wp_yith_wcwl_lists (ID, user_id, session_id, wishlist_slug, wishlist_name, wishlist_token,
            wishlist_privacy, is_default, dateadded, expiration);
        INSERT INTO wp_yith_wcwl VALUES (1, 5021, 2, 12, 3, 0, 9.5, 'EUR', '2025-04-18', 0),
            (2, 5029, 1, NULL, NULL, 0, 9.5, 'EUR', '2025-04-19', 0);
        INSERT INTO wp_yith_wcwl_lists VALUES (3, 12, NULL, 'b', 'Birthday', 'T', 0, 0, '2025-04-01', NULL);""",
        "user_id prod_id variation_id wishlist_name quantity dateadded",
         [(None, 5022, 5029, None, 1, "2025-04-19"), (12, 5021, None, "Birthday", 2, "2025-04-18")]),
    (("i.author,", "i.product_id"), """
        CREATE TABLE wp_tinvwl_items (ID, wishlist_id, product_id, variation_id, formdata, author, date,
            quantity, price, in_stock, "order");
        CREATE TABLE wp_tinvwl_lists (ID, author, date, title, status, type, share_key);
        INSERT INTO wp_tinvwl_items VALUES (1, 3, 5021, 0, '', 12, '2025-04-18', 1, '9.5', 1, 0);
        INSERT INTO wp_tinvwl_lists VALUES (3, 12, '2025-04-01', 'Birthday', 'share', 'default', 'abc');""",
        "author product_id variation_id title quantity date", [(12, 5021, 0, "Birthday", 1, "2025-04-18")]),
    (("w.customer_id,", "i.product_id"), """
        CREATE TABLE wishlist (wishlist_id, customer_id, shared, sharing_code, updated_at);
        CREATE TABLE wishlist_item (wishlist_item_id, wishlist_id, product_id, store_id, added_at, description, qty);
        CREATE TABLE wishlist_item_option (option_id, wishlist_item_id, product_id, code, value);
        INSERT INTO wishlist VALUES (3, 12, 0, 'c', '2025-04-18');
        INSERT INTO wishlist_item_option VALUES (1, 1, 5021, 'info_buyRequest', '{}'), (2, 1, 5026, 'simple_product', '5026');
        INSERT INTO wishlist_item VALUES (1, 3, 5021, 1, '2025-04-18', 'blue', 1.0);""",
        "customer_id product_id variant_id qty added_at description",
         [(12, 5021, "5026", 1.0, "2025-04-18", "blue")]),
    (("w.id_customer,", "p.id_product"), """
        CREATE TABLE ps_wishlist (id_wishlist, id_customer, id_shop, id_shop_group, token, name, counter, date_add,
            date_upd, "default");
        CREATE TABLE ps_wishlist_product (id_wishlist_product, id_wishlist, id_product, id_product_attribute,
            quantity, priority);
        INSERT INTO ps_wishlist VALUES (3, 12, 1, 1, 'T', 'Birthday', NULL, '2025-04-18', '2025-04-18', 1);
        INSERT INTO ps_wishlist_product VALUES (1, 3, 5021, 0, 2, 1), (2, 3, 5022, 7, 1, 1);""",
        "id_customer id_product id_product_attribute quantity name",
         [(12, 5022, 7, 1, "Birthday"), (12, 5021, 0, 2, "Birthday")]),
    (("customer_id,", "product_id"), """
        CREATE TABLE oc_customer_wishlist (customer_id, product_id, date_added);
        INSERT INTO oc_customer_wishlist VALUES (12, 5021, '2025-04-18');""",
        "customer_id product_id date_added", [(12, 5021, "2025-04-18")]),
    (("w.customer_id,", "v.product_id"), """
        CREATE TABLE wishlist (id, customer_id, sales_channel_id, created_at, updated_at, deleted_at);
        CREATE TABLE wishlist_item (id, product_variant_id, wishlist_id, created_at, updated_at, deleted_at);
        CREATE TABLE product_variant (id, title, sku, product_id, created_at, updated_at, deleted_at);
        INSERT INTO wishlist VALUES ('w1', 'cus_1', 's', '', '', NULL), ('w2', 'cus_2', 's', '', '', '2025-04-19');
        INSERT INTO wishlist_item VALUES ('i1', 'v1', 'w1', '2025-04-18', '', NULL),
            ('i2', 'v1', 'w1', '2025-04-17', '', '2025-04-19'), ('i3', 'v1', 'w2', '2025-04-16', '', NULL);
        INSERT INTO product_variant VALUES ('v1', 'S', NULL, 'p1', '', '', NULL);""",
        "customer_id product_id product_variant_id created_at", [("cus_1", "p1", "v1", "2025-04-18")]),
)  # fmt: skip


@pytest.mark.slow
def test_results_of_the_documents_queries_are_imported_by_its_commands(service):
    """Each query's result, as `mysql --batch` writes it, is imported by the command below the query.
    Rule: import-csv."""
    name = "docs/coming-from-another-app.md"
    headings = ("## TI WooCommerce", "## Magento")
    lines = [line for heading in headings for line in commands(name, heading)]
    stores = [line for line in lines if line.startswith("wishwell store create")]
    imports = [line for line in lines if line.startswith("wishwell import")]
    for create, line, (_, _, names, rows) in zip(stores, imports, PLATFORMS[1:5], strict=True):
        cells = [["NULL" if cell is None else str(cell) for cell in row] for row in rows]
        text = "".join("\t".join(row) + "\n" for row in [names.split(), *cells])
        write_csv(service, text, "wishlist.tsv")
        assert f", {terminal.format_count(len(rows), 'item')};" in shell(service, [create, line]), (
            line
        )


def files_of(heading):
    """Returns the CSV and TSV files of a section of the document."""
    text = (ROOT / "docs/coming-from-another-app.md").read_text()
    section = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"```(?:csv|tsv)\n(.*?)```", section, re.DOTALL)


@pytest.mark.slow
def test_examples_of_the_document_are_imported(service):
    """The documentation's examples import with their commands; a second import adds nothing.
    Rule: import-csv."""
    name = "docs/coming-from-another-app.md"
    for heading in ("## A Shopify app's file", "## WooCommerce", "## Medusa"):
        *lines, answer = filter(None, commands(name, heading))
        [text] = files_of(heading)
        write_csv(service, text, re.search(r"import (\S+)", lines[-1])[1])
        assert shell(service, lines).splitlines()[-1] == answer
        assert shell(service, lines[-1:]).startswith("added: 0 profiles, 0 lists, 0 items")


def test_email_addresses_of_the_documents_example_are_joined(service):
    """The documentation's customers' export joins the addresses of its example; the columns of the
    file with ids are guessed as its command maps them. Rules: import-join, import-guess."""
    name, heading = "docs/coming-from-another-app.md", "## Addresses or handles instead of ids"
    for text, file in zip(files_of(heading), ("wishlist.csv", "customers.csv"), strict=True):
        write_csv(service, text, file)
    summary = shell(service, [*filter(None, commands(name, heading))]).splitlines()[-1]
    assert summary.startswith("added: 1 profile, 0 lists, 1 item;")
    assert summary.endswith("left out 1 row and 0 cells")
    [text] = files_of("## A Shopify app's file")
    path = write_csv(service, text, "guessed.csv")
    said = service.quick("import", path, "--store", "default", "--skip-guests")
    assert said.startswith("columns: customer from customer_id, product from product_id, variant from "
                           "variant_id, saved from added, email from customer_email\n")  # fmt: skip
