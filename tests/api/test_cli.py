"""The commands."""

import json
import os
import re
import secrets

import pytest

from .conftest import TIME, data, is_uuid, refused, save

STORE_KEYS = {
    "id",
    "handle",
    "platform",
    "productIds",
    "authFlow",
    "hosts",
    "naming",
    "origins",
    "limits",
    "priceDropPercent",
    "forgetCustomersAfter",
    "forgetSince",
    "eventsSince",
    "createdAt",
}


@pytest.fixture
def handle() -> str:
    return f"cli-{secrets.token_hex(6)}"


def fails(service, *args: str, names: str = "") -> str:
    """The command ends non-zero and says why on standard error, with nothing on the other."""
    done = service.cli(*args, check=False)
    assert done.returncode != 0, args
    assert done.stdout == "", args
    said = done.stderr.strip()
    assert said and "Traceback" not in said, args
    assert names.lower() in said.lower(), said
    return said


def fails_in_one_line(service, *args: str, names: str = "") -> None:
    said = fails(service, *args, names=names)
    assert len(said.splitlines()) == 1, said


def stores(service) -> dict[str, dict]:
    return {
        record["handle"]: record for record in json.loads(service.quick("store", "list", "--json"))
    }


# --- stores --------------------------------------------------------------------------------------


def test_first_start_creates_the_default_store(service):
    """contract: store-default, store-fields. The first start creates a store `default`."""
    record = json.loads(service.cli("store", "list", "--json").stdout)[0]
    default = stores(service)["default"]
    assert set(record) == set(default) == STORE_KEYS
    assert (default["platform"], default["authFlow"], default["origins"]) == (
        "shopify",
        "/account/login",
        [],
    )
    assert is_uuid(default["id"]) and TIME.fullmatch(default["createdAt"])


def test_store_create_prints_the_record(service, handle):
    """contract: command-json. `--json` prints an array of objects, keys as in the API."""
    options = ["--platform", "presta", "--auth-flow", "/signin", "--origin", "https://a.example"]
    options += ["--origin", "https://b.example", "--limit", "profile_read=7", "--limit", "items=9"]
    [record] = json.loads(service.cli("store", "create", handle, *options, "--json").stdout)
    assert set(record) == STORE_KEYS
    assert (record["handle"], record["platform"], record["authFlow"]) == (
        handle,
        "presta",
        "/signin",
    )
    assert record["origins"] == ["https://a.example", "https://b.example"]
    assert record["limits"] == {"profile_read": 7, "items": 9}
    assert stores(service)[handle] == record


@pytest.mark.either_engine
def test_store_create_without_json_says_it_for_people(service, handle):
    """contract: command-json. Without `--json` it is for people."""
    assert handle in service.cli("store", "create", handle).stdout
    assert handle in service.cli("store", "list").stdout


def test_store_create_with_a_handle_that_is_taken_or_bad_fails(service, handle):
    """contract: store-bounds. A unique handle."""
    service.quick("store", "create", handle)
    before = stores(service)
    fails_in_one_line(service, "store", "create", handle, names=handle)
    for bad in ("", "a b", "x" * 300, "\u00e9", "a/b", "../x"):
        fails(service, "store", "create", bad)
    assert stores(service) == before


@pytest.mark.either_engine
@pytest.mark.parametrize(
    "options",
    [
        ["--limit", "speed=5"],
        ["--limit", "items"],
        ["--limit", "items=x"],
        ["--limit", "items=-1"],
        ["--limit", "items=0.5"],
        ["--origin", "shop.example"],
        ["--origin", "https://shop.example/path"],
        ["--origin", "javascript:1"],
        ["--platform", ""],
        ["--platform", "a/b"],
        ["--platform", "a b"],
        ["--colour", "red"],
    ],
    ids=" ".join,
)
def test_store_create_with_a_bad_option_fails_and_creates_nothing(service, handle, options):
    """contract: store-bounds, command-error. Ends non-zero with one plain line on an error."""
    fails(
        service,
        "store",
        "create",
        handle,
        *options,
        names=options[0] if options[0] == "--colour" else "",
    )
    assert handle not in stores(service)


def test_store_update_changes_what_is_named_and_nothing_else(service, handle):
    """contract: command-store. Of limits, those that are named."""
    service.quick(
        "store",
        "create",
        handle,
        "--platform",
        "presta",
        "--limit",
        "items=5",
        "--limit",
        "lists=6",
    )
    before = stores(service)[handle]
    service.cli("store", "update", handle, "--auth-flow", "/new", "--limit", "items=7")
    after = stores(service)[handle]
    assert after == before | {"authFlow": "/new", "limits": {"items": 7, "lists": 6}}
    [printed] = json.loads(
        service.quick("store", "update", handle, "--origin", "https://c.example", "--json")
    )
    assert printed == after | {"origins": ["https://c.example"]}
    fails_in_one_line(
        service, "store", "update", "no-such-store", "--auth-flow", "/x", names="no-such-store"
    )


# --- tokens --------------------------------------------------------------------------------------


def test_token_create_prints_the_token_alone(service, shop):
    """contract: command-token-create. Prints a new admin token, alone, on stdout."""
    done = service.cli("token", "create", "--store", shop.handle, "--label", "by hand")
    assert re.fullmatch(r"wwadm_[A-Za-z0-9]+\n", done.stdout)
    token = done.stdout.strip()
    assert token not in done.stderr
    data(shop.client(token).get("/items"))


def test_token_list_shows_records_and_no_secret(service, shop):
    """contract: admin-token-kept, command-token-list. It is printed once, on creation."""
    token = service.quick(
        "token", "create", "--store", shop.handle, "--label", "dated", "--expires-days", "3"
    ).strip()
    text = service.cli("token", "list", "--store", shop.handle, "--json").stdout
    records = {record["label"]: record for record in json.loads(text)}
    assert set(records) == {"test", "dated"}
    assert all({"id", "label", "createdAt"} <= set(record) for record in records.values())
    dated = records["dated"]
    expiry = next(value for name, value in dated.items() if name.lower().startswith("expire"))
    assert TIME.fullmatch(expiry) and expiry > dated["createdAt"]
    assert token not in text and token[6:20] not in text and shop.admin_token not in text
    people = service.cli("token", "list", "--store", shop.handle).stdout
    assert "dated" in people and token not in people


def test_token_list_shows_when_it_was_last_used(service, shop):
    """contract: command-token-list. The time of the last use."""
    unused = service.quick("token", "create", "--store", shop.handle, "--label", "unused").strip()
    assert unused
    data(shop.admin.get("/items"))

    def last_used() -> dict:
        records = json.loads(service.quick("token", "list", "--store", shop.handle, "--json"))
        return {record["label"]: record.get("lastUsedAt") for record in records}

    from .conftest import soon

    soon(lambda: last_used()["test"] is not None, within=10)
    assert TIME.fullmatch(last_used()["test"]) and last_used()["unused"] is None


def test_token_of_another_store_is_not_listed(service, make_shop):
    """contract: store-isolation. Nothing of one store is visible from another."""
    ours, theirs = make_shop(), make_shop()
    theirs.another_admin_token("theirs")
    assert "theirs" not in service.quick("token", "list", "--store", ours.handle, "--json")


def test_token_commands_on_what_there_is_not_fail(service, shop):
    """contract: command-error. Ends non-zero with one plain line on an error."""
    fails_in_one_line(
        service,
        "token",
        "create",
        "--store",
        "no-such-store",
        "--label",
        "x",
        names="no-such-store",
    )
    fails_in_one_line(service, "token", "list", "--store", "no-such-store", names="no-such-store")
    fails_in_one_line(
        service, "token", "revoke", "0190a8b0-0000-7000-8000-000000000000", names="0190a8b0"
    )
    fails_in_one_line(service, "token", "revoke", "nonsense", names="nonsense")
    fails_in_one_line(
        service, "token", "revoke", "--store", shop.handle, "nonsense", names="nonsense"
    )
    for days in ("-1", "x", "1.5"):
        fails(
            service,
            "token",
            "create",
            "--store",
            shop.handle,
            "--label",
            "x",
            "--expires-days",
            days,
        )
    fails(service, "token", "create", "--store", shop.handle, names="--label")
    assert len(json.loads(service.quick("token", "list", "--store", shop.handle, "--json"))) == 1


def test_token_revoke_of_a_customer_nobody_heard_of_is_no_error(service, shop):
    """contract: customer-exists. Exists as soon as somebody names it."""
    service.cli("token", "revoke", "--store", shop.handle, shop.gid("unheard"))


# --- the rest ------------------------------------------------------------------------------------


@pytest.mark.skipif(
    os.environ.get("WISHWELL_TEST_CITUS_NODE", "0") != "0", reason="a worker refuses to migrate"
)
def test_migrate_again_changes_nothing(service, shop):
    """contract: migrate-once. A schema that is up to date stays as it is."""
    saved = save(shop.customer("1").http, 1)
    service.cli("migrate")
    assert data(shop.customer("1").http.get(f"/items/{saved['id']}")) == saved


def test_purge_removes_nothing_that_is_not_past_its_time(service, shop):
    """contract: session-purged. A session of just now stays."""
    visitor, empty = shop.session(), shop.session()
    saved = save(visitor.http, 1)
    service.cli("purge")
    assert data(visitor.http.get(f"/items/{saved['id']}")) == saved
    data(empty.http.get("/items"))


@pytest.mark.either_engine
def test_command_that_there_is_not_fails(service):
    """contract: command-error. Ends non-zero on an error."""
    fails(service, "no-such-command", names="no-such-command")
    fails(service, "store", "no-such-command", names="no-such-command")


@pytest.mark.either_engine
def test_help_lists_the_commands(service):
    """Each command that there is."""
    said = service.cli("--help").stdout
    assert all(name in said for name in ("serve", "migrate", "store", "token", "purge"))
    assert re.search(r"\d+\.\d+", service.cli("--version").stdout)


def test_expired_admin_token_is_refused_when_it_never_was_good(service, shop):
    """contract: command-token-create. 0 days is no end at all, or a token of the past."""
    done = service.cli(
        "token",
        "create",
        "--store",
        shop.handle,
        "--label",
        "x",
        "--expires-days",
        "0",
        check=False,
    )
    if done.returncode == 0:
        refused(shop.client(done.stdout.strip()).get("/items"), 401)
