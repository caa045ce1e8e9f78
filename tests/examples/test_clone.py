"""A fresh clone with an empty home, set up by the documents' commands."""

from __future__ import annotations

import re
import subprocess

import httpx2
import pytest

from tests.documents import bare, commands, fenced
from tests.servers import HERE, SECRETS, Program, free_port, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("clone")]


@pytest.fixture
def paste(clone):
    """Runs lines in the clone or another folder."""

    def run(lines, folder=clone, **more):
        script = ["bash", "-euo", "pipefail", "-c", "\n".join(lines)]
        env = bare(clone.parent / "home") | more
        done = subprocess.run(
            script, cwd=folder, env=env, capture_output=True, text=True, timeout=400
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    return run


@pytest.fixture
def serving(clone):
    """Starts a serving command as a terminal would, and stops it."""
    begun = []

    def start(line, url, **more):
        begun.append(Program("clone"))
        env = bare(clone.parent / "home") | more
        begun[-1].begin(["bash", "-c", line], url, seconds=300, cwd=clone, env=env)
        return begun[-1]

    yield start
    for program in begun:
        program.close()


def test_make_demo_opens_its_shop(serving):
    """`make demo` works as documented, here on another port."""
    [line] = commands("demo/README.md", "# A shop")
    assert commands("README.md", "# Wishwell") == [line]
    port = free_port()
    url = f"http://{HERE}:{port}"
    serving(f"exec {line} PORT={port}", url)
    assert "/apps/wishlist/assets/wishwell.js" in httpx2.get(url).text


def test_commands_of_the_readme_work_as_documented(clone, paste, serving):
    """`make run`, the commands in another terminal, and requests with the printed token work as
    documented."""
    run, *shop = commands("README.md", "## Put it into a shop")
    assert commands("examples/README.md", "# Examples") == shop[:1]
    port = free_port()
    url = f"http://{HERE}:{port}"
    service = serving(
        f"export {run.replace(' make', '; exec make')}", f"{url}/readyz", WISHWELL_PORT=str(port)
    )
    assert wait_until(lambda: "wwadm_" in service.output(), seconds=30)
    token = re.search(r"wwadm_\w+", service.output())[0]
    SECRETS.add(token)
    (clone / "products.csv").write_text(fenced("README.md", "csv"))
    assert "1 product: 1 imported" in paste(shop)
    text = "\n".join(commands("README.md", "## Call the API"))
    said = paste([text.replace("http://127.0.0.1:8000", url).replace("wwadm_…", token)])
    assert said.count('"productId":632910392') == 2


def test_packages_are_installed_outside_the_checkout(clone, paste):
    """The npm and Python packages install into folders outside the checkout."""
    shop = clone.parent / "shop"
    shop.mkdir()
    (shop / "package.json").write_text('{"private": true, "type": "module"}')
    paste(commands("packages/react/README.md", "# @wishwell/react"), shop)
    use = "const { createWishlist } = await import('@wishwell/browser'); createWishlist()"
    paste([f"node -e \"import('@wishwell/react').then(async () => {{ {use} }})\""], shop)
    for number, line in enumerate(commands("docs/client.md", "# The Python client")):
        paste([f"python3 -m venv {number}", f". {number}/bin/activate", line], shop)
        paste([f'{number}/bin/python -c "from wishwell_client import Wishwell"'], shop)
