"""The ten minutes of the README, as they stand there: commands, nginx, and the page."""

from __future__ import annotations

import os
import re
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.security.nginx import nginx_binary
from tests.servers import HERE, AnsweringProgram, Service, free_port
from tests.service.test_documents import commands

from .conftest import BASE, ROOT, _missing

pytestmark = pytest.mark.xdist_group("browser")

_NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type text/html;
    server {{
        listen {here}:{port};
        root {folder};
{location}
    }}
}}
"""


def fenced(language):
    """The one block of that language in the section."""
    text = (ROOT / "README.md").read_text().split("## Hearts on the product page", 1)[1]
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def test_ten_minutes_of_the_readme(chromium):
    """A service, the proxy with the lines as pasted, nginx with the location, a page with the heart."""
    if nginx_binary() is None:
        _missing("there is no nginx")
    lines = commands("README.md", "## Hearts on the product page in ten minutes")
    lines = lines[: lines.index(".venv/bin/wishwell proxy") + 1]
    proxy, nginx = AnsweringProgram("proxy"), AnsweringProgram("nginx")
    with Service() as service, closing(proxy), closing(nginx):
        port, shop = free_port(), free_port()
        script = "\n".join(lines).replace("wwadm_…", service.admin_token())
        script = script.replace(".venv/bin/wishwell", f"exec {service.command}")
        environment = {
            "PATH": os.environ["PATH"],
            "WISHWELL_PROXY_API": service.url,
            "WISHWELL_PROXY_PORT": str(port),
        }
        livez = f"http://{HERE}:{port}{BASE}/livez"
        proxy.begin(["bash", "-euo", "pipefail", "-c", script], livez, env=environment)
        nginx.folder.chmod(0o755)
        (nginx.folder / "index.html").write_text(
            f"<!doctype html><title>A shop</title>{fenced('html')}"
        )
        location = fenced("nginx").replace("127.0.0.1:8001", f"{HERE}:{port}")
        text = _NGINX.format(folder=nginx.folder, here=HERE, port=shop, location=location)
        (nginx.folder / "nginx.conf").write_text(text)
        url = f"http://{HERE}:{shop}/"
        nginx.begin([nginx_binary(), "-c", nginx.folder / "nginx.conf"], url)
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
        assert [line for line in wrong if "favicon" not in line and "404" not in line] == []
        page.context.close()
