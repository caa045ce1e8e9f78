"""All pages of the demo shop: accessible, same-origin only, and without tokens."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect

from tests.servers import wait_until
from tests.storefront.test_answers import leaks

from .conftest import BASE, cards, choose

pytestmark = pytest.mark.xdist_group("browser")

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
AXE = Axe()


def violations(page, rules="all"):
    """Returns axe-core's violations: rule and first element."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    options["rules"] = {"target-size": {"enabled": True}}  # WCAG 2.2, off by default
    if rules != "all":
        options["runOnly"] = {"type": "tag", "values": [rules]}
    found = AXE.run(page, options=options).response["violations"]
    return [f"{entry['id']}: {entry['nodes'][0]['html']}" for entry in found]


PAGES = ("/", "/products/clock?variant=1062", "/sign-in", "/cart", "/shared", "/mailbox")
NO_PAGE = "/nowhere"


def every_page(shopper, page):
    """Visits every page and state of the shop; yields the name of each."""
    for path in PAGES:
        shopper.go(page, path)
        yield path
    page.goto(f"{shopper.url}{BASE}/shared")
    expect(page.get_by_role("heading")).to_have_text("This link isn’t working")
    yield "ended"
    shopper.expected.add(404)
    assert page.goto(shopper.url + NO_PAGE).status == 404
    yield "404"
    for path in ("/wishlist", f"{BASE}/"):
        shopper.go(page, path)
        expect(page.get_by_role("heading", name="Your wishlist is empty")).to_be_visible()
        yield f"{path} empty"
    shopper.save_list(page, "Birthday", [101, 102, 103])
    yield "saved"
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(({ wishlist }) => wishlist.call("
        "'POST', 'profiles/identify', { body: { email: 'ann@home.example', notices: true } }))"
    )
    yield "identified"
    # A mail that comes while the mailbox is open loads the page again.
    count = f"{shopper.url}/mailbox/count"
    assert wait_until(lambda: page.request.get(count).text() != "0", seconds=30)
    with page.expect_response(count):  # it asks every second
        shopper.go(page, "/mailbox")
    yield "mailbox"
    page.get_by_role("link", name="ann@home.example").first.click()
    yield "mail"
    for path in ("/wishlist", f"{BASE}/"):
        yield from every_state(shopper, page, path)
    shopper.go(page, "/")
    yield "hearts"
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(({ wishlist }) => wishlist.dispatchEvent("
        "new CustomEvent('error', { detail: { error: new Error('no answer') } })))"
    )
    expect(page.get_by_role("alert")).to_contain_text("We couldn’t update your wishlist.")
    yield "notice"
    shopper.sign_in(page, "Jonas")
    yield "signed in"


def every_state(shopper, page, path):
    """Visits the states of the wishlist page at a path, with a list of three products."""
    shopper.go(page, path)
    page.get_by_role("tab", name="Birthday").click()
    expect(cards(page)).to_have_count(3)
    yield f"{path} list"
    page.get_by_role("button", name="More options for Dome lamp").click()
    yield f"{path} sheet"
    page.get_by_role("textbox", name="Note").fill("In honey, please.")
    page.get_by_role("button", name="Done").click()
    cards(page).get_by_text("In honey, please.").wait_for()
    for state, name in (("rename", "Rename"), ("delete", "Delete list")):
        choose(page, name)
        yield f"{path} {state}"
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove Wool throw").click()
    yield f"{path} removed"
    page.get_by_role("button", name="Undo").click()
    expect(cards(page)).to_have_count(3)
    page.get_by_role("button", name="List options").click()
    yield f"{path} menu"
    page.get_by_role("button", name="Share", exact=True).click()
    yield f"{path} choices"
    if path == "/wishlist":  # later the wishlist is shared
        page.get_by_role("button", name="Create link").click()
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Link copied.").wait_for()
    yield f"{path} share"
    page.get_by_role("button", name="Done").click()
    choose(page, "Select")
    page.get_by_role("checkbox", name="Wool throw").check()
    yield f"{path} select"
    page.get_by_role("button", name="Add to lists").click()
    yield f"{path} put"
    page.keyboard.press("Escape")
    shopper.context.set_offline(True)
    page.get_by_text("You’re offline.").wait_for()
    yield f"{path} offline"
    shopper.context.set_offline(False)
    shopper.expected.add(500)
    page.route("**/api/**", lambda route: route.fulfill(status=500, body="{}"))
    page.goto(shopper.url + path)
    page.get_by_role("button", name="Try again").wait_for()
    yield f"{path} error"
    page.unroute_all()
    page.route("**/api/**", lambda route: None)
    page.goto(shopper.url + path)
    page.locator(".skeleton").first.wait_for()
    yield f"{path} loading"
    page.unroute_all(behavior="ignoreErrors")


def check_open_to_everybody(page, states, count):
    """axe-core finds nothing in any of ``count`` states, light or dark, and none scrolls sideways
    on a desktop, a phone or the smallest phone."""
    found, wide = {}, []
    for name in states:
        # The dark scheme differs only in colours.
        for scheme, rules in (("dark", "cat.color"), ("light", "all")):
            page.emulate_media(color_scheme=scheme)
            found[name, scheme] = violations(page, rules)
        for size in (PHONE, {"width": 320, "height": 640}, DESKTOP):
            page.set_viewport_size(size)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append((name, size["width"]))
    assert len(found) == 2 * count
    assert {state: wrong for state, wrong in found.items() if wrong} == {}
    assert wide == []


@pytest.mark.slow
def test_every_page_is_accessible(shopper):
    """Every page of the shop is accessible."""
    page = shopper.context.new_page()
    check_open_to_everybody(page, every_page(shopper, page), 43)
    # Control: barely visible text is found.
    shopper.go(page, "/")
    page.evaluate("document.querySelector('h1').style.color = 'rgb(128 128 128 / 20%)'")
    assert "color-contrast" in str(violations(page))
    assert "color-contrast" in str(violations(page, "cat.color"))


@pytest.mark.slow
def test_pages_are_readable_without_scripts(new_shopper, shared_demo):
    """Without scripts, names, prices, colours and links work as plain HTML; other parts say that
    they need scripts."""
    shopper = new_shopper(shared_demo, java_script_enabled=False)
    page = shopper.context.new_page()
    page.goto(shopper.url)
    expect(page.get_by_role("listitem")).to_have_count(12)
    page.get_by_role("link", name="Studio chair").click()
    expect(page.get_by_role("heading", name="Studio chair")).to_be_visible()
    page.get_by_role("link", name="Clay").click()
    expect(page.get_by_role("heading", name="Colour: Clay")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    for name, text in (("Wishlist", "Wishlists need"), ("Cart", "The cart needs")):
        page.get_by_role("link", name=name).click()
        expect(page.locator("noscript p")).to_be_visible()
        expect(page.locator("noscript p")).to_have_text(f"{text} JavaScript.")
        expect(page.get_by_role("button")).to_have_count(0)


def test_content_security_policy_of_every_page_forbids_other_origins(shopper):
    """Each document's policy forbids inline code, other origins, and markup from text."""
    for path in (*PAGES, NO_PAGE):
        answer = shopper.context.request.get(shopper.url + path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", answer.text())


# --------------------------------------------------------------------------------- no token


class Received:
    """Everything a browser received: headers and bodies of all responses."""

    def __init__(self, shopper):
        self.shopper = shopper
        self.texts = []
        self._read, self._unread = set(), set()
        self._next = 0

    def take(self):
        """Records new responses, once none is under way; must run before leaving the page, because
        the browser then drops the bodies."""
        for page in self.shopper.context.pages:
            with contextlib.suppress(Error):  # a page may keep loading
                page.wait_for_load_state("networkidle", timeout=2_000)
        for answer in self.shopper.responses[self._next :]:
            self._next += 1
            lines = [f"{header['name']}: {header['value']}" for header in answer.headers_array()]
            self.texts.append("\n".join(lines))
            try:
                self.texts.append(answer.body().decode("utf-8", "replace"))
                self._read.add(answer.url)
            except Error:
                if answer.status not in (204, 302, 303):
                    self._unread.add(answer.url)

    @property
    def never_read(self):
        """URLs whose body could never be read."""
        return self._unread - self._read


def kept(shopper, page):
    """Yields everything that the browser stores: cookies, both storages, databases, caches."""
    yield json.dumps(shopper.context.storage_state(indexed_db=True))
    yield json.dumps(shopper.context.cookies())
    yield page.evaluate(
        """async () => {
          const names = await caches.keys();
          const databases = await indexedDB.databases();
          return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, names, databases, document.cookie]);
        }"""
    )


def tokens_in(texts):
    """Returns token markers, of admin tokens or JWTs, found in the texts."""
    return leaks([text.encode() for text in texts], [])


@pytest.mark.slow
def test_browser_never_receives_an_admin_or_profile_token(shopper):
    """Whatever a shopper does, the browser never receives or stores an admin or profile token, in
    any encoding.

    The shop's own session, a JWT in an HttpOnly cookie, is the exception; the same search must find
    it first.
    """
    page = shopper.open()
    told = Received(shopper)
    texts = list(kept(shopper, page))
    told.take()
    for _ in every_page(shopper, page):
        texts += kept(shopper, page)
        told.take()
    assert told.never_read == set()
    texts += told.texts
    own = {c["value"] for c in shopper.context.cookies() if c["name"] == "shop_session"}
    assert len(own) == 1
    assert tokens_in(texts) == ['"alg"']
    for session in own:
        texts = [text.replace(session, "") for text in texts]
    assert tokens_in(texts) == []
    wrapped = base64.b64encode(b"x: wwadm_" + b"0" * 40).decode()
    assert tokens_in([f"session={wrapped}"]) == ["wwadm_"]
    assert sum(map(len, texts)) > 100_000
