"""The commands of the CLI."""

import json
from collections.abc import Iterator

import click
import pytest

from wishwell.cli import main

from .conftest import TIME, data, is_uuid, soon, stores

STORE_KEYS = {
    *("id", "handle", "platform", "productIds", "authFlow", "hosts", "naming", "origins", "limits"),
    *("priceDropPercent", "forgetCustomersAfter", "forgetSince", "eventsSince", "createdAt"),
    *("pages", "reporting", "look", "notices", "mail", "active"),
}


# Commands, values for `{}`, and a word that the message must contain. SHORT and KEY are files.
WRONG = [
    ("store create HANDLE --limit {}", ("speed=5", "items", "items=x", "items=-1"), "limit"),
    ("store create HANDLE --origin {}", ("a.example", "https://a.b/c", "javascript:1"), "origin"),
    ("store create HANDLE --price-drop-percent {}", ("0", "91", "-1", "5.5", ""), "price-drop"),
    ("store create HANDLE --platform {}", ("", "a/b"), "platform"),
    ("store create HANDLE --forget-customers-after {}", ("-1", "121"), "forget-customers-after"),
    ("store create HANDLE --host {}", ("shop.example", "https://a.b/x", "https://a@shop"), "host: "),
    ("store create HANDLE --host https://a.example --host {}", ("http://a.example",), "host: "),
    ("store create HANDLE" + "".join(f" --host https://{n}.b" for n in range(51)), ("",), "host: "),
    ("store create HANDLE --jwt-cookie {}", ("a b", "__host-wishwell"), "jwt-cookie: "),
    ("store create HANDLE --jwt-header {}", ("X:", "Authorization", "Wishwell-Customer"), "jwt-header: "),
    ("store create HANDLE --jwt-issuer {}", ("a\nb",), "jwt-issuer: "),
    ("store create HANDLE --jwt-email-claim {}", ("a\nb",), "jwt-email-claim: "),
    ("store create HANDLE --jwt-verified-claim {}", ("a\nb",), "jwt-verified-claim: "),
    ("store create HANDLE --jwt-locale-claim {}", ("a\nb",), "jwt-locale-claim: "),
    ("store create HANDLE --jwt-key-file {}", ("/no/such/file",), "jwt-key-file: "),
    ("store create HANDLE --jwt-key-file {}", ("SHORT",), "jwt-key: "),
    ("store create HANDLE" + " --jwt-key-file KEY" * 5, ("",), "jwt-key: "),
    ("store create HANDLE --platform-secret-file {}", ("SHORT",), "platform-secret: "),
    ("store create HANDLE" + " --platform-secret-file KEY" * 3, ("",), "platform-secret: "),
    ("store create HANDLE --product-url {}", ("https://a.b/p", "http://a.b/{productId}"), "product-url: "),
    ("store create HANDLE --wishlist-page {}", ("javascript:1", "//e.b/", "/\\e.b/"), "wishlist-page: "),
    ("store create HANDLE --shared-page {}", ("/a\nb", "/a#b", "/" + "a" * 1_000), "shared-page: "),
    ("store create HANDLE --currency {}", ("eur", "EURO", "€", "E R"), "currency: "),
    ("store create HANDLE --time-zone {}", ("Mars/Base", "../../etc/passwd", "localtime", "Factory",
     "posixrules", "europe/paris", "posix/Europe/Paris", "Europe/../Europe/Paris", "Europe"), "time-zone: "),
    ("store create HANDLE --colour {}", ("red",), "--colour"),
    ("store create {}", ("", "x" * 300, "\u00e9", "a/b", "../x"), "handle"),
    ("store create {}", ("default",), "default"),
    ("store update {} --auth-flow /x", ("no-such-store",), "no-such-store"),
    ("token create --store {} --label x", ("no-such-store",), "no-such-store"),
    ("token create --store default --label x --expires-days {}", ("0", "-1", "x", "3651"), "days"),
    ("token create --store {}", ("default",), "--label"),
    ("token list --store {}", ("no-such-store",), "no-such-store"),
    ("token revoke {}", ("0190a8b0-0000-7000-8000-000000000000",), "token"),
    ("token revoke --store default {}", ("nonsense",), "token"),
    ("{}", ("no-such-command",), "no-such-command"),
    ("store {}", ("no-such-command",), "no-such-command"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "values", "word"), WRONG, ids=lambda value: str(value)[:50])
def test_wrong_command_fails_with_its_reason_and_changes_nothing(
    service, handle, tmp_path, command, values, word
):
    """A wrong command changes nothing and fails with one line on stderr that shows no secret.
    Rules: store-settings, count-days, storefront-naming, storefront-hosts, storefront-secrets,
    command-error."""
    before = stores(service)
    files = {"SHORT": "too-short", "KEY": "a-key-of-the-shop-that-nobody-sees-in-a-line"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    stand_in = {"HANDLE": handle} | {name: str(tmp_path / name) for name in files}
    for value in values:
        parts = [part.replace("{}", value) for part in command.split()]
        code, out, err = service.attempt(*(stand_in.get(part, part) for part in parts))
        assert (code, out) in ((1, ""), (2, "")), value
        assert word in err.lower() and "Traceback" not in err
        assert len(err.strip().splitlines()) == 1, err
        assert not [text for text in files.values() if text in err]
    assert stores(service) == before


def test_first_start_creates_the_default_store(service):
    """The first start creates a store `default`. Rules: init-explicit, store-settings."""
    record = json.loads(service.cli("store", "list", "--json").stdout)[0]
    default = stores(service)["default"]
    assert set(record) == set(default) == STORE_KEYS
    expected = {"platform": "shopify", "authFlow": "/account/login", "origins": []}
    expected |= {"priceDropPercent": 5}
    assert expected.items() <= default.items()
    assert is_uuid(default["id"]) and TIME.fullmatch(default["createdAt"])


def test_store_create_prints_the_record(service, handle):
    """`--json` prints an array of objects with the API's keys; without it the output is a table.
    Rule: command-error."""
    options = ["--platform", "presta", "--auth-flow", "/signin", "--origin", "https://a.example"]
    options += ["--origin", "https://b.example", "--limit", "profile_read=7", "--limit", "items=9"]
    [record] = json.loads(service.cli("store", "create", handle, *options, "--json").stdout)
    assert set(record) == STORE_KEYS
    expected = {"handle": handle, "platform": "presta", "authFlow": "/signin"}
    expected["origins"] = ["https://a.example", "https://b.example"]
    expected["limits"] = {"profile_read": 7, "items": 9}
    assert record == record | expected == stores(service)[handle]
    assert handle in service.quick("store", "list")
    assert f"{handle}-2" in service.quick("store", "create", f"{handle}-2")


def test_table_fits_the_width_of_the_terminal(service, handle):
    """A table leaves out empty columns; on a narrow terminal each field has its own line.
    Rule: command-error."""
    service.quick("store", "create", handle, "--auth-flow", "/signin")
    table = service.quick("store", "list").splitlines()
    assert table[0].split()[:4] == ["id", "handle", "platform", "productIds"]
    service.create_token(handle)
    tokens = service.quick("token", "list", "--store", handle)
    assert "label" in tokens and "expiresAt" not in tokens
    _, out, _ = service.attempt("store", "list", COLUMNS="80")
    [mine] = [shown.splitlines() for shown in out.split("\n\n") if f" {handle}\n" in shown]
    lines = [line.split() for line in mine]
    assert ["handle", handle] in lines and ["authFlow", "/signin"] in lines
    assert max(map(len, mine)) <= 80


def test_store_update_changes_only_the_given_options(service, handle):
    """`store update` changes only the given options, and of the limits only the named ones.
    Rule: store-settings."""
    options = ("--platform", "presta", "--limit", "items=5", "--limit", "lists=6")
    service.quick("store", "create", handle, *options)
    before = stores(service)[handle]
    service.cli("store", "update", handle, "--auth-flow", "/new", "--limit", "items=7")
    after = stores(service)[handle]
    assert after == before | {"authFlow": "/new", "limits": {"items": 7, "lists": 6}}
    words = ("store", "update", handle, "--origin", "https://c.example", "--json")
    [printed] = json.loads(service.quick(*words))
    assert printed == after | {"origins": ["https://c.example"]}


def test_token_list_shows_when_it_was_last_used(service, shop):
    """`token list` shows when a token was last used. Rule: admin-token-hashed."""
    unused = service.quick("token", "create", "--store", shop.handle, "--label", "unused").strip()
    assert unused
    data(shop.admin.get("/items"))

    def last_used() -> dict:
        records = json.loads(service.quick("token", "list", "--store", shop.handle, "--json"))
        return {record["label"]: record.get("lastUsedAt") for record in records}

    soon(lambda: last_used()["test"] is not None)
    assert TIME.fullmatch(last_used()["test"]) and last_used()["unused"] is None


def test_change_of_the_platform_says_whom_it_hides_and_asks(service, make_shop):
    """`store update --platform` says how many customers become unreachable, and changes nothing
    without a yes; without customers it doesn't ask. Rule: profile-gid."""
    shop = make_shop()
    update = ("store", "update", shop.handle, "--platform", "presta")
    for name in ("ann", "ben"):
        shop.customer(name).http.post("/items", json={"productId": 1}).raise_for_status()
    shop.session().http.post("/items", json={"productId": 1}).raise_for_status()
    done = service.run([str(service.command), *update], input="")  # a pooled one hides stderr
    before = stores(service)[shop.handle]["platform"]
    assert (done.returncode, before) == (1, shop.platform)
    assert f"hides 2 customers of {before}," in done.stderr
    assert "Nothing was changed" in done.stderr
    assert service.cli(*update, input="yes\n").returncode == 0
    assert stores(service)[shop.handle]["platform"] == "presta"
    assert service.cli(*update[:4], before).returncode == 0  # without customers, without asking


def test_profile_key_is_the_one_in_database_and_journal(service, make_shop):
    """`profile key` prints the key that database and journal have in place of the GID.
    Rule: journal-first."""
    shop = make_shop()
    ann = shop.customer("ann")
    ann.http.post("/items", json={"productId": 1}).raise_for_status()
    key = service.quick("profile", "key", ann.gid, "--store", shop.handle).strip()
    rows = service.rows(f"SELECT profile_id FROM profiles WHERE gid = '{ann.gid}'")
    assert key in {str(row[0]) for row in rows}


def contexts(command: click.Command, path: str) -> Iterator[click.Context]:
    context = click.Context(command, info_name=path, terminal_width=80)
    yield context
    for name, each in getattr(command, "commands", {}).items():
        yield from contexts(each, f"{path} {name}")


def test_help_describes_each_option_and_cuts_no_command_off():
    """Each command and option has a description, and lists of commands show whole sentences in 80
    columns. Rule: command-error."""
    for context in contexts(main, "wishwell"):
        options = [each for each in context.command.params if isinstance(each, click.Option)]
        assert all(each.help for each in options), context.info_name
        _, *text = context.get_help().splitlines()
        assert text and not [line for line in text if line.endswith("...")], context.info_name
