"""`make demo` as a program: start, stop and error messages."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.conftest import slow
from tests.servers import HERE

from .conftest import ROOT, Demo

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.parametrize("number", [signal.SIGINT, slow(signal.SIGTERM)])
def test_demo_ends_with_its_service_and_keeps_nothing(number):
    """SIGINT and SIGTERM end the demo with exit code 0, without leaving processes or files."""
    with Demo({}) as demo:
        service = demo.service
        assert list(demo.folder.glob("wishwell-demo-*/wishwell.db"))
        assert demo.end(number, 20) == 0
        assert not service.is_running()
        assert not list(demo.folder.glob("wishwell-demo-*"))
        said = demo.output()
    assert f"The shop is open: {demo.url}" in said
    assert "Traceback" not in said


def test_busy_port_is_named():
    """A busy port is reported in one line before anything is started."""
    with socket.create_server((HERE, 0)) as busy:
        argv = [sys.executable, "-m", "demo", "--port", str(busy.getsockname()[1])]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert "Change --host and --port" in done.stderr
    assert done.stderr.count("\n") == 1


def test_demo_answers_a_press_with_count_toast_and_one_event(new_shopper, shared_demo):
    """A press is counted in the header, confirmed by the toast with Undo, and sent once to the analytics in
    the console. The service's own page has the shop's name."""
    shopper = new_shopper(shared_demo)
    page, lines = shopper.context.new_page(), []
    page.on("console", lambda message: lines.append(message.text))
    shopper.go(page, "/")
    page.get_by_role("button", name="Save Morning mug").click()
    expect(page.locator("wishlist-count")).to_have_text("1")
    toast = page.locator("wishlist-toast")
    expect(toast).to_contain_text("Saved to your wishlist")
    expect(toast.get_by_role("link", name="View")).to_have_attribute("href", "/wishlist")
    # The event follows the service's response, the count doesn't wait for it.
    with page.expect_console_message(lambda line: "remove_from_wishlist" in line.text):
        toast.get_by_role("button", name="Undo").click()
    expect(page.locator("wishlist-count")).to_have_text("0")
    events = [line for line in lines if line.startswith("analytics")]
    assert ["add_to_wishlist" in line for line in events] == [True, False]
    assert "remove_from_wishlist" in events[1]
    page.goto(f"{shopper.url}/apps/wishlist/")
    expect(page.get_by_role("banner")).to_contain_text("Small Hours")


@pytest.mark.slow
def test_pictures_of_the_readme_are_made_by_one_command(tmp_path):
    """One command renders the README's images again: under 150 KB each, in the committed sizes."""
    argv = [sys.executable, "-m", "demo.screenshots", str(tmp_path)]
    subprocess.run(argv, cwd=ROOT, check=True, timeout=120)
    readme = (ROOT / "README.md").read_text()
    made = list(tmp_path.iterdir())
    assert len(made) == readme.count('src="docs/images/') == 4
    for taken in made:
        shown = ROOT / "docs" / "images" / taken.name
        assert f"docs/images/{taken.name}" in readme
        assert max(taken.stat().st_size, shown.stat().st_size) < 150_000
        assert Image.open(taken).size == Image.open(shown).size
