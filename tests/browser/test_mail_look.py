"""Mails as a mail program shows them, and the pages that they link to, in Chromium."""

import re

import pytest
from playwright.sync_api import Route

from tests.mailer.test_compose import LINE, WISHLIST, frame, notices, parsed, shop, text_of
from wishwell import ids, stores
from wishwell.mailer import compose
from wishwell.mailer.compose import TEXTS

from .conftest import BASE
from .mail_views import faults
from .own_shop import own_shop as own_shop

pytestmark = [pytest.mark.xdist_group("shop-browser"), pytest.mark.slow]

ORIGIN = "https://shop.example"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
LOGO = f"{ORIGIN}/logo.svg"
TITLES = ("word " * 40, "x" * 200, *(f"Product {number}" for number in range(10)))
LOOKS = {
    "plain": {},
    "dark accent": {"accent": "#14213d"},
    "light accent": {"accent": "#ffe45c", "logo_url": LOGO},
}


def draw(route: Route) -> None:
    route.fulfill(body=PICTURE, content_type="image/svg+xml")


def block(route: Route) -> None:
    route.abort()


def mails(language, **look):
    """Returns a confirmation, and mails with notices with one product and with more than 12."""
    store = shop(look={"shop_name": "Anna’s shop of small hours", **look})
    reducing = stores.StorePatch(mail={"show_reductions": True})
    full = [
        LINE._replace(
            title=title.strip(),
            section="cheaper" if number < 8 else "back_in_stock",
            image="" if number % 4 == 3 else f"{ORIGIN}/{number}.svg",
        )
        for number, title in enumerate(TITLES)
    ]
    yield parsed(compose.compose_confirmation(frame(store, language), WISHLIST))
    yield notices(store, language=language)
    yield notices(store, full, 3, language)
    yield notices(stores.apply_patch(store, reducing, ids.timestamp(0)), full, 3, language)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("look", LOOKS)
def test_mail_is_readable_on_every_screen(chromium, language, look):
    """A mail has one column without overflow, texts with a contrast of 4.5:1 in both colour schemes, its
    language, less than 60 kB, and pictures only from the shop; without them it says the same.
    Rule: mail-form."""
    page, requested = chromium.new_page(java_script_enabled=False), []
    page.on("request", lambda request: requested.append(request.url))
    for answer_picture in (draw, block):
        page.route("**/*", answer_picture)
        for mail in mails(language, **LOOKS[look]):
            assert len(mail.as_bytes()) < 60_000
            page.set_content(text_of(mail, "html"), wait_until="networkidle")
            assert [*faults(page)] == []
            html = page.locator("html")
            assert (html.get_attribute("lang"), html.get_attribute("dir")) == (language, "ltr")
        page.unroute_all()
    assert {url.rpartition("/")[0] for url in requested} == {ORIGIN}
    page.close()


def test_list_of_mails_previews_the_first_product(chromium):
    """A mail program shows the first product and its price after the subject; the mail doesn't show that
    line. Rule: mail-form."""
    page = chromium.new_page()
    page.set_content(text_of(notices(shop()), "html"))
    preview = page.get_by_text("A lamp: Saved at €52.90, now €39.90", exact=True)
    assert preview.count() == 1 and not preview.is_visible()
    page.close()


@pytest.mark.parametrize("language", TEXTS)
def test_pages_of_links_in_mails_are_readable_on_every_screen(own_shop, chromium, language):
    """The pages to confirm, to unsubscribe and to say "This wasn't me" work without script, have the shop's
    name, the reader's language and large buttons, and fit every screen. Rule: mail-links."""
    own_shop.shop.update("--shop-name", "Anna’s", "--accent", "#14213d")
    context = chromium.new_context(java_script_enabled=False, locale=language)
    page = context.new_page()
    for link, buttons in (("wwmc_", 2), ("wwmu_", 1)):
        for number in range(buttons):
            page.goto(f"{own_shop.url}{BASE}/mail/{link}{'x' * 28}")
            assert page.locator("html").get_attribute("lang") == language
            assert page.get_by_role("button").count() == buttons
            assert [*faults(page)] == []
            asked = page.get_by_role("heading").inner_text()
            page.get_by_role("button").nth(number).click()
            assert page.get_by_role("heading").inner_text() != asked
            assert page.get_by_role("button").count() == 0
            assert [*faults(page)] == []
            assert not re.search(r"\{\w*\}", page.locator("body").inner_text())
    context.close()
