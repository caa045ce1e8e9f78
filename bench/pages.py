"""Processor time and layout shift that the elements add to a shop's pages, in Chromium.

``python -m bench.pages`` loads each page with and without an element in turn, from an empty cache,
and prints the medians of the differences with their quartiles: unthrottled, then throttled. Then it
loads the pages of lists with every combination of the attributes that change their layout, and prints
the largest shift. Ends with status 1 if a limit is missed. Half an hour; only differences count.
"""

import argparse
import itertools
import statistics
import sys
import threading
from typing import Any

import uvicorn
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from bench import seed
from bench.client import Raw
from bench.targets import STORE, Shop, in_turns, run, say
from demo import forward
from tests.browser.conftest import ARGUMENTS, BASE, MOVED, chromium_path
from tests.servers import HERE, free_port, wait_until
from tools.tables import markdown, quartiles

PRODUCTS, ITEMS, WISHERS = 48, 30, 12
MAX_COUNT_MS, MAX_SHIFT = 5, 0.02
"""Limits: script time that a count may add to a page with hearts; layout shift of a list's page."""
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
PHONE, DESKTOP = ViewportSize(width=360, height=740), ViewportSize(width=1280, height=800)

HEART = '<wishlist-button product-id="{}"></wishlist-button>'
COUNT, TOAST = "<wishlist-count></wishlist-count>", "<wishlist-toast></wishlist-toast>"
WANTED = '<wishlist-wanted product-id="{}" label="Saved {count} times"></wishlist-wanted>'
CASES = {
    "48 hearts": ((), (HEART,)),
    "`<wishlist-count>`, next to 48 hearts": ((HEART,), (HEART, COUNT)),
    "`<wishlist-toast>`, next to 48 hearts": ((HEART,), (HEART, TOAST)),
    "48 `<wishlist-wanted>`": ((), (WANTED,)),
    "`<wishlist-share>` of a shared list": ((), ('<wishlist-share list-id="LIST"></wishlist-share>',)),
    "`<wishlist-page>`, 30 items": ((), ('<wishlist-page cart sign-in="/"></wishlist-page>',)),
    "`<wishlist-shared>`, 30 items": ((), ('<wishlist-shared token="TOKEN" cart></wishlist-shared>',)),
}  # fmt: skip
"""Pairs of pages, each given by its elements; one with ``{}`` is repeated for each product."""
COMBINATIONS = [
    f"<wishlist-page {' '.join(words)}></wishlist-page>"
    for words in itertools.product(("", "cart", 'cart-url="/"'), ("", 'sign-in="/"'), ("", 'list="LIST"'))
] + [f'<wishlist-shared token="TOKEN" {cart}></wishlist-shared>' for cart in ("", "cart")]  # fmt: skip
# With the rules by which docs/browser.md keeps the space of elements.
HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width"><style>
body { font: 1rem/1.5 sans-serif; margin: 1rem } li { display: block }
ul { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); padding: 0 }
li b { display: block; aspect-ratio: 1; background: #eee }
wishlist-button:not(:defined) { display: inline-block; width: 2.75rem; height: 2.75rem;
vertical-align: -.625rem; visibility: hidden } wishlist-share { display: block; min-height: 6rem }
wishlist-wanted { display: block; min-height: 1lh }
wishlist-page, wishlist-shared { display: block; min-height: 100vh }</style><h1>Shop</h1>Wishlist """
PICTURE = b"image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'
SCRIPTS = f"{BASE}/assets/"
MODULES = {"<": "wishwell", "-share ": "share", "-page ": "page", "-shared ": "page", "-wanted": "wanted"}  # fmt: skip
SAVE = """async ([items, module]) => {
  const { wishlist } = await import(module);
  const list = await wishlist.lists.create({ name: 'Birthday' });
  for (let productId = 1; productId <= items; productId++)
    await wishlist.items.create({ productId, listIds: [list.id] });
  const body = { email: 'ann@home.example', notices: true, language: 'en' };
  await wishlist.call('POST', 'profiles/identify', { body });
  const { data } = await wishlist.call('POST', `lists/${list.id}/shares`, { body: {} });
  return { LIST: list.id, TOKEN: data.token };
}"""


class Pages:
    """A shop's pages in a browser, loaded by a visitor with a wishlist and a shared list."""

    def __init__(self, browser: Browser, service: Shop, url: str) -> None:
        self._browser, self._url, self._html = browser, url, ""
        self._wishlist = forward.to(str(service.url))
        server = uvicorn.Server(uvicorn.Config(
            self._answer, port=int(url.rpartition(":")[2]), interface="asgi3", lifespan="off",
            log_config=None, proxy_headers=False,
        ))  # fmt: skip
        threading.Thread(target=server.run, daemon=True).start()
        wait_until(lambda: server.started, seconds=10)
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(url)
            self._ids = page.evaluate(SAVE, [ITEMS, f"{SCRIPTS}wishwell.js"])
            self._visitor = context.storage_state()

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers as the shop's web server, which forwards one path to the service."""
        if scope["path"].startswith(BASE):
            await self._wishlist(scope, receive, send)
        else:
            kind, body = PICTURE if scope["path"] == "/lamp.svg" else (b"text/html", self._html)
            headers = [(b"content-type", kind)]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body.encode()})

    def load(
        self, elements: tuple[str, ...], slow: bool, size: ViewportSize = DESKTOP
    ) -> list[float]:
        """Loads a page in a browser process and with a cache of its own. Returns the milliseconds of
        its scripts and of all tasks of the main thread, and its layout shift."""
        self._html = self._written(elements)
        with self._browser.new_context(storage_state=self._visitor, viewport=size) as context:
            page, wrong = context.new_page(), list[str]()
            page.on("requestfailed", lambda request: wrong.append(request.url))
            page.add_init_script(MOVED)
            tools = context.new_cdp_session(page)
            tools.send("Performance.enable", {"timeDomain": "threadTicks"})
            if slow:
                tools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
                tools.send("Network.emulateNetworkConditions", NETWORK)
            page.goto(self._url, wait_until="networkidle", timeout=60_000)
            # Read before anything is evaluated, because Playwright's own scripts count.
            [metrics] = tools.send("Performance.getMetrics").values()
            seconds = {metric["name"]: metric["value"] for metric in metrics}
            if wrong:
                raise RuntimeError(f"{elements}: {wrong}")
            spent = [seconds[f"{name}Duration"] * 1000 for name in ("Script", "Task")]
            return [*spent, page.evaluate("window.moved")]

    def _written(self, elements: tuple[str, ...]) -> str:
        """Returns the HTML of a page with these elements and their scripts."""
        given = "".join(elements)
        scripts = [name for part, name in MODULES.items() if part in given]
        each = "".join(element for element in elements if "{}" in element)
        products = (
            f"<li><b></b>Product {each.replace('{}', str(n))}" for n in range(1, PRODUCTS + 1)
        )
        html = (
            HTML + given.replace(each, "") + f"<ul>{''.join(products)}</ul><footer>The end</footer>"
        )
        for name, value in self._ids.items():
            html = html.replace(name, value)
        return html + "".join(
            f'<script type="module" src="{SCRIPTS}{name}.js"></script>' for name in scripts
        )


def compare(pages: Pages, rounds: int, slow: bool) -> bool:
    """Prints a table of what each element adds. Returns whether the limit of the count is kept."""
    rows, kept = [], True
    for name, sides in CASES.items():
        without, beside = in_turns(sides, rounds, lambda side: pages.load(side, slow))
        pairs = list(zip(without, beside, strict=True))
        scripts, tasks = ([after[at] - before[at] for before, after in pairs] for at in (0, 1))
        shift = max(load[2] for load in beside)
        rows.append([name, quartiles(scripts, 1), quartiles(tasks, 1), f"{shift:.3f}"])
        if COUNT in sides[1] and not slow:
            kept = statistics.median(scripts) <= MAX_COUNT_MS
        say("; ".join(rows[-1]))
    head = "Throttled" if slow else "Unthrottled", "scripts, ms", "all tasks, ms", "largest shift"
    say(markdown(head, rows))
    return kept


def combine(pages: Pages) -> bool:
    """Prints the largest shifts of combinations of attributes. Returns whether all are small."""
    loads = list(itertools.product(COMBINATIONS, (PHONE, DESKTOP), (False, True)))
    shifts = [pages.load((element,), slow, size)[2] for element, size, slow in loads]
    element, size, slow = loads[shifts.index(max(shifts))]
    where = f"{element}, {size['width']} px, {'' if slow else 'un'}throttled"
    say(f"The largest of {len(loads)} shifts is {max(shifts):.4f}: {where}")
    return max(shifts) <= MAX_SHIFT


def main() -> None:
    words = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    words.add_argument("--rounds", type=int, default=15)
    chosen = words.parse_args()
    url = f"http://{HERE}:{free_port()}"
    options = "--host", url, "--show-wishes", "on"
    with Shop("SQLite", options=options) as service, sync_playwright() as playwright:
        wished = range(1, PRODUCTS + 1)
        gids = [f"gid://shopify/Customer/w{number}" for number in range(WISHERS)]
        service.insert(seed.joined(seed.profile(service.store, gid, wished) for gid in gids))
        service.settings["WISHWELL_SMTP_URL"] = f"smtp://{HERE}:9"  # accepts nothing
        mail = "--mail", "on", "--mail-from", "a@b.example", "--service-url", "https://c.example"
        service.quick("store", "update", STORE, *mail, "--yes")
        service.serve(WISHWELL_COUNT_SECONDS="5")
        facts = {"image": f"{url}/lamp.svg", "price": {"amount": "89.00", "currency": "EUR"}}
        products = [{"productId": id, "title": f"A lamp, number {id}"} | facts for id in wished]
        Raw(str(service.url), service.admin).ask("PUT", "/products", {"products": products})
        wait_until(lambda: service.number("SELECT count(*) FROM wish_counts") > 0, seconds=60)
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS[:-1])
        pages = Pages(browser, service, url)
        kept = [compare(pages, chosen.rounds, slow) for slow in (False, True)]
        kept.append(combine(pages))
        browser.close()
    sys.exit("A limit is missed." if not all(kept) else 0)


if __name__ == "__main__":
    run(main)
