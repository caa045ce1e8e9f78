"""Code that mypy must reject. If it no longer does, ``make check`` fails because of an unused
ignore."""

from wishwell.db import Database
from wishwell.profiles import Profile
from wishwell.wishlists import item_changes


async def use_case_that_writes_is_not_run_as_one_that_reads(db: Database, owner: Profile) -> None:
    await db.write(item_changes.delete, owner, "id", "now")
    await db.read(item_changes.delete, owner, "id", "now")  # type: ignore[arg-type]
