"""What PostgreSQL does in one statement and SQLite in several is the same, on PostgreSQL."""

import copy
import os

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.test_model import UNLIMITED, do
from tests.profile_model import Model
from tests.strategies import at_length, sequences
from wishwell.db import statements
from wishwell.errors import ServiceError

SEVERAL = statements.load("postgresql", "sqlite")
TABLES = {
    "profiles": "items, lists, events",
    "items": "id, product_id, variant_id, quantity, tags, note, list_ids, created_at, updated_at",
    "lists": "id, name, item_count, created_at, updated_at",
    "entries": "list_id, item_id, position",
    "item_tags": "item_id, tag",
    "events": "sequence, type, created_at, data",
}


class InSeveral:
    """A handle that runs SQLite's form, under the profile's lock."""

    def __init__(self, tx):
        self.tx, self.page, self.run_many = tx, tx.page, tx.run_many
        self.all_many, self.fill = tx.all_many, tx.fill

    async def all(self, name, /, **named):
        steps = SEVERAL[name].steps
        if len(steps) == 1:
            return await self.tx.all(name, **named)
        await self.tx.one("profile_lock", profile=named["profile"])
        found = ()
        for step in steps:
            found = await self.tx.fetch(step.sql, *step.values(named)) or found
        return found

    async def one(self, name, /, **named):
        rows = await self.all(name, **named)
        return rows[0] if rows else None

    async def run(self, name, /, **named):
        await self.all(name, **named)


class Twice:
    """A database that does each write to two profiles, a form each, with the same outcome."""

    def __init__(self, db, twin):
        self.db, self.twin = db, twin

    async def write(self, use_case, profile, *arguments):
        async def several(tx):
            return await use_case(InSeveral(tx), self.twin, *arguments)

        one = await self._outcome(self.db.write(use_case, profile, *arguments))
        other = await self._outcome(self.db.write(several))
        assert self._plain(one) == self._plain(other)
        if isinstance(one, ServiceError):
            raise one
        return one

    async def _outcome(self, doing):
        try:
            return await doing
        except ServiceError as error:
            return error

    def _plain(self, outcome):
        if isinstance(outcome, ServiceError):
            return type(outcome), outcome.message
        return msgspec.to_builtins(outcome)


rooms = st.sampled_from([(UNLIMITED, UNLIMITED), (5, UNLIMITED), (UNLIMITED, 3)])


@given(sequence=sequences, room=rooms, told=st.booleans())
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_both_forms_do_the_same(bench, engine, sequence, room, told):
    """contract: engines-alike. Answers, refusals and every row; with events and without."""
    if engine == "sqlite":
        pytest.skip("SQLite does not have the other form")
    if os.environ.get("WISHWELL_TEST_CITUS"):
        pytest.skip("a cluster never runs SQLite's form, and can't")
    bench.update_store(events=told)
    profile, twin = bench.new_customer(), bench.new_customer()
    both = copy.copy(bench)
    both.db = Twice(bench.db, twin)
    model = Model(*room)
    for step in sequence:
        do(both, profile, model, step)
    for table, columns in TABLES.items():
        sql = f"SELECT {columns} FROM {table} WHERE profile_id = $1 ORDER BY {columns}"
        assert bench.select(sql, profile.id) == bench.select(sql, twin.id), table


test_both_forms_at_length = at_length(
    test_both_forms_do_the_same, 150, sequence=sequences, room=rooms, told=st.booleans()
)
