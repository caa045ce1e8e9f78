"""`wishwell products`: the command, and its documentation."""

import json
import re
import shutil

import httpx2
import pytest

from tests.faults.faults_clock import YEAR
from tests.faults.harness import step, with_clock
from tests.servers import wait_until

from .test_csv import service as service
from .test_csv import write_csv
from .test_documents import ROOT, commands, shell

pytestmark = pytest.mark.either_engine

STORE = ("--store", "default")


def known(service):
    """Returns the store's exported product lines by id."""
    lines = service.quick("export", *STORE).splitlines()
    found = [line for line in lines if line.startswith('{"product"')]
    return {re.search('"productId":"([^"]+)"', line)[1]: line for line in found}


def test_command_imports_a_file_and_exits_with_1_when_a_row_is_bad(service):
    """The command reads a file or standard input. With a bad row it exits with 1, and it deletes
    nothing if the file is incomplete.
    Rules: catalogue-import, catalogue-cells, catalogue-delete-missing."""
    feed = write_csv(service, "id;title;price\n1;One;1 EUR\n2;Two;2 EUR\n", "feed.csv")
    assert service.quick("products", feed, *STORE).splitlines()[-1] == (
        "2 rows, 2 products: 2 imported, 0 unchanged, 0 deleted; 0 rows and 0 cells left out"
    )
    again = ["products", "-", *STORE, "--format", "jsonl", "--delete-missing"]
    done = service.cli(*again, check=False, input='{"id": 2, "title": "Two", "price": "2 EUR"}\n')
    assert done.stdout.splitlines()[-1] == (
        "1 row, 1 product: 0 imported, 1 unchanged, 1 deleted; 0 rows and 0 cells left out"
    )
    for text in ('{"id": 3}\n{"id": "x"}\n', ""):
        done = service.cli(*again, check=False, input=text)
        assert done.returncode == 1 and "nothing was deleted" in done.stderr.splitlines()[-1]
        assert "2" in known(service)
    feed = write_csv(service, "id;price\n2;x\n4;4 EUR\n", "feed.csv")
    lost = ["products", feed, *STORE, "--delete-missing"]
    done = service.cli(*lost, "--strict", check=False)
    assert done.returncode == 1 and "nothing was imported" in done.stderr
    assert known(service).keys() == {"2", "3"}
    done = service.cli(*lost, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "left out: price: isn't a price such as 19.90 EUR (1 cell, first: line 2, 'x')" in (
        done.stdout.splitlines()
    )
    assert known(service).keys() == {"2", "4"}


def test_too_many_deletions_exit_with_3(service):
    """A file that lacks too much is imported, says how much it lacks, and ends with 3, also as a
    dry run, until that is accepted. Rules: catalogue-delete-missing, command-error."""
    rows = [f"{n},t\n" for n in range(1, 20)]
    service.quick("products", write_csv(service, "id,title\n" + "".join(rows), "feed.csv"), *STORE)
    feed = write_csv(service, "id,title\n1,new\n2,t\n", "feed.csv")
    run = ["products", feed, *STORE, "--delete-missing"]
    done = service.cli(*run, "--dry-run", check=False)
    assert done.returncode == 3 and "to delete: 17 products, 0 variants" in done.stdout
    done = service.cli(*run, "--json", check=False)
    assert done.returncode == 3 and "the file lacks 17 of 19 products" in done.stderr
    said = json.loads(done.stdout)
    assert (said["imported"], said["deleted"], len(known(service))) == (1, 0, 19)
    assert (said["missingProducts"], said["missingVariants"]) == (17, 0)
    service.quick(*run, "--accept-deletions")
    assert known(service).keys() == {"1", "2"}


def test_excessive_price_drops_exit_with_3(service):
    """A dry run shows what would happen and ends as the import does: with 3 if prices are held back,
    with 1 if a row is refused, too. Rules: catalogue-drops, catalogue-dry-run, command-error."""
    head, rows = "id,title,price\n", [f"{n},t,{n}00 EUR\n" for n in range(1, 24)]
    service.quick("products", write_csv(service, head + "".join(rows), "feed.csv"), *STORE)
    cents = [row.replace("00 EUR", " EUR") for row in rows[:21]]
    feed = write_csv(service, head + "".join(cents) + "22,new,2200 EUR\n24,t,1 EUR\n", "feed.csv")
    run = ["products", feed, *STORE, "--delete-missing"]
    done = service.cli(*run, "--dry-run", check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 3 and "the prices of 21 products were held back" in done.stderr
    assert "products: 1 new, 1 changed, 21 unchanged, 1 deleted" in lines
    assert "notices: 0 items with a price drop, 0 items back in stock" in lines
    assert [line.split()[2:4] for line in lines[1:3]] == [["100", "EUR"], ["1000", "EUR"]]
    drop = "product 21: 2100 to 21 EUR, 99.0 % cheaper, wishes: 0"
    assert f"held back: {drop}" in lines
    assert sum(line.startswith("largest drop: ") for line in lines) == 5
    assert (
        lines.count("largest drop: product 1: 100 to 1 EUR, 99.0 % cheaper, wishes: 0, held back")
        == 1
    )
    said = json.loads(service.attempt(*run, "--dry-run", "--json")[1])
    assert (said["new"], said["changed"], said["unchanged"], said["deleted"]) == (1, 1, 21, 1)
    assert (said["imported"], said["heldPrices"], len(said["largestDrops"])) == (0, 21, 5)
    [held, *_] = said["held"]
    prices = [held.pop(name) for name in ("before", "after")]
    assert prices == [{"amount": amount, "currency": "EUR"} for amount in ("100", "1")]
    assert held == {"percent": 99.0, "productId": 1, "wishes": 0, "held": True}
    assert len(known(service)) == 23
    assert service.attempt(*run)[0] == 3
    assert ':\\"2100\\"' in known(service)["21"] and known(service).keys() >= {"24"}
    refused = write_csv(service, head + "".join(cents) + "x,t,1 EUR\n", "refused.csv")
    assert service.attempt("products", refused, *STORE)[0] == 1
    service.quick(*run, "--accept-drops")
    assert ':\\"21\\"' in known(service)["21"]
    for wrong in ("101", "-1", "5.5"):
        assert service.attempt(*run, "--max-drop", wrong)[0] == 2


@pytest.mark.slow
def test_nothing_is_deleted_while_the_clock_is_suspect(service):
    """While the clock isn't plausible, products and variants stay, the rest is imported, and the
    command and its dry run fail. Rules: catalogue-delete-missing, catalogue-dry-run, clock-guard."""
    clock, head = with_clock(service, 0), "item_group_id,id,title\n"
    run = ["products", write_csv(service, f"{head}7,1,a\n7,2,b\n8,3,c\n", "feed.csv"), *STORE]
    service.cli(*run)
    service.cli("clock")
    write_csv(service, f"{head}7,1,new\n8,3,c\n", "feed.csv")
    step(clock, 3 * YEAR)
    for more in (["--dry-run"], []):
        done = service.cli(*run, "--delete-missing", *more, check=False)
        assert done.returncode == 1 and "by NTP" in done.stderr
    assert known(service)["7"].count("variantId") == 2 and "new" in known(service)["7"]
    step(clock, 0)
    service.cli(*run, "--delete-missing")
    assert known(service)["7"].count("variantId") == 1


def test_dry_run_fails_where_the_import_would(service):
    """A dry run fails where the import would, and changes nothing. Rules: catalogue-dry-run,
    catalogue-delete-missing, catalogue-partial."""
    for text, more in (
        ("", ["--delete-missing"]),
        ('{"id": "x"}\n', []),
        ('{"id": 1}\n', ["--map", "price=cost"]),
    ):
        run = ["products", "-", *STORE, "--format", "jsonl", *more]
        dry, real = (
            service.cli(*run, *last, check=False, input=text) for last in (["--dry-run"], [])
        )
        assert (dry.returncode, dry.stderr) == (real.returncode, real.stderr) == (1, dry.stderr)


def test_unpublished_product_is_left_out_and_deleted_as_missing(service):
    """A product that became a draft is left out, which is no fault, and `--delete-missing` deletes it.
    Rules: catalogue-formats, catalogue-delete-missing."""
    head = "ID,Type,SKU,Name,Published,Parent,Regular price\n"
    rows = "44,variable,tee,Tee,{0},,\n60,variation,,Tee - S,1,tee,9\n46,simple,,Cap,1,,18\n"
    run = ["products", "-", *STORE, "--currency", "EUR"]
    assert service.cli(*run, check=False, input=head + rows.format(1)).returncode == 0
    assert known(service).keys() == {"44", "46"}
    draft = head + rows.format(-1)
    done = service.cli(*run, "--strict", "--delete-missing", check=False, input=draft)
    assert (done.returncode, done.stderr) == (0, "")
    assert known(service).keys() == {"46"}
    told = done.stdout.splitlines()[-2:]
    assert told == [
        "left out: the product isn't published (2 rows, first: line 2)",
        "3 rows, 1 product: 0 imported, 1 unchanged, 1 deleted; 2 rows and 0 cells left out",
    ]
    said = json.loads(service.cli(*run, "--json", check=False, input=draft).stdout)
    assert (said["refused"], said["hidden"], said["products"]) == (0, 2, 1)


def test_dry_run_shows_products_and_changes_nothing(service):
    """`--dry-run` shows the first products as a table, the format, the columns and what was left
    out; `--json` prints the same summary. Rules: catalogue-import, catalogue-formats."""
    for name in ("google.csv", "shopify_bulk.jsonl"):
        shutil.copy(ROOT / "tests/files" / name, service.folder)
    feed = str(service.folder / "google.csv")
    head, *rows = service.quick("products", feed, *STORE, "--dry-run").splitlines()
    assert re.split("  +", head) == [
        *("id", "title", "price", "sale until", "availability", "picture"),
    ]
    shown = [re.split("  +", row.strip()) for row in rows]
    assert ["802", "Salt & pepper", "12.50 EUR", "backorder"] in shown
    [sale] = [row for row in shown if row[0] == "703"]
    assert sale[2:4] in (["50.00 EUR", "2026-12-31"], ["80.00 EUR", "in stock"])
    assert ["901", "Rust", "out of stock", "https://shop.example/i/9a.jpg"] in shown
    [at] = [number for number, row in enumerate(rows) if row == "format: google (csv)"]
    assert rows[at + 1].startswith("columns: product from id, variant from id, title from title")
    assert rows[at + 2] == "ignored columns: brand, description, gtin"
    assert rows[-1] == (
        "8 rows, 7 products: nothing was changed (--dry-run); 0 rows and 2 cells left out"
    )
    assert known(service) == {}
    bulk = str(service.folder / "shopify_bulk.jsonl")
    said = json.loads(service.quick("products", bulk, *STORE, "--dry-run", "--json"))
    assert (said["format"], said["syntax"], said["dryRun"]) == ("shopify", "jsonl", True)
    assert (said["rows"], said["products"], said["imported"], said["lost"]) == (6, 2, 0, 3)
    [reason] = said["reasons"]
    assert reason["reason"].endswith("set the currency with --currency") and reason["line"] == 2
    said = json.loads(service.quick("products", bulk, *STORE, "--currency", "EUR", "--json"))
    assert (said["imported"], said["lost"], said["dryRun"]) == (2, 0, False)


@pytest.mark.slow
def test_standard_input_is_imported_and_a_url_is_refused(service):
    """Standard input is read like a file, compressed too; an address is named, with what to do.
    Rules: catalogue-import, catalogue-formats, files-unpacked."""
    for name in ("google_rss.xml", "google_excel_utf16.tsv"):
        shutil.copy(ROOT / "tests/files" / name, service.folder)
    piped = "cat {} | wishwell products - --store default 2>&1 || true"
    lines = shell(service, [piped.format("google_rss.xml")]).splitlines()
    assert lines[0] == "format: google (xml)" and "3 imported" in lines[-2]
    assert "2 imported" in shell(service, [piped.format("google_excel_utf16.tsv")])
    packed = shell(service, ["gzip google_rss.xml", piped.format("google_rss.xml.gz")])
    assert packed.splitlines()[0] == "format: google (xml)"
    service.settings["WISHWELL_MAX_UNPACKED_BYTES"] = "999"
    said = service.attempt("products", str(service.folder / "google_rss.xml.gz"), *STORE)[2]
    assert "contains more than 999 bytes" in said
    said = service.attempt("products", "https://shop.example/feed.xml", *STORE)[2]
    assert "curl --fail --location ADDRESS | wishwell products -" in said


@pytest.mark.slow
def test_last_import_of_each_store_is_in_the_metrics(service):
    """Metrics have the last run of each store; deleting the store deletes it, also with several workers.
    Rule: catalogue-import."""
    service.settings["WISHWELL_WORKERS"] = "2"
    service.quick("store", "create", "second")
    for store, text in (("default", "id,price\n1,x\n2,2 EUR\n"), ("second", "id\n1\nx\n")):
        service.attempt("products", write_csv(service, text, "feed.csv"), "--store", store)
    runs = service.rows("SELECT imported, refused, lost FROM catalogue_runs ORDER BY refused")
    assert runs == [(2, 0, 1), (1, 1, 0)]
    service.start()
    named = 'wishwell_catalogue_import_last{{result="{}",store="{}"}} {}'
    results = (("imported", "default", 2.0), ("lost", "default", 1.0), ("refused", "second", 1.0))
    wanted = [named.format(*one) for one in results]

    def shown():
        return httpx2.get(f"{service.url}/metrics").text

    assert wait_until(lambda: all(line in shown() for line in wanted), seconds=30, every=0.3)
    assert 'wishwell_catalogue_import_timestamp_seconds{store="second"}' in shown()
    service.quick("store", "delete", "second", "--yes")
    assert len(service.rows("SELECT 1 FROM catalogue_runs")) == 1
    name = "wishwell_catalogue_import_"
    imports = lambda: [line for line in shown().splitlines() if line.startswith(name)]  # noqa: E731
    assert wait_until(
        lambda: all('"second"' not in line for _ in range(9) for line in imports()),
        seconds=30,
        every=0.3,
    )
    assert any('"default"' in line for line in imports())
    service.stop()


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        (("feed.csv", *STORE, "--format", "xlsx"), 2, "--format"),
        (("feed.csv", *STORE, "--map", "sku=x"), 1, "only for --format woocommerce"),
        (("feed.csv", "--store", "nowhere"), 1, "The store 'nowhere' doesn't exist"),
        (("feed.csv", *STORE, "--map", "colour=x"), 1, "--map"),
        (("feed.csv", *STORE, "--format", "shopify", "--map", "price=x"), 1, "has fixed columns"),
        (("feed.csv", *STORE, "--currency", "euro"), 1, "--currency"),
    ],
)
def test_wrong_arguments_are_refused(service, words, code, names):
    """Wrong arguments are refused. Rules: catalogue-import, command-error."""
    write_csv(service, "id\n1\n", "feed.csv")
    failed, out, said = service.attempt("products", *words)
    assert (failed, out) == (code, "")
    assert names in said


@pytest.mark.slow
def test_examples_of_the_document_work(service):
    """The commands of docs/products.md load its files and print the documented output.
    Rules: catalogue-import, catalogue-cells."""
    page = "docs/products.md"
    [feed] = re.findall(r"```tsv\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    write_csv(service, feed, "feed.tsv")
    lamp = '{"sku": 7, "name": "Lamp", "offer": "", "price": 5, "stock": 3}\n'
    write_csv(service, lamp, "catalogue.jsonl")
    images = [{"src": "https://shop.example/5.jpg"}]
    answer = {"products": [{"id": 5, "price": {"amount": "5.00"}, "images": images}]}
    write_csv(service, json.dumps(answer, indent=2), "answer.json")
    service.quick("store", "create", "handles", "--product-ids", "text")
    for name, to in EXPORTS.items():
        shutil.copy(ROOT / "tests/files" / name, service.folder / to)
    read, named, *said = filter(None, commands(page, "## Google Merchant Center"))
    assert shell(service, [named]).splitlines() == said
    others = [
        line
        for heading in (
            "## Meta",
            "## Shopify",
            "## WooCommerce",
            "## BigCommerce and Magento",
            "## Other files",
        )
        for line in commands(page, heading)
        if line
    ]
    assert len(others) == 9
    [update] = [line for line in others if line.startswith("wishwell store update")]
    others.remove(update)
    assert "https://shop.example/products/{productId}" in shell(service, [f"{update} --json"])
    for line in (read, *others):
        ran = shell(service, [f"{line} || true"]).splitlines()[-1]
        number = int(re.search("([0-9]+) imported", ran)[1])
        assert number > 0, line


EXPORTS = {
    "bigcommerce.csv": "bigcommerce.csv",
    "google_rss.xml": "feed.xml",
    "meta.csv": "meta.csv",
    "shopify_bulk.jsonl": "products.jsonl",
    "shopify_old.csv": "products_export.csv",
    "woocommerce.csv": "wc-product-export.csv",
    "woocommerce_german.csv": "wc-german.csv",
}
"""Files of the corpus, under the names that the document uses."""
