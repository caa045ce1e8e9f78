"""`wishwell products`: the command, and its documentation."""

import re

import pytest

from .test_csv import service as service
from .test_csv import written
from .test_documents import ROOT, commands, shell

pytestmark = pytest.mark.either_engine

STORE = ("--store", "default")


def known(service):
    """Returns the store's exported product lines by id."""
    lines = service.quick("export", *STORE).splitlines()
    found = [line for line in lines if line.startswith('{"product"')]
    return {re.search('"productId":"([^"]+)"', line)[1]: line for line in found}


def test_command_says_what_it_did(service):
    """The command reads a file or standard input. With a bad row it exits with 1, and it deletes
    nothing if the file is incomplete.
    Rules: catalogue-import, catalogue-strict, catalogue-delete-missing."""
    feed = written(service, "id;title;price\n1;One;1 EUR\n2;Two;2 EUR\n", "feed.csv")
    dry = service.quick("products", feed, *STORE, "--dry-run").splitlines()
    assert dry[1:] == [
        '2 {"title":"Two","price":{"amount":"2","currency":"EUR"}} []',
        "to import: 2 products; 0 rows rejected",
    ]
    assert known(service) == {}
    assert (
        service.quick("products", feed, *STORE)
        == "2 products imported, 0 unchanged, 0 deleted; 0 rows rejected\n"
    )
    again = [str(service.command), "products", "-", *STORE, "--format", "jsonl", "--delete-missing"]
    done = service.run(again, input='{"id": 2, "title": "Two", "price": "2 EUR"}\n')
    assert done.stdout == "0 products imported, 1 unchanged, 1 deleted; 0 rows rejected\n"
    for text in ('{"id": 3}\n{"id": "x"}\n', '{"id": 2, "price": "x"}\n', ""):
        done = service.run(again, input=text)
        assert done.returncode == 1 and "nothing was deleted" in done.stderr.splitlines()[-1]
        assert "2" in known(service)
    feed = written(service, "id;price\n2;x\n4;4 EUR\n", "feed.csv")
    done = service.run([str(service.command), "products", feed, *STORE, "--delete-missing"])
    assert (done.returncode, done.stdout) == (
        1,
        "1 products imported, 0 unchanged, 1 deleted; 1 rows rejected\n",
    )
    first, last = done.stderr.splitlines()
    assert first.startswith(
        "line 2: price: must be an amount with a currency, such as 19.90 EUR"
    ) and last.endswith("were imported.")
    assert known(service).keys() == {"2", "4"}


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        (("feed", *STORE), 2, "--format"),
        (("feed.csv", "--store", "nowhere"), 1, "The store 'nowhere' doesn't exist"),
        (("feed.csv", *STORE, "--map", "colour=x"), 1, "--map"),
        (("feed.csv", *STORE, "--currency", "euro"), 1, "--currency"),
    ],
)
def test_wrong_words_are_refused(service, words, code, names):
    """Wrong arguments are refused. Rules: catalogue-import, command-error."""
    written(service, "id\n1\n", "feed.csv")
    failed, out, said = service.attempt("products", *words)
    assert (failed, out) == (code, "")
    assert names in said


def test_examples_of_the_document_work(service):
    """The commands of docs/products.md load its files and print the documented output.
    Rules: catalogue-import, catalogue-strict."""
    [feed] = re.findall(r"```tsv\n(.*?)```", (ROOT / "docs/products.md").read_text(), re.DOTALL)
    written(service, feed, "feed.tsv")
    plain, named, *said, other = filter(None, commands("docs/products.md", "# The catalogue")[1:])
    assert "--dry-run" not in plain
    ran = f"{named} 2>&1 || true"
    assert shell(service, [ran]).splitlines() == said
    written(
        service,
        '{"sku": 7, "name": "Lamp", "offer": "", "price": 5, "stock": 3}\n',
        "products.jsonl",
    )
    assert (
        shell(service, [other]) == "1 products imported, 0 unchanged, 0 deleted; 0 rows rejected\n"
    )
