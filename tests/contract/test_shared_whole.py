"""Shares of a whole wishlist that end or change while they are read."""

import pytest
from msgspec import UNSET

from tests.contract.conftest import PLENTY, Interleaved, new_item
from wishwell.errors import UnknownShare
from wishwell.wishlists import saving, shares


@pytest.mark.parametrize("ends", [False, True])
def test_wishlist_and_its_share_are_read_in_one_snapshot(bench, ends):
    """Nobody sees a note that was saved after the share stopped to show notes, nor an item that was
    saved after the share was deleted. Rules: share-ends, shared-hides-owner."""
    owner = bench.new_customer()
    bench.save(owner, 1, note="shown")
    share = bench.share(owner, shares.WHOLE, shares.ShareSettings(notes=True))

    async def change_and_save():
        at = owner, shares.WHOLE, share.id
        if ends:
            await bench.db.write(shares.delete, *at)
        else:
            await bench.db.write(shares.change, *at, shares.ShareSettings(notes=False))
        private = new_item(2, note="private"), bench.new_id(), PLENTY, bench.clock.tick()
        await bench.db.write(saving.save, owner, *private)

    async def read(tx):
        between = Interleaved(tx, "all", change_and_save)
        return await shares.view(between, bench.finder, share.token, None, bench.clock.tick())

    if ends:
        with pytest.raises(UnknownShare):
            bench.read(read)
    else:
        shown = [(item.product_id, item.note) for item in bench.read(read).items]
        assert shown == [(2, UNSET), (1, UNSET)]
