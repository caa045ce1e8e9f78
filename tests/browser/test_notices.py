"""The box that turns notices on, in each state of a profile. The service's answers are changed, because
a real shop has only some of these states; a visitor's whole way is in test_demo.py."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import press
from .test_wishlist import button

pytestmark = pytest.mark.xdist_group("browser")

MASKED = "a…@e….com"
WAITING = {"noticesBy": "address_needed", "emailStatus": "pending", "email": MASKED}
CONFIRMED = {"emailStatus": "confirmed", "email": MASKED}


class Box:
    """The wishlist page of a visitor whose profile the test changes."""

    def __init__(self, shopper) -> None:
        self.shopper, self.fields, self.sent, self.status = shopper, {}, [], 200
        shopper.expected.add(400)
        self.page = shopper.open()
        press(self.page, 101)
        self.page.route("**/api/profile", self._answer)
        for path in ("profile/email", "profiles/identify"):
            self.page.route(f"**/api/{path}", self._note)
        self.choice = self.page.get_by_role("checkbox")
        self.address = self.page.locator(".address")

    def _answer(self, route) -> None:
        if route.request.method != "GET":
            self._note(route)
            return
        answer = route.fetch()
        route.fulfill(response=answer, json={"data": answer.json()["data"] | self.fields})

    def _note(self, route) -> None:
        self.sent.append((route.request.method, route.request.post_data_json))
        route.fulfill(status=self.status, json={"data": self.fields})

    def show(self, *, menu: bool = True, **fields) -> None:
        self.fields, self.sent = {"notified": False} | fields, []
        self.shopper.go(self.page, "/wishlist")
        expect(self.page.locator("[aria-busy=false] > .card")).to_have_count(1)
        if menu:
            button(self.page, "List options").click()

    def enter(self) -> None:
        """Enters an address in the dialog that is open, and sends it."""
        field = self.page.get_by_role("textbox")
        assert [field.get_attribute(name) for name in ("type", "autocomplete")] == ["email"] * 2
        field.fill("ann@example.com")
        self.page.get_by_role("button", name="Send", exact=True).click()


@pytest.fixture
def box(shopper) -> Box:
    return Box(shopper)


@pytest.mark.slow
def test_box_is_ticked_only_if_notices_reach_the_shopper(box):
    """The box shows whether notices reach the shopper, and is hidden where the shop sends none. A
    visitor who has to sign in is told so.
    Rule: notice-consent."""
    for way in ("mail", "webhook"):
        box.show(noticesBy=way, notified=True)
        expect(box.choice).to_be_checked()
    box.show(noticesBy="none")
    expect(box.choice).to_have_count(0)
    box.show(noticesBy="sign_in_needed")
    box.choice.click()
    expect(box.choice).not_to_be_checked()
    expect(box.page.locator("[part=toast]")).to_have_count(1)
    assert box.sent == []


def test_address_is_asked_for_and_a_failure_is_said(box):
    """A tick asks for the address and sends it with the page's language. The page says that a mail was
    sent only if the request succeeded; then it can be sent again.
    Rule: mail-confirm."""
    sent = ("POST", {"email": "ann@example.com", "notices": True, "language": "en"})
    said = box.page.get_by_text("sent you a mail. Press the button in it.")
    box.show(noticesBy="address_needed")
    box.status = 400
    box.choice.click()
    box.enter()
    expect(box.page.locator("[part=toast]")).to_have_count(1)
    expect(said).to_have_count(0)
    box.status, box.fields = 200, WAITING
    box.choice.click()
    box.enter()
    expect(said).to_be_visible()
    waits = f"Press the button in our mail to {MASKED}."
    expect(box.page.get_by_role("dialog").locator(".address")).to_contain_text(waits)
    expect(box.choice).not_to_be_checked()
    box.page.keyboard.press("Escape")
    expect(box.address).to_contain_text(waits)
    button(box.address, "Change or send again").click()
    with box.page.expect_response("**/profiles/identify"):
        box.enter()
    assert box.sent == [sent] * 3


@pytest.mark.slow
def test_confirmed_address_is_shown_and_removed(box):
    """A confirmed address is shown masked, and said to get notices only if it does.
    Rule: mail-addresses."""
    box.show(noticesBy="webhook", notified=True, **CONFIRMED)
    expect(box.address).to_contain_text(f"Email: {MASKED}")
    box.show(noticesBy="mail", notified=True, **CONFIRMED)
    expect(box.address).to_contain_text(f"Notices go to {MASKED}.")
    box.fields = {"noticesBy": "address_needed", "notified": False}
    button(box.address, "Remove address").click()
    expect(box.address).to_have_count(0)
    assert box.sent == [("DELETE", None)]


@pytest.mark.slow
def test_address_from_before_the_sign_in_is_used_only_after_a_press(box):
    """The address of a session that was confirmed there waits for the signed-in shopper's answer.
    Rule: mail-addresses."""
    box.show(menu=False, kind="customer", emailConfirmedAt="2026-04-18T17:13:27.481Z", **WAITING)
    expect(box.address).to_contain_text(f"Send notices to {MASKED}?")
    expect(button(box.address, "Remove address")).to_be_visible()
    assert box.sent == []
    box.fields = {"noticesBy": "mail", "notified": True, **CONFIRMED}
    button(box.address, "Yes").click()
    expect(box.address).to_have_count(0)
    button(box.page, "List options").click()
    expect(box.choice).to_be_checked()
    expect(box.address).to_contain_text(f"Notices go to {MASKED}.")
    assert box.sent == [("PATCH", {"notices": True})]
