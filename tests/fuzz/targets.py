"""Fuzz targets: functions that take any bytes, and raise if the service would behave wrongly.

Refusing input (``ServiceError``) is right. Any other exception is a finding, and so is a value that
an independent decoder of the same bytes (``json``, ``urllib``) reads differently.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hmac
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl, unquote
from uuid import UUID

import msgspec

from wishwell import ids, profiles, stores
from wishwell.access import access_cache, addresses, auth
from wishwell.config import load
from wishwell.db import migrate
from wishwell.db.sqlite.database import SQLite
from wishwell.errors import Invalid, ServiceError, Unauthenticated, UnsupportedMedia
from wishwell.http import queries, request_types, routes
from wishwell.importers import catalogue_summary as summary
from wishwell.importers import xml_feed
from wishwell.importers.catalogue import Catalogue
from wishwell.importers.catalogue_changes import Changes
from wishwell.importers.csv_file import CsvFile, Reading
from wishwell.importers.shopify.platform_webhooks import OrderBody, ProductBody
from wishwell.privacy import journal_replay
from wishwell.products import product_bodies
from wishwell.profiles import pages, search
from wishwell.stores import naming, reporting
from wishwell.transfer.import_file import ImportFile
from wishwell.wishlists import items, lists, saving

KEY = b"a-key-of-the-fuzzer-of-40-characters-xxx"
NOW = 1_800_000_000_000
STORE_ID = "01a1fb2f-fa71-7000-84bc-1cd7939ebb19"
STORE = msgspec.structs.replace(
    stores.blank(STORE_ID, "shop", ""), auth_flow="/account/login?e={email}"
)
SHOPIFY_STORE = msgspec.structs.replace(
    STORE,
    naming=naming.Naming(platform_shop="a.myshopify.com"),
    reporting=reporting.Reporting(currency="EUR", purchases=True),
)
TEXT_STORE = msgspec.structs.replace(STORE, product_ids="text")
ADMIN = auth.new_admin_token()
NETWORKS = load({"WISHWELL_TRUSTED_PROXIES": "10.0.0.0/8,fd00::/8"}).trusted_proxies


@functools.cache
def service() -> SimpleNamespace:
    """Returns a real database with a store, an admin token and three items, and an
    authenticator."""
    runner = asyncio.Runner()
    folder = tempfile.TemporaryDirectory(prefix="wishwell-fuzz-")
    path = str(Path(folder.name) / "wishwell.db")
    migrate.migrate_sqlite(path)
    db, now = SQLite(path), ids.timestamp(NOW)
    run = runner.run
    run(db.write(stores.create, STORE_ID, "shop", stores.StorePatch(), now))
    run(db.write(auth.create_admin_token, STORE, ADMIN, "x", ids.random_uuid(), now, None))
    known = access_cache.AccessCache(db, lambda: NOW)
    run(known.refresh())
    tokens = auth.Authenticator([KEY], known, "wishwell", lambda: NOW)
    owner = profiles.of_customer(STORE, "gid://shopify/Customer/1")
    new_id = ids.UUID7(lambda: NOW)
    for product in (1, 2, 3):
        new = items.NewItem(str(product))
        run(db.write(saving.save, owner, new, new_id(), stores.SizeLimits(9, 9, 9, 9), now))
    return SimpleNamespace(run=run, db=db, tokens=tokens, owner=owner, folder=folder, runner=runner)


def text_of(data: bytes) -> str:
    """Decodes bytes as UTF-8. Invalid bytes are replaced, because the service never lets them
    in."""
    return data.decode("utf-8", "replace")


def cursor(data: bytes) -> None:
    """A cursor verifies only if it was signed for this request, and in a single spelling."""
    cursor_signer = pages.CursorSigner([KEY])
    text, request = text_of(data), "mine|items|"
    with contextlib.suppress(Invalid):
        opened = cursor_signer.verify(text, request)
        assert cursor_signer.sign(opened, request) == text
    if len(data) < 20:
        return
    # The same bytes as id, direction, index and replacement: a changed cursor must not verify.
    made = pages.Cursor(str(UUID(bytes=data[:16])), bool(data[16] & 1))
    signed = cursor_signer.sign(made, request)
    assert cursor_signer.verify(signed, request) == made
    at = data[17] % len(signed)
    changed = signed[:at] + chr(data[18]) + signed[at + 1 :]
    other = text_of(data[19:])
    for bad, asked in ((changed, request), (signed, other)):
        if (bad, asked) != (signed, request):
            try:
                cursor_signer.verify(bad, asked)
            except Invalid:
                continue
            raise AssertionError("opened what was not signed")


def gid(data: bytes) -> None:
    """A profile has exactly one GID, and its key is derived from the store and the GID. A session's
    UUID may be in either case."""
    text = text_of(data)
    try:
        profile = profiles.parse(STORE, "wishwell", text, "Profile")
    except Invalid:
        return
    session = text[:-36] + text[-36:].lower()
    assert profile.gid == (session if profile.is_session else unquote(text))
    assert profile.id == ids.profile_key(STORE_ID, profile.gid)
    assert profiles.parse(STORE, "wishwell", profile.gid, "Profile") == profile
    _, _, platform, kind, id = profile.gid.split("/")
    assert (platform, kind) == (
        ("wishwell", "Session") if profile.is_session else ("shopify", "Customer")
    )
    assert all("!" <= character <= "~" for character in id) and 1 <= len(id) <= 255 and id != "-"


def query(data: bytes) -> None:
    """A search that parses also runs, and its results match it."""
    for store in (STORE, TEXT_STORE):
        try:
            found = search.parse(text_of(data), store)
        except Invalid:
            continue
        assert all(1 <= len(of_term) <= search.MAX_VALUES for of_term in found.values)
        plain = " ".join(
            f"{field}:{','.join(values)}" for field, values in zip(*found, strict=True)
        )
        assert search.parse(plain, store) == found
        there = service()
        asked = pages.PageRequest(None, 50, found)
        for scope in (there.owner, profiles.WholeStore(store)):
            page = there.run(there.db.read(items.page, scope, asked))
            wanted = [
                set(values) for field, values in zip(*found, strict=True) if field == "product"
            ]
            assert all(item.product_id in values for item in page.records for values in wanted)


def token(data: bytes) -> None:
    """An accepted token was signed with a key of the ring, and has exactly the claims of issued
    ones."""
    there = service()
    kind, rest = data[:1], data[1:]
    genuine = {"sub": there.owner.gid, "aud": STORE_ID, "jti": STORE_ID}
    genuine |= {"iat": NOW // 1000, "exp": NOW // 1000 + 60}
    head = {"alg": "HS256", "kid": auth.key_id(KEY), "typ": "wishwell+jwt"}
    header, claims = (json.dumps(part, separators=(",", ":")).encode() for part in (head, genuine))
    if kind == b"\1":  # any claims, signed
        text = _signed(header, rest)
    elif kind == b"\2":  # any header, signed
        text = _signed(rest, claims)
    elif kind == b"\3":  # a genuine token with bytes inserted
        text = _signed(header, claims)
        at = int.from_bytes(rest[:2], "big") % len(text)
        text = text[:at] + rest[2:].decode("latin-1") + text[at + len(rest[2:]) :]
    else:
        text = data.decode("latin-1")
    try:
        caller = there.run(there.tokens.caller(text))
    except Unauthenticated:
        return
    if caller.kind == "admin":
        assert text == ADMIN
        return
    raw = text.split(".")[1]
    pairs = json.loads(
        base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)), object_pairs_hook=list
    )
    said = dict(pairs)
    assert len(said) == len(pairs) == 5 and said["aud"] == STORE_ID
    assert said["sub"] == caller.profile.gid and said["jti"] == caller.token_id
    assert type(said["iat"]) is int and type(said["exp"]) is int
    assert NOW // 1000 < said["exp"] <= said["iat"] + auth.LIFETIME_SECONDS


BODIES = [
    value
    for module in (request_types, product_bodies)
    for name, value in vars(module).items()
    if name.endswith("Body") and value is not request_types.Body
]


def body(data: bytes) -> None:
    """An accepted body equals what ``json`` reads: no unknown or duplicate keys, no coercion."""
    for shape in BODIES:
        try:
            value = request_types.body(data, "application/json", shape)
        except ServiceError:
            continue
        plain = json.loads(data)
        mine = msgspec.to_builtins(value)
        # A variant that is left out becomes null in one type.
        assert {k: v for k, v in mine.items() if k in plain} == plain, shape
        assert all(v is None for k, v in mine.items() if k not in plain), shape
        assert repr({k: mine[k] for k in sorted(plain)}) == repr(
            {k: plain[k] for k in sorted(plain)}
        )
        with contextlib.suppress(Invalid):
            _noun_checks(value)


def _noun_checks(value: object) -> None:
    """Runs the checks of the domain packages, beyond a body's type."""
    if isinstance(value, request_types.NewItemBody):
        value.new_item(STORE)
    elif isinstance(value, request_types.ItemPatchBody):
        value.patch(STORE)
    elif isinstance(value, request_types.IdentifyBody):
        path = STORE.sign_in_path(profiles.check_email(value.email))
        assert path.isascii() and path.isprintable() and path.count("?") == 1
    elif isinstance(value, request_types.NewListBody):
        name = lists.check_name(value.name)
        assert 1 <= len(name) <= lists.MAX_NAME and "\0" not in name and "\n" not in name


def parameters(data: bytes) -> None:
    """Query strings are read as by ``urllib``, and each accepted value is within its limits."""
    known = frozenset({"page", "limit", "query", "sort", "itemIds"})
    try:
        found = queries.parameters(data, known)
    except Invalid:
        return
    # urllib doesn't decode raw non-ASCII bytes, so they are percent-encoded first.
    ascii_text = "".join(chr(byte) if byte < 128 else f"%{byte:02x}" for byte in data)
    plain = parse_qsl(ascii_text, keep_blank_values=True, errors="strict")
    merged: dict[str, str] = {}
    for name, value in plain:  # only a list may be repeated
        assert name not in merged or name == "itemIds"
        merged[name] = f"{merged[name]},{value}" if name in merged else value
    assert merged == found
    with contextlib.suppress(Invalid):
        assert 1 <= queries.limit(found.get("limit")) <= pages.MAX_SIZE
    with contextlib.suppress(Invalid):
        assert queries.choice(found, "sort", lists.SORTS) in found.get("sort", "recently_saved")
    with contextlib.suppress(Invalid):
        assert 1 <= len(queries.several(found, "itemIds")) <= items.MAX_BULK


def address(data: bytes) -> None:
    """The address for rate limits is the peer's own, unless the peer is a trusted proxy."""
    forwarded, kind = data[1:].decode("latin-1"), data[:1]
    for peer, own in (("10.0.0.1", False), ("192.0.2.7", True), ("", True)):
        found = addresses.client_address(peer, forwarded, NETWORKS)
        assert found.isascii() and found.isprintable() and 0 < len(found) <= 64
        if own:
            assert found == (peer or "unknown")
    with contextlib.suppress(UnsupportedMedia):
        request_types.check_type(forwarded)
    routes.find("/" + forwarded)
    routes.find(f"{routes.PREFIX}/{forwarded}")
    assert kind or not forwarded


def feed(data: bytes, kind: str = "") -> None:
    """Each row of a feed is refused, or is in a product, whose values are within their limits."""
    found = Catalogue("feed", io.BytesIO(data), TEXT_STORE, NOW, kind=kind, currency="EUR")
    try:
        for _ in found.read():
            pass
    except ServiceError:
        return
    refused = sum(reason.count for reason in found.reasons if reason.refused)
    assert (
        found.refused >= refused
        and len(str(summary.summarise(found, Changes(found), NOW))) < 100_000
    )
    made = list(found)
    left_out = found.refused or found.hidden.count or found.skipped.count
    assert left_out or bool(made) == bool(found.rows)
    for product in made:
        again = msgspec.json.decode(msgspec.json.encode(product.data), type=type(product.data))
        assert again == product.data
    assert {product.product_id for product in made} == {product.product_id for product in found}
    summary.format_table(made, found.sales)


def feed_csv(data: bytes) -> None:
    """Comma- and semicolon-separated feeds, and those of platforms."""
    feed(data, "csv")


def feed_json(data: bytes) -> None:
    """JSON Lines, and Shopify's bulk export."""
    feed(data, "jsonl")


def feed_xml(data: bytes) -> None:
    """XML yields rows of text, and at most one error, which is last."""
    rows = list(xml_feed.read_products(io.BytesIO(data)))
    assert all(isinstance(row, dict) for _, row in rows[:-1])
    assert all(line >= 1 for line, _ in rows)
    assert b"<!DOCTYPE" not in data or not rows or isinstance(rows[-1][1], (str, dict))
    assert sum(len(text) for _, row in rows if isinstance(row, dict) for text in row.values()) <= (
        4 * len(data)
    )


def wishes(data: bytes) -> None:
    """Each row of another app's file is an error, a guest's or an item, possibly merged."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(data)
        how = Reading(
            {"customer": "c", "product": "p", "saved": "s"}, skip_guests=True, day_first=True
        )
        try:
            found = CsvFile(file.name, TEXT_STORE, how, NOW)
            for _ in found.check():
                pass
        except ServiceError:
            return
        for bundle in found:
            assert bundle.items and ids.customer_of(bundle.profile.gid)


def journal(data: bytes) -> None:
    """Each line of a journal is named, or read as ``json`` reads it: no act is lost or changed."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(data)
        acts, errors, warnings = journal_replay.read_journals([file.name])
    lines = [line for line in data.split(b"\n") if line]
    assert len(acts) + len(errors) + len(warnings) == len(lines) and len(warnings) <= 1
    plain = []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            plain.append(json.loads(line))
    for act in acts:
        fields = msgspec.to_builtins(act)
        assert any(
            isinstance(one, dict) and {k: v for k, v in one.items() if v not in ("", {})} == fields
            for one in plain
        )
        assert act.action not in ("profile.erased", "profile.revoked") or act.profile


def export_file(data: bytes) -> None:
    """An export is refused, or yields as many profiles and items as its last line says."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(data)
        try:
            found = ImportFile(file.name, NOW)
        except Invalid:
            return
        for _ in found.check():
            pass
        if found.spool.errors:
            assert all(found.spool.errors)
            return
        bundles = list(found)
        end = json.loads(data.strip().rpartition(b"\n")[2])["end"]
        assert len(bundles) == end["profiles"]
        assert sum(len(bundle.items) for bundle in bundles) == end["items"]


def platform_webhook(data: bytes) -> None:
    """A body of a platform becomes a product or order whose values are within their limits."""
    kind: type[ProductBody | OrderBody]
    for kind in (ProductBody, OrderBody):
        try:
            body = msgspec.json.decode(data, type=kind)
            request_types.check_keys(data)
        except (msgspec.DecodeError, ValueError, RecursionError, ServiceError):
            continue
        with contextlib.suppress(Invalid):
            if isinstance(body, ProductBody):
                made = body.to_product(SHOPIFY_STORE, "1", ())
                again = msgspec.json.decode(msgspec.json.encode(made.data), type=type(made.data))
                assert again == made.data
            else:
                order = body.to_order(SHOPIFY_STORE, NOW)
                assert all(0 < line.quantity <= 1_000_000 for line in order.lines)
                assert ids.TIME_PATTERN.fullmatch(order.updated_at)


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        *(cursor, gid, query, token, body, parameters, address),
        *(feed, feed_csv, feed_json, feed_xml, wishes, journal, export_file, platform_webhook),
    )
}


def _signed(head: bytes, payload: bytes) -> str:
    def plain(part: bytes) -> str:
        return base64.urlsafe_b64encode(part).rstrip(b"=").decode()

    text = f"{plain(head)}.{plain(payload)}"
    return f"{text}.{plain(hmac.digest(KEY, text.encode(), 'sha256'))}"
