"""The history of a profile: what is recorded about it, what isn't, and what to ask the shopper.

For the question "my wishlist is gone". The sources are the profile's row, those of merged sessions,
erasures, revocations, the journal, and events, if the store records them and they are retained.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from wishwell import events, profiles
from wishwell import field_types as types
from wishwell.config import Settings
from wishwell.db import Database, Reader, run_statement
from wishwell.db.journal import Act
from wishwell.profiles import Profile, pages

Source = Literal["profile", "session", "erasure", "revocation", "journal", "event"]

_RESTORES = ("restore database", "restore replay")


_MAX_EVENTS = 1_000
"""The number of the newest events that are shown."""


class HistoryEntry(msgspec.Struct, frozen=True):
    """Something that happened to a profile, and where it is recorded."""

    time: types.Time
    source: Annotated[Source, types.published("HistorySource", "Where it is recorded.")]
    says: str
    """What happened."""


class ProfileHistory(msgspec.Struct, rename="camel"):
    """What is recorded about a profile, and what isn't."""

    profile: types.ProfileGid
    key: types.Id
    """The profile's key in the journal."""
    state: str
    """Whether it is stored, and which data it has."""
    entries: list[HistoryEntry]
    """What is recorded, the oldest first."""
    unrecorded: list[str]
    """What isn't recorded, and why."""
    questions: list[str]
    """What to ask the shopper."""


class _StoredProfile(msgspec.Struct):
    items: int
    lists: int
    events: int
    created_at: str
    touched_at: str
    closed_at: str | None
    linked_id: str | None


# rule: profile-history
async def read(
    db: Database, settings: Settings, profile: Profile, acts: Sequence[Act]
) -> ProfileHistory:
    """Returns the history of a profile, which needn't exist. ``acts``: those of the journals."""
    row = await db.read(run_statement, "history_profile", profile=profile.id)
    stored = _StoredProfile(*row[0]) if row else None
    entries = [] if stored is None else [*_describe_row(stored)]
    entries += await db.read(_read_stored, profile)
    entries += _find_in_journal(profile, acts)
    first = max(0, stored.events - _MAX_EVENTS) if stored else 0
    entries += [entry async for entry in _read_events(db, profile, first)]
    if stored is None:
        state = _describe_absence(profile, entries, acts)
    else:
        state = await _describe_state(db, settings, profile, stored)
    return ProfileHistory(
        profile.gid,
        profile.id,
        state,
        sorted(entries, key=lambda entry: entry.time),
        [*_list_unrecorded(settings, profile, bool(acts))],
        [*_list_questions(profile)],
    )


def _describe_row(stored: _StoredProfile) -> Iterator[HistoryEntry]:
    yield HistoryEntry(stored.created_at, "profile", "stored for the first time")
    if stored.touched_at > profiles.REMOVED:
        yield HistoryEntry(stored.touched_at, "profile", "last use that is recorded")
    if stored.closed_at is not None and stored.linked_id is None:
        yield HistoryEntry(stored.closed_at, "profile", "closed by an erasure or a purge")


def _describe_absence(
    profile: Profile, entries: Sequence[HistoryEntry], acts: Sequence[Act]
) -> str:
    """Returns the state of a profile that isn't stored."""
    erased_at = min(
        (each.time for each in entries if each.says.startswith(("profile.erased", "erased"))),
        default="",
    )
    if erased_at:
        return f"Not stored: it was erased at {erased_at}."
    began = min((act.time for act in acts), default="")
    searched = f", and not erased since {began}, when the journal begins" if began else ""
    if profile.is_session:
        return (
            f"Not stored{searched}: it was purged, belongs to another store, or never existed. "
            "Which isn't recorded; probably the browser lost its cookie long ago."
        )
    earlier = "erased earlier" if began else "erased"
    return (
        f"Not stored{searched}: nothing was ever saved under this id, or it was {earlier}. "
        "Probably the wishes are in a browser where the shopper wasn't signed in, or in another "
        "account."
    )


async def _describe_state(
    db: Database, settings: Settings, profile: Profile, stored: _StoredProfile
) -> str:
    if stored.linked_id is not None:
        rows = await db.read(run_statement, "history_gid", profile=stored.linked_id)
        return f"Merged into {rows[0][0] if rows else 'a customer that was erased'}."
    if stored.closed_at is not None:
        return "Closed: its data is being removed."
    counts = f"Stored, with {_count(stored.items, 'item')} and {_count(stored.lists, 'list')}."
    if not profile.is_session:
        return counts
    if stored.items or stored.lists:
        return f"{counts} Purged {settings.session_days:g} days after its last use."
    return (
        f"{counts} Purged {settings.empty_session_days:g} days after its last use. If the shopper "
        "had wishes here, probably the browser lost the cookie of an earlier session."
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


async def _read_stored(tx: Reader, profile: Profile) -> list[HistoryEntry]:
    """Returns the merged sessions, the erasure and the revocations that are stored."""
    entries = [
        HistoryEntry(closed_at, "session", f"{gid}, created {created_at}, was merged into it")
        for gid, created_at, closed_at in await tx.all("history_linked", profile=profile.id)
    ]
    for erased_at, done_at in await tx.all("history_erasure", profile=profile.id):
        done = f"removed by {done_at}" if done_at else "removal under way"
        entries.append(HistoryEntry(erased_at, "erasure", f"erased; {done}"))
    entries += [
        HistoryEntry(revoked_at, "revocation", "tokens until then were revoked")
        for (revoked_at,) in await tx.all("history_revocations", profile=profile.id)
    ]
    return entries


def _find_in_journal(profile: Profile, acts: Sequence[Act]) -> Iterator[HistoryEntry]:
    """Yields the acts about a profile, and commands that may have hidden its data."""
    for act in acts:
        if profile.id == act.profile:
            yield HistoryEntry(act.time, "journal", f"{act.action} by {act.by}")
        elif profile.id in act.sessions:
            says = f"{act.action} by {act.by}, of the customer that the session was merged into"
            yield HistoryEntry(act.time, "journal", says)
        elif act.command in _RESTORES:
            says = f"`wishwell {act.command}` by {act.by}: changes since that backup are lost"
            yield HistoryEntry(act.time, "journal", says)
        elif act.command == "store update" and act.store == profile.store.handle:
            platforms = [each for each in act.options if each.startswith("--platform=")]
            for option in platforms:
                says = f"`store update {option}` by {act.by}: customers got other GIDs"
                yield HistoryEntry(act.time, "journal", says)


async def _read_events(db: Database, profile: Profile, after: int) -> AsyncIterator[HistoryEntry]:
    """Yields the profile's retained events after a sequence number, with the product or list that
    each is about."""
    limit = pages.MAX_SIZE
    while rows := await db.read(
        run_statement, "person_events", profile=profile.id, after=after, limit=limit
    ):
        for event in map(events.from_row, rows):
            data = msgspec.json.decode(event.data)
            yield HistoryEntry(event.timestamp, "event", f"{event.type}{_describe(data)}")
            after = event.sequence


def _describe(data: object) -> str:
    """Returns the product or list that an event's data is about, or '', and a merged session."""
    record = data if isinstance(data, dict) else {}
    if "session" in record:
        return f" from {record['session']}: {record['items']} items, {record['left']} not moved"
    parts = []
    for noun, names in (("item", ("productId", "variantId")), ("list", ("id",))):
        fields = record.get(noun)
        if isinstance(fields, dict):
            parts += [f"{name} {fields[name]}" for name in names if name in fields]
    if record.get("linked"):
        parts.append("by a sign-in")
    return f": {', '.join(parts)}" if parts else ""


def _list_unrecorded(settings: Settings, profile: Profile, has_journal: bool) -> Iterator[str]:
    since = profile.store.events_since
    if since is None:
        yield (
            "Which items were saved and removed, and when: the store's events are off "
            f"(`wishwell store update {profile.store.handle} --events on` records later ones)."
        )
    else:
        yield (
            f"Saves and removals before {since}, and those more than {settings.events_days:g} days "
            "ago: events are removed then."
        )
    yield (
        "Purged sessions: a visitor's session is removed without a trace "
        f"{settings.session_days:g} days after its last use, an empty one after "
        f"{settings.empty_session_days:g}."
    )
    yield "Visits from browsers that lost their cookie: each gets a new, empty session."
    if not has_journal:
        yield (
            "Who erased or revoked: no journal was read (`wishwell profile history` reads the one "
            "here, and those that --journal names)."
        )


def _list_questions(profile: Profile) -> Iterator[str]:
    if profile.is_session:
        yield "Did you clear cookies, or use a private window, another browser or another device?"
        yield "Were you signed in when you saved? With which account? (Then look at that customer.)"
    else:
        yield "Were you signed in when you saved? With this account, or another one?"
        yield "In which browser and on which device did you save? Is the wishlist still there?"
    yield "When did you last see the wishlist, and which product was on it?"
