"""The metrics of a real service, and the dashboard, alert rules and table that name them."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import promql_parser as promql
import psutil
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.api.conftest import connect, in_one_window, request_head
from tests.conftest import SEALING_KEY, Shop
from tests.servers import PostgresServer, Service, wait_until

ROOT = Path(__file__).parents[2]
RULES = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text())
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
# Labels that Prometheus adds to everything it scrapes.
SCRAPED = {"job", "instance", "pid"}
# Series that Prometheus itself makes, and that deploy/backup leaves.
ELSEWHERE = {"up", "wishwell_backup_timestamp_seconds"}


def samples(service: Service):
    """Returns every sample of `/metrics`."""
    text = httpx2.get(f"{service.url}/metrics").text
    return [one for family in text_string_to_metric_families(text) for one in family.samples]


def value(service: Service, name: str, **labels: str) -> float:
    [found] = [s.value for s in samples(service) if s.name == name and s.labels == labels]
    return found


def wait_for_value(service: Service, name: str, expected, within: float = 30) -> None:
    """Polls until the metric has the expected value; gauges are up to a second old."""
    found = wait_until(lambda: expected(value(service, name)), seconds=within, every=0.1)
    assert found, f"{name} is {value(service, name)}"


# xdist runs the group in one process, so the tests share the service.
WALKED = pytest.mark.xdist_group("walked")


@pytest.fixture(scope="module")
def walked(new_service):
    """A service after some requests: saves, a link, a rate limit exceeded, an unknown path."""
    service = new_service(
        WISHWELL_LIMIT_PROFILE_WRITE="2",
        WISHWELL_PURGE_INTERVAL="1",
        WISHWELL_JOURNAL="journal.jsonl",
        WISHWELL_SEALING_KEYS=SEALING_KEY,
    ).start()
    (service.folder / "shop.key").write_text("k" * 40)
    key = ("--jwt-cookie", "sign_in", "--jwt-key-file", str(service.folder / "shop.key"))
    shop = Shop(service, "--host", "http://shop.example", *key)
    wrong = {"Host": "shop.example", "Cookie": "sign_in=e30.e30.e30"}
    items = f"{service.url}/apps/wishlist/api/items"
    # The service answers for its first store until it knows the second one.
    assert wait_until(
        lambda: (
            httpx2.get(items, headers=wrong).is_success
            and f'jwts_total{{store="{shop.handle}"' in httpx2.get(f"{service.url}/metrics").text
        ),
        seconds=30,
        every=0.2,
    )
    visitor = shop.session()
    (service.folder / "feed.csv").write_text("id\n1\n")
    service.quick("products", str(service.folder / "feed.csv"), "--store", shop.handle)
    gift = {"productId": 1}
    assert visitor.http.post("/items", json=gift).status_code == 201
    statuses = [shop.customer("7").http.post("/items", json=gift).status_code for _ in range(5)]
    assert 429 in statuses
    shop.token(customer=shop.gid("7"), session=visitor.gid)
    assert shop.admin.get("/items").status_code == 200
    [item] = shop.admin.get("/items").json()["data"]
    assert shop.admin.get(f"/items/{item['id']}").status_code == 200
    assert shop.admin.get("/nothing").status_code == 404
    # Imports are counted every 10 seconds.
    last = "wishwell_catalogue_import_last"
    assert wait_until(lambda: last in {one.name for one in samples(service)}, seconds=60, every=0.5)
    yield service
    service.stop()


def parsed(expression: str):
    """Returns the names and labels of a PromQL expression."""
    for variable, sample in (("$__rate_interval", "5m"), ("$instance", ".+")):
        expression = expression.replace(variable, sample)
    names: set[str] = set()
    labels: set[str] = set()

    def visit(node) -> None:
        if isinstance(node, promql.VectorSelector):
            names.add(node.name)
            labels.update(matcher.name for matcher in node.matchers.matchers)
        if isinstance(node, promql.AggregateExpr) and node.modifier:
            labels.update(node.modifier.labels)
        for child in ("expr", "lhs", "rhs", "vector_selector"):
            if (inside := getattr(node, child, None)) is not None:
                visit(inside)
        for argument in getattr(node, "args", None) or ():
            visit(argument)

    visit(promql.parse(expression))
    return names, labels


PANELS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
EXPRESSIONS = [*PANELS, *(rule["expr"] for rule in ALERTS)]


@pytest.mark.slow
@WALKED
def test_metrics_and_labels_of_alerts_and_dashboard_exist(walked):
    """Every metric and label of the dashboard and alert rules exists."""
    there: dict[str, set[str]] = {}
    for sample in samples(walked):
        there.setdefault(sample.name, set()).update(sample.labels)
    for expression in EXPRESSIONS:
        names, labels = parsed(expression)
        assert names, expression
        assert names <= there.keys() | ELSEWHERE, expression
        known = set().union(*(there.get(name, ()) for name in names))
        assert labels <= known | SCRAPED, expression
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len({*ids}) == len(ids), "Grafana needs an id for each panel"
    [variable] = [v for v in DASHBOARD["templating"]["list"] if v["type"] == "query"]
    [asked] = re.findall(r"^label_values\((\w+), instance\)$", variable["query"]["query"])
    assert asked in there


@pytest.mark.either_engine
@WALKED
def test_every_metric_is_in_the_table_and_on_the_dashboard(walked):
    """docs/operations.md and the dashboard have every metric; the table has no others."""
    text = (ROOT / "docs" / "operations.md").read_text().partition("## Metrics")[2]
    rows = re.findall(r"^\| (`wishwell_.*?) \|", text.partition("\n## ")[0], re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(wishwell_\w+)", row)}
    suffixes = r"_(bucket|sum|count|created)$"
    there = {
        re.sub(suffixes, "", sample.name)
        for sample in samples(walked)
        if sample.name.startswith("wishwell_") and not sample.name.endswith("_created")
    }
    assert documented == there
    shown = {re.sub(suffixes, "", name) for expr in PANELS for name in parsed(expr)[0]}
    assert shown == there
    [row] = [row for row in rows if "background_done" in row]
    [line] = [one for one in text.splitlines() if one.startswith(f"| {row} |")]
    tasks = {s.labels["task"] for s in samples(walked) if "task" in s.labels}
    assert not [task for task in tasks if f"`{task}`" not in line.partition("Tasks:")[2]]


@WALKED
def test_metrics_that_pages_and_runbooks_name_exist(walked):
    """Every metric that a document, an example or a file of deploy/ names exists."""
    there = {sample.name for sample in samples(walked)} | ELSEWHERE
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.*")]
    named = {name for path in pages for name in re.findall(r"\bwishwell_[a-z_]+", path.read_text())}
    assert len(named) > 40
    others = {"wishwell_client", "wishwell_request_seconds"}  # a package, and a histogram
    assert named - there - others == set()
    runbooks = (ROOT / "docs" / "runbooks.md").read_text()
    searched = re.findall(r"metrics \| grep (?:-E )?'?([\w|]+)", runbooks)
    assert searched
    for part in "|".join(searched).split("|"):
        assert any(part in name for name in there), part


@WALKED
def test_metrics_count_requests_links_and_database_use(walked, engine):
    """Metrics count the requests, the rate limit, the link and the database's figures; unknown
    paths and record ids don't appear.
    Rule: health-checks."""
    text = httpx2.get(f"{walked.url}/metrics").text
    assert "/items/{itemId}" in text and "/nothing" not in text
    assert "gid://" not in text
    assert value(walked, "wishwell_links_total") == 1
    assert value(walked, "wishwell_linked_items_total") == 1
    assert value(walked, "wishwell_limited_total", kind="write") >= 1
    labels = {"method": "POST", "route": "/items", "status": "201"}
    assert value(walked, "wishwell_requests_total", **labels) == 2
    wait_for_value(walked, "wishwell_requests_in_flight", lambda n: n == 0)
    recent = lambda at: abs(time.time() - at) < 10  # noqa: E731
    wait_for_value(walked, "wishwell_purge_finished_timestamp_seconds", recent)
    wait_for_value(walked, "wishwell_database_answered_timestamp_seconds", recent)
    assert value(walked, "wishwell_limits_store_away") == 0
    on_sqlite = engine == "sqlite"
    wait_for_value(walked, "wishwell_sqlite_committed_writes_total", lambda n: (n > 5) == on_sqlite)
    at_once = {sample.name: sample.value for sample in samples(walked)}
    written = at_once["wishwell_sqlite_committed_writes_total"]
    assert written >= at_once["wishwell_sqlite_commits_total"] >= 0
    wait_for_value(
        walked, "wishwell_pool_connections_limit", lambda n: n == (0 if on_sqlite else 20)
    )
    wait_for_value(walked, "wishwell_pool_connections", lambda n: (n > 0) != on_sqlite)


@pytest.mark.slow
def test_metrics_show_a_suspended_postgresql():
    """With a suspended database the metrics show requests in flight, connections in use, waiting
    and shed requests; afterwards the wait time."""
    settings = {"WISHWELL_SIGNING_KEYS": "k" * 40, "WISHWELL_DATABASE_CONNECTIONS": "1"}
    settings |= {"WISHWELL_DATABASE_TIMEOUT": "10", "WISHWELL_MAX_IN_FLIGHT": "3"}
    with PostgresServer() as database, contextlib.ExitStack() as stack:
        service = Service(settings | {"WISHWELL_DATABASE_URL": database.create_database()})
        service.cli("init")
        stack.enter_context(service)
        admin = service.client(token := service.admin_token())
        assert admin.get("/items").status_code == 200
        database.pause()
        stack.callback(database.resume)
        # Sent before reading metrics, which would take a request slot.
        asked = [stack.enter_context(connect(service, 20)) for _ in range(3)]
        for connection in asked:
            connection.sendall(request_head("GET", "/lists", token))
        wait_for_value(service, "wishwell_requests_in_flight", lambda n: n == 3)
        wait_for_value(service, "wishwell_pool_connections_in_use", lambda n: n == 1)
        wait_for_value(service, "wishwell_pool_waiting", lambda n: n >= 2)
        assert value(service, "wishwell_shed_total") == 0
        assert admin.get("/lists").status_code == 503
        wait_for_value(service, "wishwell_shed_total", lambda n: n == 1)
        database.resume()
        assert [connection.recv(4096).split()[1] for connection in asked] == [b"200"] * 3
        wait_for_value(service, "wishwell_pool_waiting", lambda n: n == 0)
        wait_for_value(service, "wishwell_requests_in_flight", lambda n: n == 0)
        assert value(service, "wishwell_pool_waits_total") >= 2
        assert value(service, "wishwell_pool_wait_seconds_total") > 0


@pytest.mark.slow
@pytest.mark.either_engine
def test_workers_and_reloads_are_measured(new_service):
    """With several workers each has its processor time and memory; a worker that is killed, and a
    reload of a bad file, are counted. Rules: health-checks, serve-workers."""
    service = new_service(WISHWELL_WORKERS="2")
    service.settings["WISHWELL_SEALING_KEYS_FILE"] = "sealing"
    (service.folder / "sealing").write_text(SEALING_KEY)
    with service.start():
        here = lambda name: [s for s in samples(service) if s.name == f"wishwell_{name}"]  # noqa: E731
        pids = {str(process.pid) for process in workers(service)}
        for name in ("worker_cpu_seconds", "worker_memory_bytes"):
            assert wait_until(lambda: len(here(name)) == 2, seconds=30)
            assert {sample.labels["pid"] for sample in here(name)} == pids
        least = lambda: min(sample.value for sample in here("worker_memory_bytes"))  # noqa: E731
        assert wait_until(lambda: least() > 20_000_000, seconds=30, every=0.1)
        wait_for_value(service, "wishwell_worker_restarts_total", lambda n: n == 0)
        workers(service)[0].kill()
        wait_for_value(service, "wishwell_worker_restarts_total", lambda n: n == 1)
        assert wait_until(lambda: len(here("worker_cpu_seconds")) == 2, seconds=60, every=0.2)
        (service.folder / "sealing").write_text("too short")
        service.process.send_signal(signal.SIGHUP)
        wait_for_value(service, "wishwell_reloads_failed_total", lambda n: n == 1)


@pytest.mark.slow
@pytest.mark.either_engine
def test_requests_are_counted_by_store(new_service):
    """Requests of a store are counted by result. Rule: health-checks."""
    with new_service(WISHWELL_LIMIT_PROFILE_READ="2").start() as service:

        @in_one_window
        def used_up() -> Shop:
            """Returns a store with two requests within its limit and two above."""
            shop = Shop(service)
            http = shop.customer("1").http
            assert [http.get("/items").status_code for _ in range(4)] == [200, 200, 429, 429]
            return shop

        shop = used_up()
        count = lambda result: value(  # noqa: E731
            service, "wishwell_store_requests_total", store=shop.handle, result=result
        )
        assert count("limited") == 2
        assert count("answered") == 3  # with that for the token
        wait_for_value(service, "wishwell_database_bytes", lambda n: n > 100_000)


@pytest.mark.either_engine
def test_untrusted_proxy_is_logged_once(new_service):
    """Storefront requests through an unknown proxy are counted, and logged once with its network; a
    trusted one and a request without a proxy aren't. Rules: limit-address, log-private."""
    name, forwarded = "wishwell_unknown_proxy_requests_total", {"X-Forwarded-For": "192.0.2.7"}
    with new_service(WISHWELL_SEALING_KEYS=SEALING_KEY).start() as service:
        url = f"{service.url}/apps/wishlist/api/items"
        assert httpx2.get(url).status_code == 200
        assert value(service, name) == 0
        for _ in range(2):
            assert httpx2.get(url, headers=forwarded).status_code == 200
        assert value(service, name) == 2
        logged = lambda: [line for line in service.log_lines() if '"unknown_proxy"' in line]  # noqa: E731
        assert wait_until(logged, seconds=30)
        [line] = logged()
        assert json.loads(line)["network"] == "127.0.0.0/24"
        service.restart(settings={"WISHWELL_TRUSTED_PROXIES": "127.0.0.1"})
        assert httpx2.get(url, headers=forwarded).status_code == 200
        assert value(service, name) == 0


def test_number_of_series_of_stores_is_limited():
    """Beyond 1,000 stores, others share one series. Rule: health-checks."""
    script = """
from prometheus_client import REGISTRY
from wishwell.telemetry import metrics
for number in range(1200):
    metrics.record_request("GET", "/items", 200, 0.001, f"store-{number}")
metrics.publish_requests()
[found] = [one for one in REGISTRY.collect() if one.name == "wishwell_store_requests"]
series = {s.labels["store"]: s.value for s in found.samples if s.name.endswith("_total")}
print(len(series), series["(others)"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["1001", "200.0"], done.stderr


def test_durations_are_counted_in_their_buckets():
    """A duration counts in the smallest bucket that isn't below it, once it is published.
    Rule: health-checks."""
    script = """
from prometheus_client import REGISTRY
from wishwell.telemetry import metrics
def published():
    metrics.publish_requests()
    [found] = [one for one in REGISTRY.collect() if one.name == "wishwell_request_seconds"]
    return {s.labels.get("le", s.name[-5:]): s.value for s in found.samples}
for seconds, store in ((0.001, "a"), (0.0011, "a"), (0.0012, "b"), (7, "a")):
    metrics.record_request("GET", "/items", 200, seconds, store)
published()
metrics.record_request("GET", "/items", 200, 0.0004)
found = published()
print(*(found[le] for le in ("0.0005", "0.001", "0.0025", "5.0", "+Inf", "count")), round(found["s_sum"], 6))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["1.0", "2.0", "4.0", "4.0", "5.0", "5.0", "7.0037"], done.stderr


def workers(service: Service) -> list[psutil.Process]:
    """Returns the serving processes, without the parent and Python's resource tracker."""
    found = []
    for process in psutil.Process(service.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has just ended
            if "spawn_main" in " ".join(process.cmdline()):
                found.append(process)
    return found
