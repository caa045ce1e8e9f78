"""What Wishwell is made of: pinned with hashes, under licences that allow it, and listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.security import licences

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("lock", ["run", "dev", "bench", "mutate", "security"])
def test_licences_of_what_is_pinned_are_allowed(lock):
    """By each package's own metadata; of those for other systems, nothing is known here."""
    found = {name: licences.licence(name) for name in licences.pinned(lock)}
    known = {name: text for name, text in found.items() if text is not None}
    if lock in ("run", "dev"):
        assert len(known) >= len(found) - 4, "these are installed"
    assert {name: text for name, text in known.items() if not licences.allowed(text)} == {}


def test_licence_list_in_the_documents_is_the_one_that_is_pinned():
    """docs/security.md shows the licence of each package of requirements/run.lock."""
    rows = dict(
        re.findall(r"^\| ([\w.-]+) \| ([^|]+) \|$", (ROOT / "docs" / "security.md").read_text(), re.MULTILINE)
    )  # fmt: skip
    real = {name: licences.licence(name) for name in licences.pinned("run")}
    assert {name: rows.get(name) for name in real} == {
        name: text or rows.get(name, "?") for name, text in real.items()
    }


@pytest.mark.parametrize("lock", ["run", "dev", "bench", "mutate", "security"])
def test_every_pin_has_hashes_and_no_index(lock):
    """What is installed is what was looked at, wherever it comes from."""
    text = (ROOT / "requirements" / f"{lock}.lock").read_text()
    pins = re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]
    assert pins and all("--hash=sha256:" in pin for pin in pins)
    assert "http://" not in text and "https://" not in text
