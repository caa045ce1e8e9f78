"""Sharing a list: the owner and others view, reserve and copy in separate browsers."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.conftest import slow

from .conftest import BASE, CLICK, KEYS, choose, shows, use
from .test_pages import DESKTOP, PHONE, violations

pytestmark = pytest.mark.xdist_group("browser")

LAMP, CUP, THROW = "Dome lamp", "Morning mug", "Wool throw"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def is_open(page):
    """Asserts that axe-core finds nothing and that the page fits the smallest phone."""
    assert violations(page) == []
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(size)


def owner_responses(owner, list_id):
    """Returns every response that an owner gets about the list: body, and headers that don't differ
    per request."""
    answers = []
    for path in ("/items", "/lists", f"/lists/{list_id}", f"/lists/{list_id}/shares"):
        got = owner.context.request.get(f"{owner.url}{BASE}/api{path}")
        assert got.status == 200
        passing = ("date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset")
        headers = {name: value for name, value in got.headers.items() if name not in passing}
        answers.append((path, headers, got.body()))
    return answers


def share(how, page):
    """Shares the displayed list; returns the link, which is in a field and not in the markup, where
    other scripts would find it."""
    choose(page, "Share", how)
    use(how, page.get_by_role("button", name="Create link"))
    expect(page.get_by_role("button", name="Copy link")).to_be_focused()
    address = page.get_by_label("Link", exact=True).input_value()
    use(how, page.get_by_role("button", name="Copy link"))
    expect(page.get_by_text("Link copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == address
    token = address.partition("#")[2]
    assert token.startswith("wwshr_")
    shown = page.evaluate(
        """() => {
          const markup = (root) => root.innerHTML + [...root.querySelectorAll('*')]
            .map(({ shadowRoot }) => shadowRoot ? markup(shadowRoot) : '').join('');
          return markup(document.documentElement);
        }"""
    )
    assert "Link copied." in shown
    assert token[-6:] not in shown
    use(how, page.get_by_role("button", name="Done"))
    return address


def not_mine(how, page):
    """Declares the list to be somebody else's; reservations are hidden before that."""
    expect(page.get_by_text("Is this your list?")).to_be_visible()
    expect(page.locator(".reserve").first).to_be_hidden()
    use(how, page.get_by_role("button", name="No, I’m shopping for someone"))


def expect_dead_link(page):
    """Asserts that the page says that the link no longer works."""
    expect(page.get_by_role("heading", name="This link isn’t working")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "path", "options"),
    [
        (KEYS, f"{BASE}/", {"viewport": DESKTOP, "color_scheme": "light"}),
        (CLICK, "/wishlist", {"viewport": PHONE, "color_scheme": "dark", "has_touch": True}),
    ],
    ids=["documents-desktop-by-keyboard", "demo-phone-dark"],
)
def test_list_is_shared_reserved_copied_and_revoked(shared_demo, new_shopper, how, path, options):
    """The owner shares; a second browser reserves, gives back, and copies after signing in; a third
    sees it. The owner sees no trace and stops sharing; then the link fails."""
    owner = new_shopper(shared_demo, **CLIPBOARD, **options)
    page = owner.open()
    list_id = owner.save_list(page, "Ada’s birthday", [102, 101, 103])
    owner.go(page, path)
    use(KEYS, page.get_by_role("tab", selected=True))
    page.keyboard.press("ArrowRight")
    shows(page, LAMP, CUP, THROW)
    address = share(how, page)
    shared = f"{BASE}/shared" if how == KEYS else "/shared"
    assert address.startswith(f"{owner.url}{shared}#")
    is_open(page)
    before = owner_responses(owner, list_id)

    giver = new_shopper(shared_demo, **options)
    theirs = giver.context.new_page()
    looked = theirs.goto(address)
    assert looked.headers["referrer-policy"] == "no-referrer"
    expect(theirs.get_by_role("heading", name="Ada’s birthday")).to_be_visible()
    shows(theirs, LAMP, CUP, THROW)
    assert giver.context.cookies() == []
    is_open(theirs)
    not_mine(how, theirs)
    for name in (LAMP, CUP):
        use(how, theirs.get_by_role("button", name=f"I’ll get this: {name}"))
        expect(theirs.get_by_text(f"You’ve reserved {name}")).to_be_visible()
    use(how, theirs.get_by_role("button", name=f"Cancel reservation: {CUP}"))
    expect(theirs.get_by_text("Reservation cancelled")).to_be_visible()
    expect(theirs.locator(".card:focus-within")).to_contain_text(CUP)  # its button was removed
    expect(theirs.get_by_text("Reserved by you")).to_have_count(1)
    is_open(theirs)

    other = new_shopper(shared_demo, **options).context.new_page()
    other.goto(address)
    not_mine(how, other)
    expect(other.get_by_text("Already reserved")).to_have_count(1)
    expect(other.get_by_role("button", name="I’ll get this")).to_have_count(2)
    is_open(other)

    giver.sign_in(theirs, "Jonas")
    theirs.goto(address)
    expect(theirs.get_by_text("Reserved by you")).to_have_count(1)
    use(how, theirs.get_by_role("button", name="Save to my wishlist"))
    use(how, theirs.get_by_role("button", name="View"))
    theirs.get_by_role("tab", name="Ada’s birthday").last.click()
    shows(theirs, LAMP, CUP, THROW)

    assert owner_responses(owner, list_id) == before
    for whose in (owner, new_shopper(shared_demo, **options)):
        mine = whose.context.new_page()
        mine.goto(address)
        # The service knows the signed-in owner; signed out, they must say so
        if whose is not owner:
            use(how, mine.get_by_role("button", name="Yes, it’s mine"))
        expect(
            mine.get_by_text("This is your list, so reserved gifts stay hidden.")
        ).to_be_visible()
        expect(mine.get_by_text("Already reserved")).to_have_count(0)
        expect(mine.locator(".reserve").first).to_be_hidden()
        is_open(mine)

    theirs.goto(address)
    expect(theirs.get_by_text("Reserved by you")).to_have_count(1)
    page.bring_to_front()
    expect(page.get_by_role("img", name="Shared")).to_be_visible()
    choose(page, "Share", how)
    use(how, page.get_by_role("button", name="Stop sharing"))
    for who in (giver, owner):  # the owner's other tab loads the link again too
        who.expected.add(404)
    use(how, page.get_by_role("button", name="Stop sharing"))
    expect(page.get_by_text("This list is no longer shared.")).to_be_visible()
    theirs.bring_to_front()
    use(how, theirs.get_by_role("button", name=f"I’ll get this: {THROW}"))
    expect_dead_link(theirs)
    is_open(theirs)


@pytest.mark.parametrize("path", [slow("/wishlist"), f"{BASE}/"])
def test_url_of_a_shared_list_is_sent_nowhere_else(new_shopper, shared_demo, path):
    """Nothing loaded or opened from the page gets a Referer, and the token is sent to the API only.
    An unknown link gets the same message as an ended one.
    Rule: storefront-pages."""
    shopper = new_shopper(shared_demo, **CLIPBOARD)
    page = shopper.open()
    shopper.make_list(page, "Birthday", [101], path)
    address = share(CLICK, page)
    sent = []
    shopper.context.on("request", lambda request: sent.append(request))
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("link", name=CUP).click()
    expect(page.get_by_role("button", name="Add to cart")).to_be_visible()
    assert len(sent) > 8
    assert not [request.url for request in sent if request.all_headers().get("referer")]
    api = f"{shopper.url}{BASE}/api/"
    with_token = [request.url for request in sent if "wwshr_" in request.url.partition("#")[0]]
    assert with_token
    assert all(url.startswith(api) for url in with_token)
    shopper.expected.add(404)
    page.goto(f"{address}x")
    expect_dead_link(page)
