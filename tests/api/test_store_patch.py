"""Fields of a store that its admin token may change, and those that it may not."""

import secrets

import pytest
from msgspec import structs

from wishwell.http import bad_fields, store_bodies
from wishwell.stores import Store

from .conftest import data, refused, soon

LOOK = {
    "shopName": "Linen & Co",
    "logoUrl": "https://cdn.example/logo.svg",
    "accent": "#0a7d5a",
    "shopUrl": "/",
    "cartUrl": "/cart/add?id={variantId}",
    "language": "de",
    "texts": {"de": {"title": "Merkzettel"}},
}


def test_token_can_change_look_notices_and_wish_counts(make_shop):
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


REPORTING = {
    "timeZone": "UTC", "purchases": False, "purchased": "mark", "attributionDays": 90,
    "currency": "EUR",
}  # fmt: skip


@pytest.mark.parametrize("field", REPORTING)
def test_settings_of_purchases_may_only_be_repeated(make_shop, field):
    """The record may be sent back with all settings of purchases; a changed one is refused
    with its own message, which names the command. Rule: store-patch."""
    options = ("--time-zone", "Europe/Paris", "--purchases", "on")
    shop = make_shop(
        *options, "--purchased", "remove", "--attribution-days", "30", "--currency", "SEK"
    )
    before = data(shop.admin.get("/store"))
    assert before["reporting"].keys() == REPORTING.keys()
    assert data(shop.admin.patch("/store", json=before)) == before
    other = {"reporting": before["reporting"] | {field: REPORTING[field]}}
    message = refused(shop.admin.patch("/store", json=other), 400)
    assert message.startswith(f"reporting.{field}: can't be changed by a token, because ")
    option = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in field)
    assert f"`wishwell store update --{option}`" in message
    assert data(shop.admin.get("/store")) == before


@pytest.mark.parametrize("field", bad_fields.BY_COMMAND)
def test_token_cannot_change_other_settings(shop, field):
    """Each other setting is refused with its own message, which names the command.
    Rule: store-patch."""
    before = data(shop.admin.get("/store"))
    message = refused(shop.admin.patch("/store", json={field: ["x"], "notices": "opt-in"}), 400)
    assert message.startswith(f"{field}: can't be changed by a token, because ")
    assert "`wishwell " in message
    assert data(shop.admin.get("/store")) == before


def test_all_bad_fields_of_a_look_are_named_at_once(shop):
    """One response names all bad fields and their places. Rules: store-patch, error-envelope."""
    bad = {
        "look": {"logoUrl": "http://a.example/", "accent": "red", "texts": {"de": {"a b": "x"}}},
        "notices": "maybe",
    }
    answer = shop.admin.patch("/store", json=bad)
    refused(answer, 400)
    fields = [found["field"] for found in answer.json()["error"]["details"]]
    assert fields == ["look.logoUrl", "look.accent", "look.texts", "notices"]


def test_shop_name_is_trimmed(shop):
    """Spaces around the shop's name are removed, so one of spaces alone resets it.
    Rule: page-look."""
    for given, kept in ((" Linen\u00a0", {"shopName": "Linen"}), (" \u3000", {})):
        body = {"look": {"shopName": given}}
        assert data(shop.admin.patch("/store", json=body))["look"] == kept
    shop.update("--shop-name", "  ")
    shop.update("--accent", "#000000")
    soon(lambda: data(shop.admin.get("/store"))["look"] == {"accent": "#000000"})


def test_every_setting_can_be_changed_or_has_a_reason():
    """A token can change a setting, or its refusal has a reason. Rule: store-patch."""
    settings = {field.encode_name for field in structs.fields(Store)} - {"id", "createdAt"}
    changeable = {field.encode_name for field in structs.fields(store_bodies.StoreBody)}
    assert settings <= changeable | bad_fields.BY_COMMAND.keys()


def test_refusal_of_each_setting_has_its_own_message():
    """No two settings share a message. Rule: store-patch."""
    messages = [*bad_fields.BY_COMMAND.values(), *store_bodies.REPORTING_BY_COMMAND.values()]
    assert len({*messages}) == len(messages)


@pytest.mark.parametrize(
    ("field", "option", "end"),
    [("shopUrl", "--shop-url", "/"), ("cartUrl", "--cart-url", "/cart?id={productId}")],
)
def test_token_cannot_set_a_url_on_another_host(make_shop, field, option, end):
    """In a store with hosts a token sets a path or a URL on one of them; the command sets any, which
    may be sent back. Without hosts any is accepted. Rule: store-patch."""
    other = {field: f"https://evil.example{end}"}
    free = make_shop()
    assert data(free.admin.patch("/store", json={"look": other}))["look"] == other
    host = f"{secrets.token_hex(6)}.example"
    shop = make_shop("--host", f"https://{host}")
    http = shop.admin
    for url in (f"https://{host}{end}", f"https://{host}:443{end}", end):
        assert data(http.patch("/store", json={"look": {field: url}}))["look"][field] == url
    for at in ("evil.example", f"{host}.evil.example", f"{host}:8443", f"evil.{host}"):
        message = refused(http.patch("/store", json={"look": {field: f"https://{at}{end}"}}), 400)
        assert (
            message.startswith(f"look.{field}: ") and f"`wishwell store update {option}`" in message
        )
    logo = {"logoUrl": "https://cdn.example/logo.svg"}
    assert data(http.patch("/store", json={"look": logo}))["look"] == logo | {field: end}
    shop.update(option, other[field])
    soon(lambda: data(http.get("/store"))["look"][field] == other[field])
    data(http.patch("/store", json=data(http.get("/store"))))
    data(http.patch("/store", json={"look": {field: None}}))
    refused(http.patch("/store", json={"look": other}), 400)
