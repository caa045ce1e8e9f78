"""Gathers the pages for `make docs` in build/pages/, in their places in the checkout.

Links between pages stay as they are; those to other files lead to the repository.
"""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from posixpath import normpath

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "build" / "pages"
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)(#[^)]*)?\)")


def gather() -> None:
    """Copies all pages and pictures."""
    argv = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "*.png"]
    listing = subprocess.run(argv, cwd=ROOT, check=True, capture_output=True, text=True)
    names = [
        name for name in listing.stdout.split("\n") if name and not name.startswith((".", "tests/"))
    ]
    shutil.rmtree(PAGES, ignore_errors=True)
    for name in names:
        page = PAGES / name
        page.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".png":
            shutil.copy2(ROOT / name, page)
            continue

        def rewrite_link(link: re.Match[str], folder: str = str(Path(name).parent)) -> str:
            target = normpath(f"{folder}/{link[1]}")
            is_page = target in names
            return link[0] if is_page else f"]({REPOSITORY}/blob/main/{target}{link[2] or ''})"

        page.write_text(LINK.sub(rewrite_link, (ROOT / name).read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    gather()
