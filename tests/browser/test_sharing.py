"""A list is shared: the owner, and a family that looks, reserves and copies, in browsers of their own."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from .conftest import BASE, names
from .test_pages import DESKTOP, PHONE, violations

pytestmark = pytest.mark.xdist_group("browser")  # one process, one browser

FOCUSED = """(wanted) => {
  let now = document.activeElement;
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
  return now === wanted;
}"""
CLICK, KEYS = "click", "keys"


def use(how, button):
    """Presses it: with a finger or mouse, or by Tab until it has the focus, then Enter."""
    expect(button).to_be_visible()
    if how == CLICK:
        button.click()
        return
    keyboard = button.page.keyboard
    for _ in range(90):
        if button.evaluate(FOCUSED):
            keyboard.press("Enter")
            return
        keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {button}")


def is_open(page):
    """axe-core finds nothing serious, and nothing is wider than the smallest phone."""
    assert violations(page) == []
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(size)


def told(owner, list_id):
    """Every answer that tells an owner of the list: all of the body, the headers that are not of one
    request or moment."""
    answers = []
    for path in ("/items", "/lists", f"/lists/{list_id}", f"/lists/{list_id}/shares"):
        got = owner.context.request.get(f"{owner.url}{BASE}/api{path}")
        assert got.status == 200
        passing = ("date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset")
        headers = {name: value for name, value in got.headers.items() if name not in passing}
        answers.append((path, headers, got.body()))
    return answers


def gone(page):
    """The page says kindly that the link is no longer good."""
    expect(page.get_by_role("heading", name="This list is no longer shared")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "options"),
    [
        (KEYS, {"viewport": DESKTOP, "color_scheme": "light"}),
        (CLICK, {"viewport": PHONE, "color_scheme": "dark", "has_touch": True}),
    ],
    ids=["desktop-light-by-keyboard", "phone-dark"],
)
def test_list_is_shared_reserved_copied_and_revoked(shared_demo, new_shopper, how, options):
    """The owner shares; a second browser without an account opens, reserves, and copies after its
    sign-in; a third sees that; the owner sees no trace of it, and revokes; the second is told."""
    owner = new_shopper(shared_demo, permissions=["clipboard-read", "clipboard-write"], **options)
    page = owner.open()
    owner.make_list(page, "Ada’s birthday", [102, 101, 103])
    list_id = page.url.partition("#")[2]
    share = page.locator("wishlist-share")
    use(how, share.get_by_role("button", name="Share this list"))
    link = share.get_by_role("textbox", name="Link to this list")
    expect(link).to_have_value(re.compile(rf"{owner.url}/shared/\w+"))
    use(how, share.get_by_role("button", name="Copy link"))
    expect(share.get_by_role("status")).to_have_text("The link is copied")
    address = page.evaluate("navigator.clipboard.readText()")
    expect(link).to_have_value(address)
    is_open(page)
    before = told(owner, list_id)

    giver = new_shopper(shared_demo, **options)
    theirs = giver.context.new_page()
    looked = theirs.goto(address)
    assert looked.headers["x-robots-tag"] == "noindex"
    assert looked.headers["referrer-policy"] == "no-referrer"
    assert '<meta property="og:title" content="Ada’s birthday">' in looked.text()
    expect(theirs.get_by_role("heading", name="Ada’s birthday")).to_be_visible()
    assert names(theirs) == ["Dome lamp", "Morning mug", "Wool throw"]
    states = theirs.locator("#items .state")
    expect(states).to_have_text(["", "", ""])
    assert giver.context.cookies() == []
    use(how, theirs.get_by_role("button", name="Show what is reserved"))
    use(how, theirs.get_by_role("button", name="I’ll give this: Dome lamp"))
    expect(states).to_have_text(["You give this", "", ""])
    expect(theirs.get_by_text("Your reservations are known in this browser only")).to_be_visible()
    is_open(theirs)

    other = new_shopper(shared_demo, **options).context.new_page()
    other.goto(address)
    use(how, other.get_by_role("button", name="Show what is reserved"))
    expect(other.locator("#items .state")).to_have_text(["Reserved", "", ""])
    expect(other.get_by_role("button", name="Dome lamp")).to_have_count(0)
    is_open(other)

    use(how, theirs.get_by_role("main").get_by_role("link", name="Sign in"))
    use(how, theirs.get_by_role("button", name="Continue as Jonas"))
    theirs.wait_for_url(address)
    use(how, theirs.get_by_role("button", name="Show what is reserved"))
    expect(states).to_have_text(["You give this", "", ""])
    use(how, theirs.get_by_role("button", name="Copy to my wishlist"))
    use(how, theirs.get_by_role("button", name="See it"))
    expect(theirs.get_by_role("heading", name="Ada’s birthday")).to_be_visible()
    expect(theirs.locator("#items > li .name")).to_have_text(
        ["Dome lamp", "Morning mug", "Wool throw"]
    )

    assert told(owner, list_id) == before
    mine = owner.context.new_page()
    mine.goto(address)
    use(how, mine.get_by_role("button", name="Show what is reserved"))
    expect(mine.get_by_text("What others reserve stays a surprise.")).to_be_visible()
    expect(mine.locator("#items .state")).to_have_text(["", "", ""])
    is_open(mine)

    theirs.go_back()
    expect(states).to_have_text(["You give this", "", ""])
    stop = share.get_by_role("button", name="Stop sharing")
    page.bring_to_front()
    use(how, stop)
    expect(share.get_by_role("status")).to_contain_text("will stop working")
    use(how, stop)
    expect(share.get_by_role("status")).to_have_text("This list is no longer shared")
    expect(link).to_be_hidden()
    giver.expected.add(404)
    use(how, theirs.get_by_role("button", name="I’ll give this: Wool throw"))
    gone(theirs)
    is_open(theirs)


def test_address_of_a_shared_list_goes_nowhere_else(shopper):
    """No Referer on whatever is loaded from the page, or opened from it; a link that never was is
    told like one that ended."""
    page = shopper.open()
    made = shopper.save_list(page, "Birthday", [101])
    address = page.evaluate(
        """async (id) => {
          const { wishlist } = await import('/apps/wishlist/assets/wishwell.js');
          return (await wishlist.share(id)).url;
        }""",
        made,
    )
    sent = []
    shopper.context.on("request", lambda request: sent.append(request))
    page.goto(address)
    page.get_by_role("button", name="Show what is reserved").click()
    page.get_by_role("link", name="Morning mug").click()
    expect(page.get_by_role("button", name="Add to cart")).to_be_visible()
    assert len(sent) > 8
    assert not [request.url for request in sent if request.all_headers().get("referer")]
    shopper.expected.add(404)
    assert page.goto(f"{address}x").status == 404
    gone(page)
