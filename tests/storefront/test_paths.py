"""The paths below the storefront's base."""

from pathlib import Path

import pytest

import wishwell
from tests.api.conftest import over_the_wire, soon

from . import way
from .conftest import BASE, envelope, has_cors, nothing_done
from .way import direct

FOLDER = Path(wishwell.__file__).parent / "browser"
ID = "01a1fb82-8f15-7000-aafc-5adf06151cd4"
METHODS = {
    "items": "GET, HEAD, POST, DELETE, PUT",
    f"items/{ID}": "GET, HEAD, PATCH, DELETE",
    f"items/{ID}/lists": "PUT",
    "lists": "GET, HEAD, POST",
    f"lists/{ID}": "GET, HEAD, PATCH, DELETE",
    f"lists/{ID}/items": "PUT, DELETE",
    f"lists/{ID}/items/order": "PUT",
    f"lists/{ID}/items/{ID}": "PUT, DELETE",
    f"lists/{ID}/shares": "GET, HEAD, POST",
    f"lists/{ID}/shares/{ID}": "PATCH, DELETE",
    "shared/wwshr_0": "GET, HEAD",
    "shared/wwshr_0/copies": "POST",
}
TRICKS = {
    "dot dot": f"{BASE}/api/items/../lists",
    "dot dot to the top": f"{BASE}/api/../../../api/2025-04/items",
    "dot dot in percent": f"{BASE}/api/items/%2e%2e/lists",
    "slash in percent": f"{BASE}/api/items%2f{ID}",
    "percent in the id": f"{BASE}/api/items/%61",
    "NUL in percent": f"{BASE}/api/items/a%00",
    "two slashes": f"{BASE}/api//items",
    "other host in the path": f"//evil.example{BASE}/api/items",
    "backslash": f"{BASE}/api\\items",
    "parameters": f"{BASE}/api/items;a=b",
    "slash at the end": f"{BASE}/api/items/",
    "upper case": f"{BASE}/api/Items",
    "id too long": f"{BASE}/api/items/{'a' * 65}",
    "id with an underscore": f"{BASE}/api/items/a_b",
    "order of items": f"{BASE}/api/items/{ID}/items/order",
    "tokens": f"{BASE}/api/profiles/token",
    "metrics": f"{BASE}/metrics",
    "the API's own path": "/api/2025-04/items",
    "beside the base": f"{BASE}x/api/items",
    "top": "/",
}


def test_unsupported_method_on_a_known_path_is_405(front):
    """A known path refuses other methods with 405 and `Allow`, OPTIONS too.
    Rule: storefront-paths."""
    every = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"}
    browser = front.browser()
    with nothing_done(front):
        for path, words in METHODS.items():
            allowed = set(words.split(", "))
            for method in every - allowed:
                answer = browser.request(method, f"/{path}")
                assert answer.status_code == 405, (method, path)
                assert set(answer.headers["Allow"].split(", ")) == allowed
                assert not has_cors(answer)


def get_status(front, target: str, host: str = "", *lines: str) -> int:
    """Sends a GET with exactly this target; returns the status."""
    lines = (f"GET {target} HTTP/1.1", f"Host: {host or front.host}", *lines, "Connection: close")
    return over_the_wire(front, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")).status


OTHERWISE = {"NUL in percent": 400}  # nginx refuses it


def test_unknown_path_is_404(front):
    """Any other path is 404, taken as it was sent. Rule: storefront-paths."""
    cookie = f"Cookie: wishwell={front.anyone().cookie}"
    right = dict.fromkeys(TRICKS, 404) | (OTHERWISE if way.NAME == "nginx" else {})
    with nothing_done(front):
        assert {name: get_status(front, path, "", cookie) for name, path in TRICKS.items()} == right


@direct("a forwarder has the token of a store, and Caddy knows hosts itself", "nginx")
def test_unknown_host_is_404_and_logged(front):
    """Once stores have named hosts, an unknown host is 404 and logged. Rule: storefront-hosts."""
    name = front.host.partition(":")[0]
    for host in ("wishes.internal", f"{name}.evil.example", f"{name}@x", "-", "*"):
        envelope(front.browser().get("/items", headers={"Host": host}), 404)
        # A proxy forwards the host with its port.
        soon(lambda said=f'"host":"{host}': said in front.api.output())


NO_HASH = direct("uvicorn leaves out what is behind #", "nginx", "caddy", "node")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("a=b#c", marks=NO_HASH),
        pytest.param("#", marks=NO_HASH),
        "a=\x7fb",
        "a=\x01",
        "a=\tb",
        "a=\xe9",
        "a=\x00",
    ],
)
def test_query_with_invalid_characters_is_400(front, query):
    """`#` and control characters in the query are 400. Rule: storefront-paths."""
    cookie = f"Cookie: wishwell={front.anyone().cookie}"
    assert get_status(front, f"{BASE}/api/items?{query}", "", cookie) == 400


@pytest.mark.parametrize("line", ["%0d%0aProfile:%20x", "%0D%0A%0D%0AGET%20/", "%00", "%23"])
def test_encoded_characters_in_the_query_stay_encoded(front, line):
    """Encoded line breaks in the query can't start a header or a request.
    Rule: storefront-paths."""
    browser = front.anyone(1)
    answer = browser.at(f"/api/items?query={line}")
    assert "query" in envelope(answer, 400)
    assert browser.products() == [1]


@pytest.mark.parametrize(
    "file",
    [
        "wishwell.js",
        "toast.js",
        "share.js",
        "page.js",
        "page-share.js",
        "bulk.js",
        "wanted.js",
        "choose.js",
        "left.js",
        "events.js",
        "sign-in.js",
        "visitor.js",
        "analytics.js",
        "texts.js",
        "texts-de.js",
        "page.css",
    ],
)
def test_unchanged_asset_is_revalidated_with_304(front, file):
    """An unchanged asset is revalidated with 304. Rule: storefront-pages."""
    code = (FOLDER / file).read_bytes()
    name, _, kind = file.partition(".")
    browser = front.browser()
    for method in ("GET", "HEAD"):
        got = browser.at(f"/assets/{file}", method)
        assert got.status_code == 200
        assert got.headers["Cache-Control"] == "no-cache"
        assert len(got.headers.get_list("Date")) == 1
        assert got.headers["Content-Type"].startswith(
            f"text/{'css' if kind == 'css' else 'javascript'}"
        )
        assert got.headers["Vary"] == "Accept-Encoding"
        assert got.content == (code if method == "GET" else b"")
    same = browser.at(f"/assets/{file}", headers={"If-None-Match": got.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert browser.at(f"/assets/{file}", "POST").status_code == 405
    unknown = (f"{name}-{'0' * 16}.{kind}", f"../{file}", f"{file}.map", f"x.{kind}")
    for other in (*unknown, f"{file}.br", f"{file}.gz", "wishwell.css", "page.html"):
        missing = browser.at(f"/assets/{other}")
        assert missing.status_code == 404
        assert missing.headers.get("Cache-Control") == "no-store"


FORMS = [path for path in sorted(FOLDER.iterdir()) if path.suffix in (".br", ".gz")]


@direct("a forwarder takes plain files, and other servers may compress by themselves")
@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.name)
def test_asset_is_sent_precompressed(front, form):
    """An asset is sent precompressed where `Accept-Encoding` allows it.
    Rule: storefront-pages."""
    coding = {".br": "br", ".gz": "gzip"}[form.suffix]
    with front.browser().http as http:
        url = f"{front.url}{BASE}/assets/{form.stem}"
        for accepted, right in ((coding, form), (f"{coding};q=0", form.with_suffix(""))):
            asked = http.stream("GET", url, headers={"Accept-Encoding": accepted})
            with asked as got:
                assert b"".join(got.iter_raw()) == right.read_bytes()
                assert got.headers.get("Content-Encoding") == (coding if right == form else None)
                assert got.headers["Vary"] == "Accept-Encoding"
