"""``python -m demo.screenshots``: takes the README's screenshots of the current demo."""

import io
import itertools
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images"
_SIZE: ViewportSize = {"width": 1280, "height": 960}
_MAIL_SIZE: ViewportSize = {"width": 600, "height": 580}
_MERCHANTS: dict[str, Any] = {
    "admin-desktop.png": {"viewport": _SIZE},
    "admin-phone.png": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
_STATES_SIZE: ViewportSize = {"width": 1560, "height": 4300}
_FILL = """async () => {
  const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
  for (const name of ['Kitchen', 'Someday'])
    await wishlist.lists.create({ name });
  const list = await wishlist.lists.create({ name: 'Birthday' });
  for (const productId of [112, 110, 101, 103, 104, 106, 109, 102])
    await wishlist.save({ productId, listIds: [list.id] });
}"""


_SAVE = """async () => {
  const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
  await wishlist.save({ productId: 102 });
}"""


@click.command("screenshots")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=FOLDER)
def main(folder: Path) -> None:
    """Write screenshots: hearts, the wishlist, the merchant's page, a mail, and every state."""
    folder.mkdir(exist_ok=True)
    program = os.environ.get("WISHWELL_TEST_CHROMIUM") or shutil.which("chromium")
    with _demo() as (url, admin, token), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=_SIZE, device_scale_factor=2, reduced_motion="reduce")
        page.goto(url)
        page.evaluate(_FILL)
        page.goto(f"{url}/all")
        page.locator("wishlist-button[saved]").first.wait_for()
        _write(folder / "hearts.png", page)
        page.goto(f"{url}/wishlist")
        page.get_by_role("tab", name="Birthday").click()
        page.get_by_text("8 items").wait_for()
        _write(folder / "wishlist.png", page)
        _write_mail(folder / "mail.png", browser, url)
        for name, options in _MERCHANTS.items():
            merchant = browser.new_page(**options, device_scale_factor=2, reduced_motion="reduce")
            merchant.goto(admin)
            merchant.get_by_label("Admin or reports token").fill(token)
            merchant.get_by_role("button", name="Sign in").click()
            merchant.locator("main[aria-busy=false]").wait_for()
            _write(folder / name, merchant)
        _write_states(folder, browser, url)


def _write_states(folder: Path, browser: Browser, url: str) -> None:
    """Takes the elements in every state, light and dark."""
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport=_STATES_SIZE, reduced_motion="reduce")
        page.goto(f"{url}/states/?scheme={scheme}")
        for frame in page.frames[1:]:
            frame.locator("[data-state=shown]").wait_for()
        page.wait_for_timeout(
            1000
        )  # for pictures; a frame that shows an answer awaited is never idle
        _save(folder / f"states-{scheme}.png", page)
        page.close()


def _write_mail(path: Path, browser: Browser, url: str) -> None:
    """Takes a mail about a lower price, as a visitor gets it who has confirmed an address."""
    page = browser.new_page(viewport=_MAIL_SIZE, device_scale_factor=2, reduced_motion="reduce")
    page.goto(url)
    page.evaluate(_SAVE)
    page.goto(f"{url}/wishlist")
    page.get_by_role("button", name="List options").click()
    page.get_by_label("Notify me of price drops").click()
    page.get_by_role("textbox", name="Email").fill("ann@home.example")
    page.get_by_role("button", name="Send").click()
    page.goto(f"{url}/mailbox")
    page.locator(".letter").wait_for()
    page.goto(f"{url}/mailbox/1/html")
    link = page.get_by_role("link", name="To the confirmation").get_attribute("href")
    page.goto(str(link))
    page.get_by_role("button", name="Yes, write to me").click()
    page.get_by_text("Your address is confirmed").wait_for()
    page.goto(f"{url}/mailbox")
    page.get_by_role("button", name="Dome lamp").click()
    page.locator(".letter").nth(1).wait_for()
    page.goto(f"{url}/mailbox/2/html")
    _write(path, page)


def _write(path: Path, page: Page) -> None:
    """Saves a screenshot once all pictures are loaded."""
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    _save(path, page)


def _save(path: Path, page: Page) -> None:
    """Saves a screenshot with a palette, which is a third of the size, and as good."""
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)
    click.echo(f"{path}: {path.stat().st_size // 1000} kB")


@contextmanager
def _demo() -> Iterator[tuple[str, str, str]]:
    """Runs the demo as a process; yields its URL, that of its merchant's page, and the token for it."""
    argv = [sys.executable, "-u", "-m", "demo", "--port", "0"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as demo:
        try:
            assert demo.stdout is not None
            text = "".join(
                itertools.takewhile(lambda line: "Nothing is kept" not in line, demo.stdout)
            )
            url, admin = re.findall(r"(?:open|page): (http\S+)", text)
            urllib.request.urlopen(url).close()
            yield url, admin, re.findall(r"wwadm_\w+", text)[0]
        finally:
            demo.terminate()


if __name__ == "__main__":
    main()
