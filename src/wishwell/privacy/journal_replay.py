"""Repeats journals on a restored database: erasures, revocations, deletions called off.

Each line is enough to repeat its act, if the database lacks it. So neither the order of the lines
nor the clocks of the nodes that wrote them matter.
"""

import contextlib
import re
import shlex
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Literal, get_args

import msgspec
from msgspec import structs

from wishwell import files, ids, json_keys, stores
from wishwell.access import auth
from wishwell.contacts import addresses, suppressions
from wishwell.db import Database, Writer, run_statement
from wishwell.db.journal import REFUSED, Act, line_id
from wishwell.errors import Invalid, NotFound, ServiceError
from wishwell.events import webhooks
from wishwell.privacy import erasure, platform_requests
from wishwell.profiles import Profile, records
from wishwell.stores import Store
from wishwell.wishlists import orders

Outcome = Literal["to repeat", "repeated", "done", "unknown", "by hand", "failed"]

_LATEST_REVOCATION = "9999-01-01T00:00:00.000Z"
"""Later tokens, and later revocations of the same profile, are dated after this one."""

_PATTERNS = {
    **dict.fromkeys(("created", "until"), ids.TIME_PATTERN),
    "hash": re.compile("[0-9a-f]{64}"),
}
"""Patterns of fields that aren't UUIDs."""

_MAX_ERROR_CHARACTERS = 200
"""Characters of an error that are shown."""

_OPERATOR_COMMANDS = {
    "webhook.deleted": "wishwell webhook delete {id} --store {store}",
    "store.deleted": "wishwell store delete {store}",
}


class ReplayedAct(msgspec.Struct, rename="camel", omit_defaults=True):
    """The outcome of an act. ``unknown``: the database has no such profile, token or store."""

    outcome: Outcome
    time: str
    action: str
    store: str
    id: str
    says: str = ""


def read_journals(paths: Iterable[str]) -> tuple[list[Act], list[str], list[str]]:
    """Reads journals. Returns their acts in the order of time, errors, and warnings. Omits refused
    acts: each line about one cancels one line with that id, in any of the journals.

    A last line without its end is a warning: after a crash, its act was not done. Raises
    ``Invalid`` if a file can't be read.
    """
    acts_with_line_ids: list[tuple[Act, str]] = []
    errors: list[str] = []
    warnings: list[str] = []
    for path in paths:
        try:
            with files.open_regular(path) as file:
                lines = file.read().split(b"\n")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise Invalid(f"JOURNAL: {path[:200]} can't be read ({reason}).") from error
        for number, line in enumerate(lines, 1):
            position = f"{path}, line {number}:"
            try:
                if line:
                    acts_with_line_ids.append((_decode_act(line), line_id(line)))
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                is_json = isinstance(error, msgspec.ValidationError)
                if number == len(lines) and line.startswith(b"{") and not is_json:
                    warnings.append(
                        f"{position} was cut off. If by a crash, its act was not done; if by a "
                        "copy of the file, replay a newer copy"
                    )
                else:
                    reason = str(error)[:_MAX_ERROR_CHARACTERS]
                    errors.append(f"{position} can't be read ({reason})")
    return sorted(_omit_refused(acts_with_line_ids), key=lambda act: act.time), errors, warnings


# rule: journal-refused
def _omit_refused(acts_with_line_ids: Sequence[tuple[Act, str]]) -> Iterator[Act]:
    """Yields the acts, given with the ids of their lines, that weren't refused."""
    refusals_by_line_id = Counter(act.id for act, _ in acts_with_line_ids if act.action == REFUSED)
    for act, act_line_id in acts_with_line_ids:
        if refusals_by_line_id[act_line_id] > 0:
            refusals_by_line_id[act_line_id] -= 1
        elif act.action != REFUSED:
            yield act


def _decode_act(line: bytes) -> Act:
    """Returns a line's act. Raises ``MsgspecError``, ``ValueError``, ``RecursionError``."""
    act = msgspec.json.decode(line, type=Act)
    if (key := json_keys.duplicate_key(line)) is not None:
        raise msgspec.ValidationError(f"{key!r} occurs twice")
    default = None, ("id",) if act.action == REFUSED else ()
    _, required_fields = _REPEATS_BY_ACTION.get(act.action, default)
    fields = [(field, getattr(act, field)) for field in required_fields]
    optional_fields = [("jti", act.jti), ("created", act.created)]
    fields += [(field, text) for field, text in optional_fields if text]
    if act.reason not in ("", *get_args(suppressions.Reason)):
        raise msgspec.ValidationError(f"reason: {act.reason[:80]!r} isn't valid")
    for session, created in act.sessions.items():
        fields += [("sessions", session), ("created", created)]
    for field, text in fields:
        pattern = _PATTERNS.get(field, ids.UUID_PATTERN)
        if not pattern.fullmatch(text):
            raise msgspec.ValidationError(f"{field}: {text[:80]!r} isn't valid")
    return act


# rule: journal-replay
async def repeat(
    db: Database, acts: Sequence[Act], clock: ids.Clock, *, dry: bool
) -> AsyncIterator[ReplayedAct]:
    """Repeats each act that the database lacks; with ``dry`` it only finds them."""
    stores_by_id = {store.id: store for store in await db.read(stores.listed)}
    stored_ids = {row[0] for row in await db.read(run_statement, "stores_changed", since="")}
    # In a backup from before it was linked, a session is a separate profile.
    session_acts = (
        structs.replace(act, profile=session, created=created)
        for act in acts
        for session, created in act.sessions.items()
    )
    for act in (*session_acts, *_omit_released(acts)):
        if act.action == "command":
            continue
        store = stores_by_id.get(act.store_id)
        outcome: Outcome = "failed"
        if act.action not in _REPEATS_BY_ACTION:
            explanation = "This version doesn't know such acts."
        elif store is not None or act.action == "token.revoked":
            outcome, explanation = await _repeat_act(db, store, act, clock(), dry)
        elif act.store_id in stored_ids:  # rule: bad-row
            explanation = "The row of this store can't be read; the log says why."
        else:
            outcome, explanation = "unknown", "This database has no such store."
        subject_id = act.profile or act.id or act.store_id
        handle = store.handle if store else act.store
        yield ReplayedAct(outcome, act.time, act.action, handle, subject_id, explanation)


# rule: mail-suppressed
def _omit_released(acts: Sequence[Act]) -> Iterator[Act]:
    """Yields the acts without suppressions of addresses that were released later."""
    released_at: dict[tuple[str, str], str] = {}
    for act in acts:
        if act.action == "address.released":
            key = act.store_id, act.hash
            released_at[key] = max(released_at.get(key, ""), act.created)
    for act in acts:
        is_released = act.created <= released_at.get((act.store_id, act.hash), "")
        if act.action != "address.suppressed" or not is_released:
            yield act


async def _repeat_act(
    db: Database, store: Store | None, act: Act, now: int, dry: bool
) -> tuple[Outcome, str]:
    """Repeats an act of a known action. Returns its outcome, and an explanation or ''."""
    run: Callable[..., Awaitable[Outcome]] = db.read if dry else db.long_write
    use_case, _ = _REPEATS_BY_ACTION[act.action]
    try:
        outcome = await run(use_case, store, act, now, dry)
    except NotFound:
        return "unknown", ""
    except ServiceError as error:
        return "failed", error.message
    if outcome == "repeated" and dry:
        return "to repeat", ""
    if outcome == "by hand" and store is not None:
        return outcome, _OPERATOR_COMMANDS[act.action].format(id=act.id, store=store.handle)
    return outcome, ""


async def _revoke_token(tx: Writer, _: Store | None, act: Act, now: int, dry: bool) -> Outcome:
    tokens = [token for token in await auth.admin_tokens(tx, None) if token.id == act.id]
    if not tokens or tokens[0].revoked_at:
        return "done" if tokens else "unknown"
    if not dry:
        await auth.revoke_admin_token(tx, act.id, ids.timestamp(now))
    return "repeated"


async def _revoke_profile(tx: Writer, store: Store, act: Act, _: int, dry: bool) -> Outcome:
    until = min(act.until, _LATEST_REVOCATION)
    with contextlib.suppress(ValueError):  # rule: bad-row
        if await auth.revoked_until(tx, act.profile, act.jti) >= ids.from_timestamp(until):
            return "done"
    if not dry:
        await auth.revoke_until(tx, store, act.profile, act.jti, until)
    return "repeated"


async def _erase(tx: Writer, store: Store, act: Act, now: int, dry: bool) -> Outcome:
    row = await tx.one("erasure_target", profile=act.profile, store=store.id)
    if row is None or row[2] > act.created:  # created after the erasure: the person came back
        return "done" if row else "unknown"
    if row[2] < act.created and act.created > ids.timestamp(now):  # dated by a wrong clock
        raise ServiceError(
            f"created: {act.created} is in the future. This profile, created {row[2]}, may be of a "
            "person who came back. If not: "
            f"wishwell profile erase {shlex.quote(row[0])} --store {store.handle}"
        )
    if not dry:
        await erasure.erase(tx, Profile(act.profile, store, row[0], bool(row[1])), now)
    return "repeated"


async def _cancel_request(tx: Writer, store: Store, act: Act, now: int, dry: bool) -> Outcome:
    row = await tx.one("request", store=store.id, id=act.id)
    if row is None or platform_requests.from_row(row).state == "called_off":
        return "done" if row else "unknown"
    if not dry:
        await platform_requests.cancel(tx, store, act.id, ids.timestamp(now))
    return "repeated"


async def _leave_to_operator(tx: Writer, store: Store, act: Act, _: int, _dry: bool) -> Outcome:
    """Leaves a deletion to the operator."""
    if act.action == "webhook.deleted":
        await webhooks.find(tx, store, act.id)
    return "by hand"


async def _forget_order(tx: Writer, store: Store, act: Act, now: int, dry: bool) -> Outcome:
    row = await tx.one("order_find", store=store.id, hash=act.id)
    if row is None or (act.created and row[0] != act.created):  # forgotten, and then sent again
        return "done"
    if not dry:
        await orders.forget_hash(tx, store, act.id, ids.timestamp(now))
    return "repeated"


# rules: mail-suppressed, journal-replay
async def _suppress(tx: Writer, store: Store, act: Act, now: int, dry: bool) -> Outcome:
    reason = _reason_of(act)
    stored = await suppressions.find(tx, store.id, act.hash, ids.timestamp(now))
    if stored == reason or stored not in ("", "not_me"):
        return "done"
    if reason == "not_me" and suppressions.until(reason, act.created) <= ids.timestamp(now):
        return "done"
    if not dry:
        await suppressions.add(tx, store, act.hash, reason, act.created)
    return "repeated"


def _reason_of(act: Act) -> suppressions.Reason:
    return next(
        (reason for reason in get_args(suppressions.Reason) if reason == act.reason), "shop"
    )


async def _release(tx: Writer, store: Store, act: Act, _: int, dry: bool) -> Outcome:
    params = {"store": store.id, "address": act.hash}
    if await tx.one("suppression_until", **params, now=act.created) is None:
        return "done"
    if not dry:
        await suppressions.remove(tx, store, act.hash, act.created)
    return "repeated"


# rules: mail-addresses, journal-replay
async def _remove_address(tx: Writer, store: Store, act: Act, now: int, dry: bool) -> Outcome:
    contact = await addresses.find(tx, act.profile)
    if contact is None or contact.email is None:
        return "done" if contact else "unknown"
    if suppressions.address_hash(store.id, contact.email) != act.hash:
        return "done"
    if contact.email_confirmed_at > act.created:  # removed, and then confirmed again
        return "done"
    if not dry:
        profile = Profile(act.profile, store, contact.gid, not ids.customer_of(contact.gid))
        await addresses.remove(tx, profile, ids.timestamp(now))
    return "repeated"


# rules: mail-consent, journal-replay
async def _withdraw(tx: Writer, store: Store, act: Act, now: int, dry: bool) -> Outcome:
    contact = await addresses.find(tx, act.profile)
    if contact is None:
        return "unknown"
    if contact.notices == 0 or contact.notices_chosen_at > act.created:
        return "done"
    if not dry:
        profile = Profile(act.profile, store, contact.gid, not ids.customer_of(contact.gid))
        await records.set_notices(tx, profile, False, act.created)
    return "repeated"


_REPEATS_BY_ACTION: Mapping[str, tuple[Callable[..., Awaitable[Outcome]], tuple[str, ...]]] = {
    "token.revoked": (_revoke_token, ("id",)),
    "profile.revoked": (_revoke_profile, ("store_id", "profile", "until")),
    "profile.erased": (_erase, ("store_id", "profile", "created")),
    "request.called_off": (_cancel_request, ("store_id", "id")),
    "order.forgotten": (_forget_order, ("store_id", "id")),
    "address.suppressed": (_suppress, ("store_id", "hash", "created")),
    "address.released": (_release, ("store_id", "hash", "created")),
    "address.removed": (_remove_address, ("store_id", "profile", "hash", "created")),
    "notices.withdrawn": (_withdraw, ("store_id", "profile", "created")),
    "webhook.deleted": (_leave_to_operator, ("store_id", "id")),
    "store.deleted": (_leave_to_operator, ("store_id",)),
}
"""Functions that repeat an act unless it is done already, and the fields that they need. They raise
``NotFound`` if the act's subject is unknown."""
