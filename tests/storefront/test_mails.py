"""Mails to shoppers, from the box on the wishlist page to the link at the foot of a mail."""

import re
from base64 import b64encode
from typing import Any
from urllib.parse import quote

import pytest

from tests.servers import wait_until
from tests.servers.mail_server import MailServer

from .conftest import BY_JWT, Browser, Front, new_api, running, shop_jwt
from .way import direct

MAILS = ("--mail", "on", "--mail-from", "shop@sender.example", "--mail-delay", "0")


@pytest.fixture(scope="module")
def mail_server():
    server = MailServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def mailing_api(mail_server):
    """A service whose mails go to ``mail_server``."""
    with running(new_api(WISHWELL_SMTP_URL=mail_server.url)) as api:
        yield api


@pytest.fixture(autouse=True)
def no_mails_yet(mail_server):
    mail_server.received.clear()
    mail_server.answers.clear()


@pytest.fixture(scope="module")
def mailing(mailing_api) -> Front:
    """A store that sends mails."""
    return Front(mailing_api, *BY_JWT, *MAILS, "--shop-name", "Anna’s", scheme="https")


def link_in(text: str, front: Front) -> str:
    """Returns the path of the link to a page of mails, below the base."""
    [path] = re.findall(rf"{re.escape(front.origin)}{front.base}(/mail/\w+)", text)
    return path


def visitor(front: Front, **headers: str) -> Browser:
    """Returns the browser of a visitor who has saved product 1. The shop has https, but the test's
    connection hasn't, so the cookie is passed on by hand."""
    answer = front.browser().post("/items", json={"productId": 1})
    [cookie] = re.findall("__Host-wishwell=([^;]+)", answer.headers["Set-Cookie"])
    return front.browser(cookie, **headers)


def put(front: Front, price: str, product: int = 1, **fields) -> None:
    body = {"title": f"Product {product}", "price": {"amount": price, "currency": "EUR"}, **fields}
    answer = front.shop.admin.put(f"/products/{product}", json=body)
    assert answer.status_code in (200, 201), answer.text


def test_visitor_confirms_an_address_and_gets_a_mail(mailing, mail_server):
    """A visitor types an address, presses the button on the page that the mail links to, gets a mail
    when a saved product becomes cheaper, and unsubscribes. Reading a page changes nothing.
    Rules: mail-on, mail-confirm, mail-links, mail-collected, mail-unsubscribe, mail-suppressed,
    mail-form, mail-server."""
    put(mailing, "52.90")
    assert mailing.browser().get("/profile").json()["data"]["noticesBy"] == "address_needed"
    browser = visitor(mailing, Accept_Language="de")
    asked = {"email": "Ann@shop.example", "notices": True, "language": "de"}
    assert browser.post("/profiles/identify", json=asked).status_code == 200
    [confirmation] = mail_server.wait_for(1)
    assert confirmation.recipient == "Ann@shop.example"
    page = link_in(confirmation.text, mailing)
    answer = browser.at(page)
    assert answer.status_code == 200 and "Ja, schreibt mir" in answer.text
    assert browser.get("/profile").json()["data"]["emailStatus"] == "pending"
    assert browser.at(page, "POST", data={"action": "confirm"}).status_code == 200
    profile = browser.get("/profile").json()["data"]
    assert (profile["emailStatus"], profile["noticesBy"], profile["notices"]) == (
        "confirmed",
        "mail",
        True,
    )
    assert profile["email"] == "A…@s….example"
    put(mailing, "39.90")
    mail = mail_server.wait_for(2)[1]
    assert "Gemerkt für 52,90\N{NO-BREAK SPACE}€, jetzt 39,90\N{NO-BREAK SPACE}€" in mail.text
    assert mail.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    leave = link_in(mail.text, mailing)
    assert leave in mail.message["List-Unsubscribe"]
    assert browser.at(leave).status_code == 200
    assert browser.get("/profile").json()["data"]["emailStatus"] == "confirmed"
    form = {"List-Unsubscribe": "One-Click"}
    assert (
        browser.bare(f"{mailing.base}{leave}", [("Host", mailing.host)], "POST").status_code == 200
    )
    assert browser.at(leave, "POST", data=form).status_code == 200
    profile = browser.get("/profile").json()["data"]
    assert (profile["emailStatus"], profile["noticesBy"], profile["notices"]) == (
        "suppressed",
        "address_needed",
        False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("owner", ["store", "installation"])
def test_credentials_of_the_mail_server_appear_nowhere(owner):
    """Whether the server accepts or refuses them, its user and password are in no log, answer,
    command's output, export, metric or page, and in the database only encrypted.
    Rules: mail-server, secret-unseen."""
    user, password = "relay-user-5Zt@relay", "relay-p%ss:w/rd-7Qx"
    server = MailServer(users={user: password})
    url = f"smtp://{quote(user, safe='')}:{quote(password, safe='')}@127.0.0.1:{server.port}"
    secrets = [user, password, quote(user, safe=""), quote(password, safe="")]
    secrets += [b64encode(text.encode()).decode() for text in (user, password)]
    own = {"WISHWELL_SMTP_URL": url} if owner == "installation" else {}
    seen = []
    try:
        with running(new_api(**own, WISHWELL_WEBHOOK_PRIVATE="true")) as api:
            front = Front(api, *BY_JWT, "--notices", "opt-in", scheme="https")
            handle = front.shop.handle
            (api.folder / "smtp").write_text(url)
            if owner == "store":
                seen.append(api.quick("store", "mail", "set", handle, "--smtp-file", "smtp"))
            seen.append(api.quick("store", "update", handle, *MAILS, "--yes"))
            commands = [
                ("store", "mail", "test", handle, "ann@shop.example"),
                ("store", "mail", "show", handle, "--json"),
                ("store", "show", handle), ("store", "list", "--json"),
                ("doctor",), ("export", "--store", handle),
            ]  # fmt: skip
            browser = visitor(front)
            wait_until(lambda: "address_needed" in browser.get("/profile").text, seconds=30)
            for answer in (None, "535 no", "454 later"):
                if answer:
                    server.answers["AUTH"] = answer
                email = f"a{len(seen)}@shop.example"
                asked = {"email": email, "notices": True, "language": "en"}
                assert browser.post("/profiles/identify", json=asked).status_code == 200
                seen += [str(api.attempt(*command)) for command in commands]
                if not answer:
                    server.wait_for(2)
            for path in ("/store", "/mails", "/events"):
                seen.append(front.shop.admin.get(path).text)
            seen += [api.client().get(f"{api.url}{path}").text for path in ("/metrics", "/admin")]
            stored = b"".join(file.read_bytes() for file in api.folder.glob("wishwell.db*"))
        seen += [api.output(), stored.decode("latin-1")]
    finally:
        server.close()
    assert "credentials" in "".join(seen)
    assert not [secret for secret in secrets for text in seen if secret in text]


def test_box_is_ticked_only_if_notices_reach_the_shopper(api, new_front, mailing):
    """`noticesBy` and `notified` say how, and whether, notices reach the shopper.
    Rules: notice-consent, mail-addresses."""
    key = "the-key-of-a-shop-without-mails-of-its-own"
    (api.folder / "plain-key").write_text(key)
    plain = new_front(*BY_JWT[2:], "--jwt-key-file", "plain-key", "--events", "on")

    def shown(browser):
        profile = browser.get("/profile").json()["data"]
        return profile["noticesBy"], profile.get("notified", False)

    assert shown(plain.anyone(1)) == ("none", False)
    hook = {"url": "https://hooks.shop.example/"}
    assert plain.shop.admin.post("/webhooks", json=hook).status_code == 201
    visitor, customer = plain.anyone(1), plain.browser(X_Shop_Token=shop_jwt(key=key))
    customer.save(1)
    assert shown(plain.browser()) == shown(visitor) == ("sign_in_needed", False)
    assert shown(customer) == ("webhook", True)
    assert customer.patch("/profile", json={"notices": False}).status_code == 200
    assert shown(customer) == ("webhook", False)
    member = mailing.signed_in()
    member.save(1)
    assert shown(member) == ("address_needed", False)
    gid = member.get("/profile").json()["data"]["profile"]
    sent = {"profiles": [{"profile": gid, "email": "own@shop.example", "language": "nl"}]}
    answer = mailing.shop.admin.put("/profiles/email", json=sent)
    assert answer.json()["data"] == {"stored": 1, "unknown": 0}
    assert shown(member) == ("mail", True)
    assert member.delete("/profile/email").status_code == 204
    assert shown(member) == ("address_needed", False)


def test_address_in_the_shops_token_is_stored_with_the_profile(mailing):
    """A verified address in the JWT is stored with the profile's first change, replaces the last one,
    and doesn't return after its owner has removed it; another address in it isn't stored.
    Rule: mail-addresses."""

    def signed_in(**claims) -> Browser:
        return mailing.browser(X_Shop_Token=shop_jwt(customer, **claims))

    def shown(**claims) -> tuple[str | None, str | None]:
        profile = signed_in(**claims).get("/profile").json()["data"]
        stored = mailing.shop.acting_as(gid).get("/profile").json()["data"]
        assert profile["noticesBy"] == ("mail" if "email" in stored else "address_needed")
        return stored.get("email"), stored.get("language")

    customer = "2001"
    ann: dict[str, Any] = {"email": "eve@shop.example", "email_verified": True, "locale": "de_DE"}
    gid = mailing.shop.gid(customer)
    signed_in(email="not@shop.example").save(1)
    for claims in (
        {"email": "not@shop.example", "email_verified": "true"},
        {"email": "not an address", "email_verified": True},
        {"email": ["not@shop.example"], "email_verified": True, "locale": 5},
    ):
        assert shown(**claims) == (None, None)
    assert shown(**ann) == ("eve@shop.example", "de-DE")
    signed_in(**ann | {"email": "eve@new.example"}).save(2)
    assert shown() == ("eve@new.example", "de-DE")
    assert signed_in(**ann).delete("/profile/email").status_code == 204
    assert shown(**ann) == (None, "de-DE")
    mailing.browser(X_Shop_Token=shop_jwt("2002", **ann)).save(1)
    stored = mailing.shop.acting_as(mailing.shop.gid("2002")).get("/profile").json()["data"]
    assert stored["emailSource"] == "shop" and stored["emailStatus"] == "confirmed"


def test_store_names_the_claims_with_the_address(mailing_api):
    """The claims with the address, its verification and the language have the names that the store
    gives them. Rules: mail-addresses, storefront-jwt."""
    key = "the-key-of-a-shop-with-claims-of-its-own"
    (mailing_api.folder / "claims-key").write_text(key)
    names = (
        "--jwt-email-claim",
        "mail",
        "--jwt-verified-claim",
        "ok",
        "--jwt-locale-claim",
        "lang",
    )
    front = Front(
        *(mailing_api, *BY_JWT[2:], "--jwt-key-file", "claims-key", *names, *MAILS), scheme="https"
    )

    def stored(customer: str, **claims: Any) -> tuple[str | None, str | None]:
        front.browser(X_Shop_Token=shop_jwt(customer, key, **claims)).save(1)
        profile = front.shop.acting_as(front.shop.gid(customer)).get("/profile").json()["data"]
        return profile.get("email"), profile.get("language")

    ours = {"email": "eve@shop.example", "email_verified": True, "locale": "de"}
    theirs = {"mail": "ann@shop.example", "ok": True, "lang": "fr"}
    assert stored("1", **ours) == (None, None)
    assert stored("2", **ours, **theirs) == ("ann@shop.example", "fr")
    assert stored("3", **theirs | {"ok": False}) == (None, None)


@direct("a way replaces the token and the headers of a proxy")
def test_proxy_names_the_customers_address(mailing):
    """A proxy that names customers may name their verified address; from others the header is refused.
    An unreadable address is ignored. Rules: mail-addresses, storefront-naming."""

    def at_proxy(customer: str, email: str, *, naming: bool = True) -> Browser:
        named = {"Wishwell_Customer": customer} if naming else {}
        token = f"Bearer {tokens[naming]}"
        return mailing.browser(Authorization=token, X_Forwarded_Host=mailing.host,
                               X_Forwarded_Proto="https", Wishwell_Email=email, **named)  # fmt: skip

    def stored(customer: str) -> tuple[str | None, str | None]:
        profile = mailing.shop.acting_as(mailing.shop.gid(customer)).get("/profile").json()["data"]
        return profile.get("email"), profile.get("emailSource")

    tokens = {naming: mailing.proxys_token(naming=naming) for naming in (True, False)}
    at_proxy("3001", "not an address").save(1)
    assert stored("3001") == (None, None)
    assert at_proxy("3001", "zoe@shop.example").get("/profile").status_code == 200
    assert stored("3001") == ("zoe@shop.example", "shop")
    refused = at_proxy("-", "eve@shop.example", naming=False).get("/profile")
    assert refused.status_code == 400 and "Wishwell-Email" in refused.text
    by_browser = mailing.signed_in("3002", Wishwell_Email="eve@shop.example").get("/profile")
    assert by_browser.status_code == 400
    assert at_proxy("-", "eve@shop.example").get("/profile").status_code == 200
