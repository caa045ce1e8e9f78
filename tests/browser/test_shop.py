"""What shoppers do in the shop of demo/."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from .conftest import BASE, CLOCK, Demo, heart, names, press

pytestmark = pytest.mark.xdist_group("browser")  # one process, one browser

CUP, LAMP, THROW, FIG, KETTLE = (
    "Morning mug",
    "Dome lamp",
    "Wool throw",
    "Windowsill fig",
    "Gooseneck kettle",
)


def pressed(page, product, yes=True, **options):
    expect(heart(page, product)).to_have_attribute("aria-pressed", str(yes).lower(), **options)


def shows(page, *expected, **options):
    expect(page.locator("#items > li .name")).to_have_text(list(expected), **options)


def settled(page):
    """Every change of the order so far was answered."""
    page.evaluate("navigator.locks.request('wishwell', () => {})")


def asked(shopper):
    """The requests to the wishlist so far: method and path."""
    api = f"{shopper.url}{BASE}/api/"
    return [
        (answer.request.method, answer.url.removeprefix(api), answer.status)
        for answer in shopper.responses
        if answer.url.startswith(api)
    ]


def test_visitor_saves_and_finds_it_after_a_reload(shopper):
    """No account: the heart stays full on the grid, and the wishlist page has the thing."""
    page = shopper.open()
    press(page, 101, 103)
    page.reload()
    pressed(page, 101)
    pressed(page, 103)
    pressed(page, 102, yes=False)
    shopper.go(page, "/wishlist")
    shows(page, THROW, CUP)


def test_text_of_a_heart_is_its_name_saved_or_not(shopper):
    """Who steers by speech says what they see; that it is saved is said by `aria-pressed` alone."""
    page = shopper.open()
    shopper.go(page, "/products/lamp?variant=1022")
    lamp = heart(page, 102)
    for _ in range(2):
        text = page.locator('wishlist-button[product-id="102"]').inner_text()
        expect(lamp).to_have_accessible_name(text.strip())
        press(page, 102)
    pressed(page, 102, yes=False)


def test_second_tab_agrees_within_a_second(shopper):
    """Saved and removed in one tab: hearts and wishlist page of the others follow."""
    page, other, wishes = shopper.open(), shopper.open(), shopper.open("/wishlist")
    expect(wishes.get_by_role("heading", name="Nothing saved yet")).to_be_visible()
    press(page, 101)
    pressed(other, 101, timeout=1000)
    shows(wishes, CUP, timeout=1000)
    press(other, 101)
    pressed(page, 101, yes=False, timeout=1000)
    shows(wishes, timeout=1000)


def test_one_lamp_is_one_row_whatever_its_colour(shopper):
    """Saved from the grid, then in a colour and another: the same item; a full heart removes it."""
    page = shopper.open()
    press(page, 102)
    grid, wishes = shopper.open(), shopper.open("/wishlist")
    price = wishes.locator("#items > li .price")
    expect(price).to_have_text(["€89"])
    [row] = wishes.locator("#items > li").evaluate_all("rows => rows.map((row) => row.dataset.id)")
    shopper.go(page, "/products/lamp?variant=1022")
    pressed(page, 102)
    expect(price).to_have_text(["€89"])  # a visit is not a choice
    for colour, variant in (("Ink", 1023), ("Honey", 1021)):
        with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            page.get_by_role("link", name=colour).click()
        expect(page.get_by_role("heading", name=f"Colour: {colour}")).to_be_visible()
        assert page.url.endswith(f"?variant={variant}")
        pressed(page, 102)
        expect(price).to_have_text([f"{colour} · €89"])
        expect(wishes.locator(f'#items > [data-id="{row}"]')).to_be_visible()
    pressed(grid, 102)
    page.reload()
    press(page, 102)
    pressed(grid, 102, yes=False)
    expect(wishes.locator("#items > li")).to_have_count(0)
    page.get_by_role("link", name="Oat").click()
    pressed(page, 102, yes=False)  # nothing saved, nothing to change
    press(page, 102)
    expect(price).to_have_text(["Oat · €89"])


@pytest.fixture(scope="module")
def other_demo(chromium):
    """A shop for two tests: the first finds nothing saved yet, the second ends the service."""
    with Demo({}) as demo:
        yield demo


def test_list_follows_the_sign_in_and_goes_with_the_sign_out(other_demo, new_shopper):
    """What both had is there once; after signing out, and for the next customer, nothing is."""
    at_work, shopper = new_shopper(other_demo), new_shopper(other_demo)
    page = at_work.open()
    at_work.sign_in(page, "Mira")
    at_work.go(page, "/")
    press(page, 102, 103)

    page = shopper.open()
    press(page, 101, 102)
    shopper.sign_in(page, "Mira")
    page.locator("#items > li").nth(2).wait_for()
    assert sorted(names(page)) == sorted([CUP, LAMP, THROW])
    assert not [c for c in shopper.context.cookies() if c["name"] == "wishwell"]
    for tab in (page, at_work.open("/wishlist")):
        expect(tab.locator("#items > li")).to_have_count(3)

    shopper.sign_out(page)
    for product in (101, 102, 103):
        pressed(page, product, yes=False)
    shopper.go(page, "/wishlist")
    expect(page.get_by_role("heading", name="Nothing saved yet")).to_be_visible()

    shopper.sign_in(page, "Jonas")
    expect(page.get_by_role("heading", name="Nothing saved yet")).to_be_visible()
    shopper.go(page, "/")
    for product in (101, 102, 103):
        pressed(page, product, yes=False)


def test_open_tab_forgets_the_customer_who_signed_out(shopper):
    """A tab of the wishlist that stayed open shows nothing of the one before, once it is used."""
    page = shopper.open()
    shopper.sign_in(page, "Mira")
    shopper.go(page, "/")
    if heart(page, 104).get_attribute("aria-pressed") == "false":
        press(page, 104)
    stale = shopper.open()
    pressed(stale, 104)
    shopper.sign_out(page)
    press(stale, 112)
    pressed(stale, 104, yes=False)
    shopper.go(page, "/wishlist")
    shows(page, "Field notebook")


def test_lists_are_made_named_filled_and_deleted(shopper):
    """All of it by the buttons of the page; what was on a deleted list stays saved."""
    page = shopper.open()
    press(page, 101, 102)
    shopper.go(page, "/wishlist")
    page.get_by_role("button", name="New list").first.click()
    page.get_by_role("textbox", name="Name").fill("Birthday")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Birthday")).to_be_visible()
    expect(page.get_by_role("heading", name="An empty list")).to_be_visible()
    page.get_by_role("link", name="See everything").click()
    shows(page, LAMP, CUP)
    page.get_by_label(f"More for {CUP}").click()
    page.locator("#items > li").nth(1).get_by_label("Birthday").check()
    link = page.get_by_role("navigation", name="Lists").get_by_role("link", name="Birthday")
    expect(link).to_have_text(re.compile(r"Birthday\s*1"))
    page.keyboard.press("Escape")
    link.click()
    shows(page, CUP)
    page.get_by_label("Change this list").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name").fill("<b>Ada</b> & co")
    page.get_by_role("button", name="Rename").last.click()
    expect(page.get_by_role("heading", name="<b>Ada</b> & co")).to_be_visible()
    page.get_by_label("Change this list").click()
    page.get_by_role("button", name="Delete list").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("heading", name="Everything")).to_be_visible()
    shows(page, LAMP, CUP)
    expect(page.locator("#lists > li")).to_have_count(1)
    # The row goes at once; what a page that is loaded meanwhile shows depends on who is first.
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.get_by_role("button", name=f"Remove {LAMP}").click()
    shows(page, CUP)
    page.reload()
    shows(page, CUP)


def test_wish_has_a_quantity_and_a_note_goes_to_the_cart_and_comes_back(shopper):
    """The header counts along. What is removed, or moved to the cart, comes back as and where it was,
    by the button or Ctrl+Z. The shop hears what is moved, and may keep it where it is."""
    page = shopper.open()
    saved, carted = page.locator("#saved"), page.locator("#carted")
    expect(saved).to_be_hidden()
    shopper.make_list(page, "Birthday", [101, 102, 103])
    expect(saved).to_have_text("3")
    page.get_by_label(f"How many of {LAMP}").select_option("2")
    page.get_by_label(f"More for {LAMP}").click()
    page.get_by_role("button", name="Add a note").locator("visible=true").click()
    page.get_by_role("textbox", name="Note").fill("In honey,\nplease")
    page.get_by_role("button", name="Save").click()
    note = page.locator(".note").nth(1)
    expect(note).to_have_text("In honey,\nplease")

    page.get_by_role("button", name=f"Remove {LAMP}").click()
    shows(page, CUP, THROW)
    expect(saved).to_have_text("2")
    page.get_by_role("button", name="Undo").click()
    shows(page, CUP, LAMP, THROW)
    move = page.get_by_role("button", name=f"Move {LAMP} to cart")
    move.click()
    shows(page, CUP, THROW)
    expect(carted).to_have_text("2")
    page.keyboard.press("Control+z")
    shows(page, CUP, LAMP, THROW)
    expect(carted).to_be_hidden()
    expect(saved).to_have_text("3")
    expect(note).to_have_text("In honey,\nplease")
    expect(page.get_by_label(f"How many of {LAMP}")).to_have_value("2")

    page.evaluate(
        """addEventListener('wishlist-to-cart', (event) => {
          event.preventDefault();
          window.asked = event.detail;
        }, true)"""
    )
    move.click()
    assert page.evaluate("[asked.productId, asked.quantity]") == [102, 2]
    shows(page, CUP, LAMP, THROW)
    page.reload()
    shows(page, CUP, LAMP, THROW)


def drag(page, name, to):
    """By its handle onto the place of another."""
    page.bring_to_front()  # a browser gives the pointer's moves to a hidden tab once a second
    start = page.get_by_role("button", name=f"Move {name}", exact=True).bounding_box()
    end = page.get_by_role("button", name=f"Move {to}", exact=True).bounding_box()
    x = start["x"] + start["width"] / 2
    page.mouse.move(x, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, end["y"] + end["height"] / 2, steps=12)
    with page.expect_response(lambda answer: answer.url.endswith("/items/order")):
        page.mouse.up()


def test_list_is_reordered_by_drag(shopper):
    """Down and up again; the other tab follows, and a reload has the same order."""
    page = shopper.open()
    shopper.make_list(page, "Birthday", [101, 102, 103, 104])
    other = shopper.open(page.url.removeprefix(shopper.url))
    shows(other, CUP, LAMP, THROW, FIG)
    drag(page, CUP, THROW)
    shows(page, LAMP, THROW, CUP, FIG)
    shows(other, LAMP, THROW, CUP, FIG, timeout=1000)
    drag(page, FIG, LAMP)
    page.reload()
    shows(page, FIG, LAMP, THROW, CUP)


def test_list_is_reordered_by_keyboard(shopper):
    """Arrow keys on the handle, which keeps the focus; each step is said aloud, the last is kept."""
    page = shopper.open()
    shopper.make_list(page, "Birthday", [101, 102, 103])
    handle = page.get_by_role("button", name=f"Move {CUP}", exact=True)
    handle.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("status")).to_have_text(f"{CUP} is number 2 of 3.")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("status")).to_have_text(f"{CUP} is number 3 of 3.")
    settled(page)
    expect(handle).to_be_focused()
    page.get_by_label(f"More for {THROW}").click()
    page.locator("#items > li").nth(1).get_by_role("button", name="Move up").click()
    expect(page.get_by_role("status")).to_have_text(f"{THROW} is number 1 of 3.")
    settled(page)
    page.reload()
    shows(page, THROW, LAMP, CUP)


def test_page_of_48_asks_once(shopper):
    """48 products, one request (the count in the header is another); and what was saved is shown."""
    page = shopper.open()
    press(page, 101)
    shopper.go(page, "/sign-in")
    before = len(asked(shopper))
    shopper.go(page, "/all?n=48")
    expect(page.locator("wishlist-button")).to_have_count(48)
    pressed(page, 101)
    [(method, path, status)] = [one for one in asked(shopper)[before:] if "product:" in one[1]]
    assert (method, status) == ("GET", 200)
    assert len(re.findall(r"\d{3,}", path.partition("product:")[2].partition("&")[0])) == 48


def test_heart_is_put_back_and_it_says_so_when_the_service_is_away(other_demo, new_shopper):
    """The service ends for good; only the browser's clock is wound on through its tries."""
    shopper = new_shopper(other_demo)
    shopper.expected.add(502)
    page = shopper.context.new_page()
    page.clock.install()
    shopper.go(page, "/")
    pressed(page, 101, yes=False)
    other_demo.end_service()
    sent = []
    page.on("request", lambda request: sent.append(request.method))

    def answered():
        return [method for method, *_ in asked(shopper)].count("POST")

    heart(page, 101).click()
    pressed(page, 101)
    notice = page.locator("#notice")
    deadline = time.monotonic() + 30
    while not notice.inner_text():
        assert time.monotonic() < deadline
        if sent.count("POST") == answered():  # else the page's clock would run on while it waits
            page.clock.run_for(500)
        else:
            page.wait_for_timeout(20)
    expect(notice).to_contain_text("can’t be reached just now")
    pressed(page, 101, yes=False)
    tries = [status for method, _, status in asked(shopper) if method == "POST"]
    assert len(tries) > 5
    assert set(tries) == {502}
    page.get_by_role("button", name="Close").click()
    expect(notice).to_be_empty()


def test_too_much_at_once_waits_and_is_done_then(new_shopper, tmp_path):
    """The third save of a minute that allows two waits as it was told, shown as saved all along."""
    clock = tmp_path / "clock"
    clock.write_text("0")
    limit = {"WISHWELL_LIMIT_PROFILE_WRITE": "2"}
    settings = limit | {"TEST_CLOCK": str(clock), "PYTHONPATH": str(CLOCK)}
    with Demo(settings) as demo:
        shopper = new_shopper(demo)
        shopper.expected.add(429)
        page = shopper.open()
        # The service's clock shows second 5 of a minute, then second 56 of the same: 4 are left.
        minute = (time.time() // 60 - 1) * 60
        clock.write_text(str(minute + 5 - time.time()))
        press(page, 101, 102)
        clock.write_text(str(minute + 56 - time.time()))
        with page.expect_response(lambda answer: answer.status == 429) as refused:
            heart(page, 103).click()
        since = time.monotonic()
        told = int(refused.value.headers["retry-after"])
        assert 1 <= told <= 5
        pressed(page, 103)
        with page.expect_response(lambda answer: answer.request.method == "POST") as then:
            pass
        assert then.value.status == 201
        assert time.monotonic() - since >= told - 0.5
        page.reload()
        for product in (101, 102, 103):
            pressed(page, product)
        assert [answer.status for answer in shopper.responses].count(429) == 1


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out"])
def test_another_site_can_neither_sign_in_nor_out(shopper, path):
    """The browser says where a form came from, and the shop refuses."""
    page = shopper.open()
    answer = page.request.post(
        shopper.url + path, form={"customer": "1001"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status == 403
    assert not [c for c in shopper.context.cookies() if c["name"] == "shop_session"]
