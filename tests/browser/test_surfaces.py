"""Messages and menus of the elements: where they are, their keys, colours and corners."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from .conftest import ARGUMENTS, BASE, chromium_path
from .own_shop import PAGE, SCRIPT
from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor
from .test_count import COUNT, TOAST, counted, heart, hearts, press, quiet
from .test_pages import violations

pytestmark = pytest.mark.xdist_group("shop-browser")

LISTED = """async () => (await import('/apps/wishlist/assets/wishwell.js')).wishlist.save(
  { productId: 9, listName: 'Birthday' })"""
LONG = "Handmade shelf of oiled oak with four boards " * 4


def toasts(page):
    return page.locator("wishlist-toast >> [part=toast]")


def test_toast_can_be_pressed_above_a_modal_dialog(visitor):
    """While the shop shows a modal dialog, the message is inside of it, above its backdrop; closing
    the dialog moves the message back."""
    dialog = f"<dialog><p>Quick view</p>{hearts(2)}</dialog>"
    page = visitor.open(hearts(1) + dialog + TOAST)
    press(page, 1)
    expect(toasts(page)).to_be_visible()
    page.evaluate("document.querySelector('dialog').showModal()")
    # The message was there before the dialog, and is moved.
    undo = page.locator("dialog").get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    press(page, 2)
    expect(page.locator("dialog").get_by_text("Saved to your wishlist")).to_be_visible()
    assert violations(page) == []
    undo.click()
    expect(heart(page, 2)).to_have_attribute("aria-pressed", "false")
    expect(page.locator("dialog")).to_be_visible()
    press(page, 2)
    page.evaluate("document.querySelector('dialog').close()")
    expect(toasts(page)).to_be_visible()
    toasts(page).get_by_role("button", name="Undo").click()
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "true")


def test_toast_is_above_popovers_of_the_shop(visitor):
    """A message that comes while the shop's popover is open is the topmost element."""
    style = "position:fixed;inset:0;width:100vw;height:100vh"
    popover = f"<div popover=manual style='{style}'>{hearts(1)}</div>"
    page = visitor.open(popover + TOAST)
    page.evaluate("document.querySelector('[popover]').showPopover()")
    press(page, 1)
    toasts(page).get_by_role("button", name="Undo").click()
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "false")


def test_toast_is_used_by_keyboard(visitor):
    """F8 leads to the message and back; Tab moves within it, Enter presses, and Escape closes it and
    returns the focus."""
    page = visitor.open(hearts(1) + TOAST)
    press(page, 1)
    expect(toasts(page)).to_be_visible()
    heart(page, 1).focus()
    page.keyboard.press("F8")
    expect(toasts(page).get_by_role("link", name="View")).to_be_focused()
    page.keyboard.press("F8")
    expect(heart(page, 1)).to_be_focused()
    page.keyboard.press("F8")
    page.keyboard.press("Tab")
    expect(toasts(page).get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Escape")
    expect(toasts(page)).to_have_count(0)
    expect(heart(page, 1)).to_be_focused()
    press(page, 1)
    expect(toasts(page)).to_be_visible()
    heart(page, 1).focus()
    page.keyboard.press("F8")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.keyboard.press("Enter")
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_removals_share_a_message_until_they_are_saved_again(visitor):
    """Two quick removals share a message with one undo. A product that is saved again leaves it, so
    that no undo is without effect."""
    page = visitor.open(COUNT + hearts(1, 2) + TOAST)
    press(page, 1, 2)
    press(page, 1, 2)
    expect(toasts(page)).to_have_count(1)
    expect(toasts(page)).to_contain_text("2 items removed")
    press(page, 1)
    expect(page.get_by_text("2 items removed")).to_have_count(0)
    expect(page.get_by_text("Removed from your wishlist")).to_be_visible()
    press(page, 2)
    expect(page.get_by_text("Removed from your wishlist")).to_have_count(0)
    press(page, 1, 2)
    toasts(page).get_by_role("button", name="Undo").click()
    counted(page, 2)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["de", "en"])
def test_long_title_takes_at_most_two_lines_on_a_phone(own_shop, new_visitor, lang):
    """A title of 180 characters is cut: message and title take one line each, and all is within the
    window."""
    product = {"title": LONG, "image": f"{own_shop.url}/picture.png"}
    own_shop.shop.admin.put("/products/31", json=product)
    visitor = new_visitor(viewport={"width": 360, "height": 740})
    page = visitor.open(hearts(31) + TOAST, lang=lang)
    press(page, 31)
    more = toasts(page).locator("[part=more]")
    expect(more).to_have_text(LONG.strip())
    box, text = toasts(page).bounding_box(), toasts(page).locator("[part=text]").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    assert box["y"] + box["height"] <= 740
    assert text["height"] < 64 and box["height"] < 120
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page) == []


@pytest.mark.parametrize("lang", ["en", "de", "fr", "pl"])
def test_buttons_of_dialogs_share_a_row_on_a_phone(new_visitor, lang):
    """At 360 px the options' buttons are in one row."""
    visitor = new_visitor(viewport={"width": 360, "height": 740})
    page = visitor.open(hearts(1))
    press(page, 1)
    body = "<wishlist-page cart></wishlist-page>"
    visitor.open(body, page=page, scripts=("wishwell", "page"), lang=lang)
    page.locator(".card .name").first.wait_for()
    rows = """(all) => {
      const boxes = all.map((one) => one.getBoundingClientRect());
      return new Set(boxes.map(({ top, bottom }) => Math.round((top + bottom) / 2))).size;
    }"""
    page.locator("button.options").first.click()
    buttons = page.get_by_role("dialog").locator(".row > button")
    expect(buttons).to_have_count(2)
    assert buttons.evaluate_all(rows) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.slow
def test_event_follows_on_the_next_page_when_the_page_is_left(visitor):
    """A save whose answer comes after the page was left is an event of the next page, once."""
    page = visitor.open(hearts(1, 2))
    press(page, 2)  # the visitor's session
    quiet(page)
    visitor.context.new_cdp_session(page).send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    record = """<script>window.seen = []; for (const type of ['wishlist-added', 'wishlist-removed'])
      document.addEventListener(type, ({ detail }) => seen.push([type.slice(9), detail]))</script>"""
    heart(page, 1).click()
    visitor.open(hearts(5), page=page, path="/next", head=record)
    page.wait_for_function("seen.length")
    [[kind, detail]] = page.evaluate("seen")
    assert (kind, detail["productId"], detail["quantity"]) == ("added", 1, 1)
    visitor.open(hearts(5), page=page, path="/third", head=record)
    quiet(page)
    page.wait_for_timeout(2500)
    assert page.evaluate("seen") == []
    press(page, 5)
    visitor.open(hearts(5), page=page, path="/next", head=record)
    page.wait_for_timeout(2500)
    assert page.evaluate("seen") == []


def test_other_tabs_forget_the_previous_customer(own_shop, visitor):
    """Hearts, count and cards disappear from another tab within a second of the first answer for
    another shopper."""
    own_shop.shop.customer("611").http.post("/items", json={"productId": 1})
    visitor.sign_in("611")
    body = COUNT + hearts(1) + "<wishlist-page></wishlist-page>"
    page = visitor.open(body, scripts=("wishwell", "page"))
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("wishlist-page .card .name")).to_have_count(1)
    quiet(page)
    visitor.sign_in(None)
    other = visitor.open(hearts(2))
    expect(heart(other, 2)).to_have_attribute("aria-pressed", "false")
    soon = {"timeout": 1000}
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "false", **soon)
    expect(page.locator("wishlist-page .card .name")).to_have_count(0, **soon)
    counted(page, 0)


def test_unknown_text_is_named_in_the_console(visitor):
    """A misspelt key is named with the nearest one; known keys of other elements aren't."""
    own = json.dumps({"en": {"titel": "Mine", "saved": "Kept", "heart": "Keep"}})
    said = []
    page = visitor.context.new_page()
    page.on("console", lambda message: said.append(message.text))
    head = f"<script type='application/json' data-wishlist-texts>{own}</script>"
    visitor.open(hearts(1), head=head, page=page)
    expect(heart(page, 1)).to_have_accessible_name("Keep")
    quiet(page)
    assert said == ['The wishlist has no text "titel". Did you mean "title"?']


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "de", "pl", "sv"])
def test_small_numbers_need_no_intl_object(visitor, lang):
    """Hearts and a count of 1 or 999 make no `Intl` object: the first costs up to 100 ms."""
    page = visitor.open(hearts(1) + COUNT, lang=lang)
    press(page, 1)
    watch = """<script>window.made = [];
      for (const name of Object.getOwnPropertyNames(Intl).filter((name) => Intl[name].prototype)) {
        const note = () => (made.push(name), {});
        Intl[name] = new Proxy(Intl[name], { construct: note, apply: note });
      }
      for (const type of [Number, BigInt, Date, Array]) {
        const before = type.prototype.toLocaleString;
        type.prototype.toLocaleString = function (...all) {
          made.push(type.name); return before.apply(this, all) };
      }
    </script>"""
    for count in (1, 999):
        page = visitor.open(hearts(1) + COUNT, lang=lang, head=watch, page=page)
        expect(page.locator("wishlist-count")).to_have_text(str(count))
        quiet(page)
        assert page.evaluate("made") == []
        page.evaluate(
            f"""() => {{
              const known = JSON.parse(localStorage['wishwell:{BASE}']);
              localStorage['wishwell:{BASE}'] = JSON.stringify({{ ...known, n: 999 }});
            }}"""
        )


@pytest.mark.slow
def test_surfaces_take_a_dark_pages_colours(visitor):
    """On a dark page without `color-scheme`, the menu and dialogs have the page's background and
    text colour, and the form's controls are dark; they follow a switch of the page's theme."""
    head = """<style>body{background:#101418;color:#e8e6e3}
      .light body{background:#fffdf8;color:#111}</style>"""
    body = hearts(1).replace("></", " choose-list></") + "<wishlist-page></wishlist-page>"
    page = visitor.open(body, head=head, scripts=("wishwell", "page"))
    page.evaluate(LISTED)
    heart(page, 1).click()
    page.get_by_role("dialog").get_by_role("button", name="New list").wait_for()
    look = """(it) => {
      const { backgroundColor, color, colorScheme } = getComputedStyle(it);
      return [backgroundColor, color, colorScheme];
    }"""
    dark = ["rgb(16, 20, 24)", "rgb(232, 230, 227)", "dark"]
    assert page.locator("wishlist-button >> [part=menu]").evaluate(look) == dark
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("wishlist-page").get_by_role("button", name="New list").click()
    dialog = page.get_by_role("dialog")
    assert dialog.evaluate(look) == dark
    assert violations(page) == []
    page.evaluate("document.documentElement.classList.add('light')")
    assert dialog.evaluate(look) == ["rgb(255, 253, 248)", "rgb(17, 17, 17)", "light"]
    assert violations(page) == []


@pytest.mark.slow
def test_radius_reaches_all_corners_but_round_icons(visitor):
    """`--wishlist-radius: 0` leaves no rounded corner, except those of round icon buttons."""
    head = "<style>html{--wishlist-radius:0}</style>"
    body = hearts(1, 2).replace("></", " choose-list></", 1) + TOAST
    body += '<wishlist-page cart></wishlist-page><wishlist-share list-id="x"></wishlist-share>'
    page = visitor.open(body, head=head, scripts=("wishwell", "page", "share"))
    page.evaluate(LISTED)
    press(page, 2)
    heart(page, 1).click()
    page.get_by_role("dialog").get_by_role("button", name="New list").click()
    page.locator(".card .name").first.wait_for()
    rounded = """() => {
      const found = [];
      const walk = (root) => root.querySelectorAll('*').forEach((it) => {
        const { borderTopLeftRadius: corner } = getComputedStyle(it);
        if (corner !== '0px' && !it.matches('.icon, [part~=button], select, input[type=checkbox]'))
          found.push(`${it.localName}.${it.className} ${corner}`);
        if (it.shadowRoot) walk(it.shadowRoot);
      });
      walk(document);
      return found;
    }"""
    assert page.evaluate(rounded) == []


@pytest.mark.slow
def test_blocked_cookies_are_named_as_the_cause(own_shop, chromium, tmp_path):
    """With all cookies and storage blocked in the browser's settings, a press says so, and nothing is
    thrown."""
    if chromium.browser_type.name == "firefox":
        prefs = {"firefox_user_prefs": {"network.cookie.cookieBehavior": 2}}
    else:
        (tmp_path / "Default").mkdir()
        blocked = {"profile": {"default_content_setting_values": {"cookies": 2}}}
        (tmp_path / "Default/Preferences").write_text(json.dumps(blocked))
        prefs = {"executable_path": chromium_path(), "args": ARGUMENTS}
    html = PAGE.format(
        lang="en", dir="ltr", head=SCRIPT.format("wishwell"), body=COUNT + hearts(1) + TOAST
    )
    context = chromium.browser_type.launch_persistent_context(tmp_path, **prefs)
    thrown = []
    page = context.new_page()
    page.on("pageerror", lambda error: thrown.append(str(error)))
    page.route(f"{own_shop.url}/", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto(own_shop.url + "/")
    stores = "() => { try { return !!localStorage } catch { return false } }"
    assert page.evaluate(stores) is False
    heart(page, 1).click()
    expect(page.get_by_text("Your browser blocks cookies.")).to_be_visible()
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "false")
    assert thrown == []
    context.close()


@pytest.mark.parametrize("what", ["get", "request"])
def test_heart_saves_when_locks_are_refused(visitor, what):
    """A browser that allows cookies but refuses locks still saves."""
    refuse = "() => { throw new DOMException('Denied', 'SecurityError') }"
    head = (
        f"<script>Object.defineProperty(navigator, 'locks', {{ get: {refuse} }})</script>"
        if what == "get"
        else f"<script>navigator.locks.request = async {refuse}</script>"
    )
    page = visitor.open(hearts(1), head=head)
    press(page, 1)
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "true")
