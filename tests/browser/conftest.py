"""The demo shop with a real service, in a real Chromium.

Two groups of tests have their own process and browser, because in one process they would take
longer than all other tests. `make test` runs one journey for each surface; tests of the appearance
and of rare states are slow. A page's faults (console errors, requests to other origins) fail its
test, whatever the test is about.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from tests.conftest import missing
from tests.servers import HERE, Program, free_port, wait_until

ROOT = Path(__file__).parents[2]
BASE = "/apps/wishlist"
# Adds up the layout shifts of a page, as an init script.
MOVED = """window.moved = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.moved += value;
}).observe({ type: 'layout-shift', buffered: true });"""
CLOCK = Path(__file__).parent / "shifted"
# The address bar's suggestions are pages of their own, which each window would load: half of the
# processor time of a test. Chromium obeys only the last list of features, so the other names are
# those that Playwright disables.
DISABLED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding",
    "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch",
)  # fmt: skip
ARGUMENTS = [
    f"--disable-features={','.join(DISABLED)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
]


def chromium_path() -> str | None:
    return os.environ.get("WISHWELL_TEST_CHROMIUM") or shutil.which("chromium")


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser, for this package only: while Playwright is open, nothing else can run an event
    loop. With WISHWELL_TEST_BROWSER=firefox, the Firefox that Playwright has installed."""
    if os.environ.get("WISHWELL_TEST_BROWSER") == "firefox":
        with sync_playwright() as playwright:
            yield playwright.firefox.launch()
        return
    program = chromium_path()
    if not program:
        missing("there is no chromium on PATH, and WISHWELL_TEST_CHROMIUM names none")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


class Demo(Program):
    """`python -m demo` as a process, with settings for its service."""

    def __init__(self, settings: dict[str, str]) -> None:
        super().__init__("demo")
        self.port = free_port()
        self.url = f"http://{HERE}:{self.port}"
        kept = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
        environment = kept | {"TMPDIR": str(self.folder)} | settings
        argv = [sys.executable, "-m", "demo", "--port", self.port]
        self.begin(argv, f"{self.url}/sign-in", seconds=90, cwd=ROOT, env=environment)

    @property
    def service(self) -> psutil.Process:
        [child] = psutil.Process(self.process.pid).children()
        return child

    def end_service(self) -> None:
        """Stops the service; the shop continues."""
        service = self.service
        service.terminate()
        # The process remains a zombie until its parent, the shop, ends.
        ended = wait_until(lambda: service.status() == psutil.STATUS_ZOMBIE, seconds=20)
        assert ended, "the service did not end"


@pytest.fixture(scope="package")
def shared_demo(chromium) -> Iterator[Demo]:
    with Demo({}) as demo:
        yield demo
        assert demo.running, f"the shop ended by itself\n{demo.output()[-4000:]}"
        assert "Traceback" not in demo.output(), demo.output()[-4000:]


class Shopper:
    """A browser with its own cookies, which records its pages' faults."""

    def __init__(self, url: str, context: BrowserContext) -> None:
        self.url = url
        self.context = context
        self.wrong: list[str] = []
        # Statuses that the test expects. The browser logs failed requests to the console, often
        # late.
        self.expected: set[int] = set()
        self.responses: list[Response] = []
        context.set_default_timeout(10_000)
        context.on("console", self._said)
        context.on("weberror", lambda error: self.wrong.append(str(error.error)))
        context.on("request", self._asked)
        context.on("response", lambda response: self.responses.append(response))

    def _said(self, message: ConsoleMessage) -> None:
        refused = re.search(r"responded with a status of (\d+)", message.text)
        if message.type == "error" and not (refused and int(refused[1]) in self.expected):
            self.wrong.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(f"{self.url}/"):
            self.wrong.append(request.url)

    def open(self, path: str = "/") -> Page:
        """Opens a new tab and waits until its hearts show their state."""
        page = self.context.new_page()
        self.go(page, path)
        return page

    def go(self, page: Page, path: str) -> None:
        if path in ("/cart", "/shared", "/mailbox") or path.startswith("/sign-in"):
            # Without hearts and without a link, they request nothing.
            page.goto(self.url + path)
            return
        with page.expect_response(self.is_read):
            page.goto(self.url + path)

    def is_read(self, answer: Response) -> bool:
        return (
            answer.request.method == "GET"
            and f"{BASE}/api/" in answer.url
            and "/assets/" not in answer.url
        )

    def sign_in(self, page: Page, name: str) -> None:
        self.go(page, "/sign-in")
        with page.expect_response(self.is_read):
            page.get_by_role("button", name=f"Continue as {name}").click()
        page.wait_for_url("**/wishlist")

    def sign_out(self, page: Page) -> None:
        with page.expect_response(self.is_read):
            page.get_by_role("button", name="Sign out").click()

    def make_list(
        self, page: Page, name: str, products: list[int], path: str = "/wishlist"
    ) -> None:
        """Makes a list of products in this order, and opens it."""
        self.save_list(page, name, products)
        self.go(page, path)
        page.get_by_role("tab", name=name).click()
        cards(page).nth(len(products) - 1).wait_for()

    def save_list(self, page: Page, name: str, products: list[int]) -> str:
        """Makes a list by script, for tests about other things; returns its id."""
        return page.evaluate(
            """async ([name, products]) => {
              const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
              for (const productId of products) await wishlist.save({ productId });
              const list = await wishlist.lists.create({ name });
              for await (const item of wishlist.items.all())
                if (products.includes(item.productId)) await wishlist.items.setLists(item.id, [list.id]);
              await wishlist.lists.order(list.id, await order(list.id));
              async function order(id) {
                const { items } = await wishlist.lists.find(id);
                return products.map((product) => items.find((item) => item.productId === product).id);
              }
              return list.id;
            }""",
            [name, products],
        )


@pytest.fixture
def new_shopper(chromium) -> Iterator:
    """A factory for browsers with separate cookies."""
    made: list[Shopper] = []

    def make(demo: Demo, **options) -> Shopper:
        made.append(Shopper(demo.url, chromium.new_context(reduced_motion="reduce", **options)))
        return made[-1]

    yield make
    for shopper in made:
        for page in shopper.context.pages:
            page.unroute_all(behavior="ignoreErrors")  # of requests that a test doesn't wait for
        shopper.context.close()
    assert [wrong for shopper in made for wrong in shopper.wrong] == []


@pytest.fixture
def shopper(new_shopper, shared_demo) -> Shopper:
    """A first-time visitor's browser."""
    return new_shopper(shared_demo)


def heart(page: Page, product: int | str) -> Locator:
    return page.locator(f'wishlist-button[product-id="{product}"]').get_by_role("button")


def press(page: Page, *products: int | str) -> None:
    """Presses hearts, and waits for the service's response to each."""
    for product in products:
        with page.expect_response(
            lambda r: r.request.method in ("POST", "DELETE") and BASE in r.url
        ):
            heart(page, product).click()


def cards(page: Page) -> Locator:
    """Returns the cards of the wishlist or a shared list, once loaded."""
    return page.locator("[aria-busy=false] > .card")


def shows(page: Page, *expected: str, **options) -> None:
    """Asserts the cards' names in this order."""
    expect(cards(page).locator(".name")).to_have_text(list(expected), **options)


def choose(page: Page, name: str, how: str = "click") -> None:
    """Chooses a tool in the wishlist page's menu."""
    use(how, page.get_by_role("button", name="List options"))
    use(how, page.get_by_role("dialog").get_by_role("button", name=name, exact=True))


FOCUSED = """(wanted) => {
  let now = document.activeElement;
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
  return now === wanted;
}"""
CLICK, KEYS = "click", "keys"


def use(how: str, button: Locator) -> None:
    """Presses a button: by click or touch, or by Tab until it has the focus and a key."""
    expect(button).to_be_visible()
    if how == CLICK:
        button.click()
        return
    keyboard = button.page.keyboard
    for _ in range(90):
        if button.evaluate(FOCUSED):
            keyboard.press("Space" if button.get_attribute("type") == "checkbox" else "Enter")
            return
        keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {button}")
