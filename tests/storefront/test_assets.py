"""The browser library, as every page of the shop loads it."""

import re
from pathlib import Path

import wishwell

from .conftest import BASE

CODE = (Path(wishwell.__file__).parent / "browser" / "wishwell.js").read_bytes()


def test_library_has_a_name_with_its_hash(front):
    """contract: storefront-assets. wishwell.js leads to the name with the hash, which may be kept
    for ever."""
    browser = front.browser()
    way = browser.at("/assets/wishwell.js")
    assert way.status_code == 302
    assert way.headers["Cache-Control"] == "no-cache"
    place = way.headers["Location"]
    assert re.fullmatch(rf"{BASE}/assets/wishwell-[0-9a-f]{{8,64}}\.js", place)
    for method in ("GET", "HEAD"):
        got = browser.at(place.removeprefix(BASE), method)
        assert got.status_code == 200
        assert got.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert got.headers["Content-Type"].startswith("text/javascript")
        assert got.content == (CODE if method == "GET" else b"")
    assert browser.at("/assets/wishwell.js", "POST").status_code == 405
    names = (f"wishwell-{'0' * 16}.js", "../wishwell.js", "wishwell.js.map", "x.js", "wishwell-.js")
    for other in names:
        missing = browser.at(f"/assets/{other}")
        assert missing.status_code == 404
        assert missing.headers.get("Cache-Control") == "no-store"
