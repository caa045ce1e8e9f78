"""Vendored files are unchanged, and the files next to them name their releases."""

import gzip
import hashlib
from importlib import resources
from pathlib import Path

from wishwell.http import admin

FILES = {path.name: path for path in admin.FOLDER.iterdir()}
SERVED = sorted(name for name in FILES if Path(name).suffix in (".html", ".js", ".css", ".svg"))
CHECKSUMS = dict(line.split("  ")[::-1] for line in FILES["SHA256SUMS"].read_text().splitlines())
DOCS_PAGE = resources.files("wishwell.http").joinpath("docs_page")
VENDORED = {"LICENSE", "scalar.js.br", "scalar.js.gz"}
OWN_FILES = {"index.html", "start.js", "README.txt", "SHA256SUMS"}


def test_vendored_files_of_the_admin_page_match_their_checksums():
    """Vendored files match their checksums and have their licences; README.txt says how to update
    them."""
    for name, expected in CHECKSUMS.items():
        assert hashlib.sha256(FILES[name].read_bytes()).hexdigest() == expected, name
    assert {name.split(".")[0] for name in CHECKSUMS if "LICENSE" in name} == {"lit-html", "uplot"}
    readme = FILES["README.txt"].read_text()
    assert "lit-html 3.3.3" in readme and "uPlot 1.6.32" in readme
    assert "uPlot (v1.6.32)" in FILES["uplot.js"].read_text()
    assert '"3.3.3"' in FILES["lit-html.js"].read_text()


def test_admin_page_is_small():
    """The page's own files have few lines, and all files are less than 60 kB compressed."""
    own = [FILES[name] for name in SERVED if name not in CHECKSUMS]
    lines = [line for path in own for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) <= 1_450
    assert sum(len(gzip.compress(FILES[name].read_bytes())) for name in SERVED) < 60_000


def test_vendored_files_of_the_documentation_page_match_their_checksums():
    """The vendored files of /docs match their checksums."""
    text = DOCS_PAGE.joinpath("SHA256SUMS").read_text("utf-8")
    expected = dict(line.split("  ")[::-1] for line in text.splitlines())
    # Checksums are of the unpacked files.
    unpacked = gzip.decompress(DOCS_PAGE.joinpath("scalar.js.gz").read_bytes())
    assert hashlib.sha256(unpacked).hexdigest() == expected.pop("scalar.js")
    assert set(expected) == VENDORED
    for name, checksum in expected.items():
        assert hashlib.sha256(DOCS_PAGE.joinpath(name).read_bytes()).hexdigest() == checksum, name
    assert {entry.name for entry in DOCS_PAGE.iterdir()} == VENDORED | OWN_FILES
    assert "1.72.1" in DOCS_PAGE.joinpath("README.txt").read_text("utf-8")
