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


@pytest.mark.parametrize("lock", ["run", "dev", "bench", "mutate", "security"])
def test_every_pin_has_hashes_and_no_index(lock):
    """What is installed is what was looked at, wherever it comes from."""
    text = (ROOT / "requirements" / f"{lock}.lock").read_text()
    pins = re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]
    assert pins and all("--hash=sha256:" in pin for pin in pins)
    assert "http://" not in text and "https://" not in text
