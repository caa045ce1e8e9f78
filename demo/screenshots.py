"""``python -m demo.screenshots``: the pictures of the README, taken of the demo as it is."""

import functools
import io
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from PIL import Image
from playwright.sync_api import Browser, Page, StorageState, ViewportSize, sync_playwright

from demo import catalogue, merchant, pages
from demo.__main__ import _free_port

FOLDER = Path(__file__).parents[1] / "docs" / "images"
_DESKTOP: ViewportSize = {"width": 1280, "height": 800}
_PHONE: ViewportSize = {"width": 390, "height": 844}
_GAP = 24
_FILL = """async () => {
  const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
  for (const name of ['Kitchen', 'Someday'])
    await wishlist.lists.create({ name });
  const list = await wishlist.lists.create({ name: 'Birthday' });
  for (const productId of [112, 110, 101, 103, 104, 106, 109, 102])
    await wishlist.save({ productId, listIds: [list.id] });
  return (await wishlist.share(list.id, { page: '/shared#{token}' })).url;
}"""


@click.command("screenshots")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=FOLDER)
def main(folder: Path) -> None:
    """Write the pictures: the wishlist on a desktop and on phones, a shared list, and the merchant's page."""
    folder.mkdir(exist_ok=True)
    program = os.environ.get("WISHWELL_TEST_CHROMIUM") or shutil.which("chromium")
    with _demo() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = _page(browser, _DESKTOP)
        page.goto(url)
        link = page.evaluate(_FILL)
        _show(page, f"{url}/wishlist")
        kept = page.context.storage_state()
        _write(folder / "wishlist-desktop.png", page.screenshot())
        phones = [_page(browser, _PHONE, kept, dark=dark) for dark in (False, True)]
        for phone in phones:
            _show(phone, f"{url}/wishlist")
        _write(folder / "wishlist-phone.png", *(phone.screenshot() for phone in phones))
        giver = _page(browser, _PHONE)
        giver.goto(link)
        giver.get_by_role("button", name="No", exact=True).click()
        giver.get_by_role("button", name="I’ll give this: Dome lamp").click()
        giver.get_by_role("button", name="Close").click()
        giver.mouse.move(0, 0)
        giver.wait_for_timeout(500)
        _write(folder / "shared-phone.png", giver.screenshot())
        with merchant.store(_free_port()) as (address, token):
            _write(folder / "admin-desktop.png", _overview(browser, _DESKTOP, address, token))
            shot = _overview(browser, _PHONE, address, token, dark=True)
            _write(folder / "admin-phone.png", shot)


def _overview(
    browser: Browser, size: ViewportSize, address: str, token: str, *, dark: bool = False
) -> bytes:
    """The merchant's page, once its chart and pictures are there."""
    page = _page(browser, size, dark=dark)
    page.route(
        f"{merchant.ORIGIN}/**",
        lambda route: route.fulfill(
            body=_pictures()[route.request.url], content_type="image/svg+xml"
        ),
    )
    page.goto(address)
    page.get_by_label("Admin or reports token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.locator("main[aria-busy=false]").wait_for()
    page.wait_for_load_state("networkidle")
    return page.screenshot()


@functools.cache
def _pictures() -> dict[str, bytes]:
    """The drawing of each product in each colour, by its address."""
    return {
        merchant.ORIGIN + catalogue.picture(product, variant): pages.picture_file(product, variant)
        for product in catalogue.PRODUCTS
        for variant in product.variants
    }


def _page(
    browser: Browser, size: ViewportSize, kept: StorageState | None = None, *, dark: bool = False
) -> Page:
    return browser.new_page(
        viewport=size,
        color_scheme="dark" if dark else "light",
        storage_state=kept,
        device_scale_factor=2,
        reduced_motion="reduce",
    )


def _show(page: Page, address: str) -> None:
    """The list, once its pictures are there."""
    page.goto(address)
    page.get_by_role("tab", name="Birthday").click()
    page.get_by_text("8 products").wait_for()
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)


def _write(path: Path, *shots: bytes) -> None:
    """Side by side. Flat colours: a palette is as good, and a third of the size."""
    parts = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    width = sum(part.width for part in parts) + _GAP * (len(parts) - 1)
    whole = Image.new("RGB", (width, parts[0].height), "white")
    left = 0
    for part in parts:
        whole.paste(part, (left, 0))
        left += part.width + _GAP
    whole.quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)
    click.echo(f"{path}: {path.stat().st_size // 1000} kB")


@contextmanager
def _demo() -> Iterator[str]:
    """The demo as a process; yields its address."""
    argv = [sys.executable, "-u", "-m", "demo", "--port", "0"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as demo:
        try:
            assert demo.stdout is not None
            [url] = [line.split()[-1] for line in demo.stdout.readlines(1) if "open:" in line]
            urllib.request.urlopen(url).close()
            yield url
        finally:
            demo.terminate()


if __name__ == "__main__":
    main()
