"""Acts that are refused after the journal has their lines, and a journal that another process locks."""

import asyncio
import contextlib
import fcntl
import os
from pathlib import Path

import msgspec
import pytest

from tests.contract.conftest import PLENTY, new_item
from wishwell import ids
from wishwell.db import Database
from wishwell.db.journal import REFUSED, Act, Journal
from wishwell.db.postgres.database import Postgres
from wishwell.db.sqlite.database import SQLite
from wishwell.errors import Undecided, Unrecorded
from wishwell.privacy import erasure, journal_replay
from wishwell.wishlists import linking, saving

ERASED = ["profile.revoked", "profile.erased"]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "journal")


@pytest.fixture
def recorded(bench, path):
    """The bench's database, opened again with a journal."""
    journal = Journal(path)
    db: Database
    if isinstance(bench.db, Postgres):
        db = Postgres(bench.where, connections=10, seconds=10, journal=journal)
    else:
        db = SQLite(bench.where, journal)
    yield db
    bench.run(db.close())


def actions(path):
    return [decoded(line).action for line in Path(path).read_text().splitlines()]


def decoded(line):
    return msgspec.json.decode(line, type=Act)


def to_repeat(path):
    acts, errors, warnings = journal_replay.read_journals([path])
    assert (errors, warnings) == ([], [])
    return [act.action for act in acts]


@contextlib.contextmanager
def hold_journal_lock(path):
    """Holds the journal's lock, as another process would."""
    with Path(path).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


async def erase_and_fail(tx, profile, now):
    """Erases the profile in a transaction whose commit the database refuses."""
    await erasure.erase(tx, profile, now)
    if hasattr(tx, "fetch"):
        await tx.fetch(
            "CREATE TEMP TABLE twice (n int UNIQUE DEFERRABLE INITIALLY DEFERRED) ON COMMIT DROP"
        )
        await tx.fetch("INSERT INTO twice VALUES (1), (1)")
    else:
        tx.execute("PRAGMA defer_foreign_keys = ON", ())
        tx.execute("INSERT INTO store_hosts (host, store_id) VALUES ('x', 'none')", ())


def test_refused_act_is_recorded_in_the_journal_and_not_replayed(bench, recorded, path):
    """A refused commit is followed by a line for each of its acts; replay ignores both, and repeats an
    act that was done. Rule: journal-refused."""
    people = [bench.new_customer() for _ in range(6)]
    for one in people:
        bench.save(one)

    async def story():
        failing = [recorded.write(erase_and_fail, one, bench.clock()) for one in people[1:]]
        return await asyncio.gather(*failing, return_exceptions=True)

    assert all(isinstance(error, Exception) for error in bench.run(story()))
    assert actions(path).count(REFUSED) == 2 * 5
    assert to_repeat(path) == []
    assert [bench.holds(one)[0] for one in people] == 6 * [1]
    bench.run(recorded.write(erasure.erase, people[0], bench.clock()))
    assert to_repeat(path) == ERASED


def test_act_of_a_lost_connection_is_refused_before_its_commit_and_repeated_after(
    bench, recorded, path
):
    """A connection lost while the journal is written leaves lines about the refused acts. If the
    connection broke during the commit, the outcome is unknown, and replay repeats the acts.
    Rule: journal-refused."""
    if isinstance(recorded, SQLite):
        return  # SQLite has no connection to lose
    ann = bench.new_customer()
    bench.save(ann)

    erasing_backend = (
        "FROM pg_stat_activity WHERE datname = current_database()"
        " AND state = 'idle in transaction' AND query LIKE 'INSERT INTO erasures%'"
    )

    async def select(sql):
        return await bench.on_connection(lambda server: server.fetch(f"{sql} {erasing_backend}"))

    async def lose_before():
        with hold_journal_lock(path):
            erasing = asyncio.create_task(recorded.write(erasure.erase, ann, bench.clock()))
            while not await select("SELECT 1"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            while await select("SELECT pg_terminate_backend(pid)"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
        return (await asyncio.gather(erasing, return_exceptions=True))[0]

    async def erase_and_die(tx, profile, now):
        await erasure.erase(tx, profile, now)
        await tx.fetch("CREATE TEMP TABLE doomed (n int)")
        await tx.fetch(
            "CREATE FUNCTION pg_temp.die() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"
        )
        await tx.fetch(
            "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON doomed DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW EXECUTE FUNCTION pg_temp.die()"
        )
        await tx.fetch("INSERT INTO doomed VALUES (1)")

    error = bench.run(lose_before())
    assert (type(error).__name__, to_repeat(path)) == ("Unavailable", [])
    assert actions(path) == [*ERASED, REFUSED, REFUSED]
    with pytest.raises(Undecided):
        bench.run(recorded.write(erase_and_die, ann, bench.clock()))
    assert to_repeat(path) == ERASED


def test_cancelled_erasure_is_refused(bench, recorded, path):
    """An erasure that is cancelled while the journal is locked is either done or refused, and replay
    repeats only what was done. Rule: journal-refused."""
    ann = bench.new_customer()
    bench.save(ann)

    async def story():
        with hold_journal_lock(path):
            erasing = asyncio.create_task(recorded.write(erasure.erase, ann, bench.clock()))
            await asyncio.sleep(0.2)
            erasing.cancel()
        await asyncio.gather(erasing, return_exceptions=True)
        await asyncio.sleep(0.2)

    bench.run(story())
    done = bench.select("SELECT 1 FROM erasures WHERE profile_id = $1", ann.id)
    assert to_repeat(path) == (ERASED if done else [])


@pytest.mark.either_engine
def test_locked_journal_delays_no_other_write(bench, recorded, path):
    """While another process holds the journal's lock, saves are done before the erasures are refused,
    and nothing is erased. Rule: journal-first."""
    people = [bench.new_customer() for _ in range(4)]
    for one in people:
        bench.save(one)

    async def story():
        with hold_journal_lock(path):
            erasing = [
                asyncio.create_task(recorded.write(erasure.erase, one, bench.clock()))
                for one in people
            ]
            for number in range(2, 5):
                save = new_item(number), bench.new_id(), PLENTY, bench.clock.tick()
                await recorded.write(saving.save, bench.new_customer(), *save)
                assert not any(task.done() for task in erasing)
            return await asyncio.gather(*erasing, return_exceptions=True)

    assert {type(error) for error in bench.run(story())} == {Unrecorded}
    assert [bench.holds(one)[0] for one in people] == 4 * [1]
    assert actions(path) == []


def test_act_that_changes_while_the_journal_is_written_is_recorded_again(bench, recorded, path):
    """An erasure that waits for the journal while a visitor signs in as the customer is recorded with
    the visitor's session; the line without the session is refused. Closing the database waits for it.
    Rules: journal-first, journal-refused."""
    if isinstance(recorded, Postgres):
        return  # there, the lock of the profile makes the sign-in wait
    ann, visitor = bench.new_customer(), bench.new_session()
    bench.save(ann)
    bench.save(visitor)

    async def story():
        with hold_journal_lock(path):
            erasing = asyncio.create_task(recorded.write(erasure.erase, ann, bench.clock()))
            await asyncio.sleep(0.1)
            await bench.db.write(linking.link, visitor, ann, PLENTY, bench.clock.tick())
            closing = asyncio.create_task(recorded.close())
            await asyncio.sleep(0.1)
        await closing
        return await erasing

    assert bench.run(story()) == [visitor.id, ann.id]
    assert actions(path) == [*ERASED, REFUSED, REFUSED, *ERASED]
    acts, *_ = journal_replay.read_journals([path])
    assert [[*act.sessions] for act in acts] == [[], [visitor.id]]


def test_line_that_may_not_be_on_disk_is_refused(path, monkeypatch):
    """If the disk fails after the line was written, the act is refused, and so is the line.
    Rule: journal-refused."""
    real, failures = os.fsync, [OSError("broken")]
    monkeypatch.setattr(
        os, "fsync", lambda file: (failures and throw(failures.pop())) or real(file)
    )
    with pytest.raises(Unrecorded):
        Journal(path).append([Act(action="token.revoked", id=ids.NO_UUID)], "me")
    assert actions(path) == ["token.revoked", REFUSED]
    assert to_repeat(path) == []


def throw(error):
    raise error


def test_refusal_cancels_one_line_in_any_journal(tmp_path):
    """A line about a refused act cancels one such line, in whatever journal it is. A refusal that was
    cut off, or whose act is missing, cancels none. Rules: journal-refused, journal-replay."""
    journal = Journal(str(tmp_path / "a"))
    acts = [Act(action="token.revoked", id=ids.random_uuid()) for _ in range(2)]
    journal.append(acts, "me")
    first, second = (tmp_path / "a").read_text().splitlines()
    journal.refuse(acts)
    *_, of_first, of_second = (tmp_path / "a").read_text().splitlines()

    def left(*files):
        for number, lines in enumerate(files):
            (tmp_path / str(number)).write_text("".join(lines))
        acts, errors, _ = journal_replay.read_journals(
            [str(tmp_path / str(n)) for n in range(len(files))]
        )
        assert errors == []
        return [act.id for act in acts]

    assert left([f"{first}\n{second}\n"], [f"{of_first}\n{of_second}\n"]) == []
    assert left([f"{of_second}\n{second}\n{first}\n"]) == [decoded(first).id]
    assert left([f"{first}\n{first}\n{of_first}\n{of_second}\n"]) == [decoded(first).id]
    assert left([f"{first}\n{of_first[:-9]}"]) == [decoded(first).id]
