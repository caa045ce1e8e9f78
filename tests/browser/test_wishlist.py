"""The wishlist page and the shared page, as elements in the demo and as the service's documents.

Both contain the same element; the demo adds a cart. Keyboard use is tested on the documents, touch
in the demo.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.conftest import slow
from tests.servers import wait_until

from .conftest import BASE, CLICK, KEYS, cards, choose, heart, press, shows, use

pytestmark = pytest.mark.xdist_group("browser")

CUP, LAMP, THROW, FIG = "Morning mug", "Dome lamp", "Wool throw", "Windowsill fig"
DEMO, DOCUMENT = "/wishlist", f"{BASE}/"
each_page = pytest.mark.parametrize("path", [slow(DEMO, id="demo"), DOCUMENT])
"""Both contain the same element."""
each_way = pytest.mark.parametrize(("path", "how"), [slow(DEMO, CLICK), (DOCUMENT, KEYS)])


def button(page, name, **options):
    return page.get_by_role("button", name=name, **options)


def tab(page, name):
    return page.get_by_role("tab", name=name)


def chosen(page, name):
    expect(page.get_by_role("tab", selected=True)).to_contain_text(name)


def write(how, field, text):
    """Types into the focused field, or fills the field that a finger chose."""
    if how == CLICK:
        field.fill(text)
    else:
        expect(field).to_be_focused()
        field.page.keyboard.type(text)


@each_page
def test_cards_have_title_price_and_picture(shopper, path):
    """Cards show the catalogue's data of the product or variant, or the id if the catalogue lacks it. The
    shop's cart receives the item.
    Rule: storefront-pages."""
    page = shopper.open()
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          await wishlist.save({ productId: 102, variantId: 1023, quantity: 2 });
          await wishlist.save({ productId: 999 });
        }"""
    )
    shopper.go(page, path)
    shows(page, "Product 999", LAMP)
    unknown, lamp = cards(page).all()
    expect(lamp.locator(".variant")).to_have_text("Ink")
    expect(lamp.locator(".price")).to_have_text("2 × €89.00")
    expect(lamp.get_by_role("link")).to_have_attribute("href", re.compile("/products/lamp"))
    expect(unknown.get_by_role("link")).to_have_count(0)
    expect(unknown.locator("img")).to_have_count(0)
    assert lamp.locator("img").evaluate("async (it) => (await it.decode(), it.naturalWidth)")
    if path == DOCUMENT:
        expect(button(page, "Add to cart")).to_have_count(0)
        return
    page.evaluate(
        "addEventListener('wishlist-cart', ({ detail }) => (window.told = detail.item), true)"
    )
    button(page, f"Add to cart: {LAMP}, Ink").click()
    expect(page.get_by_text(f"Added {LAMP} to your cart").first).to_be_visible()
    told = page.evaluate("window.told")
    assert (told["productId"], told["variantId"], told["quantity"]) == (102, 1023, 2)
    assert told["product"]["variantTitle"] == "Ink"
    expect(page.locator("#carted")).to_have_text("2")
    page.get_by_role("link", name="Cart").click()
    expect(page.get_by_text("Total: €178.00.")).to_be_visible()


@pytest.mark.slow
def test_two_variants_of_a_product_have_distinct_accessible_names(shopper):
    """Two variants of a product have distinct accessible names on cards, buttons and links."""
    page = shopper.open()
    page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          for (const variantId of [1022, 1023]) await wishlist.save({ productId: 102, variantId });
        }"""
    )
    shopper.go(page, DEMO)
    shows(page, LAMP, LAMP)
    for name in (f"{LAMP}, Oat", f"{LAMP}, Ink"):
        expect(page.get_by_role("link", name=name, exact=True)).to_have_count(1)
        for does in ("Add to cart: ", "More options for "):
            expect(button(page, does + name, exact=True)).to_have_count(1)


@pytest.mark.slow
def test_heading_of_the_element_is_below_the_pages_own(shopper):
    """The element's title is the first heading, or below the page's own."""
    page = shopper.open()
    press(page, 101)
    shopper.go(page, DEMO)
    for title in (1, 2):
        expect(page.get_by_role("heading", name="Wishlist", level=title)).to_be_visible()
        expect(page.get_by_role("heading", name=CUP, level=title + 1)).to_be_visible()
        page.evaluate(
            """() => {
              const element = document.querySelector('wishlist-page');
              element.before(Object.assign(document.createElement('h1'), { textContent: 'Mine' }));
              element.replaceWith(element.cloneNode());
            }"""
        )


@each_way
def test_lists_are_made_named_filled_and_deleted(shopper, path, how):
    """Lists are made, filled, renamed and deleted; a deleted list's items stay in the wishlist. An
    empty wishlist links to the shop."""
    page = shopper.open(path)
    expect(page.get_by_role("heading", name="Your wishlist is empty")).to_be_visible()
    expect(page.get_by_role("link", name="Continue shopping")).to_have_attribute(
        "href", re.compile("/$")
    )
    press(shopper.open(), 101, 102)
    page.bring_to_front()
    shows(page, LAMP, CUP)
    use(how, button(page, "New list"))
    write(how, page.get_by_role("textbox", name="List name"), "Birthday")
    page.keyboard.press("Enter")
    chosen(page, "Birthday")
    expect(tab(page, "Birthday")).to_be_focused()
    expect(page.get_by_role("heading", name="This list is empty")).to_be_visible()
    use(how, button(page, "View all items"))
    shows(page, LAMP, CUP)
    use(how, button(page, f"More options for {CUP}"))
    use(how, page.get_by_role("dialog").get_by_role("checkbox", name="Birthday"))
    expect(tab(page, "Birthday")).to_have_text(re.compile("1$"))
    page.keyboard.press("Escape")
    if how == CLICK:
        tab(page, "Birthday").click()
    else:
        use(KEYS, page.get_by_role("tab", selected=True))
        page.keyboard.press("ArrowRight")
    shows(page, CUP)
    choose(page, "Rename", how)
    if how == KEYS:
        page.keyboard.press("Control+a")
    write(how, page.get_by_role("textbox", name="List name"), "<b>Ada</b> & co")
    use(how, button(page, "Save"))
    chosen(page, "<b>Ada</b> & co")
    choose(page, "Delete list", how)
    use(how, button(page, "Delete list"))
    chosen(page, "All")
    shows(page, LAMP, CUP)
    expect(page.get_by_role("tab")).to_have_count(1)


@pytest.mark.slow
@each_way
def test_undone_removal_restores_quantity_note_and_positions(shopper, path, how):
    """Undoing a removal restores quantity, note, and the position on each list."""
    page = shopper.open()
    home = shopper.save_list(page, "Home", [])
    shopper.make_list(page, "Birthday", [101, 102, 103], path)
    page.evaluate(
        """async (home) => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          for await (const { id } of wishlist.items.all())
            await wishlist.call('PUT', `lists/${home}/items/${id}`, { body: { after: null } });
        }""",
        home,
    )
    lamp = cards(page).nth(1)
    use(how, button(page, f"More options for {LAMP}"))
    sheet = page.get_by_role("dialog", name=LAMP)
    if how == KEYS:
        while not sheet.get_by_label("Quantity").evaluate("field => field.matches(':focus')"):
            page.keyboard.press("Tab")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Tab")
        page.keyboard.type("In honey,\nplease")
    else:
        sheet.get_by_label("Quantity").fill("2")
        sheet.get_by_label("Note").fill("In honey,\nplease")
    use(how, button(sheet, "Done"))
    expect(lamp.locator(".price")).to_have_text("2 × €89.00")
    expect(lamp.locator(".note")).to_have_text("In honey,\nplease")
    use(how, button(page, f"More options for {LAMP}"))
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        use(how, button(page.get_by_role("dialog"), "Remove"))
    shows(page, CUP, THROW)
    use(how, button(page, "Undo"))
    shows(page, CUP, LAMP, THROW)
    expect(page.get_by_text(f"{LAMP} is back on your wishlist")).to_be_visible()
    tab(page, "Home").click()
    shows(page, CUP, LAMP, THROW)
    page.go_back()
    page.reload()
    shows(page, CUP, LAMP, THROW)
    expect(lamp.locator(".price")).to_have_text("2 × €89.00")
    expect(lamp.locator(".note")).to_have_text("In honey,\nplease")


@pytest.mark.slow
@each_page
def test_tabs_are_chosen_by_arrow_keys_and_back_opens_the_previous_list(shopper, path):
    """Tabs are one tab stop with arrow keys; opening a list adds to the browser's history."""
    page = shopper.open()
    shopper.save_list(page, "Birthday", [101])
    shopper.make_list(page, "Home", [103], path)
    tab(page, "Birthday").click()
    tab(page, "Home").click()
    shows(page, THROW)
    for key, name in (
        ("ArrowLeft", "Birthday"), ("Home", "All"), ("ArrowRight", "Birthday"), ("End", "Home"),
        ("ArrowRight", "All"), ("End", "Home"),
    ):  # fmt: skip
        page.keyboard.press(key)
        chosen(page, name)
        expect(tab(page, name)).to_be_focused()
    shows(page, THROW)
    page.keyboard.press("Tab")
    expect(button(page, "New list")).to_be_focused()
    page.go_back()
    chosen(page, "Birthday")
    shows(page, CUP)
    page.go_back()
    chosen(page, "Home")
    page.go_forward()
    chosen(page, "Birthday")


@pytest.mark.slow
@each_page
def test_items_are_reordered_by_keyboard_and_by_dragging(shopper, path):
    """Each move is announced; other tabs follow, and a reload shows the same order."""
    page = shopper.open()
    shopper.make_list(page, "Birthday", [101, 102, 103, 104], path)
    other = shopper.open(path)
    tab(other, "Birthday").click()
    shows(other, CUP, LAMP, THROW, FIG)
    page.bring_to_front()
    use(KEYS, button(page, f"More options for {CUP}"))
    for place in (2, 3):
        use(KEYS, button(page, "Move down"))
        expect(page.get_by_text(f"{CUP} moved to position {place} of 4.")).to_have_role("status")
    use(KEYS, button(page, "Move up"))
    page.keyboard.press("Escape")
    expect(button(page, f"More options for {CUP}")).to_be_focused()
    shows(page, LAMP, CUP, THROW, FIG)
    shows(other, LAMP, CUP, THROW, FIG)
    grip, to = cards(page).nth(3).locator(".grip"), cards(page).nth(0).bounding_box()
    cards(page).nth(3).hover()
    grip.hover()
    page.mouse.down()
    page.mouse.move(to["x"] + to["width"] / 2, to["y"] + to["height"] / 2, steps=12)
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.mouse.up()
    shows(page, FIG, LAMP, CUP, THROW)
    shows(other, FIG, LAMP, CUP, THROW)
    page.reload()
    shows(page, FIG, LAMP, CUP, THROW)


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def swipe(page, start, end):
    """Swipes with a finger, as touch events from the browser's protocol."""
    finger = page.context.new_cdp_session(page)
    steps = [
        (start[0] + (end[0] - start[0]) * n / 15, start[1] + (end[1] - start[1]) * n / 15)
        for n in range(16)
    ]
    for n, (x, y) in enumerate(steps):
        touch = {"touchPoints": [{"x": x, "y": y}], "type": "touchMove" if n else "touchStart"}
        finger.send("Input.dispatchTouchEvent", touch)
    page.wait_for_timeout(50)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.slow
def test_items_are_reordered_by_touch_without_scrolling(new_shopper, shared_demo):
    """Dragging a card's grip moves it without scrolling; elsewhere a finger scrolls."""
    shopper = new_shopper(shared_demo, **PHONE)
    page = shopper.open()
    shopper.make_list(page, "Birthday", [101, 102, 103, 104], DEMO)
    shows(page, CUP, LAMP, THROW, FIG)
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        swipe(page, middle(cards(page).nth(1).locator(".grip")), middle(cards(page).nth(0)))
    shows(page, LAMP, CUP, THROW, FIG)
    assert page.evaluate("scrollY") == 0
    swipe(page, middle(cards(page).nth(2).locator(".picture")), middle(cards(page).nth(0)))
    assert wait_until(lambda: page.evaluate("scrollY") > 50, seconds=30)
    shows(page, LAMP, CUP, THROW, FIG)
    page.reload()
    shows(page, LAMP, CUP, THROW, FIG)


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["AbortError", "NotAllowedError"])
def test_share_link_is_offered_to_the_phones_share_dialog_and_by_email(
    new_shopper, shared_demo, answer
):
    """The phone's share dialog is offered if it exists, and an e-mail always; cancelling either
    leaves the link in its field."""
    shopper = new_shopper(shared_demo, **PHONE)
    page = shopper.open()
    page.add_init_script(
        f"""navigator.canShare = ({{ url }}) => url.startsWith('http');
        navigator.share = async (content) => {{
          window.given = content;
          throw new DOMException('', '{answer}');
        }};
        window.open = (url) => (window.mailed = url);"""
    )
    shopper.make_list(page, "Birthday", [101], DEMO)
    choose(page, "Share")
    button(page, "Create link").click()
    button(page, "Share via…").click()
    assert wait_until(lambda: page.evaluate("window.given"), seconds=30)
    given = page.evaluate("window.given")
    assert given["title"] == "Birthday"
    assert given["url"].startswith(f"{shopper.url}/shared#wwshr_")
    button(page, "Email").click()
    mailed = page.evaluate("window.mailed")
    assert mailed == f"mailto:?subject=Birthday&body={quote(given['url'], safe='')}"
    expect(page.get_by_label("Link", exact=True)).to_have_value(given["url"])
    button(page, "Done").click()
    expect(page.get_by_role("img", name="Shared")).to_be_visible()


@pytest.mark.slow
@each_page
def test_two_tabs_keep_each_others_changes(shopper, path):
    """Two tabs that edit the same item keep each other's changes."""
    page = shopper.open()
    press(page, 101)
    for name in ("Home", "Birthday"):
        shopper.save_list(page, name, [])
    tabs = [(shopper.open(path), name) for name in ("Home", "Birthday")]
    for one, _ in tabs:
        button(one, f"More options for {CUP}").click()
    for one, name in tabs:
        with one.expect_response(lambda answer: answer.request.method == "PUT"):
            one.get_by_role("dialog").get_by_role("checkbox", name=name).check()
    for one, name in tabs:
        for each in ("Home", "Birthday"):
            expect(tab(one, each)).to_have_text(f"{each}1")
        one.keyboard.press("Escape")
        tab(one, name).click()
        shows(one, CUP)


@pytest.mark.slow
def test_button_shows_more_items(shopper):
    """A button shows more items: of "All" from the service, of a list from memory."""
    page = shopper.open()
    shopper.save_list(page, "Many", list(range(2001, 2051)))
    shopper.go(page, DOCUMENT)
    for name in ("All", "Many"):
        tab(page, name).click()
        expect(cards(page)).to_have_count(48)
        button(page, "Show more").click()
        expect(cards(page)).to_have_count(50)
        expect(button(page, "Show more")).to_have_count(0)


# ------------------------------------------------------------------- errors


@pytest.mark.slow
@each_page
def test_page_shows_a_notice_offline_and_updates_online(shopper, path):
    """Offline, a notice appears and the cards stay; online, they are updated."""
    page = shopper.open()
    press(page, 101)
    shopper.go(page, path)
    shows(page, CUP)
    page.wait_for_load_state("networkidle")  # an aborted read would count as an error
    shopper.context.set_offline(True)
    notice = page.get_by_text("You’re offline.")
    expect(notice).to_be_visible()
    shows(page, CUP)
    with page.expect_response(lambda answer: "include=product" in answer.url):
        shopper.context.set_offline(False)
    expect(notice).to_have_count(0)
    shows(page, CUP)


@pytest.mark.slow
@each_page
def test_failed_load_shows_a_button_to_retry(shopper, path):
    """If loading fails, the page says so with a button to retry; cards already shown stay."""
    page = shopper.open()
    press(page, 101)
    shopper.expected.add(500)
    failing = re.compile("include=product")
    fail = lambda route: route.fulfill(status=500, body="{}")  # noqa: E731
    page.route(failing, fail)
    shopper.go(page, path)
    expect(page.get_by_role("heading", name="We couldn’t load the wishlist.")).to_be_visible()
    page.unroute(failing)
    button(page, "Try again").click()
    shows(page, CUP)
    page.route(failing, fail)
    press(shopper.open(), 103)
    page.bring_to_front()
    expect(page.get_by_text("We couldn’t load the wishlist.")).to_be_visible()
    shows(page, CUP)
    page.unroute(failing)
    button(page, "Try again").click()
    shows(page, THROW, CUP)


@pytest.mark.slow
def test_language_follows_accept_language_or_the_elements_lang(new_shopper, shared_demo):
    """A document's language follows Accept-Language, an element's its `lang`.
    Rule: storefront-pages."""
    shopper = new_shopper(shared_demo, locale="de-DE")
    page = shopper.open()
    press(page, 101)
    shopper.go(page, DOCUMENT)
    for _ in (DOCUMENT, DEMO):
        expect(page.get_by_role("heading", name="Merkzettel")).to_be_visible()
        expect(cards(page).locator(".price")).to_have_text("18,00 €")
        shopper.go(page, DEMO)
        expect(page.get_by_role("heading", name="Wishlist")).to_be_visible()
        page.evaluate("document.querySelector('wishlist-page').lang = 'de'")
    page.goto(f"{shopper.url}{BASE}/shared")
    expect(page.get_by_role("heading", name="Dieser Link funktioniert nicht")).to_be_visible()


@pytest.mark.slow
def test_shop_sets_texts_price_format_and_styles_of_the_element(shopper):
    """A shop sets texts, price format and the URL of unknown products; styles apply only through
    parts and properties. Sold-out products can't be bought."""
    page = shopper.open()
    press(page, 101)
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then((it) => it.wishlist.save({ productId: 999 }))"
    )

    def sold_out(route):
        answer = route.fetch()
        body = answer.json()
        body["data"][-1]["product"]["available"] = False
        route.fulfill(response=answer, body=json.dumps(body))

    page.route(re.compile("items[?]include=product"), sold_out)
    shopper.go(page, DEMO)
    page.evaluate(
        """() => {
          const element = document.querySelector('wishlist-page');
          element.setAttribute('texts', '{"title": "My things"}');
          element.setAttribute('locale', 'de');
          element.setAttribute('product-url', '/p/{productId}');
          element.after(Object.assign(document.createElement('p'), { className: 'card', id: 'out' }));
          const style = new CSSStyleSheet();
          style.replaceSync(`h1, .card { color: rgb(1, 2, 3) !important }
            wishlist-page::part(price) { color: rgb(4, 5, 6) } wishlist-page { --wishlist-ratio: 2 }`);
          document.adoptedStyleSheets.push(style);
        }"""
    )
    title = page.get_by_role("heading", name="My things")
    expect(title).not_to_have_css("color", "rgb(1, 2, 3)")
    expect(cards(page)).to_have_count(2)
    unknown, cup = cards(page).all()
    expect(unknown.get_by_role("link").first).to_have_attribute("href", re.compile("/p/999$"))
    expect(cup.locator(".price")).to_have_text("18,00 €")
    expect(cup.locator(".price")).to_have_css("color", "rgb(4, 5, 6)")
    expect(cup).not_to_have_css("color", "rgb(1, 2, 3)")
    expect(cup.locator(".picture")).to_have_css("aspect-ratio", "2 / 1")
    expect(cup.get_by_text("Sold out")).to_have_count(1)
    expect(button(cup, "Add to cart")).to_have_count(0)
    expect(page.locator("#out")).to_have_css("display", "block")


# ------------------------------------------------------------------------ security

MARKUP = "<img src=x onerror=\"document.title='ran'\"><b>bold</b>"
RUNS = "javascript:document.title='ran'"


@each_page
@pytest.mark.parametrize(
    "image", [RUNS, *map(slow, ("data:image/svg+xml,<svg/>", "http://elsewhere.example/x"))]
)
def test_html_in_a_title_is_escaped(shopper, path, image):
    """Titles, variants, notes and names are never markup, a script URL isn't a link, and pictures
    load by https or from the shop only.
    Rule: storefront-pages."""
    page = shopper.open()
    made = shopper.save_list(page, MARKUP, [101])
    page.evaluate(
        """async ([id, note]) => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          const { items } = await wishlist.lists.find(id);
          await wishlist.items.update(items[0].id, { note });
        }""",
        [made, MARKUP],
    )

    def evil(route):
        answer = route.fetch()
        body = answer.json()
        for item in body["data"]:
            item["product"] = {"title": MARKUP, "variantTitle": MARKUP, "url": RUNS, "image": image}
        route.fulfill(response=answer, body=json.dumps(body))

    page.route(re.compile("items[?]include=product"), evil)
    shopper.go(page, path)
    shows(page, MARKUP)
    expect(tab(page, MARKUP)).to_be_visible()
    for part in (".variant", ".note"):
        expect(cards(page).locator(part)).to_have_text(MARKUP)
    assert cards(page).locator("img, b, [href]").count() == 0
    cards(page).get_by_text(MARKUP).first.click()
    button(page, f"More options for {MARKUP}").click()
    expect(page.get_by_role("dialog").get_by_label("Note")).to_have_value(MARKUP)
    expect(page.get_by_role("dialog").locator("img, b")).to_have_count(0)
    assert page.title() != "ran"


@pytest.mark.slow
@each_page
def test_first_card_needs_one_round_trip_after_the_script(shopper, path):
    """The page's requests are concurrent, so the first card needs one round trip after the script."""
    page = shopper.open()
    press(page, 101)
    shopper.go(page, "/sign-in")
    held = []
    page.route(re.compile(f"{BASE}/api/"), lambda route: held.append(route))
    page.goto(shopper.url + path)
    expect(page.locator(".skeleton").first).to_be_visible()
    page.wait_for_timeout(200)
    assert [route for route in held if "include=product" in route.request.url]
    first = [*held]
    for route in first:
        route.continue_()
    shows(page, CUP)
    assert {route.request.url for route in held} == {route.request.url for route in first}


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/products/lamp"])
def test_heart_neither_blocks_rendering_nor_shifts_the_layout(shopper, path):
    """While a heart's script loads, the page is shown; afterwards nothing shifts."""
    page = shopper.context.new_page()
    page.add_init_script(
        """window.moved = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) window.moved += value;
        }).observe({ type: 'layout-shift', buffered: true });"""
    )
    held = []
    page.route(re.compile(r"assets/wishwell.*\.js"), lambda route: held.append(route))
    page.goto(shopper.url + path, wait_until="commit")
    expect(page.get_by_text(LAMP)).to_be_visible()
    painted = "performance.getEntriesByName('first-contentful-paint').length"
    assert wait_until(lambda: page.evaluate(painted), seconds=30)
    element = page.locator('wishlist-button[product-id="102"]')
    before = element.bounding_box()
    assert page.evaluate("customElements.get('wishlist-button')") is None
    for route in held:
        route.continue_()
    expect(heart(page, 102)).to_be_visible()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert element.bounding_box() == before
    assert page.evaluate("window.moved") == 0
