"""What an attacker does with mails: links, a stolen admin token, a copy of production."""

import re
import time

import pytest

from tests.servers.mail_server import MailServer

from .conftest import Front, new_api, running
from .test_mails import MAILS, link_in, mail_server, mailing_api, put, visitor  # noqa: F401

ORIGIN = "https://evil.example"
NO_MAIL_SECONDS = 3


@pytest.fixture(autouse=True)
def no_mails_yet(mail_server):  # noqa: F811
    mail_server.received.clear()


def store(api, *options: str, scheme: str = "https") -> Front:
    return Front(api, *MAILS, "--shop-name", "Anna’s", *options, scheme=scheme)


def ask(front: Front, mail_server: MailServer, email: str):  # noqa: F811
    """Returns a visitor's browser, and the path of the link in the confirmation."""
    browser = visitor(front)
    asked = {"email": email, "notices": True, "language": "en"}
    assert browser.post("/profiles/identify", json=asked).status_code == 200
    mails = mail_server.wait_for(len(mail_server.received) + 1)
    return browser, link_in(mails[-1].text, front)


def status(browser) -> str:
    return browser.get("/profile").json()["data"]["emailStatus"]


def test_scanner_and_other_stores_confirm_nothing(mailing_api, mail_server):  # noqa: F811
    """A mail scanner that requests a link by GET and HEAD, any method but POST, a POST without the button's
    value, and a POST at another store's host confirm nothing; the button does, once.
    Rules: mail-links, mail-confirm."""
    front, other = store(mailing_api), store(mailing_api)
    browser, path = ask(front, mail_server, "ann@shop.example")
    for method in ("GET", "HEAD", "HEAD", "GET", "PUT", "DELETE", "PATCH"):
        answer = browser.at(path, method)
        assert answer.status_code == (200 if method in ("GET", "HEAD") else 405)
        assert status(browser) == "pending"
    assert browser.at(path, "POST").status_code == 400
    elsewhere = other.browser().at(path, "POST", data={"action": "confirm"})
    assert elsewhere.status_code == 200 and "Thank you" in elsewhere.text
    assert status(browser) == "pending"
    assert browser.at(path, "POST", data={"action": "confirm"}).status_code == 200
    assert status(browser) == "confirmed"
    assert browser.delete("/profile/email").status_code == 204
    assert browser.at(path, "POST", data={"action": "confirm"}).status_code == 200
    assert "emailStatus" not in browser.get("/profile").json()["data"]


@pytest.mark.slow
def test_token_to_unsubscribe_stops_only_its_own_address(mailing_api, mail_server):  # noqa: F811
    """A link to unsubscribe changes neither the profile that sends it nor others; it can't confirm.
    Rules: mail-links, mail-unsubscribe."""
    front = store(mailing_api)
    put(front, "52.90")
    browsers, leave = [], ""
    for name in ("ann", "bob"):
        browser, path = ask(front, mail_server, f"{name}@shop.example")
        assert browser.at(path, "POST", data={"action": "confirm"}).status_code == 200
        browsers.append(browser)
    ann, bob = browsers
    put(front, "39.90")
    mails = {mail.recipient: mail for mail in mail_server.wait_for(4)[2:]}
    leave = link_in(mails["ann@shop.example"].text, front)
    assert bob.at(leave, "POST", data={"action": "confirm"}).status_code == 200
    assert (status(ann), status(bob)) == ("suppressed", "confirmed")


def test_stolen_token_writes_no_words_but_titles_and_no_links(mailing_api, mail_server):  # noqa: F811
    """Whoever has an admin token can't change the sender, the words or the links of mails, nor write to
    shoppers who never chose. The mails about a lowered price have the title, links and pictures of the
    shop alone; a second one waits for the next day, and one command cancels it.
    Rules: store-patch, mail-form, mail-links, mail-limits, mail-paused."""
    front = store(mailing_api, "--notices", "opt-in")
    admin, handle = front.shop.admin, front.shop.handle
    put(front, "52.90")
    put(front, "52.90", product=2)
    browser, path = ask(front, mail_server, "ann@shop.example")
    browser.save(2)
    assert browser.at(path, "POST", data={"action": "confirm"}).status_code == 200
    for body in (
        {"look": {"shopName": "Your bank"}},
        {"look": {"shopName": ""}},
        {"look": {"texts": {"en": {"mailSubject": "Call us"}}}},
        {"look": {"texts": {"en": {"mailOpening": "Call us"}}}},
        {"look": {"shopUrl": f"{ORIGIN}/"}},
        {"notices": "opt-out"},
        {"mail": {"mailFrom": "boss@evil.example"}},
        {"mail": {"mailLimit": 100_000}},
        {"pages": {"wishlistPage": f"{ORIGIN}/"}},
        {"hosts": [ORIGIN]},
    ):
        assert admin.patch("/store", json=body).status_code == 400, body
    texts = {"en": {"heading": "Own page"}}
    for look in ({"logoUrl": f"{ORIGIN}/words.png"}, {"shopName": "Anna’s", "texts": texts}):
        assert admin.patch("/store", json={"look": look}).status_code == 200
    sent = {"profiles": [{"profile": front.shop.gid(), "email": "x@evil.example"}]}
    assert admin.put("/profiles/email", json=sent).json()["data"]["unknown"] == 1
    fields = {"title": "Win at evil.example", "url": f"{ORIGIN}/1", "image": f"{ORIGIN}/1.png"}
    put(front, "39.90", 1, **fields)
    mail = mail_server.wait_for(2)[1]
    assert mail.message["From"] == "Anna’s <shop@sender.example>"
    links = re.findall(r'(?:href|src)="([^"]+)', mail.html) + re.findall(r"\S+://\S+", mail.text)
    assert links and all(link.startswith(f"{front.origin}/") for link in links)
    assert "evil.example" not in mail.text
    assert mail.html.replace(fields["title"], "").count("evil") == 0
    put(front, "39.90", product=2)
    assert states(front) == {"sent", "waiting"}
    front.api.quick("store", "mail", "pause", handle, "--cancel")
    assert states(front) == {"sent", "cancelled"}


def states(front: Front) -> set[str]:
    """Returns the states of a store's mails with notices, once there is more than one."""
    for _ in range(100):
        mails = [m for m in front.shop.admin.get("/mails").json()["data"] if m["kind"] == "notices"]
        if len(mails) > 1:
            break
        time.sleep(0.1)
    return {mail["state"] for mail in mails}


@pytest.mark.slow
def test_link_on_an_address_of_several_stores_shows_its_own_shop(mailing_api, mail_server):  # noqa: F811
    """Several stores may share the service's own address; the page of a link has the name of its shop, and
    that of an unknown link none. Rule: mail-links."""
    address = "https://wishes.test"
    named = ("--service-url", address, "--notices", "opt-out")
    for name in ("Bea’s", "Cleo’s"):
        front = store(mailing_api, *named, "--shop-name", name, scheme="")
        put(front, "52.90")
        gid = front.shop.gid()
        assert front.shop.acting_as(gid).post("/items", json={"productId": 1}).status_code == 201
        sent = {"profiles": [{"profile": gid, "email": "ann@shop.example"}]}
        assert front.shop.admin.put("/profiles/email", json=sent).json()["data"]["stored"] == 1
        put(front, "39.90")
        mail = mail_server.wait_for(len(mail_server.received) + 1)[-1]
        [path] = re.findall(rf"{address}({front.base}/mail/\w+)", mail.text)
        page = front.browser().bare(path, [("Host", "wishes.test")])
        assert f"{name} will no longer write" in page.text
    unknown = front.browser().bare(path[:-28] + "x" * 28, [("Host", "wishes.test")])
    assert unknown.status_code == 200 and "This shop will no longer write" in unknown.text


@pytest.mark.slow
def test_copy_of_production_sends_nothing(mail_server):  # noqa: F811
    """An installation with WISHWELL_MAIL=off keeps its mails waiting, even if its database says that mails are
    on and due; without the setting they are sent. Rule: mail-on."""
    api = new_api(WISHWELL_SMTP_URL=mail_server.url, WISHWELL_MAIL="off")
    with running(api):
        front = store(api)
        asked = {"email": "ann@shop.example", "notices": True, "language": "en"}
        assert visitor(front).post("/profiles/identify", json=asked).status_code == 200
        time.sleep(NO_MAIL_SECONDS)
        [mail] = front.shop.admin.get("/mails").json()["data"]
        assert mail["state"] == "waiting" and mail_server.received == []
        assert api.stop() == 0
        api.settings["WISHWELL_MAIL"] = "on"
        api.start()
        assert mail_server.wait_for(1)[0].recipient == "ann@shop.example"
