"""A store that is off: its storefront is 404; the API and the pages of mails stay."""

import json

import pytest

from tests.api.conftest import soon

from .conftest import BY_JWT, Front
from .test_mails import MAILS, link_in, put, visitor
from .test_mails import mail_server as mail_server
from .test_mails import mailing_api as mailing_api


def code_of(answer):
    return answer.status_code, answer.json()["error"]["code"]


def turn(front, switch):
    """Turns a store off or on, and waits until its storefront follows."""
    front.shop.update(switch)
    status = 404 if switch == "--off" else 200
    soon(lambda: front.browser().get("/profile").status_code == status)


def test_storefront_is_404_while_the_store_is_off(new_front):
    """While a store is off, its storefront's paths are 404 with a code of their own, except the
    elements' scripts. The API stays, and wishes are back once the store is on. Rule: store-off."""
    front = new_front("--service-url", "https://wishes.example")
    ann = front.anyone(1, 2)
    turn(front, "--off")
    [record] = json.loads(front.api.quick("store", "list", "--json"))[-1:]
    assert record["active"] is (record["handle"] != front.shop.handle)
    assert code_of(ann.get("/items")) == (404, "store_off")
    assert code_of(ann.post("/items", json={"productId": 3})) == (404, "store_off")
    assert code_of(front.signed_in().get("/profile")) == (404, "store_off")
    for path in ("/", "/shared", "/api/wishes?products=1", "/api/visitor/link"):
        method = "POST" if path.endswith("link") else "GET"
        assert code_of(ann.at(path, method)) == (404, "store_off"), path
    assert code_of(ann.at("/api/nothing")) == (404, "path_not_found")
    assert ann.at("/assets/wishwell.js").status_code == 200
    answer = front.shop.admin.get("/items")
    assert [item["productId"] for item in answer.json()["data"]] == [2, 1]
    turn(front, "--on")
    assert ann.products() == [1, 2]


def test_admin_token_turns_a_store_off_and_on(new_front):
    """`active` of `PATCH /store` is the store's switch, and nothing else changes. Rules: store-off,
    store-patch."""
    front = new_front()
    before = front.shop.admin.get("/store").json()["data"]
    assert before["active"] is True
    for active in (False, True):
        answer = front.shop.admin.patch("/store", json={"active": active})
        assert answer.json()["data"] == before | {"active": active}
        assert front.browser().get("/profile").status_code == (200 if active else 404)
    answer = front.shop.admin.patch("/store", json={"active": None})
    assert code_of(answer) == (400, "invalid_request")


@pytest.mark.slow
def test_no_mail_is_sent_and_links_work_while_the_store_is_off(mailing_api, mail_server):
    """While a store is off, nothing is mailed, also not later, and the link to unsubscribe works.
    Rules: store-off, mail-links, mail-unsubscribe."""
    front = Front(mailing_api, *BY_JWT, *MAILS, scheme="https")
    put(front, "50")
    browser = visitor(front)
    asked = {"email": "off@shop.example", "notices": True}
    browser.post("/profiles/identify", json=asked)
    [confirmation] = mail_server.wait_for(1)
    browser.at(link_in(confirmation.text, front), "POST", data={"action": "confirm"})
    put(front, "40")
    leave = link_in(mail_server.wait_for(2)[1].text, front)
    turn(front, "--off")
    assert "is off" in front.shop.admin.get("/store").json()["data"]["mail"]["problem"]
    put(front, "30")
    turn(front, "--on")
    assert mail_server.received[2:] == []
    turn(front, "--off")
    answer = browser.at(leave)
    assert answer.status_code == 200 and "<button" in answer.text
    answer = browser.at(leave, "POST")
    assert answer.status_code == 200 and "<a " not in answer.text
    turn(front, "--on")
    assert browser.get("/profile").json()["data"]["emailStatus"] == "suppressed"
