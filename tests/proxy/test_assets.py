"""docs/proxy.md, Paths: the browser library."""

import re

from .conftest import BASE, envelope

CODE = b"export const a = '\xc3\xa9';\n"


def test_library_has_a_name_with_its_hash(new_front, tmp_path):
    """Paths: wishwell.js leads to the name with the hash, which may be kept for ever."""
    (tmp_path / "wishwell.js").write_bytes(CODE)
    front = new_front(ASSETS=str(tmp_path))
    http = front.browser().http
    assets = f"{front.proxy.url}{BASE}/assets"
    way = http.get(f"{assets}/wishwell.js")
    assert way.status_code == 302
    assert way.headers["Cache-Control"] == "no-cache"
    place = way.headers["Location"]
    assert re.fullmatch(rf"{BASE}/assets/wishwell-[0-9a-f]{{8,64}}\.js", place)
    for method in ("GET", "HEAD"):
        got = http.request(method, f"{front.proxy.url}{place}")
        assert got.status_code == 200
        assert got.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert got.headers["Content-Type"].startswith("text/javascript")
        assert got.content == (CODE if method == "GET" else b"")
    assert http.get(f"{assets}/wishwell-{'0' * 16}.js").status_code == 404
    assert http.post(f"{assets}/wishwell.js").status_code == 405
    for other in ("../wishwell.js", "wishwell.js.map", "x.js", "wishwell-.js"):
        assert http.get(f"{assets}/{other}").status_code == 404


def test_library_that_is_not_there_is_404(new_front, tmp_path):
    """Paths: without the file it says so."""
    front = new_front(ASSETS=str(tmp_path))
    assert "wishwell.js" in envelope(
        front.browser().http.get(f"{front.proxy.url}{BASE}/assets/wishwell.js"), 404
    )
