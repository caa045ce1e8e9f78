"""Everybody who wishes for a product, as the CSV of the report has them."""

from wishwell.reports import wishers


def test_wishers_beyond_one_batch_are_listed_once(bench):
    """Wishers beyond one batch are listed once, in a store whose product ids are text."""
    store = bench.new_store(product_ids="text")
    customer = bench.new_customer(store)
    bench.save(customer, "mug", "0")
    bench.fill(customer, products=10_004)
    bench.execute(
        "UPDATE items SET variant_id = product_id, product_id = 'mug' "
        f"WHERE profile_id = '{customer.id}' AND product_id <> 'mug'"
    )

    async def some():
        found = []
        async for batch in wishers.wisher_batches(bench.db, store, wishers.search_for("mug", None)):
            found += batch
            if len(found) > 20_000:
                break
        return found

    found = [wisher.variant_id for wisher in bench.run(some())]
    assert len(found) == 10_005
    assert {*found} == {str(number) for number in range(10_005)}
