"""The wishlist page's orders, selections, removals, cart, and sharing, as a shopper uses them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.conftest import slow
from tests.servers import wait_until

from .conftest import ARGUMENTS, MOVED, cards, choose, chromium_path, press, shows
from .test_pages import violations
from .test_wishlist import CUP, DEMO, FIG, LAMP, THROW, button, tab

pytestmark = pytest.mark.xdist_group("browser")

ALL = [101, 102, 103, 104]


def change(page, fields):
    """Changes fields of items in the service's answers, by product: states of a catalogue that the
    demo hasn't."""

    def changed(route):
        answer = route.fetch()
        body = answer.json()
        data = body["data"]
        for item in data if isinstance(data, list) else data["items"]:
            item |= fields.get(item["productId"], {})
        route.fulfill(response=answer, body=json.dumps(body))

    page.route(re.compile(r"(items|lists/[\w-]+)[?].*include=product"), changed)


def open_list(shopper, page, products, path=DEMO):
    shopper.make_list(page, "Birthday", products, path)
    return page


def more(page, name):
    """Opens an item's dialog."""
    button(page, f"More options for {name}").click()
    return page.get_by_role("dialog")


def test_items_are_sorted_by_the_service(shopper):
    """The order is kept for the tab's history entry, and items are moved by hand only in the custom
    order, which only lists have."""
    page = open_list(shopper, shopper.open(), [102, 104, 101, 103])
    shows(page, LAMP, FIG, CUP, THROW)
    expect(page.locator(".grip")).to_have_count(4)
    order = page.get_by_label("Sort by")
    for name, expected in (
        ("Lowest price", (CUP, FIG, THROW, LAMP)),
        ("Title A–Z", (LAMP, CUP, FIG, THROW)),
        ("Newest first", (THROW, CUP, FIG, LAMP)),
        ("Oldest first", (LAMP, FIG, CUP, THROW)),
    ):
        order.select_option(name)
        shows(page, *expected)
        expect(page.locator(".grip")).to_have_count(0)
    expect(button(more(page, CUP), re.compile("^Move"))).to_have_count(0)
    page.keyboard.press("Escape")
    page.reload()
    shows(page, LAMP, FIG, CUP, THROW)
    expect(order).to_have_value("oldest")
    tab(page, "All").click()
    shows(page, LAMP, FIG, CUP, THROW)
    expect(order.get_by_role("option")).to_have_count(5)
    tab(page, "Birthday").click()
    order.select_option("Custom order")
    expect(page.locator(".grip")).to_have_count(4)
    tab(page, "All").click()
    shows(page, THROW, CUP, FIG, LAMP)


@pytest.mark.slow
def test_selected_items_are_put_on_a_list_or_removed_together(shopper):
    """Selected items go onto a list, old or new, or are removed with one "Undo"; their cards have no
    other controls. Removed items come back to their places."""
    page = open_list(shopper, shopper.open(), ALL)
    shopper.save_list(page, "Home", [])
    page.reload()
    choose(page, "Select")
    bar = page.get_by_role("group", name="Select")
    expect(bar.get_by_role("status")).to_have_text("0 selected")
    expect(button(bar, "Remove")).to_be_disabled()
    expect(cards(page).get_by_role("button")).to_have_count(0)
    expect(cards(page).get_by_role("link")).to_have_count(0)
    page.evaluate(
        """addEventListener('wishlist-added', () => (window.added = (window.added ?? 0) + 1), true)"""
    )
    for name in (LAMP, FIG):
        page.get_by_role("checkbox", name=name).check()
    button(bar, "Add to lists").click()
    button(page.get_by_role("dialog"), "Home").click()
    expect(page.get_by_text("2 items added to Home")).to_be_visible()
    expect(bar).to_have_count(0)
    expect(tab(page, "Home")).to_have_text("Home2")
    choose(page, "Select")
    button(bar, "Select all").click()
    button(bar, "Add to lists").click()
    button(page.get_by_role("dialog"), "New list").click()
    page.get_by_role("textbox", name="List name").fill("Later")
    page.keyboard.press("Enter")
    expect(tab(page, "Later")).to_have_text("Later4")
    choose(page, "Select")
    for name in (CUP, THROW):
        page.get_by_role("checkbox", name=name).check()
    button(bar, "Remove").click()
    shows(page, LAMP, FIG)
    expect(page.get_by_text("2 items removed")).to_be_visible()
    expect(tab(page, "Later")).to_have_text("Later2")
    sent = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    button(page, "Undo").click()
    expect(page.get_by_text("Restored 2 items")).to_be_visible()
    saves = [line for line in sent if re.search("^(POST|PUT) .*/items$", line)]
    assert [line.split()[0] for line in saves] == ["PUT"]
    # Only the items that were removed are new.
    assert wait_until(lambda: page.evaluate("window.added") == 2, seconds=10)
    shows(page, CUP, LAMP, THROW, FIG)
    page.reload()
    shows(page, CUP, LAMP, THROW, FIG)


@pytest.mark.slow
def test_two_quick_removals_share_an_undo(shopper):
    """A card's button removes in one press. Two quick removals share a message, whose "Undo" makes the
    list as it was. An item that is saved again meanwhile leaves the message."""
    page = open_list(shopper, shopper.open(), ALL)
    for name in (LAMP, THROW):
        button(page, f"Remove {name}").click()
    shows(page, CUP, FIG)
    expect(page.get_by_text("2 items removed")).to_be_visible()
    button(page, "Undo").click()
    expect(page.get_by_text("Restored 2 items")).to_be_visible()
    shows(page, CUP, LAMP, THROW, FIG)
    page.reload()
    shows(page, CUP, LAMP, THROW, FIG)
    for name in (LAMP, THROW):
        button(page, f"Remove {name}").click()
    expect(page.get_by_text("2 items removed")).to_be_visible()
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          await wishlist.save({ productId: 102, note: 'new' });
        }"""
    )
    message = page.locator("[part=toast]", has_text=f"Removed {THROW}")
    button(message, "Undo").click()
    expect(page.get_by_text(f"{THROW} is back on your wishlist")).to_be_visible()
    shows(page, CUP, THROW, FIG)


def test_item_whose_removal_failed_is_shown_again(shopper):
    """A refused removal is undone at once, and its message takes the place of the offer to undo."""
    page = open_list(shopper, shopper.open(), ALL)
    shopper.expected.add(403)
    refuse = {"status": 403, "json": {"error": {"code": "origin_refused", "message": "No."}}}
    page.route("**/api/items?*", lambda route: route.fulfill(**refuse))
    button(page, f"Remove {LAMP}").click()
    expect(page.get_by_text("Something went wrong.")).to_be_visible()
    shows(page, CUP, LAMP, THROW, FIG)
    expect(page.locator("[part=toast]")).to_have_count(1)


HEAR = "addEventListener('wishlist-cart', ({ detail }) => (window.heard ??= []).push(detail), true)"


@pytest.mark.slow
def test_all_items_are_added_to_the_cart_by_one_event(shopper):
    """The event has every item that can be ordered, those on later pages too, and nothing is
    removed."""
    page = shopper.open()
    shopper.save_list(page, "Many", [*range(2001, 2050), *ALL])
    change(
        page,
        {
            101: {"product": {"available": False}},
            102: {"product": {"deleted": True}},
            103: {"purchased": {"quantity": 1, "at": "2026-11-01T12:00:00Z"}},
        },
    )
    shopper.go(page, DEMO)
    expect(cards(page)).to_have_count(48)
    page.evaluate(HEAR)
    choose(page, "Add all to cart")
    sure = page.get_by_role("dialog", name="Add all to cart?")
    expect(sure).to_contain_text("50 items")
    assert page.evaluate("window.heard") is None
    button(sure, "Add all to cart").click()
    assert wait_until(lambda: page.evaluate("window.heard?.length"), seconds=30)
    [heard] = page.evaluate("window.heard")
    assert [*heard] == ["items"]
    expected = [104, *range(2049, 2000, -1)]
    assert sorted(item["productId"] for item in heard["items"]) == sorted(expected)
    expect(page.get_by_text("53 items")).to_be_visible()
    button(cards(page), "Add to cart: ").first.click()
    [_, one] = page.evaluate("window.heard")
    assert one["items"] == [one["item"]]


def price(amount, currency="EUR"):
    return {"amount": amount, "currency": currency}


DROPS = {
    101: {"savedPrice": price("22.50")},
    102: {"savedPrice": price("89.50")},
    103: {"savedPrice": price("900.00", "USD")},
    104: {"savedPrice": price("100.00")},
}


@pytest.mark.slow
def test_price_drop_since_saving_is_shown_and_sorted(shopper):
    """A drop of at least one per cent, in one currency, is said in words, with a badge. "Largest drop"
    has the largest percentage first."""
    page = shopper.open()
    shopper.save_list(page, "Birthday", ALL)
    change(page, DROPS)
    shopper.go(page, DEMO)
    shows(page, FIG, THROW, LAMP, CUP)
    expect(page.locator(".cheaper")).to_have_text(
        ["Saved at €100.00, now €24.00", "Saved at €22.50, now €18.00"]
    )
    expect(cards(page).locator(".badge")).to_have_text(["Cheaper", "Cheaper"])
    expect(page.locator("del")).to_have_count(0)
    page.get_by_label("Sort by").select_option("Largest drop")
    shows(page, FIG, CUP, THROW, LAMP)
    tab(page, "Birthday").click()
    shows(page, FIG, CUP, THROW, LAMP)
    assert violations(page) == []


@pytest.mark.slow
def test_reductions_are_struck_through_where_the_store_shows_them(shopper):
    """With `--show-reductions on`, the price at the save is struck through, and the badge has the
    percentage with a minus sign."""
    page = shopper.open()
    shopper.save_list(page, "Birthday", ALL)
    change(page, DROPS)

    def reduces(route):
        answer = route.fetch()
        data = answer.json()["data"] | {"showReductions": True}
        route.fulfill(response=answer, json={"data": data})

    page.route("**/api/profile", reduces)
    shopper.go(page, DEMO)
    cup = cards(page).filter(has_text=CUP)
    expect(cup.locator(".price")).to_have_text("€22.50€18.00")
    expect(cup.locator("del")).to_have_css("text-decoration-line", "line-through")
    expect(cup.locator(".badge")).to_have_text("−20%")
    expect(page.locator(".cheaper")).to_have_count(0)
    assert violations(page) == []


@pytest.mark.parametrize(
    ("profile", "offer"),
    [
        ({"noticesBy": "webhook", "notified": False}, "Tell me"),
        slow({"noticesBy": "webhook", "notified": True}, "We’ll tell you"),
        slow({"noticesBy": "none"}, ""),
    ],
)
def test_sold_out_item_offers_notices(shopper, profile, offer):
    """A sold-out card says so once, has no cart button, and offers the profile's notices where there
    are any. Rule: notice-consent."""
    page = shopper.open()
    press(page, 101)
    change(page, {101: {"product": {"title": CUP, "available": False}}})
    sent = []

    def answer(route):
        if route.request.method == "PATCH":
            sent.append(route.request.post_data_json)
            profile["notified"] = True
        answer = route.fetch(method="GET")
        route.fulfill(response=answer, json={"data": answer.json()["data"] | profile})

    page.route("**/api/profile", answer)
    shopper.go(page, DEMO)
    card = cards(page)
    expect(card.get_by_text("Sold out")).to_have_count(1)
    expect(button(card, "Add to cart")).to_have_count(0)
    expect(card.locator(".actions")).to_have_text(offer)
    if offer == "Tell me":
        button(card, offer).click()
        expect(card.locator(".actions")).to_have_text("We’ll tell you")
    assert sent == [{"notices": True}][: offer == "Tell me"]
    assert violations(page) == []


@pytest.mark.slow
def test_titles_are_searched_with_more_than_24_items(shopper):
    """With more than 24 items there is a search: the service finds the words in titles, also on a
    list, and in the chosen order. Without a match, a button shows all items again."""
    page = shopper.open()
    shopper.save_list(page, "Birthday", [*ALL, *range(2001, 2021)])
    shopper.go(page, DEMO)
    expect(cards(page)).to_have_count(24)
    field = page.get_by_role("searchbox", name="Search")
    expect(field).to_have_count(0)
    press(shopper.open(), 105)
    page.bring_to_front()
    field.fill("l dO, ")
    shows(page, FIG, LAMP)
    page.get_by_label("Sort by").select_option("Lowest price")
    shows(page, FIG, LAMP)
    expect(field).to_have_value("l dO, ")
    field.fill("nothing")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    assert violations(page) == []
    button(page, "View all items").click()
    expect(cards(page)).to_have_count(25)
    expect(field).to_have_value("")
    tab(page, "Birthday").click()
    expect(cards(page)).to_have_count(24)
    expect(field).to_have_count(0)


LANGUAGES = ["en", "de", "es", "fr", "it", "nl", "pl"]
BOXES = """(all) => all.map((one) => one.getBoundingClientRect().toJSON())"""


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
def test_first_picture_begins_in_the_first_300_px_on_a_phone(new_shopper, shared_demo, lang):
    """At 360 × 740 px title and count are one line, so are the lists, the tools and the sign-in, with
    a search, an address that waits, a shared list and long names. A card's heart and menu are 8 px
    apart and outside of its badge."""
    shopper = new_shopper(shared_demo, viewport={"width": 360, "height": 740})
    page = shopper.open()
    shopper.save_list(page, "A birthday with a very long name", [*ALL, *range(2001, 2027)])
    shopper.save_list(page, "Kitchen", [])
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          const body = { email: 'annabelle@example.com', notices: true };
          await wishlist.call('POST', 'profiles/identify', { body });
          await wishlist.call('POST', 'shares', { body: {} });
        }"""
    )
    cheap = {"savedPrice": price("900.00"), "product": {"price": price("800.00")}}
    change(page, dict.fromkeys((*ALL, *range(2001, 2027)), cheap))
    page.add_init_script(
        f"""document.addEventListener('DOMContentLoaded', () => {{
          document.documentElement.lang = '{lang}';
          document.querySelector('wishlist-page')?.setAttribute('sign-in', '/sign-in');
        }})"""
    )
    shopper.go(page, DEMO)
    expect(cards(page)).to_have_count(30)
    element = page.locator("wishlist-page")
    top = element.bounding_box()["y"]
    assert page.locator(".picture").first.bounding_box()["y"] - top < 300
    for row in (".head > *", ".bar > *", ".tools > *", ".sign-in"):
        boxes = page.locator(row).evaluate_all(BOXES)
        assert boxes, row
        assert max(box["top"] for box in boxes) < min(box["bottom"] for box in boxes), row
        assert min(box["left"] for box in boxes) >= 0, row
        assert max(box["right"] for box in boxes) <= 360, row
    fits = "(it) => it.scrollWidth <= it.clientWidth"
    assert page.locator(".sign-in").evaluate(fits), page.locator(".sign-in").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    card = cards(page).first
    heart, menu, badge = (
        card.locator(part).bounding_box() for part in (".remove", ".options", ".badge")
    )
    assert menu["y"] - heart["y"] - heart["height"] == 8
    assert menu["x"] == heart["x"]
    assert badge["x"] + badge["width"] <= menu["x"] or badge["y"] >= menu["y"] + menu["height"]
    assert violations(page) == []


@pytest.mark.parametrize("width", [360, slow(1280)])
@pytest.mark.parametrize("attributes", [*map(slow, ("", "sign-in")), "cart sign-in list"])
def test_page_shifts_no_layout_while_it_loads(new_shopper, shared_demo, width, attributes):
    """From an empty cache, with slow answers, the page's layout shifts by at most 0.02."""
    shopper = new_shopper(shared_demo, viewport={"width": width, "height": 740})
    page = shopper.open()
    made = shopper.save_list(page, "Birthday", ALL)
    values = {"list": made, "sign-in": "/sign-in", "cart": ""}
    given = {name: values[name] for name in attributes.split()}
    page.add_init_script(
        MOVED
        + f"""document.addEventListener('DOMContentLoaded', () => {{
          const page = document.querySelector('wishlist-page');
          for (const name of ['cart', 'sign-in']) page?.removeAttribute(name);
          for (const [name, value] of {json.dumps([*given.items()])}) page?.setAttribute(name, value);
        }})"""
    )
    slow = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    shopper.go(page, DEMO)
    expect(cards(page)).to_have_count(4)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.moved") <= 0.02


def test_deleted_product_has_no_link_or_cart_button(shopper):
    """A deleted product has neither link nor cart button, which one that the catalogue never knew
    has. A bought item is marked. Two variants without names have distinct names."""
    page = shopper.open()
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          for (const productId of [101, 102, 999]) await wishlist.save({ productId });
          for (const variantId of [71, 72]) await wishlist.save({ productId: 998, variantId });
        }"""
    )
    change(
        page,
        {
            101: {"product": {"deleted": True}},
            102: {"purchased": {"quantity": 1, "at": "2026-11-01T12:00:00Z"}},
        },
    )
    page.add_init_script(
        "document.addEventListener('DOMContentLoaded', () => document.querySelector('wishlist-page')"
        "?.setAttribute('product-url', '/p/{productId}'))"
    )
    shopper.go(page, DEMO)
    expect(cards(page)).to_have_count(5)
    gone = cards(page).filter(has_text="Product 101")
    expect(gone.locator(".badge")).to_have_text("No longer available")
    expect(gone.get_by_role("link")).to_have_count(0)
    expect(button(gone, "Add to cart")).to_have_count(0)
    expect(button(gone, "Remove")).to_be_visible()
    unknown = cards(page).filter(has_text="Product 999")
    expect(unknown.locator(".badge")).to_have_count(0)
    expect(button(unknown, "Add to cart: Product 999")).to_be_enabled()
    expect(cards(page).filter(has_text=LAMP).locator(".badge")).to_have_text("Bought")
    for variant in (71, 72):
        expect(button(page, f"Add to cart: Product 998, Variant {variant}")).to_be_visible()
        expect(page.locator(".variant", has_text=f"Variant {variant}")).to_be_visible()
    assert violations(page) == []


@pytest.mark.slow
def test_escape_discards_the_typed_text_and_done_saves_it(shopper):
    """Escape and the button × discard the typed text. A quantity that isn't allowed is answered
    with the allowed ones. The note's field says who sees it."""
    page = shopper.open()
    press(page, 101)
    shopper.go(page, DEMO)
    for leave in ("Escape", "Close", "Done"):
        sheet = more(page, CUP)
        expect(sheet.get_by_text("Only you see this")).to_be_visible()
        for wrong in ("2.5", "0", ""):
            sheet.get_by_label("Quantity").fill(wrong)
            button(sheet, "Done").click()
            expect(sheet).to_be_visible()
            said = sheet.get_by_label("Quantity").evaluate("field => field.validationMessage")
            assert said == "Enter a whole number from 1 to 1,000,000."
        sheet.get_by_label("Quantity").fill("3")
        sheet.get_by_label("Note").fill("In honey")
        if leave == "Escape":
            page.keyboard.press("Escape")
        else:
            button(sheet, leave).click()
        expect(sheet).to_have_count(0)
        if leave != "Done":
            page.reload()
            expect(cards(page).locator(".price")).to_have_text("€18.00")
            expect(cards(page).locator(".note")).to_have_count(0)
    expect(cards(page).locator(".price")).to_have_text("3 × €18.00")
    page.reload()
    expect(cards(page).locator(".note")).to_have_text("In honey")


@pytest.mark.slow
def test_page_is_mirrored_for_right_to_left_languages(shopper):
    """Arrow keys on tabs and a card's buttons follow the writing direction."""
    page = shopper.open()
    shopper.save_list(page, "Birthday", [101])
    page.add_init_script(
        "document.addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl'))"
    )
    shopper.go(page, DEMO)
    tab(page, "All").focus()
    page.keyboard.press("ArrowLeft")
    expect(tab(page, "Birthday")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tab(page, "All")).to_be_focused()
    card = cards(page).first.bounding_box()
    for name in ("Remove ", "More options for "):
        box = button(page, name + CUP).bounding_box()
        assert box["x"] - card["x"] < card["width"] / 4
    tab(page, "Birthday").click()
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_dialog_has_no_needless_scrollbar(chromium, shared_demo):
    """A dialog has no needless scrollbar, even if scrollbars take space; one that is longer than
    the window keeps its corners."""
    options: dict[str, Any] = {"ignore_default_args": ["--hide-scrollbars"], "args": ARGUMENTS}
    if chromium.browser_type.name == "chromium":
        options["executable_path"] = chromium_path()
    browser = chromium.browser_type.launch(**options)
    try:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(shared_demo.url)
        press(page, 101)
        page.goto(shared_demo.url + DEMO)
        inside = more(page, CUP).locator(".inside")
        spare = "it => [it.scrollHeight - it.clientHeight, it.offsetWidth - it.clientWidth]"
        assert inside.evaluate(spare) == [0, 0]
        assert page.get_by_role("dialog").evaluate(spare) == [0, 0]
        page.set_viewport_size({"width": 1280, "height": 300})
        assert min(inside.evaluate(spare)) > 0
        assert page.get_by_role("dialog").evaluate(spare) == [0, 0]
    finally:
        browser.close()


@pytest.mark.slow
def test_titles_are_clamped_with_and_without_a_link(shopper):
    """A long title takes two lines, whether the product has a link or not."""
    page = shopper.open()
    press(page, 101, 102)
    long = "A very long title of a product " * 8
    change(
        page,
        {
            101: {"product": {"title": long}},
            102: {"product": {"title": long, "url": f"{shopper.url}/products/lamp"}},
        },
    )
    shopper.go(page, DEMO)
    expect(cards(page)).to_have_count(2)
    expect(page.locator(".link")).to_have_count(1)
    heights = page.locator(".name").evaluate_all(
        "names => names.map((it) => it.offsetHeight / parseFloat(getComputedStyle(it).lineHeight))"
    )
    assert [round(lines, 1) for lines in heights] == [2, 2]


@pytest.mark.slow
def test_share_link_is_copied_when_the_clipboard_api_is_refused(shopper):
    """The link is copied and shown even on plain http, where browsers have no clipboard API."""
    page = shopper.open()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    open_list(shopper, page, [101])
    choose(page, "Share")
    button(page, "Create link").click()
    link = page.get_by_label("Link", exact=True).input_value()
    assert link.startswith(f"{shopper.url}/shared#wwshr_")
    button(page, "Copy link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    page.get_by_label("Your name").press("Control+v")
    expect(page.get_by_label("Your name")).to_have_value(link[:100])
    page.get_by_label("Your name").clear()
    page.evaluate("document.execCommand = () => false")
    button(page, "Copy link").click()
    expect(page.get_by_text("Your browser didn’t allow copying.")).to_be_visible()
    selected = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert page.get_by_label("Link", exact=True).evaluate(selected) == link
    page.keyboard.press("Escape")


@pytest.mark.slow
def test_share_button_copies_when_the_clipboard_api_is_refused(shopper):
    """The share button on a shop's own page copies without a clipboard API, too."""
    page = shopper.open()
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    made = shopper.save_list(page, "Birthday", [101])
    shopper.go(page, "/")
    page.evaluate(
        """async (id) => {
          await import('/apps/wishlist/assets/share.js');
          const share = document.createElement('wishlist-share');
          share.setAttribute('list-id', id);
          document.body.replaceChildren(share, document.createElement('textarea'));
        }""",
        made,
    )
    button(page, "Share").click()
    button(page, "Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    page.locator("textarea").press("Control+v")
    expect(page.locator("textarea")).to_have_value(re.compile("/shared/wwshr_"))


def test_whole_wishlist_is_shared_with_a_name_and_notes(shopper, new_shopper, shared_demo):
    """Sharing begins with the choices, and makes one link, with them, only when asked to. A shared
    wishlist shows later saves, too. "Done", or using the link, stores changed choices; Escape discards
    them."""
    page = shopper.open()
    press(page, 101)
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          const { data: [{ id }] } = await wishlist.items.list();
          await wishlist.items.update(id, { note: 'In honey' });
        }"""
    )
    shopper.go(page, DEMO)
    made = []
    page.on("request", lambda sent: made.append(sent) if sent.method == "POST" else None)
    choose(page, "Share")
    page.get_by_label("Your name").fill("Nobody")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    choose(page, "Share")
    expect(page.get_by_label("Link", exact=True)).to_have_count(0)
    expect(page.get_by_label("Your name")).to_have_value("")
    page.get_by_label("Your name").fill("Nobody")
    assert made == []
    button(page, "Create link").dblclick()
    link = page.get_by_label("Link", exact=True).input_value()
    assert [sent.post_data_json for sent in made] == [
        {"displayName": "Nobody", "notes": False, "reservations": True}
    ]
    page.get_by_label("Your name").fill("")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        button(page, "Done").click()
    expect(page.get_by_role("img", name="Shared")).to_be_visible()

    theirs = new_shopper(shared_demo).context.new_page()
    theirs.goto(link)
    expect(theirs.get_by_role("heading", name="Wishlist", exact=True)).to_be_visible()
    shows(theirs, CUP)
    expect(theirs.locator(".note")).to_have_count(0)
    choose(page, "Share")
    expect(page.get_by_label("Link", exact=True)).to_have_value(link)
    page.get_by_label("Your name").fill(" Mira ")
    page.get_by_label("Show my notes").check()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        button(page, "Done").click()
    press(shopper.open(), 102)
    theirs.reload()
    expect(theirs.get_by_role("heading", name="Mira’s wishlist")).to_be_visible()
    shows(theirs, LAMP, CUP)
    expect(theirs.locator(".note")).to_have_text("In honey")
    assert violations(theirs) == []

    page.bring_to_front()
    choose(page, "Share")
    expect(page.get_by_label("Your name")).to_have_value("Mira")
    button(page, "Stop sharing").click()
    shopper.expected.add(404)
    button(page.get_by_role("dialog").last, "Stop sharing").click()
    expect(page.get_by_text("This list is no longer shared.")).to_be_visible()


@pytest.mark.slow
def test_add_to_cart_is_a_link_when_cart_url_is_set(shopper):
    """With `cart-url`, "Add to cart" is a link with the item's ids; without the variant that it
    needs, a link to the product. A visitor is asked to sign in, and comes back to this page."""
    page = shopper.open()
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          await wishlist.save({ productId: 102, variantId: 1023, quantity: 2 });
          await wishlist.save({ productId: 101 });
        }"""
    )
    shopper.go(page, DEMO)
    page.evaluate(
        """() => {
          const page = document.querySelector('wishlist-page').cloneNode();
          page.removeAttribute('cart');
          const more = { 'sign-in': '/sign-in', 'sign-in-return': 'next',
            'cart-url': '/cart?id={variantId}&of={productId}&n={quantity}' };
          for (const name in more) page.setAttribute(name, more[name]);
          document.querySelector('wishlist-page').replaceWith(page);
        }"""
    )
    add = page.get_by_role("link", name=f"Add to cart: {LAMP}, Ink")
    expect(add).to_have_attribute("href", f"{shopper.url}/cart?id=1023&of=102&n=2")
    view = page.get_by_role("link", name=f"View: {CUP}")
    expect(view).to_have_attribute("href", re.compile("/products/mug"))
    expect(button(page, "Add all to cart")).to_have_count(0)
    expect(page.get_by_role("link", name="Sign in to keep")).to_have_attribute(
        "href", f"{shopper.url}/sign-in?next=%2Fwishlist"
    )
    assert violations(page) == []
    prompt = page.get_by_text("on all your devices")
    expect(prompt).to_be_visible()
    shopper.sign_in(page, "Jonas")
    with page.expect_response(shopper.is_read):
        page.evaluate("document.querySelector('wishlist-page').setAttribute('sign-in', '/sign-in')")
    expect(cards(page).filter(has_text=LAMP)).not_to_have_count(0)
    expect(prompt).to_have_count(0)
