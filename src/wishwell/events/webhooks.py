"""Webhooks: URLs that a store's events are sent to, and the secrets that sign the messages.

Messages and secrets follow Standard Webhooks (rule: webhook-signed).
"""

import base64
import contextlib
import hmac
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec

from wishwell import field_types, ids
from wishwell.db import Database, Reader, Row, Writer, bad_rows, mapping, run_statement
from wishwell.db.journal import Act
from wishwell.errors import Conflict, Invalid, LimitReached, no_record
from wishwell.field_types import Id, Time
from wishwell.profiles import WholeStore, pages
from wishwell.profiles.pages import Page, PageRequest
from wishwell.stores import Store
from wishwell.stores.sealing import Sealing

MAX_WEBHOOKS = 20
"""Maximum webhooks of a store."""

KEY_PATTERN = r"^[!-~]{8,500}\Z"
"""A key of a format's API: whatever fits into a header."""

_WHSEC_PREFIX = "whsec_"
_KEY_BYTES = 32
_MAX_DISORDER_MS = 60_000
"""Milliseconds by which event times may be out of order in the feed."""


Format = Literal["segment", "klaviyo", "brevo", "listmonk"]
WebhookFormat = Annotated[
    Format,
    field_types.published(
        "WebhookFormat",
        "The API that events are sent to: `segment` (RudderStack and Customer.io have the same), "
        "`klaviyo`, `brevo`, or `listmonk`, for which use `wishwell webhook create`. Without a "
        "format, events are sent in the form of Standard Webhooks.",
    ),
]
WebhookUrl = Annotated[
    str, field_types.published("WebhookUrl", "The URL that events are sent to.", maxLength=2_048)
]


class Webhook(msgspec.Struct, rename="camel", omit_defaults=True):
    """A URL that events are sent to."""

    id: Id
    url: WebhookUrl
    types: Annotated[tuple[str, ...], field_types.published("EventTypes")]
    enabled: bool
    """Whether events are sent."""
    created_at: Time
    updated_at: Time
    failing_since: Time | None = None
    """Time since which no attempt has succeeded; omitted if the last one has."""
    format: Annotated[str, field_types.published("WebhookFormat")] | None = None
    include: Annotated[tuple[str, ...], field_types.published("EventIncludes")] = ()
    skipped: Annotated[int, field_types.published(minimum=1)] = 0
    """The number of events for which the format has no request, since the creation of the webhook;
    omitted if there are none."""
    problem: str | None = None
    """Why the service turned the webhook off; omitted otherwise."""
    secret: (
        Annotated[str, field_types.published(pattern=f"^{_WHSEC_PREFIX}[A-Za-z0-9+/]{{43}}=$")]
        | None
    ) = None
    """The secret that deliveries are signed with; returned only on creation and renewal, and not
    for a webhook with a format."""


class NewWebhook(NamedTuple):
    """A webhook to create. ``key``: the key of the format's API. ``templates``: their ids by event
    type, for a format that sends mails."""

    url: str
    types: Sequence[str] = ()
    format: Format | None = None
    key: str | None = None
    include: Sequence[str] = ()
    templates: Mapping[str, int] = {}


class WebhookPatch(NamedTuple):
    """Changes to a webhook. None leaves a field unchanged."""

    url: str | None = None
    types: tuple[str, ...] | None = None
    enabled: bool | None = None
    key: str | None = None
    include: tuple[str, ...] | None = None
    templates: Mapping[str, int] | None = None


class Secrets(msgspec.Struct, frozen=True):
    """Signing secrets. After a rotation, ``before`` signs too, until ``until`` (ms since 1970).

    ``key``: the key of the format's API, which is used instead. ``templates``: see ``NewWebhook``.
    """

    secret: str
    before: str | None = None
    until: int = 0
    key: str = ""
    templates: Mapping[str, int] = {}


class WebhookState(msgspec.Struct):
    """The stored state of a webhook, including what the API doesn't show.

    ``position``: last position of the feed that was processed. ``sealed``: the
    encrypted ``Secrets``. ``due``: time of the next batch, or None to wait for a new event.
    ``wait_until``: time until which the receiver wants no requests, or ''.
    """

    webhook: Webhook
    position: int
    sealed: str
    due: str | None
    wait_until: str

    def receives(self, type_: str) -> bool:
        """Returns whether the webhook receives events of this type."""
        return not self.webhook.types or type_ in self.webhook.types or type_ == "profile.erased"


Include = Literal["product"]
EventInclude = Annotated[Include, field_types.published("EventInclude")]
INCLUDES: tuple[Include, ...] = get_args(Include)

from_row = mapping.from_columns(Webhook, "webhook_fields")


async def create(
    tx: Writer, sealing: Sealing, store: Store, new: NewWebhook, id: str, now: str
) -> Webhook:
    """Creates a webhook that receives the events from now on. The result has its secret.

    The caller has checked ``new.url`` (SSRF). Raises ``Invalid`` at the limit, for a format without
    a key or vice versa and for its URL with a query, and ``Conflict`` if the store has events
    disabled.
    """
    _check_format_url(new.format, new.url)
    if (new.format is None) is not (new.key is None):  # rule: format-key
        rule = "needs the key of the API" if new.format else "is only for a webhook with a format"
        raise Invalid(f"key: {rule}.")
    _check_templates(new.format, new.templates)
    if new.format == "listmonk" and not new.templates:
        raise Invalid(
            "format: listmonk needs the ids of templates; use `wishwell webhook create --template`."
        )
    if store.events_since is None:  # rule: webhook-signed
        raise Conflict(
            "This store has events turned off. Turn them on with: wishwell store "
            f"update {store.handle} --events on",
            "events_off",
        )
    await lock_feed(tx, store.id)
    # rule: webhook-signed
    if len(await tx.all("export_webhooks", store=store.id)) >= MAX_WEBHOOKS:
        raise LimitReached(f"A store has at most {MAX_WEBHOOKS} webhooks.", "webhook_limit_reached")
    position, _ = await read_feed_ends(tx, store.id)
    new_secrets = Secrets(_create_secret(), key=new.key or "", templates=new.templates)
    sealed = _encrypt(sealing, store.id, id, new_secrets)
    webhook = Webhook(id, new.url, tuple(new.types), True, now, now, format=new.format)
    webhook.include = tuple(new.include)
    # Starts at the current end of the feed (rule: delivery-at-least-once).
    columns = mapping.to_columns(webhook, "webhook_fields") | {"store": store.id}
    await tx.run("webhook_add", **columns, position=position, sealed=sealed, now=now)
    webhook.secret = None if new.format else new_secrets.secret
    return webhook


# rule: format-mail
def _check_templates(format: str | None, templates: Mapping[str, int]) -> None:
    if templates and format != "listmonk":
        raise Invalid("template: is only for a webhook with the format listmonk.")


# rule: format-events
def _check_format_url(format: str | None, url: str) -> None:
    if format is not None and ("?" in url or "#" in url):
        raise Invalid(
            "url: must have no query (?) and no # with a format, only the address of the API such "
            "as https://a.klaviyo.com/api, because paths are appended to it."
        )


async def page(tx: Reader, store: Store, page_request: PageRequest) -> Page[Webhook]:
    """Returns a page of a store's webhooks, newest first."""
    return await pages.read(tx, "webhooks", WholeStore(store), page_request, from_row)


async def find(tx: Reader, store: Store, id: str) -> Webhook:
    """Returns a webhook. Raises ``NotFound``."""
    return _parse_state(await tx.one("webhook", store=store.id, id=id)).webhook


# rule: delivery-schedule
async def change(
    tx: Writer, store: Store, id: str, sealing: Sealing | None, patch: WebhookPatch, now: str
) -> Webhook:
    """Updates a webhook. The caller has checked ``patch.url``; new keys and templates need
    ``sealing``.

    A webhook that is turned on again resumes at the position where it stopped. Raises ``NotFound``,
    and ``Invalid`` for a key without a format, or if a new address has a query or would get the key
    of the old one.
    """
    async with edit(tx, store.id, id) as state:
        webhook = state.webhook
        is_turned_on = bool(patch.enabled) and not webhook.enabled
        changed_fields = {
            name: value for name, value in patch._asdict().items() if value is not None
        }
        secret_names = {"key", "templates"} & changed_fields.keys()
        changed_secrets = {name: changed_fields.pop(name) for name in secret_names}
        _check_templates(webhook.format, changed_secrets.get("templates", {}))
        state.webhook = changed = msgspec.structs.replace(webhook, **changed_fields)
        _check_change(webhook, changed, changed_secrets.get("key"))
        if changed_secrets:
            assert sealing is not None
            previous_secrets = decrypt(sealing, store.id, id, state.sealed)
            state.sealed = _encrypt(
                sealing, store.id, id, msgspec.structs.replace(previous_secrets, **changed_secrets)
            )
        if changed != webhook or changed_secrets:
            changed.updated_at = max(now, webhook.updated_at)
        if is_turned_on:
            changed.failing_since = changed.problem = None
            state.due, state.wait_until = now, ""
    return changed


# rule: format-key
def _check_change(webhook: Webhook, changed: Webhook, key: str | None) -> None:
    has_new_url = changed.url != webhook.url
    if has_new_url:
        _check_format_url(webhook.format, changed.url)
    if key is not None and webhook.format is None:
        raise Invalid("key: is only for a webhook with a format.")
    if has_new_url and webhook.format is not None and key is None:
        raise Invalid("key: give the key again, because the new URL will receive it.")


# rule: webhook-signed
async def renew_secret(tx: Writer, store: Store, id: str, sealing: Sealing, now: int) -> Webhook:
    """Rotates the secret. The result has the new one; the previous one signs for another day.

    Raises ``NotFound``, and ``Conflict`` for a webhook with a format, which has no secret.
    """
    async with edit(tx, store.id, id) as state:
        if state.webhook.format is not None:
            raise Conflict(
                "This webhook has a format, so its messages aren't signed. Update the webhook to "
                "change the key of the API.",
                "webhook_unsigned",
            )
        previous_secret = decrypt(sealing, store.id, id, state.sealed).secret
        new_secrets = Secrets(_create_secret(), previous_secret, now + ids.DAY_MS)
        state.sealed = _encrypt(sealing, store.id, id, new_secrets)
        state.webhook.updated_at = max(ids.timestamp(now), state.webhook.updated_at)
    state.webhook.secret = new_secrets.secret
    return state.webhook


async def delete(tx: Writer, store: Store, id: str, now: str) -> None:
    """Deletes a webhook, and leaves its deliveries to background batches. Raises ``NotFound``."""
    act = Act(action="webhook.deleted", store=store.handle, store_id=store.id, id=id)
    await tx.record(act)
    if await tx.one("webhook_delete", store=store.id, id=id, now=now) is None:
        raise no_record("webhook")


# rule: delivery-resend
async def replay(tx: Writer, store: Store, id: str, since: int, now: str) -> Webhook:
    """Resends the stored events from ``since`` (milliseconds since 1970) on."""
    async with edit(tx, store.id, id) as state:
        last, removed = await read_feed_ends(tx, store.id)
        start_time = ids.timestamp(min(max(0, since - _MAX_DISORDER_MS), ids.MAX_TIMESTAMP_MS))
        position = await _find_position_before(tx, store.id, removed, last, start_time)
        state.position, state.due = min(state.position, position), now
        state.wait_until = ""
    return state.webhook


async def _find_position_before(tx: Reader, store_id: str, low: int, last: int, since: str) -> int:
    """Returns the position after which events are from ``since`` or later (binary search)."""
    high = last
    while low < high:
        middle = (low + high) // 2
        row = await tx.one("event_positions", store=store_id, after=middle, until=last, limit=1)
        if row is None or row[4] >= since:
            high = middle
        else:
            low = row[0]
    return low


# ------------------------------------------------------------------------------ stored state


@contextlib.asynccontextmanager
async def edit(tx: Writer, store_id: str, id: str) -> AsyncIterator[WebhookState]:
    """Locks a webhook and saves the block's changes to it. Raises ``NotFound``."""
    row = await tx.one("webhook_lock", store=store_id, id=id)
    state = _parse_state(row)
    yield state
    if state == _parse_state(row):
        return
    webhook = state.webhook
    columns = mapping.to_columns(webhook, "webhook_fields") | {"store": store_id}
    columns |= {"position": state.position, "sealed": state.sealed, "wait_until": state.wait_until}
    await tx.run("webhook_set", **columns, due_at=state.due if webhook.enabled else None)


def _parse_state(row: Row | None) -> WebhookState:
    if row is None:
        raise no_record("webhook")
    *webhook_row, position, sealed, due, wait_until = row
    return WebhookState(from_row(webhook_row), position, sealed, due, wait_until)


async def read_feed_ends(tx: Reader, store_id: str) -> tuple[int, int]:
    """Returns the last published and the last removed position of a feed, or 0."""
    row = await tx.one("feed", store=store_id)
    return (0, 0) if row is None else (row[0], row[1])


async def lock_feed(tx: Writer, store_id: str) -> Row:
    """Locks a store's feed, which it creates if needed.

    Returns the last assigned position, and how many events got theirs at insertion (SQLite) and
    aren't published yet.
    """
    while (row := await tx.one("feed_lock", store=store_id)) is None:
        await tx.run("feed_open", store=store_id)
    return row


# --------------------------------------------------------------------------------- secrets


def decrypt(sealing: Sealing, store_id: str, id: str, sealed: str) -> Secrets:
    """Decrypts a webhook's secrets. Raises ``Misconfigured`` and ``Damaged``."""
    return msgspec.json.decode(sealing.open(sealed, _describe_owner(store_id, id)), type=Secrets)


# rule: sealing-keys
async def reencrypt(db: Database, sealing: Sealing) -> None:
    """Re-encrypts secrets that were encrypted with an older key.

    Raises ``Misconfigured`` if no configured key can decrypt one.
    """
    for store_id, id, old_sealed, _ in await db.read(run_statement, "webhooks"):
        with bad_rows.skip_bad_row("webhooks", f"{id} of store {store_id}"):
            secrets = decrypt(sealing, store_id, id, old_sealed)
            if not sealing.is_newest(old_sealed):
                params = {"store": store_id, "id": id, "before": old_sealed}
                sealed = _encrypt(sealing, store_id, id, secrets)
                await db.write(run_statement, "webhook_reseal", **params, sealed=sealed)


def _encrypt(sealing: Sealing, store_id: str, id: str, secrets: Secrets) -> str:
    return sealing.seal(msgspec.json.encode(secrets), _describe_owner(store_id, id))


def _describe_owner(store_id: str, id: str) -> str:
    return f"webhook {id} of store {store_id}"


# rule: webhook-signed
def _create_secret() -> str:
    return _WHSEC_PREFIX + base64.b64encode(os.urandom(_KEY_BYTES)).decode()


# rule: webhook-signed
def build_signature_headers(secrets: Secrets, id: str, body: bytes, now: int) -> dict[str, str]:
    """Returns the headers of a message sent at ``now``, in milliseconds since 1970."""
    timestamp = str(now // 1000)
    content = f"{id}.{timestamp}.".encode() + body
    valid_secrets = [secrets.secret]
    if secrets.before is not None and now < secrets.until:
        valid_secrets.append(secrets.before)
    keys = [base64.b64decode(secret.removeprefix(_WHSEC_PREFIX)) for secret in valid_secrets]
    macs = [base64.b64encode(hmac.digest(key, content, "sha256")).decode() for key in keys]
    return {
        "Content-Type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{mac}" for mac in macs),
    }
