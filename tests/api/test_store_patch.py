"""What an admin token may change of its store, and what it may not."""

import pytest

from wishwell.http import bad_fields

from .conftest import data, refused

LOOK = {
    "shopName": "Linen & Co",
    "logoUrl": "https://cdn.example/logo.svg",
    "accent": "#0a7d5a",
    "shopUrl": "/",
    "cartUrl": "/cart/add?id={variantId}",
    "language": "de",
    "texts": {"de": {"title": "Merkzettel"}},
}


def test_token_changes_look_notices_and_shown_wishes(make_shop):
    """Fields that are left out stay; an empty text or null resets one; the record may be sent back
    whole. Rule: store-patch."""
    shop = make_shop("--time-zone", "Europe/Paris")
    http, before = shop.admin, data(shop.admin.get("/store"))
    assert (before["notices"], before["look"]) == ("opt-out", {})
    made = data(http.patch("/store", json={"look": LOOK, "notices": "opt-in"}))
    assert made == before | {"look": LOOK, "notices": "opt-in"} == data(http.get("/store"))
    data(http.patch("/store", json={"look": {"accent": None, "texts": {}, "language": ""}}))
    rest = {name: LOOK[name] for name in ("shopName", "logoUrl", "shopUrl", "cartUrl")}
    data(http.patch("/store", json={"reporting": {"showWishes": True}}))
    changed = data(http.patch("/store", json={}))
    assert changed["look"] == rest and changed["notices"] == "opt-in"
    assert changed["reporting"] == {"timeZone": "Europe/Paris", "showWishes": True}
    assert data(http.patch("/store", json=changed)) == changed
    other = changed | {"reporting": {"timeZone": "UTC"}}
    assert "store update --time-zone" in refused(http.patch("/store", json=other), 400)


@pytest.mark.parametrize("field", bad_fields.BY_COMMAND)
def test_token_cannot_change_other_settings(shop, field):
    """Each other setting is refused by a message of its own, which names the command.
    Rule: store-patch."""
    before = data(shop.admin.get("/store"))
    message = refused(shop.admin.patch("/store", json={field: ["x"], "notices": "opt-in"}), 400)
    assert message.startswith(f"{field}: can't be changed by a token, because ")
    assert "`wishwell " in message
    assert data(shop.admin.get("/store")) == before


def test_bad_look_names_every_field(shop):
    """All bad fields are named at once, with their place. Rules: store-patch, error-envelope."""
    bad = {
        "look": {"logoUrl": "http://a.example/", "accent": "red", "texts": {"de": {"a b": "x"}}},
        "notices": "maybe",
    }
    answer = shop.admin.patch("/store", json=bad)
    refused(answer, 400)
    fields = [found["field"] for found in answer.json()["error"]["details"]]
    assert fields == ["look.logoUrl", "look.accent", "look.texts", "notices"]


def test_every_refusal_is_different():
    """No two settings share a message. Rule: store-patch."""
    messages = [*bad_fields.BY_COMMAND.values()]
    assert len({*messages}) == len(messages)
