"""Build hooks: bake the commit into wheel and source distribution, put `deploy/` into the wheel,
and make the README's links absolute for a package index."""

import os
import posixpath
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from wishwell import __version__  # noqa: E402
from wishwell import version as running  # noqa: E402


def absolute(text: str, repository: str, folder: str = "") -> str:
    """Returns Markdown of a folder with its relative links leading to the release's files."""
    raw_repository = repository.replace("://github.com/", "://raw.githubusercontent.com/")
    text = re.sub(r'<img src="(?!https?:)', f'<img src="{raw_repository}/v{__version__}/', text)

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[1]))
        return f"]({repository}/blob/v{__version__}/{target}"

    return re.sub(r"\]\((?!https?:|mailto:|#)([^)#]+)", link, text)


class AbsoluteLinks(MetadataHookInterface):
    """Sets the long description: the README as an index page needs it."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (ROOT / "README.md").read_text("utf-8")
        text = absolute(text, metadata["urls"]["Repository"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class PackageData(BuildHookInterface[Any]):
    """Adds `deploy/` to a wheel, and ``commit.txt`` to both.

    Without a repository, ``SOURCE_COMMIT`` names the commit.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # asks git when it runs, and reads the checkout's `deploy/`
        if self.target_name == "wheel":
            build_data["force_include"][str(ROOT / "deploy")] = "wishwell/deploy"
        if (ROOT / "src/wishwell/commit.txt").exists():
            return  # is built from a source distribution
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "commit.txt"
        path.write_text(os.environ.get("SOURCE_COMMIT") or running.commit(), "ascii")
        prefix = "src/" if self.target_name == "sdist" else ""
        build_data["force_include"][str(path)] = f"{prefix}wishwell/commit.txt"
