"""The documentation site that `make docs` builds: its navigation and the pages' links."""

import re
from pathlib import Path

from tools import documentation

ROOT = Path(__file__).parents[2]


def test_every_page_is_in_the_navigation():
    """mkdocs.yml lists each page of docs/ and each guide of examples/, and no page that is missing."""
    listed = re.findall(
        r"^ +- (?:.+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE
    )
    assert len(listed) == len({*listed})
    paths = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/*/README.md"), *ROOT.glob("*.md")]
    assert {str(path.relative_to(ROOT)) for path in paths} <= {*listed}
    assert all((ROOT / name).exists() for name in listed)


def test_links_to_files_become_urls_of_the_repository():
    """A page's link to another page stays; a link to a file of the checkout becomes a URL."""
    documentation.gather()
    text = (documentation.PAGES / "README.md").read_text()
    assert "](docs/operations.md)" in text
    assert f"]({documentation.REPOSITORY}/blob/main/LICENSE)" in text
