"""`wishwell import` of another app's CSV file: the command, and its documentation."""

import re

import pytest

from tests.conftest import SEALING_KEY

from .test_documents import ROOT, commands, shell

pytestmark = pytest.mark.either_engine

MAP = ("--store", "default", "--map", "customer=Who,product=What,list=On,saved=When")


@pytest.fixture
def service(new_service):
    made = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    made.quick("init")
    return made


def written(service, text, name="wishes.csv"):
    path = service.folder / name
    path.write_text(text)
    return str(path)


def lines_of(service):
    """Returns the exported lines about the store's customers."""
    lines = service.quick("export", "--store", "default").splitlines()
    return [line for line in lines if not line.startswith(('{"wishwell"', '{"secrets"'))]


def test_command_checks_shows_and_imports(service):
    """A faulty row changes nothing and is reported by line and column; the last line summarises the
    import.
    Rule: import-csv."""
    good = "Who,What,On,When\n7,5,Birthday,2025-01-01T00:00:00\n,6,,\n"
    path, empty = written(service, good + "8,x,,\n8,,,\n"), lines_of(service)
    berlin = ("--time-zone", "Europe/Berlin")
    done = service.run([str(service.command), "import", path, *MAP, *berlin, "--skip-guests"])
    assert (done.returncode, done.stdout) == (1, "")
    first, second, last = done.stderr.splitlines()
    assert first.startswith("line 4: column 'What': must be an integer")
    assert second == "line 5: column 'What': is empty"
    assert last.startswith("wishwell: ") and last.endswith("Nothing was imported.")
    path = written(service, good)
    for more, names in ((berlin, "line 3: column 'Who'"), (("--skip-guests",), "--time-zone")):
        code, out, said = service.attempt("import", path, *MAP, *more)
        assert (code, out) == (1, "") and names in said
    command = ("import", path, *MAP, *berlin, "--skip-guests")
    dry, said = service.quick(*command, "--dry-run").splitlines()
    assert dry == (
        "line 2: customer 'gid://shopify/Customer/7', product '5', list 'Birthday', "
        "saved '2024-12-31T23:00:00.000Z'"
    )
    counts = "1 profiles, 1 lists, 1 items; 0 profiles already existed"
    assert said == f"to add: {counts}; 1 rows without a customer were skipped"
    assert lines_of(service) == empty
    said = service.quick(*command)
    assert said.startswith(f"added: {counts}; ")
    assert "gid://shopify/Customer/7" in lines_of(service)[0]


WRONG = [
    (("wishes.csv", "--store", "default"), 2, "--map"),
    (("wishes.TSV", "--store", "default"), 2, "--map"),
    (("store.jsonl", "--store", "default", "--skip-guests"), 2, "--map"),
    (("wishes.txt", "--store", "default"), 1, "a CSV file needs --map"),
    (("empty.csv", "--store", "default", "--map", "customer=Who"), 1, "product must be included"),
    (("empty.csv", *MAP, "--time-zone", "Berlin"), 1, "'Berlin' isn't an IANA"),
    (("empty.csv", *MAP, "--time-zone", "../x"), 1, "'../x' isn't an IANA"),
    (("empty.csv", *MAP, "--encoding", "klingon"), 1, "--encoding"),
    (("wishes.csv", *MAP), 1, "No such file"),
    ((".", *MAP), 1, "can't be read"),
    (("empty.csv", "--store", "nowhere", *MAP[2:]), 1, "The store 'nowhere' doesn't exist"),
]


def test_wrong_words_are_refused(service):
    """Wrong arguments are refused.
    Rules: import-csv, command-error."""
    written(service, "Who,What\n", "empty.csv")
    written(service, "Who,What\n", "wishes.txt")
    for words, code, names in WRONG:
        failed, out, said = service.attempt("import", *words)
        assert (failed, out) == (code, ""), words
        assert names in said


@pytest.mark.slow
def test_examples_of_the_document_are_imported(service):
    """The documentation's examples import with their commands; a second import adds nothing.
    Rule: import-csv."""
    name = "docs/coming-from-another-app.md"
    files = re.findall(r"```(?:csv|tsv)\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    headings = ("## A Shopify app's file", "## WooCommerce", "## Medusa")
    for heading, text in zip(headings, files, strict=True):
        *lines, answer = filter(None, commands(name, heading))
        written(service, text, re.search(r"import (\S+)", lines[-1])[1])
        assert shell(service, lines).splitlines()[-1] == answer
        assert shell(service, lines[-1:]).startswith("added: 0 profiles, 0 lists, 0 items")
