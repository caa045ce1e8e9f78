"""`make demo` as a program: start, stop and error messages."""

from __future__ import annotations

import re
import signal
import smtplib
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx2
import pytest
from PIL import Image
from playwright.sync_api import expect

from demo import mail_server, mailbox
from tests.servers import HERE, wait_until

from .conftest import MOVED, ROOT, Demo, press

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_demo_ends_with_its_service_and_keeps_nothing(number):
    """SIGINT and SIGTERM end the demo with exit code 0, without leaving processes or files."""
    with Demo({}) as demo:
        service = demo.service
        assert list(demo.folder.glob("wishwell-demo-*/wishwell.db"))
        assert demo.end(number, 20) == 0
        assert not service.is_running()
        assert not list(demo.folder.glob("wishwell-demo-*"))
        said = demo.output()
    assert f"The shop is open: {demo.url}" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_busy_port_is_named():
    """A busy port is reported in one line before anything is started."""
    with socket.create_server((HERE, 0)) as busy:
        argv = [sys.executable, "-m", "demo", "--port", str(busy.getsockname()[1])]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert "Change --host and --port" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_demo_answers_a_press_with_count_toast_and_one_event(new_shopper, shared_demo):
    """A press is counted in the header, confirmed by the toast with Undo, and sent once to the analytics in
    the console. The service's own page has the shop's name."""
    shopper = new_shopper(shared_demo)
    page, lines = shopper.context.new_page(), []
    page.on("console", lambda message: lines.append(message.text))
    shopper.go(page, "/")
    page.get_by_role("button", name="Save Morning mug").click()
    expect(page.locator("wishlist-count")).to_have_text("1")
    toast = page.locator("wishlist-toast")
    expect(toast).to_contain_text("Saved to your wishlist")
    expect(toast.get_by_role("link", name="View")).to_have_attribute("href", "/wishlist")
    # The event follows the service's response, the count doesn't wait for it.
    with page.expect_console_message(lambda line: "remove_from_wishlist" in line.text):
        toast.get_by_role("button", name="Undo").click()
    expect(page.locator("wishlist-count")).to_have_text("0")
    events = [line for line in lines if line.startswith("analytics")]
    assert ["add_to_wishlist" in line for line in events] == [True, False]
    assert "remove_from_wishlist" in events[1]
    page.goto(f"{shopper.url}/apps/wishlist/")
    expect(page.get_by_role("banner")).to_contain_text("Small Hours")


def test_48_hearts_cost_what_the_readme_says(shopper):
    """A long page with count and toast: requests, bytes on the wire (brotli) and layout shift are the
    README's. `analytics.js` is the demo's own choice, and not counted."""
    page = shopper.context.new_page()
    page.add_init_script(MOVED)
    shopper.go(page, "/all?n=48")
    expect(page.locator("wishlist-button").get_by_role("button")).to_have_count(48)
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate(
        """performance.getEntriesByType('resource').filter(({ name }) =>
          name.includes('/apps/wishlist/') && !name.includes('analytics')).map((file) => file.encodedBodySize)"""
    )
    [figures] = re.findall(r"take (\d+) requests and (\d+) kB,", (ROOT / "README.md").read_text())
    assert (len(sizes), round(sum(sizes) / 1000)) == tuple(map(int, figures))
    assert page.evaluate("window.moved") == 0


@pytest.mark.slow
def test_header_is_one_row_on_a_phone(new_shopper, shared_demo):
    """At 360 px the name, the menu with its numbers, and the account share one row, signed in or not, and
    can be pressed."""
    shopper = new_shopper(shared_demo, viewport={"width": 360, "height": 740})
    page = shopper.open()
    press(page, 101, 102)
    for name in ("Sign in", "Sign out"):
        expect(page.locator("wishlist-count")).to_have_text("2")
        boxes = [
            link.bounding_box() for link in page.locator(".top nav > a, .top form button").all()
        ]
        assert {round(box["y"] + box["height"] / 2) for box in boxes} == {round(boxes[0]["y"] + 22)}
        assert min(min(box["width"], box["height"]) for box in boxes) >= 44
        assert page.locator(".top").bounding_box()["height"] < 64
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        expect(page.locator(".top").get_by_text(name)).to_be_attached()
        if name == "Sign in":
            shopper.sign_in(page, "Mira")


def test_newcomer_reads_a_mail_about_a_lower_price_and_unsubscribes(new_shopper, shared_demo):
    """The mailbox shows each mail as it comes, and its links work: a visitor confirms an address typed
    at the box, reads about a price lowered in the mailbox, and unsubscribes; then the box is empty
    again. Rules: mail-confirm, mail-links, mail-unsubscribe."""
    shopper = new_shopper(shared_demo)
    page = shopper.open()
    letters = page.locator(".letter")
    press(page, 112)
    shopper.go(page, "/wishlist")
    page.get_by_role("button", name="List options").click()
    box = page.get_by_label("Notify me of price drops")
    expect(box).not_to_be_checked()
    box.click()
    page.get_by_role("textbox", name="Email").fill("new@comer.example")
    page.get_by_role("button", name="Send").click()
    menu = page.get_by_role("dialog")
    expect(menu.get_by_text("Press the button in our mail to n")).to_be_visible()
    shopper.go(page, "/mailbox")
    letters.filter(has_text="new@comer.example").click()
    with open_link(page, "To the confirmation") as opened:
        opened.get_by_role("button", name="Yes, write to me").click()
        expect(opened.get_by_role("heading")).to_have_text("Thank you")
    shopper.go(page, "/wishlist")
    page.get_by_role("button", name="List options").click()
    expect(box).to_be_checked()
    shopper.go(page, "/mailbox")
    count = letters.count()
    page.get_by_role("button", name="Field notebook: €14.00 → €11.00").click()
    expect(page.get_by_text("Field notebook: €11.00, was €14.00")).to_be_visible()
    expect(letters).to_have_count(count + 1, timeout=30_000)
    letters.first.click()
    page.get_by_text("Text part").click()
    expect(page.get_by_text("Saved at €14.00, now €11.00")).to_be_visible()
    with open_link(page, "Field notebook") as opened:
        expect(opened.locator("main .price")).to_have_text("€11.00")
    with open_link(page, "Unsubscribe") as opened:
        opened.get_by_role("button", name="Unsubscribe").click()
        expect(opened.get_by_role("heading")).to_have_text("You are unsubscribed")
    shopper.go(page, "/wishlist")
    page.get_by_role("button", name="List options").click()
    expect(box).not_to_be_checked()


@contextmanager
def open_link(page, name):
    """Opens a link of the mail that a page shows; yields its tab."""
    with page.context.expect_page() as opening:
        page.frame_locator("iframe").get_by_role("link", name=name).click()
    yield opening.value
    opening.value.close()  # in a background tab, the browser delays frames, for which clicks wait


def test_merchants_page_opens_as_printed_with_two_months_of_figures(chromium, shared_demo):
    """The printed address and token lead to a page with wishes, earnings, pictures and mails; the made-up
    history is what the service counts itself. The service's log doesn't have the token."""
    printed = shared_demo.output()
    [address] = re.findall(r"The merchant's page: (\S+)", printed)
    [token] = re.findall(r"Token to sign in there: (\S+)", printed)
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append((message.type, message.text)))
    page.goto(address)
    page.get_by_label("Admin or reports token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.locator("main[aria-busy=false]").wait_for()
    expect(page.locator("#earned .big")).to_have_text(re.compile(r"€[1-9],\d{3}\.00"))
    picture = page.locator("#earned img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("it => it.naturalWidth")
    page.get_by_role("link", name="Mails").click()
    expect(page.get_by_text("550 5.1.1 No such mailbox").first).to_be_visible()
    api = address.replace("/admin/", "/api/2025-04")
    headers = {"Authorization": f"Bearer {token}"}
    days = page.request.get(f"{api}/reports/days", headers=headers).json()["data"]
    assert len(days) == 30
    assert all(day["wishes"] > 1_000 for day in days)
    assert all(day["added"] and day["removed"] for day in days[:-1])
    [log] = shared_demo.folder.glob("wishwell-demo-*/service.log")
    assert token not in log.read_text()
    assert not [text for kind, text in wrong if kind == "error"]
    context.close()


@pytest.mark.slow
def test_first_count_of_the_service_agrees_with_the_history():
    """The service's own counts continue the made-up days without a jump."""
    with Demo({"WISHWELL_COUNT_SECONDS": "1"}) as demo:
        printed = demo.output()
        [address] = re.findall(r"The merchant's page: (\S+)", printed)
        [token] = re.findall(r"Token to sign in there: (\S+)", printed)

        def ask():
            url = address.replace("/admin/", "/api/2025-04/reports/days")
            return httpx2.get(url, headers={"Authorization": f"Bearer {token}"}).json()

        for _ in range(2):  # a count may have begun before
            first = ask()["asOf"]
            assert wait_until(lambda first=first: ask()["asOf"] != first, seconds=60)
        yesterday, today = ask()["data"][-2:]
    assert abs(today["wishes"] - yesterday["wishes"]) < 40
    assert today["removed"] < 40


def test_mailbox_shows_a_mail_without_running_it():
    """The mail server keeps a mail's lines as they were sent, for each recipient, and answers commands
    that it doesn't know. The page escapes headers and text; the HTML part runs in a sandbox."""
    with mail_server.running() as server, smtplib.SMTP(HERE, server.server_address[1]) as client:
        assert client.docmd("DATA")[0] == client.docmd("STARTTLS")[0] == 503
        content = "Subject: =?utf-8?q?<b>=C3=A9?=\nTo: <i>\n\n.\n..two\n<script>1</script>\n"
        client.sendmail("a@shop.example", ["b@home.example", "é@home.example"],
                        content, mail_options=["SMTPUTF8"])  # fmt: skip
        first, second = server.mails
    assert (first.recipient, second.recipient) == ("b@home.example", "é@home.example")
    assert first.part("plain").splitlines() == [".", "..two", "<script>1</script>"]
    shown = mailbox.mail("/mailbox/1", first) + mailbox.index(server.mails, [])
    assert "<h1>&lt;b&gt;é</h1>" in shown and "é@home.example" in shown
    assert not {"<b>", "<i>", "<script>1"} & {*re.findall(r"<\w+>1?", shown)}
    assert "sandbox allow-popups" in mailbox.HTML_PART["content-security-policy"]


@pytest.mark.slow
def test_pictures_of_the_documents_are_made_by_one_command(tmp_path):
    """One command renders the images of the README and of docs/browser.md again: those of the README
    under 150 KB each, all in the committed sizes."""
    argv = [sys.executable, "-m", "demo.screenshots", str(tmp_path)]
    subprocess.run(argv, cwd=ROOT, check=True, timeout=300)
    readme = (ROOT / "README.md").read_text()
    made = list(tmp_path.iterdir())
    browser = (ROOT / "docs" / "browser.md").read_text()
    in_readme = [taken for taken in made if f"docs/images/{taken.name}" in readme]
    assert len(in_readme) == readme.count('src="docs/images/') == 5
    for taken in made:
        shown = ROOT / "docs" / "images" / taken.name
        if taken in in_readme:
            assert max(taken.stat().st_size, shown.stat().st_size) < 150_000
        else:
            assert f"images/{taken.name}" in browser
        assert Image.open(taken).size == Image.open(shown).size
