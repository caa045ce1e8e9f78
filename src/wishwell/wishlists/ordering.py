"""Positions of the items on a list: integers with gaps, so that a move writes one row.

Where a move finds no gap, it spreads the items around it evenly (list labelling), in the smallest
window whose gaps become as wide as its number of items. Earlier releases stored 1, 2, 3, …, and can
read and write gaps. The first move on such a list spreads all its items.
"""

from collections.abc import Mapping, Sequence

from wishwell.db import Writer

POSITION_LIMIT = 2**31 - 1
"""Positions are lower, because PostgreSQL's column is an ``integer``, and above 0, which stands for
an item without a position."""

_GAP = 2**14
"""The gap at both ends, where every position up to the limit is free."""

_WINDOWS = (0, *(4**n for n in range(1, 16)))
"""Numbers of items on either side of the target position, in the windows that are tried one after
the other. The last window covers any list."""

ListParams = Mapping[str, str]
"""The arguments ``profile`` and ``list`` of the statements."""


def between(low: int, high: int, count: int) -> range:
    """Returns ``count`` evenly spaced positions between two, or none if they would be too close.

    ``low`` and ``high``: neighbours' positions, or 0 and ``POSITION_LIMIT`` at a list's ends.
    """
    begins, ends = low == 0, high == POSITION_LIMIT
    step = (high - low) // (count + 1)
    if step < (1 if begins and ends else count):
        return range(0)
    if begins or ends:
        step = min(step, _GAP)
    first = low + step
    if begins:
        first = (high - step * (count - 1)) // 2 if ends else high - step * count
    return range(first, first + step * count, step)


def positions_in_order(item_ids: Sequence[str]) -> dict[str, int]:
    """Returns positions for all items of a list, in this order."""
    return dict(zip(item_ids, between(0, POSITION_LIMIT, len(item_ids)), strict=True))


async def rearrange(
    tx: Writer, params: ListParams, before: Mapping[str, int], new_order: Sequence[str]
) -> None:
    """Saves the order of a list. Leading and trailing items that are in order keep their positions.

    ``before``: the old positions of all items, by id. ``new_order``: those with a position now.
    """
    low, high, begin, end = 0, POSITION_LIMIT, 0, len(new_order)
    while begin < end and low < before[new_order[begin]]:
        low, begin = before[new_order[begin]], begin + 1
    while begin < end and low < before[new_order[end - 1]] < high:
        high, end = before[new_order[end - 1]], end - 1
    free = between(low, high, end - begin)
    new = (
        dict(zip(new_order[begin:end], free, strict=True))
        if free
        else positions_in_order(new_order)
    )
    await _write(tx, params, before, new)


# rule: list-order
async def move(tx: Writer, params: ListParams, item_id: str, old_position: int, after: int) -> bool:
    """Moves an item, or places it for the first time. Returns whether that changed the order.

    ``old_position``: 0 if it has none. ``after``: the position after which it is placed, 0 for
    first.
    """
    for size in _WINDOWS:
        rows = await tx.all("entries_around", **params, item=item_id, after=after, limit=size + 1)
        entries = sorted((position, id) for id, position in rows)
        lower = [entry for entry in entries if entry[0] <= after]
        higher = entries[len(lower) :]
        if size == 0 and after < old_position < (higher[0][0] if higher else POSITION_LIMIT):
            return False
        low = lower.pop(0)[0] if len(lower) > size else 0
        high = higher.pop()[0] if len(higher) > size else POSITION_LIMIT
        if free := between(low, high, len(lower) + 1 + len(higher)):
            before = {id: position for position, id in (*lower, (old_position, item_id), *higher)}
            await _write(tx, params, before, dict(zip(before, free, strict=True)))
            break
    return True


async def _write(
    tx: Writer, params: ListParams, before: Mapping[str, int], after: Mapping[str, int]
) -> None:
    changed = after.items() - before.items()
    rows = [{**params, "item": id, "position": position} for id, position in changed]
    await tx.run_many("entry_place", rows)
