"""The licences of all dependencies permit distribution."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

LOCKS = Path(__file__).parents[2] / "requirements"

# Licences that permit using, changing and distributing Wishwell under Apache-2.0. MPL-2.0 covers
# only changes to its own files.
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0"),
    *("MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib"),
}

# Names in older packages' metadata or classifiers.
_SPDX = {
    "Apache": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# From the LICENSE file, because the metadata has none.
_READ = {
    "atheris": "Apache-2.0",
    "axe-playwright-python": "MIT AND MPL-2.0",  # MPL-2.0 is that of the bundled axe-core
    "promql-parser": "MIT",
}


def pinned(lock: str) -> list[str]:
    """Returns the package names in a lock file."""
    text = (LOCKS / f"{lock}.lock").read_text()
    return sorted(set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE)))


def licence(name: str) -> str | None:
    """Returns a package's SPDX expression, or `None` if it isn't installed because it is for
    another system."""
    try:
        about: Any = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    said = about.get("License-Expression") or about.get("License") or ""
    if said in _SPDX or said in ALLOWED or "License-Expression" in about:
        return _SPDX.get(said, said)
    classified = [
        _SPDX.get(entry.rpartition(" :: ")[2], entry)
        for entry in about.get_all("Classifier") or []
        if entry.startswith("License :: ")
    ]
    return " OR ".join(classified) or _READ.get(name) or f"unknown: {said[:40]}"


def allowed(expression: str) -> bool:
    """Returns whether one alternative consists only of allowed licences."""
    plain = expression.replace("(", "").replace(")", "")
    return any(set(each.split(" AND ")) <= ALLOWED for each in plain.split(" OR "))


@pytest.mark.parametrize("lock", ["run", "build", "dev", "docs", "bench", "mutate", "security"])
def test_licences_of_pinned_packages_are_allowed(lock):
    """Every pinned package that is installed here names an allowed licence in its metadata."""
    found = {name: licence(name) for name in pinned(lock)}
    known = {name: text for name, text in found.items() if text is not None}
    if lock in ("run", "build", "dev"):
        assert len(known) >= len(found) - 4, "these are installed"
    assert {name: text for name, text in known.items() if not allowed(text)} == {}
