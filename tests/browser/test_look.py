"""What shoppers see on a phone and in a shop's look, with a real service."""

import re

import pytest
from playwright.sync_api import expect

from .conftest import BASE, MOVED, ROOT
from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor

pytestmark = [pytest.mark.xdist_group("shop-browser"), pytest.mark.slow]

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><path d="M0 0h160v40z"/></svg>'
PHONE = {"width": 390, "height": 844}
STYLE = "(part) => getComputedStyle(part).color"
SAVE = f"async (item) => (await import('{BASE}/assets/wishwell.js')).wishlist.save(item)"


def test_logo_may_be_a_path_and_have_no_size(own_shop, visitor):
    """A logo on the shop's own host, an SVG with nothing but its proportions, is shown with a height,
    and the page allows it. Rule: page-look."""
    own_shop.shop.update("--logo-url", "/logo.svg")
    page = visitor.context.new_page()
    svg = {"body": LOGO, "content_type": "image/svg+xml"}
    page.route(own_shop.url + "/logo.svg", lambda route: route.fulfill(**svg))
    logo = page.locator("header img")
    # The service knows within seconds that the store has a logo.
    for _ in range(100):
        page.goto(f"{own_shop.url}{BASE}/")
        if logo.count():
            break
        page.wait_for_timeout(100)
    box = logo.bounding_box()
    assert (box["width"], box["height"]) == (160, 40)
    own_shop.shop.update("--logo-url", "")


def test_text_next_to_a_saved_heart_keeps_the_pages_colour(visitor):
    """The colour of a saved heart is chosen for pictures, not for text on any background."""
    page = visitor.open(
        '<p style="color: rgb(1, 2, 3)"><wishlist-button product-id="71">Save</wishlist-button></p>'
    )
    heart = page.locator("wishlist-button")
    heart.click()
    expect(heart.get_by_text("Saved")).to_be_visible()
    assert heart.get_by_text("Saved").evaluate(STYLE) == "rgb(1, 2, 3)"
    assert heart.locator("svg").evaluate(STYLE) == "rgb(194, 24, 60)"


def test_messages_on_a_phone_are_equally_wide(new_visitor):
    """The answers to a save and to a removal are below each other, from edge to edge."""
    hearts = "".join(f'<wishlist-button product-id="{n}"></wishlist-button>' for n in (72, 73))
    page = new_visitor(viewport=PHONE).open(hearts + "<wishlist-toast></wishlist-toast>")
    rows = page.locator("wishlist-toast >> [part~=toast]")
    for heart, text in ((0, "Saved"), (0, "Removed"), (1, "Saved")):
        page.locator("wishlist-button").nth(heart).click()
        expect(rows.last).to_contain_text(text)
    expect(rows).to_have_count(2)
    assert rows.evaluate_all("(rows) => rows.map((row) => row.offsetWidth)") == [374, 374]


def test_tools_share_a_row_on_a_phone(new_visitor):
    """The order and the menu are in one row."""
    visitor = new_visitor(viewport=PHONE)
    page = visitor.open("")
    for id in (73, 76):
        page.evaluate(SAVE, {"productId": id, "listName": "Gifts"})
    scripts = ("wishwell", "page")
    visitor.open("<wishlist-page cart list='Gifts'></wishlist-page>", page=page, scripts=scripts)
    page.get_by_role("tab", name=re.compile("Gifts")).click()
    tools = page.locator("wishlist-page >> .tools > *")
    expect(tools).to_have_count(2)
    assert len(set(tools.evaluate_all("(all) => all.map((one) => one.offsetTop)"))) == 1


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}])
def test_documented_rules_keep_the_space_of_hearts_and_of_a_shared_lists_link(new_visitor, size):
    """With the rules of docs/browser.md, hearts in lines of text and the link of a shared list move
    nothing when they appear. The link takes one request."""
    written = (ROOT / "docs" / "browser.md").read_text()
    rules = re.findall(r"wishlist-(?:button:not|share) ?[^{`=]*\{[^}]*\}", written)
    assert len(rules) == 2
    visitor = new_visitor(viewport=size)
    page = visitor.open("")
    made = page.evaluate(
        """async () => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          const { id } = await wishlist.lists.create({ name: 'Birthday' });
          await wishlist.call('POST', `lists/${id}/shares`, { body: {} });
          return id;
        }"""
    )
    lines = "<p>A lamp <wishlist-button product-id='77'></wishlist-button></p>" * 9
    share = f"<wishlist-share list-id='{made}' page='/shared' reservations></wishlist-share>"
    # Slow, so that the page is shown before its scripts run.
    slow = {"offline": False, "latency": 200, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
    visitor.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    visitor.asked.clear()
    head = f"<style>{''.join(rules)}</style><script>{MOVED}</script>"
    visitor.open(share + lines, head=head, scripts=("wishwell", "share"), page=page)
    expect(page.locator("wishlist-share input")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("moved") == 0
    assert visitor.asked.count(f"GET lists/{made}/shares") == 1


def test_number_of_items_follows_the_title(new_visitor):
    """On a phone, the number is in the title's line, in either direction."""
    visitor = new_visitor(viewport=PHONE)
    page = visitor.open("")
    for id in (74, 75):
        page.evaluate(SAVE, {"productId": id})
    scripts = ("wishwell", "page")
    for dir in ("ltr", "rtl"):
        visitor.open("<wishlist-page cart></wishlist-page>", page=page, scripts=scripts, dir=dir)
        count = page.get_by_text("2 items").bounding_box()
        title = page.get_by_role("heading", name="Wishlist").bounding_box()
        assert title["y"] < count["y"] < title["y"] + title["height"]
        gap = count["x"] - title["x"] - title["width"]
        assert (gap if dir == "ltr" else title["x"] - count["x"] - count["width"]) == 12


@pytest.mark.parametrize("dir", ["ltr", "rtl"])
@pytest.mark.parametrize("ratio", ["1", "2", "3 / 4"])
def test_tools_of_a_card_are_on_its_picture(own_shop, new_visitor, ratio, dir):
    """On a phone the heart is in the picture's upper corner; the menu and the grip follow 8 px below, or
    8 px next to it if the picture is too low. None of them reaches beyond the picture or its badge."""
    sold_out = {"productId": 79, "available": False}
    own_shop.shop.admin.put("/products", json={"products": [sold_out]}).raise_for_status()
    visitor = new_visitor(viewport=PHONE)
    page = visitor.open("")
    for id in (78, 79):
        made = page.evaluate(SAVE, {"productId": id, "listName": "Gifts"})
    body = f"<wishlist-page list='{made['listIds'][0]}' style='--wishlist-ratio: {ratio}'></wishlist-page>"
    visitor.open(body, page=page, scripts=("wishwell", "page"), dir=dir)
    card = page.locator("wishlist-page >> .card").filter(has_text="Sold out")
    picture, *tools, badge = (
        card.locator(part).bounding_box()
        for part in (".picture", ".remove", ".options", ".grip", ".badge")
    )
    for one in tools:
        assert picture["x"] < one["x"] and one["x"] + 36 < picture["x"] + picture["width"]
        assert picture["y"] < one["y"] and one["y"] + 36 < picture["y"] + picture["height"]
        is_above = one["y"] + 36 <= badge["y"]
        is_next = one["x"] >= badge["x"] + badge["width"] or one["x"] + 36 <= badge["x"]
        assert is_above or is_next
    first, *others = [(one["x"], one["y"]) for one in tools]
    end = (
        picture["x"] + picture["width"] - first[0] - 36 if dir == "ltr" else first[0] - picture["x"]
    )
    assert end == pytest.approx(first[1] - picture["y"], abs=0.1)
    steps = [(abs(x - first[0]), y - first[1]) for x, y in others]
    assert steps == ([(44, 0), (88, 0)] if ratio == "2" else [(0, 44), (0, 88)])


@pytest.mark.parametrize("width", [360, 1280])
def test_documented_rules_make_rows_of_the_cards(own_shop, new_visitor, width):
    """With the rules of docs/browser.md, a card is as wide as the page, its picture is beside its text,
    and no button is over the text."""
    rows = (ROOT / "docs/browser.md").read_text().split("For rows in place of a grid")[1]
    rules = re.findall(r"```css\n(.*?)```", rows, re.DOTALL)[0]
    visitor = new_visitor(viewport={"width": width, "height": 740})
    page = visitor.open("")
    for id in (78, 79):
        page.evaluate(SAVE, {"productId": id})
    visitor.open(
        f"<style>{rules}</style><wishlist-page cart></wishlist-page>",
        page=page,
        scripts=("wishwell", "page"),
    )
    card = page.locator("wishlist-page >> .card").first
    card.locator(".options").wait_for()  # placeholders have none
    shown, picture, name, menu = (
        it.bounding_box()
        for it in (card, *(card.locator(part) for part in (".picture", ".name", ".options")))
    )
    assert shown["width"] > width - 50 and picture["width"] == 128
    assert name["x"] >= picture["x"] + 128 and abs(name["y"] - picture["y"]) < 2
    assert name["x"] + name["width"] <= menu["x"] and shown["height"] < 200


def test_page_of_an_ended_link_leads_to_the_shop(own_shop, visitor):
    """Somebody who opens a link that no longer works can go on to the shop."""
    page = visitor.open(
        "<wishlist-shared token='none'></wishlist-shared>", scripts=("wishwell", "page")
    )
    link = page.get_by_role("link", name="Continue shopping")
    expect(link).to_have_attribute("href", own_shop.url + "/")
