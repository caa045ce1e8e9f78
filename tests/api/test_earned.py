"""Reports on what wishes earn: the summary, and pages of products."""

import json

from .conftest import refused, save
from .test_orders import line
from .test_orders import till as till


def test_summary_has_the_purchases_of_wishes(till):
    """The summary contains the purchases as JSON, as a table and as CSV; while purchases are off, it
    doesn't. Rules: purchase-report, report-csv."""
    command = ("report", "summary", "--store", till.shop.handle)
    head = "wishes,customers,visitors,profiles.customers,profiles.visitors,lists,added,removed"
    report = till.shop.service.quick
    save(till.http, 1)
    usd = {"amount": "100", "currency": "USD"}
    till.order("1", line(1, None, 2), line(1, None, 1, usd))
    earned = {"orders": 1, "units": 3, "revenue": [{"amount": "39.80", "currency": "EUR"}, usd]}
    [printed] = json.loads(report(*command, "--json"))
    assert printed["purchases"] == till.summary() == earned
    assert "39.80" in report(*command) and "100" in report(*command)
    more = [
        "purchases.orders",
        "purchases.units",
        *(f"purchases.revenue.{c}" for c in ("EUR", "USD")),
    ]
    sheet = till.shop.admin.get("/reports/summary", params={"format": "csv"}).text
    for text in (sheet, report(*command, "--csv")):
        names, row = (part.split(",") for part in text.removeprefix("\ufeff").splitlines())
        assert names == [*head.split(","), *more]
        assert row[-4:] == ["1", "3", "39.80", "100"]
    report("store", "update", till.shop.handle, "--purchases", "off")
    assert report(*command, "--csv").removeprefix("\ufeff").splitlines()[0] == head


def test_report_by_product_has_pages_and_by_day_has_none(till):
    """Pages of products together are the whole report; a cursor is valid for its period only, and
    there are no pages by day. Rules: purchase-report, report-period."""
    for product in range(1, 6):
        save(till.http, product)
    till.order("1", *(line(product, None, product) for product in range(1, 6)))
    path, by = "/reports/purchases", {"by": "product", "limit": 2}
    get = till.shop.admin.get
    first = get(path, params=by).json()
    second = get(path, params=by | {"page": first["pageInfo"]["next"]}).json()
    third = get(path, params=by | {"page": second["pageInfo"]["next"]}).json()
    parts = [[one["productId"] for one in page["data"]] for page in (first, second, third)]
    assert parts == [[5, 4], [3, 2], [1]]
    assert "previous" not in first["pageInfo"] and "next" not in third["pageInfo"]
    back = get(path, params=by | {"page": second["pageInfo"]["previous"]}).json()
    assert back["data"] == first["data"]
    assert "pageInfo" not in get(path, params=by | {"limit": 5}).json()
    cursor = {"page": first["pageInfo"]["next"]}
    refused(get(path, params=by | cursor | {"from": "2026-01-01"}), 400)
    assert refused(get(path, params=cursor), 400).startswith("page: ")
