"""Builds a shop with the README's commands, nginx configuration and page, unchanged."""

from __future__ import annotations

import time

import jwt
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.conftest import missing
from tests.documents import commands, fenced
from tests.security.nginx import Nginx, nginx_binary
from tests.servers import Service, wait_until
from tests.service.test_documents import shell

from .conftest import BASE, cards, shows

pytestmark = pytest.mark.xdist_group("shop-browser")

SERVERS = """
    default_type text/html;
    server {{
        listen {here}:{port};
        root {folder};
        LOCATION
    }}
"""


def test_steps_of_the_readme_yield_a_working_shop(chromium):
    """The README's steps yield a working heart, sign-in, catalogue import, and a wishlist page with
    titles, prices and pictures."""
    if nginx_binary() is None:
        missing("there is no nginx")
    run, _, make_key, update, products = commands("README.md", "## Put it into a shop")
    assert run.endswith(" make run")
    with Service() as service:
        location = fenced("README.md", "nginx").replace("http://127.0.0.1:8000", service.url)
        # The README's comment describes this change for other ports.
        location = location.replace("$host;", "$host:$server_port;")
        location = location.replace("{", "{{").replace("}", "}}")
        nginx = Nginx(service.url, servers=SERVERS.replace("LOCATION", location))
        html = f"<!doctype html><title>A shop</title>{fenced('README.md', 'html')}"
        (nginx.folder / "index.html").write_text(html)
        nginx.start()
        url = nginx.url
        page = chromium.new_page()
        wrong = []
        page.on("console", lambda message: wrong.append(message.text))
        page.goto(url)
        heart = page.get_by_role("button", name="Save to wishlist")
        with page.expect_response(lambda answer: answer.request.method == "POST") as saved:
            heart.click()
        assert saved.value.status == 201
        page.reload()
        expect(heart).to_have_attribute("aria-pressed", "true")

        shell(service, [make_key, update.replace("https://shop.example", url)])
        key = (service.folder / "shop.key").read_text().strip()
        session = jwt.encode({"sub": "7", "exp": int(time.time()) + 600}, key, "HS256")
        page.context.add_cookies([{"name": "shop_session", "value": session, "url": url}])

        def signed_in():
            """Makes a request that links the visitor's session and removes its cookie."""
            page.request.get(f"{url}{BASE}/api/items")
            return [cookie["name"] for cookie in page.context.cookies()] == ["shop_session"]

        assert wait_until(signed_in, seconds=30, every=0.2)
        page.reload()
        expect(heart).to_have_attribute("aria-pressed", "true")

        (service.folder / "products.csv").write_text(
            fenced("README.md", "csv").replace("https://shop.example", url)
        )
        Image.new("RGB", (600, 600), "teal").save(nginx.folder / "shirt.jpg")
        shell(service, [products])
        page.get_by_role("link", name="Wishlist").click()
        shows(page, "Oslo shirt")
        expect(cards(page).locator(".price")).to_have_text("€24.90")
        assert (
            cards(page)
            .locator("img")
            .evaluate("async (it) => (await it.decode(), it.naturalWidth)")
        )
        page.get_by_role("banner").get_by_role("link").click()
        expect(heart).to_have_attribute("aria-pressed", "true")
        assert [line for line in wrong if "favicon" not in line and "404" not in line] == []
        page.context.close()
        customer = service.client(service.admin_token(), "gid://shopify/Customer/7")
        assert [item["productId"] for item in customer.get("/items").json()["data"]] == [632910392]
