"""<wishlist-count>, <wishlist-toast>, the events for the shop's code, and who is shopping."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from tests.conftest import slow

from .conftest import BASE
from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor
from .test_pages import violations

pytestmark = pytest.mark.xdist_group("shop-browser")

COUNT = '<p><a href="/apps/wishlist/">Wishlist <wishlist-count></wishlist-count></a></p>'
TOAST = "<wishlist-toast></wishlist-toast>"
SAVE = "id => wishlist.save({ productId: id })"


def hearts(*products):
    return "".join(
        f'<wishlist-button product-id="{product}"></wishlist-button>' for product in products
    )


def heart(page, product):
    return page.locator(f'wishlist-button[product-id="{product}"] >> button')


def press(page, *products):
    for product in products:
        with page.expect_response(lambda answer: answer.request.method in ("POST", "DELETE")):
            heart(page, product).click()


def counted(page, n):
    """Asserts the number, the state `empty` and the accessible name."""
    count = page.locator("wishlist-count")
    expect(count).to_have_text(str(n))
    expect(count).to_have_attribute("aria-label", f"{n} saved item{'s' * (n != 1)}")
    assert count.evaluate("it => it.hasAttribute('empty')") == (n == 0)


def quiet(page):
    """Waits until a page that was just opened has sent all its requests."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)


def recorded(page):
    """Records the events on `document`; returns a function that returns them."""
    page.evaluate(
        """() => {
          window.seen = [];
          for (const type of ['wishlist-added', 'wishlist-removed'])
            document.addEventListener(type, ({ detail }) => seen.push([type.slice(9), detail]));
        }"""
    )
    return lambda: page.evaluate("seen")


def test_count_needs_no_request_with_hearts_or_without_wishes(visitor):
    """A visitor without wishes causes no request; on a page with hearts, theirs is the only
    request. Rule: storefront-visitor."""
    page = visitor.open(COUNT)
    quiet(page)
    counted(page, 0)
    assert visitor.asked == []
    page = visitor.open(COUNT + hearts(1, 2, 3))
    quiet(page)
    assert visitor.asked == ["GET items"]
    press(page, 1, 2)
    counted(page, 2)
    # The second shows that the browser has kept the first visitor's cookie.
    assert visitor.asked == ["GET items", "POST items", "GET items", "POST items"]
    expect(page.get_by_role("link", name="Wishlist 2 saved items")).to_be_visible()
    assert violations(page) == []
    quiet(page)
    visitor.asked.clear()
    again = visitor.open(COUNT + hearts(1, 2, 3))
    counted(again, 2)
    quiet(again)
    assert visitor.asked == ["GET items"]
    press(again, 3)
    counted(page, 3)  # in the other tab
    press(page, 1)
    counted(again, 2)


@pytest.mark.slow
def test_count_changes_with_the_signed_in_customer(own_shop, visitor):
    """A shop that says that somebody is signed in causes one request per minute at most, and the number
    follows a sign-out and another customer."""
    for customer, products in (("501", (1, 2)), ("502", (3,))):
        member = own_shop.shop.customer(customer)
        for product in products:
            member.http.post("/items", json={"productId": product})
    visitor.sign_in("501")
    signed_in = COUNT.replace("<wishlist-count>", "<wishlist-count signed-in>")
    page = visitor.open(signed_in)
    counted(page, 2)
    for body in (signed_in, signed_in + hearts(1)):
        page = visitor.open(body)
        counted(page, 2)
        quiet(page)
    assert visitor.asked == ["GET profile", "GET items"]
    visitor.sign_in(None)
    out = visitor.open(COUNT)
    counted(out, 0)
    counted(page, 0)  # the tab that was still open
    visitor.sign_in("502")
    counted(visitor.open(signed_in), 1)


@pytest.mark.slow
def test_count_of_a_customer_follows_other_devices_on_pages_with_hearts(own_shop, visitor):
    """On a page with hearts, too, the number is requested again after a minute, without waiting for the
    window to get the focus."""
    member = own_shop.shop.customer("504")
    member.http.post("/items", json={"productId": 1})
    visitor.sign_in("504")
    body = COUNT + hearts(1, 2)
    page = visitor.open(body)
    counted(page, 1)
    quiet(page)
    member.http.post("/items", json={"productId": 2})
    page.clock.install(time=time.time() + 61)
    visitor.open(body, page=page)
    expect(heart(page, 2)).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(400)
    counted(page, 2)


@pytest.mark.slow
def test_press_is_counted_while_the_number_is_requested(own_shop, visitor):
    """A press waits for the response with the number, which would otherwise replace the new one."""
    own_shop.shop.customer("503").http.post("/items", json={"productId": 1})
    visitor.sign_in("503")
    slow = """<script>
      const send = fetch;
      window.fetch = async (url, ...more) => {
        const answer = await send(url, ...more);
        if (/profile/.test(url.url ?? url)) await new Promise((done) => setTimeout(done, 700));
        return answer;
      };
    </script>"""
    with_heart = COUNT.replace("<wishlist-count>", "<wishlist-count signed-in>") + hearts(2)
    page = visitor.open(with_heart, head=slow)
    with page.expect_request("**/api/profile"):
        pass
    press(page, 2)
    counted(page, 2)
    quiet(page)
    counted(page, 2)


@pytest.mark.slow
def test_count_is_right_when_a_page_closes_before_the_response_to_a_save(visitor):
    """A save whose response the page missed is counted by the next page."""
    page = visitor.open(COUNT + hearts(1, 2))
    press(page, 1)
    counted(page, 1)
    page.route("**/api/items*", lambda route: (route.fetch(), route.abort()))
    heart(page, 2).click()
    page.wait_for_timeout(300)
    page.unroute_all(behavior="ignoreErrors")
    page.goto("about:blank")
    counted(visitor.open(COUNT + hearts(1)), 2)


@pytest.mark.slow
def test_visitor_who_signs_in_is_merged_without_a_heart(own_shop, visitor):
    """The first page with the script merges a visitor who has signed in; the next customer on the
    device doesn't get the items. Rule: storefront-sign-in."""
    page = visitor.open(hearts(1181))
    press(page, 1181)
    quiet(page)
    visitor.sign_in("971")
    quiet(visitor.open("<p>My account</p>"))
    visitor.sign_in(None)
    quiet(visitor.open("<p>Goodbye</p>"))
    visitor.sign_in("972")
    quiet(visitor.open(hearts(1181)))

    def saved(customer):
        items = own_shop.shop.customer(customer).http.get("/items").json()["data"]
        return [item["productId"] for item in items]

    assert (saved("971"), saved("972")) == ([1181], [])


@pytest.mark.parametrize("toast", [slow(""), TOAST])
def test_refused_cookie_is_reported_and_makes_one_session(own_shop, visitor, toast):
    """When the browser refuses the cookie, each press ends with a message, an event and an empty
    heart, and the page creates one session at most. Rule: storefront-visitor."""

    def without_cookie(route):
        answer = route.fetch(headers=route.request.headers | {"cookie": ""})
        headers = {k: v for k, v in answer.headers.items() if k != "set-cookie"}
        visitor.context.clear_cookies()
        route.fulfill(response=answer, headers=headers)

    def sessions():
        return own_shop.service.rows("SELECT count(*) FROM profiles WHERE gid LIKE '%Session%'")[0][
            0
        ]

    before = sessions()
    page = visitor.context.new_page()
    visitor.open(hearts(1, 2) + toast, page=page)
    quiet(page)
    visitor.context.route("**/api/**", without_cookie)
    seen = recorded(page)
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(({ wishlist }) => { window.codes = [];"
        " wishlist.addEventListener('error', ({ detail }) => codes.push(detail.code)) })"
    )
    page.wait_for_function("window.codes")
    for product in (1, 2):
        heart(page, product).click()
        expect(page.get_by_text("Your browser blocks cookies.")).to_have_count(
            1 if toast else product
        )
        expect(heart(page, product)).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("codes") == ["cookies-blocked"] * 2
    assert seen() == []
    assert violations(page) == []
    assert sessions() - before == 1
    visitor.context.unroute_all(behavior="ignoreErrors")


def test_saves_and_removals_show_a_toast_with_undo(visitor):
    """A press is answered in the tab that was pressed, with undo; two quick removals share one."""
    body = COUNT + hearts(1, 2) + TOAST
    other = visitor.open(body)
    page = visitor.open(body)
    toast = page.locator("wishlist-toast")
    press(page, 1)
    expect(toast.get_by_role("status")).to_contain_text("Saved to your wishlist")
    expect(toast.get_by_role("link", name="View")).to_have_attribute(
        "href", re.compile(f"{BASE}/$")
    )
    assert violations(page) == []
    toast.get_by_role("button", name="Undo").click()
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "false")
    press(page, 1, 2)
    press(page, 1, 2)
    counted(page, 0)
    expect(toast.get_by_text("2 items removed")).to_be_visible()
    assert violations(page) == []
    toast.get_by_role("button", name="Undo").click()
    counted(page, 2)
    for product in (1, 2):
        expect(heart(page, product)).to_have_attribute("aria-pressed", "true")
    expect(other.locator("wishlist-toast").get_by_role("status")).to_have_text("")


@pytest.mark.slow
def test_undo_restores_all_variants_that_a_heart_removed(visitor):
    """A heart for any variant removes all, and one undo restores them."""
    page = visitor.open(COUNT + hearts(1) + TOAST)
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(async ({ wishlist }) => {"
        " await wishlist.save({ productId: 1, variantId: 11, quantity: 3 });"
        " await wishlist.save({ productId: 1, variantId: 12 }) })"
    )
    counted(page, 2)
    press(page, 1)
    expect(page.get_by_text("2 items removed")).to_be_visible()
    counted(page, 0)
    page.locator("wishlist-toast").get_by_role("button", name="Undo").last.click()
    counted(page, 2)
    quantities = page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(async ({ wishlist }) =>"
        " (await wishlist.items.list()).data.map((item) => item.quantity).sort())"
    )
    assert quantities == [1, 3]


@pytest.mark.slow
def test_toast_stays_while_it_is_hovered_or_focused(visitor):
    """A message ends after 10 s, unless it is hovered or focused; Escape closes it."""
    page = visitor.context.new_page()
    page.clock.install()
    visitor.open(hearts(1, 2) + TOAST, page=page)
    status = page.locator("wishlist-toast").get_by_role("status")
    press(page, 1)
    undo = page.locator("wishlist-toast").get_by_role("button", name="Undo")
    undo.focus()
    page.clock.run_for(30_000)
    expect(status).to_contain_text("Saved")
    page.keyboard.press("Escape")
    expect(status).to_have_text("")
    press(page, 2)
    status.locator("span").hover()
    page.clock.run_for(30_000)
    expect(status).to_contain_text("Saved")
    page.mouse.move(0, 0)
    page.clock.run_for(30_000)
    expect(status).to_have_text("")


@pytest.mark.slow
def test_hint_to_sign_in_is_shown_once_to_a_visitor(visitor):
    """The hint leads to the element's sign-in page, and back."""
    body = hearts(1, 2) + '<wishlist-toast sign-in="/login" sign-in-return="to"></wishlist-toast>'
    page = visitor.open(body)
    press(page, 1)
    link = page.get_by_role("link", name="Sign in")
    expect(link).to_have_attribute("href", f"{visitor.own.url}/login?to=%2F")
    press(page, 2)
    page = visitor.open(body)
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "true")
    press(page, 1)
    expect(page.get_by_text("Removed from your wishlist")).to_be_visible()
    expect(page.get_by_role("link", name="Sign in")).to_have_count(0)


@pytest.mark.parametrize("toast", ["", slow(TOAST)])
def test_failed_press_shows_a_message(visitor, toast):
    """A failure is shown in the toast, with another try; without the element, at the heart."""
    page = visitor.open(hearts(1, 2) + toast)
    quiet(page)
    page.route("**/api/items?*", lambda route: route.fulfill(status=400, body="{}"))
    heart(page, 1).click()
    text = page.get_by_text("We couldn’t save this item.")
    expect(text).to_be_visible()
    assert violations(page) == []
    page.unroute_all()
    if toast:
        page.get_by_role("button", name="Try again").click()
    else:
        heart(page, 1).click()
    expect(text).to_have_count(0)
    expect(heart(page, 1)).to_have_attribute("aria-pressed", "true")


PRODUCT = {
    "title": "Ivar shelf",
    "url": "https://shop.example/ivar",
    "price": {"amount": "49.90", "currency": "EUR"},
}


def test_events_come_once_per_confirmed_change(own_shop, visitor):
    """`wishlist-added` and `wishlist-removed` come once, in the tab that was pressed, with the
    catalogue's data; never for notes, reloads, other tabs, the first load or failures."""
    own_shop.shop.admin.put("/products/77", json=PRODUCT)
    body = hearts(77, 77) + TOAST
    other = visitor.open(body)
    page = visitor.open(body)
    seen, elsewhere = recorded(page), recorded(other)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        heart(page, 77).first.click()
    page.wait_for_function("seen.length")
    expected = {
        "productId": 77,
        "quantity": 1,
        "product": {
            "title": "Ivar shelf",
            "price": 49.9,
            "currency": "EUR",
            "url": "https://shop.example/ivar",
        },
    }
    [[kind, detail]] = seen()
    assert (kind, {k: v for k, v in detail.items() if v is not None}) == ("added", expected)
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(async ({ wishlist }) => {"
        " const { data: [item] } = await wishlist.items.list();"
        " await wishlist.items.update(item.id, { note: 'Blue' });"
        " await wishlist.save({ productId: 77 }); await wishlist.refresh() })"
    )
    page.reload()
    seen = recorded(page)
    expect(heart(page, 77).first).to_have_attribute("aria-pressed", "true")
    page.route("**/api/items?*", lambda route: route.fulfill(status=400, body="{}"))
    heart(page, 77).first.click()
    page.get_by_text("We couldn’t remove this item.").wait_for()
    page.unroute_all()
    assert seen() == []
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        heart(page, 77).first.click()
    page.wait_for_function("seen.length")
    [[kind, detail]] = seen()
    assert (kind, detail["product"]) == ("removed", expected["product"])
    page.locator("wishlist-toast").get_by_role("button", name="Undo").click()
    page.wait_for_function("seen.length == 2")
    assert [kind for kind, _ in seen()] == ["removed", "added"]
    assert elsewhere() == []


@pytest.mark.slow
@pytest.mark.parametrize("module", ["events", "toast", "choose"])
def test_press_is_kept_when_a_module_cannot_be_loaded(visitor, module):
    """A save and a removal are shown, counted and emitted as events without the module that has the
    event's details, the toast or the menu."""
    visitor.context.route(f"**/{module}.js", lambda route: route.fulfill(status=503))
    body = hearts(5).replace("></", " choose-list></") if module == "choose" else hearts(5)
    page = visitor.open(COUNT + body + TOAST)
    seen = recorded(page)
    press(page, 5)
    counted(page, 1)
    page.wait_for_function("seen.length == 1")
    if module != "choose":
        press(page, 5)
        counted(page, 0)
        page.wait_for_function("seen.length == 2")
    kinds = [kind for kind, _ in seen()]
    assert kinds == ["added", "removed"][: len(kinds)]
    assert {detail["productId"] for _, detail in seen()} == {5}
    page.reload()
    expect(heart(page, 5)).to_have_attribute("aria-pressed", str(module == "choose").lower())


@pytest.mark.slow
def test_removal_on_the_wishlist_page_emits_an_event_with_its_list(visitor):
    """A removal on the wishlist page is an event; `list` is the list that the item is on."""
    page = visitor.open(hearts(5) + "<wishlist-page></wishlist-page>", scripts=("wishwell", "page"))
    press(page, 5)
    page.evaluate(
        "import('/apps/wishlist/assets/wishwell.js').then(async ({ wishlist }) => {"
        " const list = await wishlist.lists.create({ name: 'Birthday' });"
        " const { data: [item] } = await wishlist.items.list();"
        " await wishlist.items.setLists(item.id, [list.id]) })"
    )
    page.get_by_role("tab", name="Birthday").wait_for()
    seen = recorded(page)
    page.get_by_role("button", name="More options for Product 5").click()
    page.get_by_role("button", name="Remove from wishlist").click()
    page.wait_for_function("seen.length")
    [[kind, detail]] = seen()
    assert (kind, detail["list"]["name"]) == ("removed", "Birthday")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("seen.length == 2")
    assert json.dumps(seen()).count("added") == 1


@pytest.mark.slow
def test_copy_of_a_shared_list_is_an_event_per_new_item(own_shop, visitor):
    """Saving a shared list emits `wishlist-added` for each item that the copy has created, with the
    catalogue's data, and counts them; not for products that were saved before."""
    own_shop.shop.admin.put("/products/77", json=PRODUCT)
    owner = own_shop.shop.customer("961").http
    wishes = owner.post("/lists", json={"name": "Birthday"}).json()["data"]["id"]
    for product in (77, 78):
        owner.post("/items", json={"productId": product, "listIds": [wishes]})
    token = owner.post(f"/lists/{wishes}/shares", json={}).json()["data"]["token"]
    page = visitor.open(COUNT + hearts(77, 78))
    press(page, 78)
    counted(page, 1)
    seen = recorded(page)
    page.evaluate(
        """async (token) => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          const { sharedList } = await import('/apps/wishlist/assets/share.js');
          await sharedList(wishlist, token).copy();
        }""",
        token,
    )
    page.wait_for_function("seen.length")
    counted(page, 2)
    [[kind, detail]] = seen()
    assert (kind, detail["productId"], detail["list"]["name"]) == ("added", 77, "Birthday")
    assert detail["product"]["title"] == PRODUCT["title"]
