"""Removes old mails, and what isn't needed any longer to limit and to stop them."""

from collections.abc import AsyncIterator

from wishwell import ids
from wishwell.db import Database, run_statement
from wishwell.jobs import Job, removal

MAIL_DAYS = 30
_CONFIRMATION_DAYS = 90
_BATCH_SIZE = 200


# rule: mail-retention
async def remove_old(db: Database, now: int) -> AsyncIterator[int]:
    """Removes mails in a final state after 30 days, expired tokens and suppressions, and old
    confirmations. Yields batch sizes."""
    before = ids.timestamp(max(0, now - MAIL_DAYS * ids.DAY_MS))
    old = ids.timestamp(max(0, now - _CONFIRMATION_DAYS * ids.DAY_MS))
    store_rows = await db.read(run_statement, "stores_changed", since="")
    for statement, params in (
        *(("mails_remove", {"store": row[0], "before": before}) for row in store_rows),
        ("mail_tokens_remove", {"before": ids.timestamp(now)}),
        ("suppressions_remove", {"before": ids.timestamp(now)}),
        ("confirmations_remove", {"before": old}),
    ):
        while rows := await db.write(run_statement, statement, **params, limit=_BATCH_SIZE):
            yield len(rows)


JOB = Job(
    "mails_retain", 600.0, removal(lambda run, now: remove_old(run.db, now)), lease_seconds=600.0
)
