"""The browser library, as every page of the shop loads it."""

import re
from pathlib import Path

import pytest

import wishwell

from .conftest import BASE

FOLDER = Path(wishwell.__file__).parent / "browser"


@pytest.mark.parametrize("script", ["wishwell", "share"])
def test_script_has_a_name_with_its_hash(front, script):
    """contract: storefront-assets. Its plain name leads to the one with the hash, which may be kept
    for ever."""
    code = (FOLDER / f"{script}.js").read_bytes()
    browser = front.browser()
    way = browser.at(f"/assets/{script}.js")
    assert way.status_code == 302
    assert way.headers["Cache-Control"] == "no-cache"
    place = way.headers["Location"]
    assert re.fullmatch(rf"{BASE}/assets/{script}-[0-9a-f]{{8,64}}\.js", place)
    for method in ("GET", "HEAD"):
        got = browser.at(place.removeprefix(BASE), method)
        assert got.status_code == 200
        assert got.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert got.headers["Content-Type"].startswith("text/javascript")
        assert got.content == (code if method == "GET" else b"")
    assert browser.at(f"/assets/{script}.js", "POST").status_code == 405
    names = (
        f"{script}-{'0' * 16}.js",
        f"../{script}.js",
        f"{script}.js.map",
        "x.js",
        f"{script}-.js",
    )
    for other in names:
        missing = browser.at(f"/assets/{other}")
        assert missing.status_code == 404
        assert missing.headers.get("Cache-Control") == "no-store"
