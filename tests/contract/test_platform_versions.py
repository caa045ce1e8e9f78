"""A platform's products and orders end in the state of their newest version, on both engines."""

import asyncio
import hashlib
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.replay import shown_event
from tests.strategies import examples
from wishwell import ids, products, profiles
from wishwell.errors import Invalid, NotFound, StoreDeleted, Unauthenticated
from wishwell.importers.shopify import platform_webhooks
from wishwell.importers.shopify.platform_webhooks import DeletedProduct, OrderBody, ProductBody
from wishwell.privacy import store_deletion
from wishwell.products import notices

SAMPLES = json.loads((Path(__file__).parents[1] / "vendors/shopify/webhooks.json").read_text())
PRODUCT, ORDER = SAMPLES["products/update"], SAMPLES["orders/paid"]
ID, BUYER = PRODUCT["id"], ORDER["customer"]["id"]
SMALL, MEDIUM = (one["id"] for one in PRODUCT["variants"])
ON = {"currency": "EUR", "purchases": True}


@pytest.fixture
def shop(bench):
    naming = {"platform_shop": f"{ids.random_uuid()}.myshopify.com"}
    return bench.new_store(events=True, reporting=ON, naming=naming)


def platform_time(second):
    """Returns the platform's form of a time of a week ago, and its form here."""
    text = ids.timestamp(1_799_400_000_000 + second * 1000)
    return text.replace(".000Z", "+00:00"), text


def product(second=0, **changes):
    """Returns the sample of a product; ``changes`` of "0" and "1" are for its variants."""
    made = PRODUCT | {"updated_at": platform_time(second)[0], "variants": []}
    for place, one in enumerate(PRODUCT["variants"]):
        made["variants"].append(one | changes.pop(str(place), {}))
    return made | changes


def order(second=0, *lines, **changes):
    """Returns the sample of an order, with its first line changed for each of ``lines``."""
    base = ORDER["line_items"][0] | {"variant_id": None}
    made = [base | {"id": number} | line for number, line in enumerate(lines, 1)]
    state = {"cancelled_at": None, "financial_status": "paid", "currency": "EUR"}
    times = {
        "created_at": platform_time(0)[0],
        "processed_at": platform_time(0)[0],
        "updated_at": platform_time(second)[0],
    }
    return ORDER | state | times | {"line_items": made} | changes


def arguments_of_take(bench, store, body, secret=""):
    """Returns the arguments of ``take``; the same body and secret are the same delivery. By default
    each store has its own secret."""
    raw = json.dumps(body)
    signed = hashlib.sha256(f"{secret or store.id} {raw}".encode()).hexdigest()
    kinds = {"line_items": OrderBody, "variants": ProductBody, "id": DeletedProduct}
    made = msgspec.json.decode(raw, type=next(kinds[key] for key in kinds if key in body))
    return store, signed, made, bench.new_id(), bench.clock()


def send_delivery(bench, store, body, secret=""):
    return bench.write(platform_webhooks.apply_body, *arguments_of_take(bench, store, body, secret))


def receive_concurrently(bench, *takings):
    """Takes deliveries at the same time. Returns the results and errors."""
    run = [bench.db.write(platform_webhooks.apply_body, *one) for one in takings]

    async def gathered():
        return await asyncio.gather(*run, return_exceptions=True)

    return bench.run(gathered())


def stored(bench, store):
    """Returns the product as stored, "deleted" for a marker, or ``None``."""
    try:
        found = bench.read(products.find, store, str(ID))
    except NotFound:
        sql = "SELECT product_id FROM deleted_products WHERE store_id = $1"
        return "deleted" if bench.select(sql, store.id) else None
    return shown_event(found) | {"createdAt": "", "updatedAt": ""}


def wisher(bench, store, *saved):
    """Returns a customer who has saved these products and variants a month ago."""
    customer = profiles.of_customer(store, f"gid://shopify/Customer/{BUYER}")
    bench.clock.milliseconds -= 30 * ids.DAY_MS
    for one in saved or [(ID,)]:
        bench.save(customer, *one)
    bench.clock.milliseconds += 30 * ids.DAY_MS
    return customer


def bought(bench, store):
    columns = "product_id, variant_id, quantity, amount, currency"
    return sorted(bench.select(f"SELECT {columns} FROM purchases WHERE store_id = $1", store.id))


# ------------------------------------------------------------------------------------ products


def test_product_is_read_from_the_platforms_sample(bench, shop):
    """The platform's sample gives title, link, variants, prices and stock. Rule: platform-products."""
    picture = {"id": 5, "src": "https://cdn.example/5.jpg"}
    body = product(
        image=picture, images=[picture], **{"1": {"image_id": 5, "inventory_quantity": 0}}
    )
    assert send_delivery(bench, shop, body) == "applied"
    price = {"amount": "19.99", "currency": "EUR"}
    small = {"variantId": SMALL, "title": "Small", "price": price}
    medium = {"variantId": MEDIUM, "title": "Medium", "price": price}
    assert stored(bench, shop) == {
        "title": "Example T-Shirt", "url": f"https://{shop.naming.platform_shop}/products/example-t-shirt",
        "image": picture["src"], "price": price, "available": True, "availability": "in_stock",
        "productId": ID, "createdAt": "", "updatedAt": "", "variants": [
            small | {"available": True, "availability": "in_stock"},
            medium | {"image": picture["src"], "available": False, "availability": "out_of_stock"},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"price": "0.00"}, (None, "in_stock")),
        ({"price": 19.5}, ("19.5", "in_stock")),
        *(
            (({"price": bad}), (None, "in_stock"))
            for bad in ("-1.00", "1e3", "NaN", None, [], "1,50")
        ),
        ({"inventory_quantity": -3}, ("19.99", "out_of_stock")),
        ({"inventory_quantity": 0, "inventory_policy": "continue"}, ("19.99", "backorder")),
        ({"inventory_quantity": 0, "inventory_management": None}, ("19.99", "in_stock")),
        ({"inventory_quantity": "7"}, ("19.99", None)),
    ],
)
def test_unreadable_field_is_unknown_and_the_others_are_read(bench, shop, changes, expected):
    """A field that can't be read is unknown; stock follows from quantity and policy.
    Rules: platform-products, product-replaced."""
    assert send_delivery(bench, shop, product(**{"0": changes, "1": changes})) == "applied"
    for variant in stored(bench, shop)["variants"]:
        shown = variant.get("price", {}).get("amount"), variant.get("availability")
        assert shown == expected


versions = st.fixed_dictionaries(
    {
        "title": st.sampled_from(["A", "B", ""]),
        "status": st.sampled_from(["active", "active", "unlisted", "draft", "archived"]),
        "published_at": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", None]),
        "0": st.fixed_dictionaries(
            {
                "price": st.sampled_from(["10.00", "8.00", "0.00"]),
                "inventory_quantity": st.integers(-1, 2),
            }
        ),
    }
)


@given(st.lists(versions, min_size=1, max_size=4), st.booleans(), st.data())
@examples(10)
def test_any_order_of_versions_ends_in_the_newest(bench, states, is_deleted, data):
    """Versions of a product in any order, with any repetition, end in the newest; a deletion is final,
    whenever it arrives. Rule: platform-products."""
    shop, alone = (bench.new_store(reporting=ON) for _ in range(2))
    bodies = [product(second, **json.loads(json.dumps(one))) for second, one in enumerate(states)]
    newest = {"id": ID} if is_deleted else bodies[-1]
    given = [*bodies, newest]
    arriving = data.draw(st.permutations(given + data.draw(st.lists(st.sampled_from(given)))))
    for body in arriving:
        send_delivery(bench, shop, body)
    send_delivery(bench, alone, newest)
    assert stored(bench, shop) == stored(bench, alone) != None  # noqa: E711


def test_unlisted_product_is_hidden_until_a_listed_version_arrives(bench, shop):
    """A draft, archived or unpublished product isn't shown, whether it was before or not; a later
    version that is listed brings it back. Rule: platform-products."""
    hidden: list[dict] = [{"status": "draft"}, {"status": "archived"}, {"published_at": None}]
    for second, changes in enumerate(hidden):
        send_delivery(bench, shop, product(2 * second, **changes))
        assert stored(bench, shop) == "deleted"
        send_delivery(bench, shop, product(2 * second + 1, status="unlisted"))
        assert stored(bench, shop)["title"] == PRODUCT["title"]


def test_import_between_webhooks_takes_effect_when_it_arrives(bench, shop):
    """A put replaces a webhook's data, a repeated or older webhook doesn't bring it back, a newer one
    does; a put brings a deleted product back. Rules: platform-products, product-replaced."""
    for body in (product(5, title="Five"), product(6, title="Six")):
        assert send_delivery(bench, shop, body) == "applied"
    made = products.NewProduct(str(ID), products.ProductData(title="File"))

    def put():
        bench.write(products.put, shop, [made], [bench.new_id()], bench.clock.tick())

    put()
    for old in (product(5, title="Five"), product(6, title="Six"), product(4, title="Four")):
        assert send_delivery(bench, shop, old) == "unchanged"
    assert stored(bench, shop)["title"] == "File"
    assert send_delivery(bench, shop, product(6, title="Same second")) == "applied"
    assert send_delivery(bench, shop, {"id": ID}) == "applied"
    ahead = {"updated_at": ids.timestamp(bench.clock.milliseconds + 3_600_000)}
    for late in (product(9), product() | ahead):
        assert send_delivery(bench, shop, late) == "unchanged" and stored(bench, shop) == "deleted"
    put()
    assert stored(bench, shop)["title"] == "File"


def test_partial_list_of_variants_removes_nothing(bench, shop):
    """Variants that the platform may have left out stay; those that a complete list lacks are
    removed. Rule: platform-products."""
    base = PRODUCT["variants"][0]
    many = [base | {"id": 1000 + number, "title": f"V{number}"} for number in range(150)]
    gids = [{"admin_graphql_api_id": f"gid://shopify/ProductVariant/{one['id']}"} for one in many]

    def numbers():
        return [one["variantId"] for one in stored(bench, shop)["variants"]]

    send_delivery(bench, shop, product(1) | {"variants": many, "variant_gids": gids})
    every = [one["id"] for one in many]
    assert numbers() == every
    partial = (100, gids), (100, None), (50, gids)
    for second, (count, named) in enumerate(partial, 2):
        send_delivery(
            bench, shop, product(second) | {"variants": many[:count], "variant_gids": named}
        )
        assert numbers() == every
    last = stored(bench, shop)["variants"][149]
    assert (last["price"]["amount"], last["availability"]) == ("19.99", "in_stock")
    whole = (120, gids[:120]), (3, gids[:3]), (2, None)
    for second, (count, named) in enumerate(whole, 5):
        send_delivery(
            bench, shop, product(second) | {"variants": many[:count], "variant_gids": named}
        )
        assert numbers() == every[:count]


def test_update_triggers_notices_as_an_import_does(bench, shop):
    """A restock, with the price before the drop, triggers a notice to everybody who wishes for the
    product. Rules: platform-products, notice-drop, product-replaced."""
    customer = wisher(bench, shop, (ID, SMALL))
    stock = {"0": {"inventory_quantity": 0}}
    for body in (product(1, **stock), product(2, **{"0": {"price": "9.99"}})):
        send_delivery(bench, shop, body)
    bench.drain(notices.process_batches(bench.db, bench.clock))
    found = bench.select(
        "SELECT type, data LIKE '%previousPrice%' FROM events WHERE profile_id = $1 ORDER BY type",
        customer.id,
    )
    assert found == [("item.back_in_stock", True), ("item.created", False)]


# -------------------------------------------------------------------------------------- orders


@pytest.mark.parametrize(
    ("line", "more", "expected"),
    [
        ({"quantity": 3, "current_quantity": 3, "price": "10.00"}, {}, (3, "10.00")),
        ({"quantity": 3, "current_quantity": 2}, {}, (2, "89.99")),
        ({"quantity": 3, "current_quantity": 3}, {"refunds": [2]}, (1, "89.99")),
        ({"quantity": 3, "current_quantity": 1}, {"refunds": [2]}, (1, "89.99")),
        ({"quantity": 3}, {"refunds": [1, 1]}, (1, "89.99")),
        ({"quantity": 2, "current_quantity": 2}, {"refunds": [5]}, None),
        ({"quantity": -2, "current_quantity": -2}, {}, None),
        ({"quantity": "2", "current_quantity": "2"}, {}, None),
        ({"quantity": 2.0, "current_quantity": 2.0}, {}, None),
        ({"quantity": 10**6, "current_quantity": 10**6}, {}, (10**6, "89.99")),
        ({"quantity": 10**6 + 1, "current_quantity": 10**6 + 1}, {}, None),
        ({"price": "10.00", "discount_allocations": [{"amount": "1.50"}]}, {}, (1, "8.50")),
        ({"price": "10.00", "total_discount": "2.00"}, {}, (1, "8.00")),
        ({"price": "10.00", "tax_lines": [{"price": "1.90"}]}, {}, (1, "11.90")),
        ({"price": "10.00", "tax_lines": [{"price": "1.60"}]}, {"taxes_included": True}, (1, "10.00")),
        (
            {"quantity": 3, "current_quantity": 2, "price": "10.00", "discount_allocations": [{"amount": "10.00"}]},
            {}, (2, "6.6667"),
        ),
        *(({"price": bad}, {}, (1, "")) for bad in (None, "x", "NaN", "-1.00", "1e400", {})),
        ({"tax_lines": [{"x": 1}]}, {}, (1, "")),
        ({}, {"currency": "euro"}, (1, "")),
        ({}, {"customer": None}, None),
        ({}, {"customer": {"id": 7}}, None),
        ({}, {"financial_status": "pending"}, None),
        ({}, {"financial_status": "partially_refunded"}, (1, "89.99")),
        ({}, {"financial_status": "refunded"}, None),
        ({}, {"cancelled_at": platform_time(1)[0]}, None),
    ],
)  # fmt: skip
def test_order_counts_unrefunded_units_and_the_price_paid(bench, shop, line, more, expected):
    """Stores units after refunds, and the price paid per unit after discounts, with tax. A guest or an unpaid order
    matches nothing. Rule: platform-orders."""
    wisher(bench, shop)
    if "refunds" in more:
        parts = [{"line_item_id": 1, "quantity": units} for units in more["refunds"]]
        more = {"refunds": [{"refund_line_items": [one]} for one in parts]}
    body = order(1, line, **more)
    if "current_quantity" not in line and "quantity" in line:
        del body["line_items"][0]["current_quantity"]
    assert send_delivery(bench, shop, body) == "applied"
    found = [(units, amount) for _, _, units, amount, _ in bought(bench, shop)]
    assert found == ([expected] if expected else [])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.booleans(), st.data())
@examples(10)
def test_any_order_of_order_versions_ends_in_the_newest(bench, units, is_cancelled, data):
    """Versions of an order in any order, with any repetition, end in the newest, also of two in one
    second: unpaid, paid, fewer units, cancelled. Rules: platform-orders, order-versions."""
    shop = bench.new_store(reporting=ON)
    wisher(bench, shop)
    kept = sorted(units, reverse=True)
    line = {"quantity": 4}
    bodies = [order(1, line | {"current_quantity": 4}, financial_status="pending")]
    for place, left in enumerate(kept):
        second = 1 + data.draw(st.sampled_from([0, place]))
        bodies.append(order(second, line | {"current_quantity": left}))
    bodies.sort(key=lambda body: (body["updated_at"], -body["line_items"][0]["current_quantity"]))
    if is_cancelled:
        last = json.loads(json.dumps(bodies[-1]))
        bodies.append(last | {"cancelled_at": last["updated_at"]})
    given = data.draw(st.permutations(bodies + data.draw(st.lists(st.sampled_from(bodies)))))
    for body in given:
        send_delivery(bench, shop, body)
    left = 0 if is_cancelled else bodies[-1]["line_items"][0]["current_quantity"]
    if bodies[-1]["financial_status"] == "pending":
        left = 0
    assert [units for _, _, units, *_ in bought(bench, shop)] == ([left] if left else [])


def test_later_version_without_a_customer_still_takes_units_back(bench, shop):
    """After the platform has removed the customer from an order, a refund still counts.
    Rules: platform-orders, order-versions."""
    wisher(bench, shop)
    send_delivery(bench, shop, order(1, {"quantity": 3, "current_quantity": 3}))
    send_delivery(bench, shop, order(2, {"quantity": 3, "current_quantity": 1}, customer=None))
    assert [units for _, _, units, *_ in bought(bench, shop)] == [1]


def test_order_lines_without_a_wish_are_not_stored(bench, shop):
    """No table stores a line without a wish, nor any line of a store without purchases.
    Rules: platform-orders, purchase-private, purchases-on."""
    wisher(bench, shop)
    other = {"product_id": 7_123_456_789_012, "variant_id": 7_123_456_789_013, "sku": "HIDDEN"}
    assert send_delivery(bench, shop, order(1, {}, other)) == "applied"
    assert len(bought(bench, shop)) == 1
    off = bench.new_store()
    assert send_delivery(bench, off, order(2, {}, other)) == "ignored"
    names = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    if str(bench.where).endswith(".db"):
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    for (name,) in bench.select(names):
        rows = str(bench.select(f"SELECT * FROM {name}"))
        assert not any(word in rows for word in ("7123456789012", "7123456789013", "HIDDEN")), name
    assert not bench.select("SELECT hash FROM orders WHERE store_id = $1", off.id)
    assert not bench.select("SELECT hash FROM platform_deliveries WHERE store_id = $1", off.id)


ODD = (None, True, -1, 2**60, "x", [1], {"id": 1}, [{"price": [], "quantity": {}}])
READ = {
    ProductBody: ("title handle status published_at image images variant_gids", "id title image_id price "
                  "inventory_quantity inventory_policy", "variants"),
    OrderBody: ("financial_status cancelled_at currency customer refunds", "id product_id variant_id "
                "quantity current_quantity price tax_lines discount_allocations total_discount", "line_items"),
}  # fmt: skip


@pytest.mark.parametrize("kind", READ)
def test_odd_value_in_any_field_is_never_a_server_error(bench, shop, kind):
    """Whatever a field has, the body is applied without it, or refused as another topic's.
    Rules: platform-products, platform-orders."""
    wisher(bench, shop)
    own, inner, name = READ[kind]
    make = product if kind is ProductBody else lambda second: order(second, {})
    bodies = [make(1) | {field: odd} for field in own.split() for odd in ODD]
    for field in inner.split():
        for odd in ODD:
            body = make(1)
            bodies.append(body | {name: [body[name][0] | {field: odd}]})
    bodies.append(order(1, {}, refunds=[{"refund_line_items": ["x", {"line_item_id": []}]}]))
    for body in bodies:
        try:
            asked = arguments_of_take(bench, shop, body)
        except msgspec.ValidationError:  # 401 by ``signed_webhooks.verify``
            continue
        assert bench.write(platform_webhooks.apply_body, *asked) in ("applied", "unchanged")


# ---------------------------------------------------------------------------------- deliveries


def test_delivery_that_another_store_accepted_is_refused(bench, shop):
    """If two stores receive one delivery, even concurrently, only one accepts it, and may receive it
    again for seven days. Rule: platform-signed."""
    other = bench.new_store(reporting=ON)
    for body in (product(1), order(1, {}), {"id": ID}):
        asked = [arguments_of_take(bench, store, body, "shared") for store in (shop, other)]
        first, second = receive_concurrently(bench, *asked)
        assert {type(first), type(second)} == {str, Unauthenticated}
        loser, winner = (shop, other) if isinstance(first, Unauthenticated) else (other, shop)
        assert send_delivery(bench, winner, body, "shared") == "unchanged"
        with pytest.raises(Unauthenticated):
            send_delivery(bench, loser, body, "shared")
        assert send_delivery(bench, loser, body) == "applied"  # by another secret
    bench.clock.milliseconds += 7 * ids.DAY_MS - 1000
    bench.write(platform_webhooks.forget, bench.clock())
    with pytest.raises(Unauthenticated):
        send_delivery(bench, loser, {"id": ID}, "shared")
    bench.clock.milliseconds += 2000
    assert bench.write(platform_webhooks.forget, bench.clock())
    assert send_delivery(bench, loser, {"id": ID}, "shared") == "applied"


def test_concurrent_versions_end_in_the_newest(bench, shop):
    """Versions that arrive at the same time end in the newest. Rules: platform-products,
    platform-orders, order-versions."""
    wisher(bench, shop)
    bodies = [product(n, title=f"T{n}") for n in range(6)]
    bodies += [order(n, {"quantity": 9, "current_quantity": 9 - n}) for n in range(6)]
    results = receive_concurrently(
        bench, *(arguments_of_take(bench, shop, body) for body in bodies)
    )
    assert {*results} <= {"applied", "unchanged"}, results
    assert stored(bench, shop)["title"] == "T5"
    assert [units for _, _, units, *_ in bought(bench, shop)] == [4]
    gone = [{"id": ID}, *(product(n) for n in range(10, 14))]
    receive_concurrently(bench, *(arguments_of_take(bench, shop, body) for body in gone))
    assert stored(bench, shop) == "deleted"


def test_deleting_a_store_deletes_the_hashes_of_its_deliveries(bench, shop):
    """Deleting a store deletes the hashes of its deliveries.
    Rules: platform-signed, store-delete."""
    send_delivery(bench, shop, product(1))
    bench.write(store_deletion.begin, shop.handle, bench.clock.tick())
    with pytest.raises(StoreDeleted):
        send_delivery(bench, shop, product(2))
    bench.drain(store_deletion.remove_store(bench.db, shop))
    assert not bench.select("SELECT 1 FROM platform_deliveries WHERE store_id = $1", shop.id)


def test_version_of_the_far_future_is_refused_and_an_oversized_id_ignored(bench, shop):
    """A version of the far future is refused, as it would block later ones; an id that no item can have
    is ignored. Rules: platform-products, platform-orders."""
    late = {"updated_at": "2030-01-01T00:00:00Z"}
    for body, field in (
        (product() | late, "updated_at"),
        (order(0, {}) | late, "updated_at"),
        (order(0, {}, processed_at=late["updated_at"]), "created_at"),
    ):
        with pytest.raises(Invalid, match=f"^{field}: .*24 hours"):
            send_delivery(bench, shop, body)
    for id in (0, -5, 2**53):
        assert send_delivery(bench, shop, product(1) | {"id": id}) == "ignored"
    assert stored(bench, shop) is None
