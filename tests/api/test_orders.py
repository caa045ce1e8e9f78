"""Orders of a shop: which lines match a wish, and what becomes of the items."""

import datetime
import json

import pytest

from tests import schema

from .conftest import data, done, envelope, item, refused, save, soon

JSON = {"Content-Type": "application/json"}
MONEY = {"amount": "19.90", "currency": "EUR"}


def ago(**past):
    """Returns a time in the past as a shop may send it."""
    return (datetime.datetime.now(datetime.UTC) - datetime.timedelta(**past)).isoformat()


def now():
    return ago(seconds=-1)


def line(product, variant=None, quantity=1, price=MONEY):
    return {"productId": product, "variantId": variant, "quantity": quantity, "unitPrice": price}


def order(id, profile, *lines, placed=None, updated=None, status="paid"):
    times = {"placedAt": placed or now(), "updatedAt": updated or now()}
    return {"orderId": id, "profile": profile, "status": status, "lines": lines, **times}


class Till:
    """A store with purchases and events on, and a customer."""

    def __init__(self, make_shop, *options):
        self.shop = make_shop("--purchases", "on", "--events", "on", *options)
        self.customer = self.shop.customer()
        self.http = self.customer.http

    def put(self, *orders):
        return data(self.shop.admin.put("/orders", json={"orders": orders}))

    def order(self, id, *lines, **more):
        """Sends an order of the customer; returns what happened."""
        [done] = self.put(order(id, self.customer.gid, *lines, **more))
        assert done.pop("orderId") == id
        return done

    def summary(self):
        answer = self.shop.admin.get("/reports/summary").raise_for_status()
        return answer.json()["data"]["purchases"]

    def events(self, *types):
        given = {"type": ",".join(types), "limit": 250}
        return self.shop.admin.get("/events", params=given).json()["data"]

    def heard(self, count, *types):
        """Returns types and data of the store's events, once there are ``count`` events."""
        soon(lambda: len(self.events(*types)) == count)
        return [(one["type"], one["data"]) for one in self.events(*types)]


@pytest.fixture
def till(make_shop):
    return Till(make_shop)


APPLIED = {"result": "applied", "matched": 1}


def test_matching_order_line_marks_the_item_and_counts_in_the_report(till):
    """A line marks the saved variant with all its units, and the report has its revenue.
    Rules: purchase-match, purchase-mark, purchase-report."""
    saved = save(till.http, 1, variantId=11)
    assert till.order("1001", line(1, 11, 3), line(2)) == APPLIED
    shown = item(till.http, saved["id"])
    assert shown["purchased"]["quantity"] == 3
    assert shown["updatedAt"] > saved["updatedAt"]
    revenue = [{"amount": "59.70", "currency": "EUR"}]
    assert till.summary() == {"orders": 1, "units": 3, "revenue": revenue}
    assert data(till.http.get("/profile"))["purchased"] == 1


@pytest.mark.parametrize(
    ("saved", "ordered", "matched"),
    [(None, None, 1), (None, 11, 1), (11, 11, 1), (11, 12, 0), (11, None, 0)],
)
def test_order_line_matches_its_variant_else_the_item_without_one(till, saved, ordered, matched):
    """A line matches the item with its variant, or else the one without. Rule: purchase-match."""
    save(till.http, 1, **({"variantId": saved} if saved else {}))
    assert till.order("1", line(1, ordered))["matched"] == matched


def test_item_with_the_bought_variant_is_marked_before_the_one_without(till):
    """The item with the variant is marked, the one without isn't. Rule: purchase-match."""
    whole, one = save(till.http, 1), save(till.http, 1, variantId=11)
    till.order("1", line(1, 11))
    assert "purchased" in item(till.http, one["id"])
    assert "purchased" not in item(till.http, whole["id"])


def test_order_before_the_save_or_too_long_after_it_matches_nothing(till):
    """An order that precedes the save, or follows it after too long, matches nothing.
    Rule: purchase-match."""
    save(till.http, 1)
    assert till.order("1", line(1), placed=ago(seconds=5))["matched"] == 0


def test_only_a_later_version_replaces_an_order(till):
    """A later version replaces an order, an earlier or equal one changes nothing.
    Rule: order-versions."""
    save(till.http, 1)
    save(till.http, 2)
    first, second, third = ago(minutes=3), ago(minutes=2), ago(minutes=1)
    assert till.order("1", line(1, None, 3), updated=second)["matched"] == 1
    unchanged = {"result": "unchanged", "matched": 1}
    assert till.order("1", line(1), line(2), updated=first) == unchanged
    assert till.order("1", line(1), line(2), updated=second) == unchanged
    assert till.summary()["units"] == 3
    assert till.order("1", line(1, None, 2), updated=third) == APPLIED
    assert till.summary() == {
        "orders": 1, "units": 2, "revenue": [{"amount": "39.80", "currency": "EUR"}]
    }  # fmt: skip
    assert till.order("1", line(1), status="cancelled")["matched"] == 0
    assert till.summary() == {"orders": 0, "units": 0, "revenue": []}
    assert data(till.http.get("/profile"))["purchased"] == 0


def test_cancellation_that_arrives_first_keeps_the_order_out(till):
    """A late earlier version of a cancelled order doesn't count. Rule: order-versions."""
    save(till.http, 1)
    till.order("1", line(1), status="cancelled")
    assert till.order("1", line(1), updated=ago(minutes=1))["result"] == "unchanged"
    assert till.summary()["orders"] == 0


def test_match_stays_when_the_item_is_removed(till):
    """A later version keeps the match of a removed item. Rule: order-versions."""
    saved = save(till.http, 1)
    till.order("1", line(1))
    done(till.http.delete(f"/items/{saved['id']}"))
    assert till.order("1", line(1, None, 5)) == APPLIED
    assert till.summary()["units"] == 5


@pytest.mark.parametrize("tags", [[], ["a"]])
def test_item_moved_to_the_cart_still_counts(till, tags):
    """An order counts for an item that was removed shortly before it; the event has no item.
    Rule: purchase-match."""
    saved = save(till.http, 1, tags=tags)
    done(till.http.delete(f"/items/{saved['id']}"))
    assert till.order("1", line(1)) == APPLIED
    [(_, event)] = till.heard(1, "item.purchased")
    assert event.keys() == {"productId", "quantity", "placedAt", "unitPrice"}


def test_saving_again_clears_the_mark_until_the_next_order(till):
    """Saving an item again clears its mark; a later order sets it again. Rule: purchase-mark."""
    saved = save(till.http, 1)
    for again in ({}, {"tags": ["x"]}):
        till.order(f"1{again}".encode().hex(), line(1), placed=ago())
        assert item(till.http, saved["id"])["purchased"]["quantity"] == 1
        shown = data(till.http.post("/items", json={"productId": 1, **again}))
        assert "purchased" not in shown
        assert "purchased" not in item(till.http, saved["id"])
    assert till.summary()["units"] == 2


def test_change_to_another_variant_clears_the_mark(till):
    """Changing an item to another variant clears its mark, because the purchase was of the earlier
    one. Rule: purchase-mark."""
    saved = save(till.http, 1, variantId=11)
    till.order("1", line(1, 11), placed=ago())
    shown = data(till.http.patch(f"/items/{saved['id']}", json={"variantId": 12}))
    assert "purchased" not in shown == item(till.http, saved["id"])


def test_purchase_emits_one_event_per_line(till):
    """A purchase emits one event per line; a refund updates the item. Rule: purchase-mark."""
    saved = save(till.http, 1)
    till.order("1", line(1, 11), line(1, 12, 2, None), placed=ago())
    till.order("1", line(1, 11), placed=ago())
    till.order("2", line(9))
    found = till.heard(3, "item.purchased", "item.updated")
    (one, first), (two, second), (three, third) = found
    assert (one, two, three) == ("item.purchased", "item.purchased", "item.updated")
    assert first["unitPrice"] == MONEY and first["variantId"] == 11
    assert "unitPrice" not in second and second["quantity"] == 2
    assert first["item"]["id"] == saved["id"] and first["item"]["purchased"]["quantity"] == 3
    assert third["changed"] == ["purchased"] and third["item"]["purchased"]["quantity"] == 1


def test_bought_item_is_deleted_when_the_store_removes_purchased_items(make_shop):
    """With `--purchased remove`, the item is deleted after its event. Rule: purchase-mark."""
    till = Till(make_shop, "--purchased", "remove")
    saved = save(till.http, 1)
    till.order("1", line(1), placed=ago())
    refused(till.http.get(f"/items/{saved['id']}"), 404)
    assert till.summary()["units"] == 1


def test_store_with_purchases_off_refuses_orders(shop):
    """Orders are 409 while purchases are off. Rule: purchases-on."""
    one = {"orders": [order("1", shop.gid(), line(1))]}
    assert "--purchases on" in refused(shop.admin.put("/orders", json=one), 409)
    answer = shop.admin.delete("/orders/1")
    refused(answer, 409)
    assert answer.json()["error"]["code"] == "purchases_off"
    assert "purchases" not in shop.admin.get("/reports/summary").json()["data"]


def test_deleted_order_leaves_reports_and_marks(till):
    """A deleted order leaves the reports and marks; an unknown one is 404. Rule: order-versions."""
    saved = save(till.http, 1)
    till.order("a b".replace(" ", "%"), line(1))
    done(till.shop.admin.delete("/orders/a%25b"))
    refused(till.shop.admin.delete("/orders/a%25b"), 404)
    assert till.summary()["orders"] == 0
    assert "purchased" not in item(till.http, saved["id"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"orderId": "gid://shopify/Order/1"}, "orders[1].orderId"),
        ({"profile": "gid://other/Customer/1"}, "orders[1].profile"),
        ({"placedAt": "2030-01-01"}, "orders[1].placedAt"),
        ({"placedAt": "2099-01-01T00:00:00Z"}, "orders[1].placedAt"),
        ({"updatedAt": None}, "orders[1].updatedAt"),
        ({"status": "refunded"}, "orders[1].status"),
        ({"lines": [line(0)]}, "orders[1].lines[0].productId"),
        ({"lines": [line(1, quantity=0)]}, "orders[1].lines[0].quantity"),
        ({"lines": [line(1, price={"amount": "1,5", "currency": "EUR"})]},
         "orders[1].lines[0].unitPrice.amount"),
        ({"lines": [line("text")]}, "orders[1].lines[0].productId"),
        ({"lines": 501 * [line(1)]}, "orders[1].lines"),
        ({"more": 1}, "orders[1].more"),
    ],
)  # fmt: skip
def test_bad_order_is_refused_alone_with_its_bad_field(till, change, field):
    """A bad order is refused with its bad field, and the others are applied; if all are bad, the
    request is 400. Rules: order-versions, error-envelope."""
    save(till.http, 1)
    good = order("1", till.customer.gid, line(1))
    bad = good | {"orderId": "2"} | change
    [applied, outcome] = till.put(good, bad)
    assert applied == {"orderId": "1", **APPLIED}
    [detail] = outcome.pop("details")
    assert detail["field"] == field and detail["message"]
    refusal = {"result": "refused", "matched": 0, "code": "invalid_request"}
    assert outcome == {"orderId": bad["orderId"], **refusal}
    assert till.summary()["orders"] == 1
    answer = till.shop.admin.put("/orders", json={"orders": [bad, bad]})
    envelope(answer, 400)
    paths = [one["field"].partition(".")[2] for one in answer.json()["error"]["details"]]
    assert paths and {*paths} == {field.partition(".")[2]}


@pytest.mark.both_engines
def test_refused_orders_change_nothing_and_keep_their_place(till):
    """Outcomes are in the order sent; a refused order is neither stored nor does it replace the
    version before. An order that is no object has no id. Rule: order-versions."""
    save(till.http, 1)
    till.order("1", line(1, None, 3), updated=ago(minutes=1))
    placeholder = order("2", "gid://shopify/Customer/undefined", line(1))
    worse = order("1", till.customer.gid, line(1, quantity=0))
    outcomes = till.put(worse, 7, order("3", till.customer.gid, line(1)), placeholder)
    assert [one["result"] for one in outcomes] == ["refused", "refused", "applied", "refused"]
    assert [one.get("orderId") for one in outcomes] == ["1", None, "3", "2"]
    assert [one.get("code") for one in outcomes] == [
        "invalid_request", "invalid_request", None, "placeholder_id"
    ]  # fmt: skip
    assert outcomes[1]["details"][0]["field"] == "orders[1]"
    assert till.summary()["units"] == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1],
        lambda text: text[:-1] + ', "more": 1}',
        lambda text: text.replace('"quantity": 0', '"quantity": 0, "quantity": 1'),
        lambda text: text.replace("[", "[" + 249 * "{}, ", 1),
    ],
)
def test_body_that_is_unreadable_as_a_whole_applies_no_order(till, change):
    """A body that isn't JSON, repeats a key, has another field or too many orders is 400, and none
    of its orders is applied. Rule: order-versions."""
    save(till.http, 1)
    good, bad = (order("1", till.customer.gid, line(1, quantity=units)) for units in (1, 0))
    text = json.dumps({"orders": [good, bad]})
    envelope(till.shop.admin.put("/orders", content=change(text), headers=JSON), 400)
    assert till.summary()["orders"] == 0


def test_order_of_a_linked_session_counts_for_its_customer(till):
    """An order of a linked session counts for its customer; unknown profiles match nothing.
    Rule: purchase-match."""
    visitor = till.shop.session()
    save(visitor.http, 1)
    till.shop.token(customer=till.customer.gid, session=visitor.gid)
    [mine, unknown, never] = till.put(
        order("1", visitor.gid, line(1)),
        order("2", till.shop.gid(), line(1)),
        order("3", visitor.gid[:-12] + "000000000000", line(1)),
    )
    assert [one["matched"] for one in (mine, unknown, never)] == [1, 0, 0]
    assert data(till.http.get("/items"))[0]["purchased"]["quantity"] == 1


def test_sign_in_moves_purchases_to_the_customer(till):
    """A session's purchases become the customer's. Rule: purchase-mark."""
    save(till.http, 1)
    visitor = till.shop.session()
    save(visitor.http, 1)
    save(visitor.http, 2)
    till.put(order("1", visitor.gid, line(1), line(2)))
    till.order("2", line(1))
    till.shop.token(customer=till.customer.gid, session=visitor.gid)
    shown = {
        one["productId"]: one["purchased"]["quantity"] for one in data(till.http.get("/items"))
    }
    assert shown == {1: 2, 2: 1}
    assert till.summary()["orders"] == 2


@pytest.mark.parametrize("whole", [False, True])
def test_bought_item_cannot_be_reserved_on_a_shared_list(till, whole):
    """A bought item can't be reserved on a shared list or a shared wishlist.
    Rule: purchase-mark."""
    made = data(till.http.post("/lists", json={"name": "Birthday"}), 201)
    saved = save(till.http, 1, quantity=2, listIds=[made["id"]])
    of = "/shares" if whole else f"/lists/{made['id']}/shares"
    shared = data(till.http.post(of, json={"reservations": True}), 201)
    friend = till.shop.customer().http
    path = f"/shared/{shared['token']}"
    assert data(friend.get(path))["items"][0]["reserved"] == 0
    till.order("1", line(1))
    assert data(friend.get(path))["items"][0]["reserved"] == 2
    refused(friend.put(f"{path}/items/{saved['id']}/reservation", json={"quantity": 1}), 409)
    assert "reserved" not in data(till.http.get(path))["items"][0]


def test_reports_by_day_and_product_agree_in_json_and_csv(till):
    """The reports by day and by product, as JSON and CSV, agree. Rules: purchase-report, report-csv."""
    for product in (1, 2, 3):
        save(till.http, product)
    till.shop.admin.put("/products/1", json={"title": "=1+1"}).raise_for_status()
    usd = {"amount": "100", "currency": "USD"}
    till.order("1", line(1, None, 2), line(2, None, 1, {"amount": "0.0001", "currency": "EUR"}))
    till.order("2", line(1), line(3, None, 7, None), line(2, None, 1, usd))
    get = till.shop.admin.get
    found = data(get("/reports/purchases", params={"by": "product"}))
    assert [(one["productId"], one["orders"], one["units"]) for one in found] == [
        (1, 2, 3), (2, 2, 2), (3, 1, 7)
    ]  # fmt: skip
    assert found[0]["revenue"] == [{"amount": "59.70", "currency": "EUR"}]
    assert found[0]["title"] == "=1+1"
    assert found[1]["revenue"] == [{"amount": "0.0001", "currency": "EUR"}, usd]
    days = data(get("/reports/purchases"))
    assert len(days) == 30
    total = [{"amount": "59.7001", "currency": "EUR"}, usd]
    assert days[-1] == {"day": days[-1]["day"], "orders": 2, "units": 12, "revenue": total}
    assert till.summary() == {"orders": 2, "units": 12, "revenue": total}
    sheet = get("/reports/purchases", params={"by": "product", "format": "csv"}).text
    assert sheet.removeprefix("\ufeff").splitlines() == [
        "productId,title,orders,units,revenue.EUR,revenue.USD",
        "1,'=1+1,2,3,59.70,",
        "2,,2,2,0.0001,100",
        "3,,1,7,,",
    ]
    printed = till.shop.service.quick(
        "report", "purchases", "--store", till.shop.handle, "--by", "product", "--csv"
    )
    assert printed.removeprefix("\ufeff").splitlines() == sheet.removeprefix("\ufeff").splitlines()
    head, *_, last = till.shop.service.quick(
        "report", "purchases", "--store", till.shop.handle
    ).splitlines()
    assert head.split() == ["orders", "units", "day", "revenue.EUR", "revenue.USD"]
    assert last.split() == ["2", "12", days[-1]["day"], "59.7001", "100"]
    token = till.shop.another_admin_token("dashboard", "--for", "reports")
    assert data(till.shop.client(token).get("/reports/purchases")) == days
    refused(till.shop.client(token).put("/orders", json={"orders": []}), 403)


@pytest.mark.parametrize("field", ["placedAt", "updatedAt"])
def test_order_time_may_be_at_most_a_day_ahead(till, field):
    """A time up to 24 hours ahead is accepted; an order with a later time is refused, and the others
    are applied. Rule: order-versions."""
    save(till.http, 1)
    good = order("1", till.customer.gid, line(1))
    late = order("2", till.customer.gid, line(1)) | {field: ago(hours=-24, minutes=-5)}
    [_, outcome] = till.put(good, late)
    [detail] = outcome["details"]
    assert detail["field"] == f"orders[1].{field}"
    assert detail["message"].startswith("must not be more than 24 hours in the future")
    assert till.summary()["orders"] == 1
    [done] = till.put(late | {field: ago(hours=-23, minutes=-55)})
    assert done["matched"] == 1


def test_request_of_250_orders_fits_and_more_than_256_kib_is_413(till):
    """250 orders of 5 lines fit into a request; a body of more than 256 KiB is 413.
    Rule: order-versions."""
    five = [line(product, product) for product in range(632910392, 632910397)]
    for lines, status in ((five, 200), ([*five, *five], 413)):
        many = [order(str(number), till.customer.gid, *lines) for number in range(250)]
        answer = till.shop.admin.put("/orders", json={"orders": many})
        assert answer.status_code == status, len(answer.request.content)


def test_limit_parameter_applies_only_to_the_report_by_product(till):
    """``limit`` applies by product, also to a spreadsheet; by day it is 400. Rule: purchase-report."""
    for product in (1, 2, 3):
        save(till.http, product)
    till.order("1", *(line(product, None, product) for product in (1, 2, 3)))
    path, two = "/reports/purchases", {"by": "product", "limit": 2}
    get = till.shop.admin.get
    assert [one["productId"] for one in data(get(path, params=two))] == [3, 2]
    sheet = get(path, params=two | {"format": "csv"}).text
    assert [row.partition(",")[0] for row in sheet.splitlines()[1:]] == ["3", "2"]
    assert len(get(path, params={"by": "product", "format": "csv"}).text.splitlines()) == 4
    for query in ({"limit": 2}, {"limit": 2, "by": "day", "format": "csv"}):
        assert refused(get(path, params=query), 400).startswith("limit: ")


def test_unmatched_order_lines_are_neither_stored_nor_logged(make_shop):
    """No column of any table, no event and no log line contains the lines that matched nothing, or
    an order's id. Rule: purchase-private."""
    till = Till(make_shop, "--product-ids", "text")
    save(till.http, "wished-for")
    wish = line("wished-for", None, 2)
    secret = line(
        "secret-product", "secret-variant", 777_777, {"amount": "654.321", "currency": "XTS"}
    )
    number = "5ec4e700-0000-4000-8000-00000000cafe"
    assert till.order(number, wish, secret) == APPLIED
    assert till.order("secret-order", secret)["matched"] == 0
    assert till.order(number, secret, wish) == APPLIED
    bad = order("secret-order", till.customer.gid, secret, placed="2099-01-01T00:00:00Z")
    refused(till.shop.admin.put("/orders", json={"orders": [bad]}), 400)
    done(till.shop.admin.delete("/orders/secret-order"))
    refused(till.shop.admin.delete(f"/orders/{number[:-1]}f"), 404)
    till.heard(2, "item.purchased", "item.created")
    service = till.shop.service
    rows = [row for table in schema.tables() for row in service.rows(f"SELECT * FROM {table}")]
    text = repr(rows) + service.output()
    assert "wished-for" in text
    found = [
        word for word in ("secret-", "777777", "654.321", "'XTS'", '"XTS"', number) if word in text
    ]
    assert not found
