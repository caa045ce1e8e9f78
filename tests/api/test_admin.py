"""The merchant's page as it is served; tests/browser/test_admin.py operates it in a browser."""

import re
from pathlib import Path

import pytest

from tests.servers import free_port
from wishwell.http import admin

from .conftest import envelope, soon

FILES = {path.name: path for path in admin.FOLDER.iterdir()}
SERVED = sorted(name for name in FILES if Path(name).suffix in (".html", ".js", ".css", ".svg"))


@pytest.fixture
def http(service):
    """A client without a token, with the service's root as base URL."""
    client = service.client()
    client.base_url = service.url
    return client


def test_page_is_served_with_its_files(http):
    """The page and its files are served, compressed, and answered with 304 when unchanged.
    Rule: admin-page."""
    bare = http.get("/admin")
    assert (bare.status_code, bare.headers["Location"]) == (302, "admin/")
    for name in SERVED:
        path, stored = f"/admin/{'' if name == 'index.html' else name}", FILES[name].read_bytes()
        answer = http.get(path, headers={"Accept-Encoding": "br, gzip"})
        assert answer.status_code == 200 and answer.content == stored, name
        assert answer.headers["Content-Encoding"] == "gzip"
        assert (answer.headers["Vary"], answer.headers["Cache-Control"]) == (
            "Accept-Encoding",
            "no-cache",
        )
        plain = http.get(path, headers={"Accept-Encoding": "identity"})
        assert plain.content == stored and "Content-Encoding" not in plain.headers
        again = http.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert http.get(path, headers={"If-None-Match": 'W/"older"'}).status_code == 200
        head = http.head(path)
        assert (head.status_code, head.content) == (200, b"")
    for path in (
        "/admin/nothing.js",
        "/admin/README.txt",
        "/admin/SHA256SUMS",
        "/admin/../config.py",
        "/admin/x/app.js",
    ):
        envelope(http.get(path), 404)
    assert http.post("/admin/").status_code == 405


def test_page_has_a_strict_content_security_policy(http):
    """Every response for the page has the same strict Content-Security-Policy, except for previews of
    mails, which may have inline styles. Rule: admin-page."""
    preview = http.get("/admin/mail.html").headers["Content-Security-Policy"].split("; ")
    assert "style-src 'unsafe-inline'" in preview and "script-src 'self'" in preview
    for path in ("/admin/", *(f"/admin/{name}" for name in SERVED if name != "mail.html")):
        headers = http.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy == {
            "default-src": "'none'",
            **dict.fromkeys(
                ("script-src", "style-src", "connect-src", "require-trusted-types-for"), "'self'"
            ),
            "img-src": "'self' https: http://127.0.0.1:*",
            **dict.fromkeys(("base-uri", "form-action", "frame-ancestors"), "'none'"),
        } | {"require-trusted-types-for": "'script'", "trusted-types": "lit-html"}
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert not {"Set-Cookie", "Access-Control-Allow-Origin"} & {*headers}
    # Nothing is inline and all URLs are relative, so the page works below a proxy's path too.
    page = FILES["index.html"].read_text()
    assert not re.search(
        r"""<style|\bstyle=|\bon\w+=|<script>|(?:src|href)="(?!\w[\w-]*\.\w+")""", page
    )


def test_no_page_on_the_host_of_a_shop(service, make_shop, http):
    """A shop's host doesn't serve the page, whichever header names the host; other hosts do.
    Rules: admin-page, storefront-hosts."""
    host = f"shop-admin.test:{free_port()}"
    make_shop("--host", f"http://{host}")
    soon(lambda: http.get("/admin/", headers={"Host": host}).status_code == 404)
    for path in (
        "/admin",
        "/admin/",
        "/admin/app.js",
        "/apps/wishlist/admin",
        "/apps/wishlist/admin/",
    ):
        for header in ("Host", "X-Forwarded-Host"):
            envelope(http.get(path, headers={header: host}), 404)
    assert http.get("/admin/", headers={"Host": "wishes.internal"}).status_code == 200


def test_page_can_be_turned_off(new_service):
    """With WISHWELL_ADMIN=off the page is 404, and the API still works. Rule: admin-page."""
    service = new_service(WISHWELL_ADMIN="off").start()
    for path in ("/admin", "/admin/", "/admin/app.js"):
        envelope(service.client().get(f"{service.url}{path}"), 404)
    assert service.client().get("/.well-known/openapi").status_code == 200
    service.stop()


def test_unknown_page_paths_appear_neither_in_metrics_nor_in_the_log(service, http):
    """Text appended to the page's URL reaches neither metrics nor log.
    Rules: health-checks, log-private."""
    http.get("/admin/?token=wwadm_typed-into-the-address")
    http.get("/admin/wwadm_typed-as-a-file")
    metrics = http.get("/metrics").text
    assert 'route="/admin/"' in metrics and 'route="/admin/{file}"' in metrics
    assert "wwadm_typed" not in metrics + service.output()
