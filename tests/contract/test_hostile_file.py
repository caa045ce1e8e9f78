"""An export file with one altered value is refused before anything changes, or imported completely;
other stores never change."""

import copy
import itertools
import json
import os
import re
import subprocess
import sys

import pytest

from tests.contract.desk import SEALING
from tests.contract.moved import FilledStore, checked, delete, export, load
from wishwell import events, ids, products, profiles, stores
from wishwell.access import auth
from wishwell.access.access_cache import AccessCache
from wishwell.errors import Invalid, Misconfigured
from wishwell.events import webhooks
from wishwell.products import notices
from wishwell.profiles import pages
from wishwell.profiles.search import Search
from wishwell.stores import store_secrets
from wishwell.transfer import file_records
from wishwell.transfer.import_file import ImportFile
from wishwell.wishlists import items, lists

pytestmark = pytest.mark.either_engine

HANDLE = "moved"


@pytest.fixture(scope="module")
def other(bench):
    shop = FilledStore(bench, "other")
    use_store(bench, shop.store)
    return shop


@pytest.fixture(scope="module")
def source(bench, other):
    """The export lines of a filled store that has been deleted again."""
    shop = FilledStore(bench, HANDLE)
    found = [json.loads(line) for line in export(bench, shop.store).splitlines()]
    delete(bench, shop.store)
    assert {kind for line in found for kind in line} == set(file_records.KINDS.values())
    return found


def write(path, lines):
    with path.open("wb") as file:
        file.writelines(line + b"\n" for line in lines)


def try_import(bench, path, lines, other):
    """Imports the lines, and checks that they were refused or imported whole. Returns the error, or
    `None` for an import."""
    write(path, lines)
    before, there = other.seen(), bench.read(stores.listed)
    said = None
    try:
        _, store = load(bench, path, HANDLE)
    except (Invalid, Misconfigured) as error:
        said = error.message
    if said is None:
        ours, theirs = normalised(export(bench, store).encode().splitlines()), normalised(lines)
        use_store(bench, store)
        assert {*ours} ^ {*theirs} == set()
        delete(bench, store)
    else:
        assert re.match(r"(/\S+: )?line \d+: |host: ", said), said
        assert bench.read(stores.listed) == there
    assert other.seen() == before
    return said


def normalised(lines):
    """Returns lines in a comparable form: any order, without export time and events, and without
    reservations whose holder isn't in the file (rule: import-twice)."""
    found = [json.loads(line) for line in lines]
    people = {line["profile"]["gid"] for line in found if "profile" in line}
    found = [
        line
        for line in found
        if "end" not in line and line.get("reservation", {}).get("holder") in (None, *people)
    ]
    first = found[0]["wishwell"]
    first["exportedAt"] = first["store"]["eventsSince"] = None
    first["store"]["handle"] = HANDLE
    for record in found:
        for of in record.values():
            for name in ("tags", "listIds"):
                if name in of:
                    of[name] = sorted(of[name])
    cleaned = [
        {k: {n: v for n, v in of.items() if not is_empty(k, n, v)} for k, of in record.items()}
        for record in found
    ]
    return sorted(json.dumps(record, sort_keys=True) for record in cleaned)


def is_empty(kind, name, value):
    return value in (None, [], "", False) or (name == "quantity" and value == 1 and kind == "item")


def use_store(bench, store):
    """Reads every page of the store and runs its background work."""
    for found in walk(bench, store):
        bench.check(found)

    async def beside():
        cache = AccessCache(bench.db, bench.clock)
        await cache.refresh()
        await bench.db.write(store_secrets.prepare, SEALING, bench.clock)
        await webhooks.reencrypt(bench.db, SEALING)
        for _ in range(3):
            async for _ in notices.process_batches(bench.db, bench.clock):
                pass
        await events.assign_positions(bench.db, bench.clock)

    bench.run(beside())
    bench.read(auth.admin_tokens, store.handle)
    bench.read(webhooks.page, store, pages.PageRequest(None, 250))
    bench.read(events.read_feed, store, None, 50, ())


def walk(bench, store):
    """Reads all pages; returns the profiles."""
    whole, asked = profiles.WholeStore(store), pages.PageRequest(None, 1_000, Search())
    for noun, table in ((items, "items"), (lists, "lists"), (products, "products")):
        found = bench.read(noun.page, whole, asked).records
        count = f"SELECT count(*) FROM {table} WHERE store_id = $1"
        assert bench.select(count, store.id) == [(len(found),)]
        for one in found if noun is products else ():
            bench.read(products.find, store, str(one.product_id))
    of_profiles = "SELECT profile_id, gid, is_session, closed_at FROM profiles WHERE store_id = $1"
    for id, gid, is_session, closed_at in bench.select(of_profiles, store.id):
        profile = profiles.Profile(id, store, gid, bool(is_session))
        if closed_at is None:
            bench.read(items.page, profile, asked)
            for found in bench.read(lists.page, profile, asked).records:
                bench.read(lists.find, profile, found.id, "customer")
        yield profile


LONG, DEEP = "n" * 600, "[" * 100_000
VALUES = [
    *(None, True, 0, -1, 1.5, 2**31, 2**53 + 1, 2**63, 10**400, "", "\0", "x\n", " x ", "\u2028"),
    *("\x7f", "é", LONG, [], {}, [[]], [None], {"a": 1}, "2026-02-31T00:00:00.000Z", "a b"),
    *("0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    *("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z\n", ids.NO_UUID),
    *("gid://shopify/Customer/1\n", "x/Session/" + ids.NO_UUID, "gid://a_b/Session/1"),
    *("{}", "[]", "null", DEEP, '{"a": 1, "a": 1}', '{"title": 5}', '{"url": "javascript:x"}'),
    *('[{"variantId": "7\\n"}]', '[{"variantId": "07"}]', '[{"variantId": 7}]', "items.created"),
    *(
        '{"7": {"reference": {"amount": "1\\n", "currency": "EUR"}}}',
        '{"8": {}}',
        "http://10.0.0.1",
    ),
    *('{"7": {"dropped_at": "9999-12-31T23:59:59.999Z"}}', '{"7": {"dropped_at": "x"}}'),
]


def others(other):
    """Returns values that belong to the other store."""
    shop = other.store
    return [
        *(shop.id, other.token, other.hash, other.owner.id, other.owner.gid, other.session.gid),
        *(other.link.token, shop.hosts[0], list(shop.hosts)),
    ]


def places(lines):
    """Yields each field of the first line of each kind, as line number and path."""
    seen = set()
    for number, line in enumerate(lines):
        for path in fields_of(line):
            if path not in seen:
                seen.add(path)
                yield number, path


def fields_of(value, path=()):
    for key, one in value.items():
        yield (*path, key)
        if isinstance(one, dict):
            yield from fields_of(one, (*path, key))


def changed(source, number, path, value):
    """Returns the lines with one value replaced."""
    line = copy.deepcopy(source[number])
    place = line
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return encoded([*source[:number], line, *source[number + 1 :]])


def encoded(lines):
    return [json.dumps(line, ensure_ascii=False).encode() for line in lines]


@pytest.mark.parametrize("kind", file_records.KINDS.values())
def test_file_with_a_changed_value_is_refused_or_imported_whole(
    bench, other, source, tmp_path, kind
):
    """A file with one altered value is refused or imported whole. WISHWELL_TEST_ALL tries all
    cases.
    Rules: import-checked, import-store."""
    cases = [
        (number, path, value)
        for number, path in places(source)
        for value in [*VALUES, *others(other)]
        if path[0] == kind
    ]
    wrong = []
    for case in cases[:: 1 if "WISHWELL_TEST_ALL" in os.environ else 31]:
        try:
            try_import(bench, tmp_path / "f", changed(source, *case), other)
        except Exception as error:
            wrong.append((case[0] + 1, case[1], repr(case[2])[:100], repr(error)[:400]))
            for one in bench.read(stores.listed):
                if one.handle == HANDLE:
                    delete(bench, one)
    assert not wrong, "\n".join(map(str, wrong))


def first_line_of(source, kind):
    return next(number for number, line in enumerate(source) if kind in line)


def errors_in(bench, path, lines):
    """Checks these lines; returns the errors."""
    write(path, lines)
    return checked(ImportFile(str(path), bench.clock())).spool.errors


@pytest.mark.slow
def test_file_with_duplicate_missing_or_misplaced_lines_is_refused(bench, other, source, tmp_path):
    """A duplicate, missing or misplaced line of any kind, or a duplicate key, is refused.
    Rule: import-checked."""
    path = tmp_path / "f"
    for kind in file_records.KINDS.values():
        at = first_line_of(source, kind)
        twice = encoded([*source[: at + 1], source[at], *source[at + 1 :]])
        assert try_import(bench, path, twice, other), kind
        rest = [*source[:at], *source[at + 1 :]]
        of_profile = kind in ("list", "item", "share", "reservation")
        for lines in (rest, [source[0], source[at], *rest[1:]]):
            assert try_import(bench, path, encoded(lines), other) or not of_profile, kind
        try_import(bench, path, encoded([*rest[:-1], source[at], source[-1]]), other)
    text = encoded(source)
    for number, line in enumerate(text):
        spoilt = line.replace(b": {", b': {"id": "x", "id": "x", ', 1)
        said = try_import(bench, path, [*text[:number], spoilt, *text[number + 1 :]], other)
        assert said.startswith("/") == (number == 0)
    again = {"share": source[first_line_of(source, "share")]["share"] | {"id": bench.new_id()}}
    for line, word in (
        (b"{]", "JSON"),
        (b'{"item": {"note": "\xff"}}', "decode"),
        (b'{"wish": {}}', "wish"),
        (encoded([source[1] | source[2]])[0], "exactly one"),
        (encoded([again])[0], "share.token"),
    ):
        at = first_line_of(source, "share") + 1 if word == "share.token" else 2
        said = errors_in(bench, path, [*text[:at], line, *text[at:]])[0]
        assert said.startswith(f"line {at + 1}: ") and word in said, said


def wrong_values(source):
    """Returns invalid values: the kind of record, the field, the value, and a word of the
    message."""
    of = {kind: source[first_line_of(source, kind)][kind] for kind in file_records.KINDS.values()}
    [bought] = of["order"]["purchases"]
    without = [{**bought, name: None} for name in ("profile", "placedAt")]
    without += [{**bought, name: ""} for name in ("amount", "currency")]
    given = source[: first_line_of(source, "reservation")]
    *_, owner = (line["profile"]["gid"] for line in given if "profile" in line)
    return [
        ("profile", "gid", "gid://x/Session/1", "GID"),
        ("list", "createdAt", "2026-13-01T00:00:00.000Z", "createdAt"),
        ("list", "name", " Wishes", "name"),
        ("list", "order", [of["list"]["id"]], "order"),
        ("item", "id", "x", "item.id"),
        ("item", "colour", "red", "colour"),
        ("item", "quantity", 0, "quantity"),
        ("item", "productId", "one", "integer"),
        ("item", "variantId", "red", "item.variantId"),
        ("item", "quantity", "2", "item.quantity"),
        ("product", "position", "x", "product.position"),
        ("item", "tags", ["A"], "tag"),
        ("item", "tags", ["a", "a"], "the same as"),
        ("item", "note", "\0", "control"),
        ("item", "note", "n" * 501, "500"),
        ("item", "listIds", [of["share"]["id"]], "listIds"),
        ("share", "token", of["share"]["token"][:-1], "token"),
        ("share", "listId", of["item"]["id"], "shared list"),
        *(("order", "purchases", [purchase], "belong together") for purchase in without),
        ("reservation", "itemId", of["list"]["id"], "reservation.itemId"),
        ("reservation", "holder", "x", "GID"),
        ("reservation", "holder", owner, "owner"),
    ]


def test_wrong_value_is_named_by_its_line(bench, source, tmp_path):
    """An invalid value is reported with its line and the reason. Rule: import-checked."""
    for kind, field, value, word in wrong_values(source):
        at = first_line_of(source, kind)
        said = errors_in(bench, tmp_path / "f", changed(source, at, (kind, field), value))[0]
        assert said.startswith(f"line {at + 1}: ") or word == "reservation.itemId", said
        assert word in said and "$" not in said, said


def test_unknown_setting_of_the_store_is_named(bench, source, tmp_path):
    """A setting of the store that this version doesn't know is refused, not ignored. Rule: import-checked."""
    for group in ("naming", "pages", "reporting", "look"):
        path = ("wishwell", "store", group)
        given = changed(source, 0, path, {**source[0]["wishwell"]["store"].get(group, {}), "x": 1})
        with pytest.raises(Invalid, match=f"{group}.*unknown field `x`"):
            errors_in(bench, tmp_path / "f", given)


def test_share_token_of_another_store_is_refused(bench, other, source, tmp_path):
    """A share whose token belongs to a share of another store is named, and nothing is imported.
    Rule: import-store."""
    at = first_line_of(source, "share")
    lines = changed(source, at, ("share", "token"), other.link.token)
    said = try_import(bench, tmp_path / "f", lines, other)
    assert said == f"line {at + 1}: share.token: a share of another store has the same token"


def test_export_names_the_buyer_of_a_purchase(source):
    """An export names the buyer of a purchase, and when it was made. Rule: export-whole."""
    [bought] = source[first_line_of(source, "order")]["order"]["purchases"]
    assert bought["profile"].startswith("gid://shopify/Customer/")
    assert bought["profile"] in {line["profile"]["gid"] for line in source if "profile" in line}
    assert bought["placedAt"]


def test_truncated_file_is_refused(bench, source, tmp_path):
    """A truncated file is refused: cut at a line's end, within a line, or at its beginning.
    Rule: import-checked."""
    path, text = tmp_path / "f", encoded(source)
    for kept in ([*text[:-1], text[-1][:-30]], text[:-1], text[:-2]):
        assert errors_in(bench, path, kept)
    assert not errors_in(bench, path, text)
    later = text[0].replace(b'n": 1', b'n": 2')
    forgets = changed(source, 0, ("wishwell", "store", "forgetSince"), "\0")
    for first_ in ([], [b"{}"], [b"{"], text[1:], [later, *text[1:]], forgets):
        with pytest.raises(Invalid):
            errors_in(bench, path, first_)


def test_at_most_20_errors_are_reported_and_no_consequential_ones(bench, source, tmp_path):
    """At most 20 errors are reported, without those that only follow from others.
    Rule: import-checked."""
    path = tmp_path / "f"
    assert len(errors_in(bench, path, [*encoded(source[:1]), *[b"x"] * 1_000])) == 21
    item = first_line_of(source, "item")
    profile = max(number for number in range(item) if "profile" in source[number])
    lines = changed(source, profile, ("profile", "events"), "x")
    lines[item] = changed(source, item, ("item", "productId"), 0)[item]
    errors = errors_in(bench, path, lines)
    assert [error.split(":")[0] for error in errors] == [f"line {profile + 1}", f"line {item + 1}"]


def test_duplicate_items_and_ids_are_refused(bench, other, source, tmp_path):
    """Two items of one product, or an id that two profiles share, are refused, because pagination
    needs unique ids.
    Rule: import-checked."""
    of = {line["item"]["productId"]: n for n, line in enumerate(source) if "item" in line}
    lines = changed(source, of[2], ("item", "productId"), 1)
    assert "same product" in try_import(bench, tmp_path / "f", lines, other)
    # An item of a customer and one of a session, neither on a list.
    a, b = sorted((of[3], of[5]))
    lines = changed(source, b, ("item", "id"), source[a]["item"]["id"])
    said = try_import(bench, tmp_path / "f", lines, other)
    assert said == f"line {b + 1}: item.id: has the same value as in line {a + 1}"


@pytest.mark.parametrize(("later", "good"), [(60_000, True), (60_001, False), (-(10**9), True)])
def test_record_is_at_most_a_minute_later_than_its_id(bench, other, source, tmp_path, later, good):
    """A record may be at most a minute later than its id's time; it may be earlier, as after a
    sign-in.
    Rule: import-checked."""
    for kind in ("item", "list", "share", "product", "webhook", "adminToken"):
        at = first_line_of(source, kind)
        made = ids.timestamp(ids.time_of(source[at][kind]["id"]) + later)
        said = try_import(
            bench, tmp_path / "f", changed(source, at, (kind, "createdAt"), made), other
        )
        assert (said is None) == good, said
        assert good or "or a UUIDv7 with that time as the id" in said


def test_profile_over_request_limits_is_imported(bench, other, source, tmp_path):
    """A profile may exceed request limits, because merges add up tags, lists and reservations.
    Rule: import-checked."""
    lines = copy.deepcopy(source)
    at = next(n for n, line in enumerate(lines) if line.get("item", {}).get("listIds"))
    lines[at]["item"]["tags"] = [f"t{number:04}" for number in range(100)]
    made = [f"{ids.uuid7_at(ids.time_of(lines[at]['item']['id']))}" for _ in range(300)]
    times = {name: lines[at]["item"][name] for name in ("createdAt", "updatedAt")}
    lines[at]["item"]["listIds"] += made
    more = [{"list": {"id": id, "name": "More", **times}} for id in made]
    lines[at:at] = more
    lines[-1]["end"]["lists"] += len(more)
    lines[first_line_of(lines, "reservation")]["reservation"]["quantity"] = 50_000_000
    assert try_import(bench, tmp_path / "f", encoded(lines), other) is None


def test_revocation_without_records_is_exported_and_deleted_with_its_store(bench, other):
    """The revocation of a customer without records is exported, and deleted with the store.
    Rules: export-whole, store-delete."""
    store = bench.new_store("revoked")
    customer = bench.new_customer(store)
    bench.write(auth.revoke_profile, customer, bench.clock())
    [line] = [line for line in export(bench, store).splitlines() if '"revocation"' in line]
    assert json.loads(line)["revocation"].keys() == {"revokedAt"}
    assert other.owner.id not in export(bench, store)
    delete(bench, store)
    of = "SELECT 1 FROM revocations WHERE profile_id = $1"
    assert bench.select(of, customer.id) == []


def test_running_process_applies_imported_revocations(bench, other, source, tmp_path):
    """A running process applies imported revocations as soon as it sees the store.
    Rules: import-exact, token-revoked."""
    path = tmp_path / "f"
    write(path, encoded(source))
    cache = AccessCache(bench.db, bench.clock)
    bench.clock.milliseconds += 3_600_000
    bench.run(cache.refresh())
    _, store = load(bench, path, HANDLE)
    bench.run(cache.refresh())
    [gid] = {
        source[n - 1]["profile"]["gid"]
        for n, line in enumerate(source)
        if "revocation" in line and "profile" in source[n - 1]
    }
    assert cache.is_profile_revoked(ids.profile_key(store.id, gid))
    delete(bench, store)


def items_of_many(count):
    """Yields the lines of ``count`` items, three per customer."""
    times = {"createdAt": (at := "2026-01-01T00:00:00.000Z"), "updatedAt": at}
    new_id = ids.UUID7(lambda: ids.from_timestamp(at))
    for number in range(count // 3):
        gid = f"gid://shopify/Customer/{number}"
        yield {"profile": {"gid": gid, "createdAt": at, "touchedAt": at}}
        for product in (1, 2, 3):
            yield {"item": {"id": new_id(), "productId": product, **times}}
    yield {"end": {"profiles": count // 3, "lists": 0, "items": count}}


@pytest.mark.slow
def test_memory_stays_flat_while_a_large_file_is_checked(bench, source, tmp_path):
    """Checking 300,000 items takes at most a few MiB more memory than 3,000.
    Rule: import-checked."""
    path, peaks = tmp_path / "f", []
    for count in (3_000, 300_000):
        lines = itertools.chain(source[:1], items_of_many(count))
        write(path, (json.dumps(line).encode() for line in lines))
        code = (
            "import resource, sys; from wishwell.transfer.import_file import ImportFile; "
            f"f = ImportFile(sys.argv[1], {bench.clock()}); assert all(f.check()) and not f.spool.errors; "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout) // 1024)
    assert peaks[1] - peaks[0] < 40, peaks


def test_line_that_is_too_long_is_named_by_number_and_size(bench, source, other, tmp_path):
    """A line that is too long is reported by number and size, and its end isn't read as another line.
    Rule: import-checked."""
    lines = [json.dumps(line).encode() for line in source]
    for at in (0, 2):
        longer = [*lines[:at], lines[at] + b" " * (33 << 20), *lines[at + 1 :]]
        said = try_import(bench, tmp_path / "long.jsonl", longer, other)
        limit = "bytes; a line may have at most 33,554,432"
        assert f"line {at + 1}: has {len(longer[at]) + 1:,} {limit}" in said
