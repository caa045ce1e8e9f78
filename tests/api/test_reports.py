"""Reports of the running program, which counts in the background."""

import csv
import datetime
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.conftest import ROOMY, SEALING_KEY, Shop
from tests.servers import free_port, holding
from wishwell.reports.tally import FOREVER

from .conftest import envelope, refused, soon

pytestmark = pytest.mark.xdist_group("reports")
COUNTS = {"WISHWELL_COUNT_SECONDS": "1", "WISHWELL_SEALING_KEYS": SEALING_KEY}
FORMULA, MARKUP = '=1+1, "x"', "<b>bold</b>"
HOST = f"shop-reports.test:{free_port()}"


class World:
    """A store where two customers and a visitor wish for the products 1, 2 and 3."""

    def __init__(self, service):
        self.service = service
        self.shop = Shop(service, *ROOMY, "--host", f"http://{HOST}")
        titles = {1: FORMULA, 2: MARKUP, 3: "Three"}
        said = [{"productId": id, "title": title} for id, title in titles.items()]
        said[0] |= {
            "image": "https://cdn.example/1.jpg",
            "variants": [{"variantId": 11, "title": "Red"}],
            "price": {"amount": "79.00", "currency": "EUR"},
            "available": False,
        }
        said[1] |= {"availability": "preorder"}
        self.shop.admin.put("/products", json={"products": said}).raise_for_status()
        self.ann, self.ben = self.shop.customer("ann"), self.shop.customer("ben")
        self.visitor = self.shop.session()
        self.saved = {
            (who.gid, product): self.save(who, product, **more)
            for who, product, more in (
                (self.ann, 1, {"variantId": 11, "quantity": 2}),
                (self.ann, 2, {}),
                (self.ben, 1, {"variantId": 12}),
                (self.visitor, 1, {}),
                (self.visitor, 3, {}),
            )
        }
        self.ann.http.post("/lists", json={"name": "Birthday"}).raise_for_status()
        email = {"email": "ann@example.com"}
        self.ann.http.post("/profiles/identify", json=email).raise_for_status()
        self.ben.http.patch("/profile", json={"notices": False}).raise_for_status()
        self.counted()

    def save(self, who, product, **more):
        answer = who.http.post("/items", json={"productId": product, **more})
        return answer.raise_for_status().json()["data"]

    def get(self, report, **query):
        return self.shop.admin.get(f"/reports/{report}", params=query)

    def data(self, report, **query):
        return self.get(report, **query).raise_for_status().json()["data"]

    def counted(self):
        """Waits for the end of a count that begins from now on; the background pauses 49 times a
        step's duration."""
        now = datetime.datetime.now(datetime.UTC).isoformat()
        soon(lambda: (self.get("summary").json()["asOf"] or "") > now, within=120)

    def cli(self, *words):
        return self.service.quick("report", words[0], "--store", self.shop.handle, *words[1:])


@pytest.fixture(scope="module")
def world(new_service, engine):
    service = new_service(**COUNTS)
    if engine == "sqlite":
        service.quick("init")
    nothing = service.run([str(service.command), "report", "summary", "--json"])
    assert json.loads(nothing.stdout)[0]["wishes"] == 0 and "not counted yet" in nothing.stderr
    service.start()
    yield World(service)
    service.stop()


def numbers(row):
    return [row[name] for name in ("wishes", "customers", "visitors", "added", "removed")]


def test_products_come_in_pages_with_the_largest_count_first(world):
    """Products come in pages with the largest count first.
    Rule: report-period."""
    rows = world.data("products")
    assert [(row["productId"], *numbers(row)) for row in rows] == [
        (1, 3, 2, 1, 3, 0),
        (2, 1, 1, 0, 1, 0),
        (3, 1, 0, 1, 1, 0),
    ]
    assert (rows[0]["title"], rows[0]["image"]) == (FORMULA, "https://cdn.example/1.jpg")
    assert not {"image", "variantId"} & {*rows[1]}
    answer = world.get("products", limit=2).json()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", answer["asOf"])
    assert datetime.date.fromisoformat(answer["since"])
    second = world.get("products", limit=2, page=answer["pageInfo"]["next"]).json()
    assert [*answer["data"], *second["data"]] == rows and "next" not in second["pageInfo"]
    before = second["pageInfo"]["previous"]
    assert world.data("products", limit=2, page=before) == answer["data"]
    refused(world.get("products", page=before, sort="added"), 400, "page")
    by_variant = world.data("products", by="variant", sort="added")
    assert [(row["productId"], row.get("variantId"), row["wishes"]) for row in by_variant] == [
        (1, None, 1), (1, 11, 1), (1, 12, 1), (2, None, 1), (3, None, 1)
    ]  # fmt: skip
    assert [row.get("variantTitle") for row in by_variant] == [None, "Red", None, None, None]
    assert "Red" in world.cli("products", "--by", "variant")


def test_products_are_found_by_a_part_of_their_title(world):
    """`title` finds a part of a title or a whole id, also in further pages and in CSV.
    Rule: search-terms."""
    for title, found in {
        "three": [3],
        "E": [3],
        "<B>b": [2],
        ", ": [1],
        "*": [],
        "o": [2],
        "%": [],
        "3": [3],
        "11": [],
    }.items():
        assert [row["productId"] for row in world.data("products", title=title)] == found, title
    [_, row] = cells(world.get("products", title="THREE", format="csv").text)
    assert row[0] == "3"
    first = world.get("products", title="E", limit=1)
    assert "pageInfo" not in first.json()
    for bad in ("", "x" * 101, "a\tb"):
        refused(world.get("products", title=bad), 400, "title", "100 characters")


def test_report_has_price_availability_and_rise_of_products(world):
    """Rows have the catalogue's price and availability, and with `sort=rising` their rise.
    Rule: report-period."""
    first, second, third = world.data("products", sort="rising")
    price = {"amount": "79.00", "currency": "EUR"}
    assert (first["price"], first["availability"], first["rise"]) == (price, "out_of_stock", 3)
    assert ({second.get("availability"), third.get("availability")}) == {"preorder", None}
    assert "price" not in second and "rise" not in world.data("products")[0]
    head, row, *_ = cells(world.get("products", format="csv", sort="rising").text)
    assert [*zip(head, row, strict=True)][-4:] == [
        ("rise", "3"), ("price.amount", "79.00"), ("price.currency", "EUR"), ("availability", "out_of_stock")
    ]  # fmt: skip
    assert "rise" in world.cli("products", "--sort", "rising").splitlines()[0]


def test_wishers_are_current_and_newest_first(world):
    """Wishers are current, newest first, in pages."""
    wishers = world.data("wishers", product=1)
    own = {who.gid: world.saved[who.gid, 1] for who in (world.visitor, world.ben, world.ann)}
    assert wishers == [
        {"profile": gid, "quantity": item["quantity"], "savedAt": item["createdAt"]}
        | {"notices": False if gid == world.ben.gid else None}
        | ({"variantId": item["variantId"]} if "variantId" in item else {})
        for gid, item in own.items()
    ]
    assert world.data("wishers", product=1, variant=11) == wishers[2:]
    first = world.get("wishers", product=1, limit=2).json()
    rest = world.data("wishers", product=1, limit=2, page=first["pageInfo"]["next"])
    assert [*first["data"], *rest] == wishers
    assert world.data("wishers", product=99) == []


def cells(text):
    """Returns the rows of a CSV file with a byte order mark and the line ends of RFC 4180."""
    assert text.startswith("\ufeff") and text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text[1:], newline=""), strict=True))


def test_formulas_in_csv_cells_are_neutralised(world):
    """Formulas in CSV cells are neutralised (CSV injection), and titles are otherwise unchanged.
    Rule: report-csv."""
    answer = world.get("products", format="csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert re.fullmatch(
        r'attachment; filename="wishes-[0-9-]{21}\.csv"', answer.headers["content-disposition"]
    )
    head, *rows = cells(answer.content.decode())
    assert head[:4] == ["productId", "title", "image", "wishes"]
    assert [row[:2] for row in rows] == [["1", f"'{FORMULA}"], ["2", MARKUP], ["3", "Three"]]
    assert {len(row) for row in rows} == {len(head)}
    [_, first] = cells(world.get("products", format="csv", limit=1).content.decode())
    assert first == rows[0]
    refused(world.get("products", format="csv", limit=0), 400, "limit")
    head, *rows = cells(world.get("wishers", format="csv", product=1).content.decode())
    assert head == ["profile", "notices", "variantId", "quantity", "savedAt"]
    assert rows[1][:4] == [world.ben.gid, "false", "12", "1"]
    [_, first] = cells(world.get("wishers", format="csv", product=1, limit=1).content.decode())
    assert first == rows[0]
    days = cells(world.get("days", format="csv").content.decode())
    assert days[0] == ["day", "wishes", "added", "removed"] and days[-1][1] == "5"
    [head, row] = cells(world.get("summary", format="csv").content.decode())
    assert (head[0], row[0], head[3], row[3]) == ("wishes", "5", "profiles.customers", "2")
    at = world.shop.admin.head("/reports/products", params={"format": "csv"})
    assert (at.status_code, at.content) == (200, b"")


BAD = [
    ("products", {"to": "2026-02-30"}, "to"),
    ("summary", {"to": "0001-01-01"}, "to"),
    ("summary", {"from": "2026-02-02", "to": "2026-02-01"}, "from"),
    ("days", {"from": "2025-01-01", "to": "2026-01-02"}, "366"),
    ("days", {"product": "x"}, "product"),
    ("wishers", {}, "product"),
    ("wishers", {"product": 1, "variant": "x"}, "variant"),
]


@pytest.mark.parametrize(("report", "query", "named"), BAD)
def test_bad_parameter_is_named(world, report, query, named):
    """A bad parameter is 400 and named. Rule: report-period."""
    refused(world.get(report, **query), 400, named)


def test_report_command_prints_the_data_of_the_api(world):
    """`wishwell report` prints the API's data. Rule: command-error."""
    assert json.loads(world.cli("products", "--json")) == world.data("products")
    assert len(json.loads(world.cli("products", "--json", "--limit", "1"))) == 1
    assert json.loads(world.cli("summary", "--json")) == [world.data("summary")]
    assert json.loads(world.cli("days", "--product", "1", "--json")) == world.data(
        "days", product=1
    )
    assert json.loads(world.cli("wishers", "--product", "1", "--variant", "12", "--json")) == (
        world.data("wishers", product=1, variant=12)
    )
    assert cells(world.cli("products", "--csv")) == cells(
        world.get("products", format="csv").content.decode()
    )
    every = cells(world.cli("products", "--csv"))
    assert cells(world.cli("products", "--csv", "--limit", "1")) == every[:2] != every
    [head, row] = cells(world.cli("summary", "--csv"))
    assert dict(zip(head, row, strict=True))["profiles.customers"] == "2"
    table = world.cli("days").splitlines()
    assert table[0].split() == ["day", "wishes", "added", "removed"]
    of = ("--store", world.shop.handle)
    code, out, said = world.service.attempt("report", "days", *of, "--from", "soon")
    assert (code, out, said.count("\n")) == (1, "", 1) and "from" in said


def test_days_are_those_of_the_stores_time_zone(world):
    """Days are those of the store's time zone: these two zones always have different dates.
    Rule: count-days."""
    zones = "Pacific/Kiritimati", "Etc/GMT+12"
    shops = [Shop(world.service, "--time-zone", zone) for zone in zones]

    def since():
        return [shop.admin.get("/reports/summary").json()["since"] for shop in shops]

    soon(lambda: None not in since())
    east, west = since()
    assert east > west


def test_rounded_wish_counts_are_public_once_the_store_allows_it(world):
    """`GET /wishes` returns rounded counts once the store allows it, cacheable for an hour, and on
    the storefront without a session.
    Rule: show-wishes."""
    at = f"{world.service.url}/apps/wishlist/api/wishes"
    shoppers = world.shop.client()
    shoppers.headers["Host"] = HOST
    here = "/wishes?products=3,1"
    refused(world.ann.http.get(here), 404, "doesn't publish")
    envelope(shoppers.get(at, params={"products": "1"}), 404)
    world.shop.update("--show-wishes", "on")
    soon(lambda: world.ann.http.get(here).status_code == 200)
    few = [{"productId": 3, "wishes": 0}, {"productId": 1, "wishes": 0}]
    assert world.ann.http.get(here).json() == {"data": few}
    for _ in range(8):
        world.save(world.shop.session(), 1)
    world.counted()
    some = [few[0], {"productId": 1, "wishes": 10}]
    asked = [http.get(here) for http in (world.visitor.http, world.ben.http, world.shop.admin)]
    asked.append(shoppers.get(at, params={"products": "3,1"}))
    for answer in asked:
        assert (answer.status_code, answer.json()) == (200, {"data": some})
        assert answer.headers["cache-control"] == "private, max-age=3600"
        assert "set-cookie" not in answer.headers
    assert asked[-1].headers["wishwell-shopper"] == "-"
    if world.service.settings.get("WISHWELL_DATABASE_URL", "").startswith("postgres"):
        assert not waits_for_a_report(world, world.visitor.http, here)
    refused(world.shop.anonymous.get(here), 401)
    for bad in ("", ",", "x", ",".join(map(str, range(1, 252)))):
        refused(world.ann.http.get("/wishes", params={"products": bad}), 400, "products")
    envelope(shoppers.get(at, params={"products": "1", "sort": "x"}), 400)


def waits_for_a_report(world, http, path):
    """Returns whether a request's response waits for a long-running report."""
    locked = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'products'::regclass"
    lock = holding(world.service.settings["WISHWELL_DATABASE_URL"], "LOCK TABLE products")
    with ThreadPoolExecutor() as pool, lock:
        report = pool.submit(world.get, "products")
        soon(lambda: world.service.rows(locked))
        return http.get(path).status_code != 200 or report.done()


@pytest.mark.slow
def test_deleted_wishes_are_in_the_next_count(world):
    """The next count shows deletions. Runs after the other tests because it changes the numbers.
    Rules: count-exact, count-pace."""
    id = world.saved[world.ann.gid, 2]["id"]
    assert world.ann.http.delete(f"/items/{id}").status_code == 204
    world.counted()
    assert world.data("products")[-1]["productId"] == 3
    assert json.loads(world.cli("products", "--json"))[-1]["productId"] == 3


MANY = 60_000
"""More products than one batch from the database or one write to the socket can hold."""


@pytest.mark.slow
def test_csv_report_that_fails_midway_breaks_the_connection(new_service):
    """A CSV report that fails midway breaks the connection, so a partial file never looks complete.
    Rule: report-csv."""
    service = new_service()
    service.start()
    shop = Shop(service, *ROOMY)
    [[store]] = service.rows(f"SELECT id FROM stores WHERE handle = '{shop.handle}'")
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    service.rows(
        "INSERT INTO counts (store_id, day, number, began_at, ended_at, customers, visitors, "
        f"added, lists, customers_wishing, visitors_wishing) VALUES ('{store}', '{day}', 1, "
        f"'{day}T00:00:00.000Z', '{day}T00:00:00.000Z', {MANY}, 0, {MANY}, 0, {MANY}, 0)"
    )
    service.rows(
        "INSERT INTO wish_counts (store_id, until, product_id, variant_id, since, customers, "
        "visitors, added) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
        f"{MANY}) SELECT '{store}', {FOREVER}, CAST(i AS text), '', 1, 1, 0, 1 FROM n"
    )
    query = {"format": "csv"}
    whole = shop.admin.get("/reports/products", params=query).raise_for_status()
    assert len(cells(whole.content.decode())) == MANY + 1
    with shop.admin.stream("GET", "/reports/products", params=query) as answer:
        assert answer.status_code == 200
        pieces = answer.iter_bytes()
        next(pieces)
        service.rows("ALTER TABLE wish_counts RENAME TO away")
        with pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)
    service.rows("ALTER TABLE away RENAME TO wish_counts")
    assert shop.admin.get("/reports/products", params={"limit": 1}).status_code == 200


@pytest.mark.slow
def test_pages_without_dates_keep_the_period_when_a_new_day_begins(world):
    """Following the cursors keeps the first page's period when a new day begins in the store's time zone.
    Rule: report-period."""

    def days() -> str:
        return world.get("products", format="csv").headers["content-disposition"]

    zone = "Pacific/Niue"
    world.shop.update("--time-zone", zone)
    soon(lambda: world.shop.admin.get("/store").json()["data"]["reporting"].get("timeZone") == zone)
    for product in (51, 52):
        world.save(world.shop.customer("walker"), product)
    world.counted()
    rows, before = world.data("products"), days()
    limit = len(rows) - 1
    first = world.get("products", limit=limit).json()
    world.shop.update("--time-zone", "Pacific/Kiritimati")
    soon(lambda: days() != before)
    world.counted()
    second = world.get("products", limit=limit, page=first["pageInfo"]["next"]).json()
    assert [*first["data"], *second["data"]] == rows
    back = world.get("products", limit=limit, page=second["pageInfo"]["previous"]).json()
    assert back == first | {"asOf": back["asOf"]}
    refused(world.get("products", page=first["pageInfo"]["next"], to="2026-01-01"), 400, "page")
    world.shop.update("--time-zone", "UTC")
