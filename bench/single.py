"""Measurements other than relative throughput: page depth, large links, memory, start time.

Each function returns lines of the second table.
"""

import random
import statistics
import time
import uuid

import psutil

from bench import seed
from bench.client import Raw
from bench.report import Measurement
from bench.targets import Load, Shop, cost, in_turns
from tests.servers import Service

ROUNDS = 5
MOVES = 100


def _median_time(client: Raw, path: str) -> float:
    return statistics.median(client.ask("GET", path)[1] for _ in range(200))


def deep(shop: Shop) -> list[Measurement]:
    """Compares page 1,000 with the first pages, of a profile (5 items a page) and of a store (50)."""
    gid = "gid://shopify/Customer/deep"
    shop.insert(seed.profile(shop.store, gid, range(1, 5_001)))
    shop.insert(seed.plan(shop.store, 1_700)[0])
    shop.serve()
    profile, store = (Raw(shop.url, token) for token in (seed.token(shop.store, gid), shop.admin))
    figures = []
    for name, client, limit in (("a profile", profile, 5), ("a store", store, 50)):
        first = path = f"/items?limit={limit}"
        for _ in range(998):
            cursor = client.ask("GET", path)[0]["pageInfo"]["next"]
            path = f"{first}&page={cursor}"
        # A first page doesn't look for a previous one, so the second, which does, is compared too.
        second = f"{first}&page={client.ask('GET', first)[0]['pageInfo']['next']}"
        for beside, early in (("page 2", second), ("page 1", first)):
            ratios = [
                _median_time(client, path) / _median_time(client, early) for _ in range(ROUNDS)
            ]
            line = f"page 1,000 of {name} against {beside}"
            figures.append(Measurement(line, shop.engine, "times", "≤ 1.2", ratios))
    shop.stop()
    return figures


def link(shop: Shop) -> list[Measurement]:
    """Links a session of 5,000 items to a customer who has half of them."""
    admin = Raw(shop.serve().url, shop.admin)
    took = []
    for number in range(ROUNDS):
        session = f"gid://wishwell/Session/{uuid.uuid4()}"
        customer = f"gid://shopify/Customer/link{number}"
        shop.insert(seed.profile(shop.store, session, range(1, 5_001)))
        shop.insert(seed.profile(shop.store, customer, range(2_501, 5_001)))
        body = {"customer": customer, "session": session}
        took.append(admin.ask("POST", "/profiles/token", body)[1])
    shop.stop()
    name = "linking a session of 5,000 items, half of them there"
    return [Measurement(name, shop.engine, "s", "≤ 1", took)]


def moves(shop: Shop) -> list[Measurement]:
    """Compares moves of an item on a list of 1,000 with those on a list of 20, in turns."""
    shop.serve()
    sides = []
    for count in (20, 1_000):
        gid = f"gid://shopify/Customer/moves{count}"
        rows = seed.profile(shop.store, gid, range(1, count + 1), lists=1, on=1)
        shop.insert(rows)
        path = f"/lists/{rows['lists'][0][1]}/items"
        client, ids = Raw(shop.url, seed.token(shop.store, gid)), [row[1] for row in rows["items"]]
        client.ask("PUT", f"{path}/order", {"itemIds": ids})
        sides.append((client, path, ids))
    ratios, figures = [], []
    for _ in range(2 * ROUNDS):
        took: list[list[float]] = [[], []]
        for number in range(2 * MOVES):
            client, path, ids = sides[number % 2]
            item, after = random.sample(ids, 2)
            took[number % 2].append(client.ask("PUT", f"{path}/{item}", {"after": after})[1])
        few, many = map(statistics.median, took)
        figures.append(many * 1e3)
        ratios.append(many / few)
    shop.stop()
    note = f"{statistics.median(figures):.2f} ms"
    name = "moving an item on a list of 1,000 against a list of 20"
    return [Measurement(name, shop.engine, "times", "≤ 1.3", ratios, note)]


def pages_by_processor(on_postgres: Shop, on_sqlite: Shop, load: Load) -> list[Measurement]:
    """Compares pages per CPU second, database included, on SQLite and PostgreSQL.

    That is the cost of a machine; for throughput PostgreSQL may use a second core.
    """
    shops = [on_postgres, on_sqlite]
    costs = in_turns(shops, ROUNDS + 1, lambda shop: cost(shop, load)[1] * 1e6)
    servers, files = (values[1:] for values in costs)
    note = f"{statistics.median(servers):.0f} us a page against {statistics.median(files):.0f} us"
    ratios = [ours / theirs for ours, theirs in zip(servers, files, strict=True)]
    name = "pages a second of processor time, database included, against PostgreSQL"
    return [Measurement(name, "SQLite", "times", "", ratios, note)]


def memory(shop: Shop, load: Load, requests: int = 1_000_000) -> list[Measurement]:
    """Measures memory after a million mixed requests, and its growth in the second half."""
    process, requests_done, samples = psutil.Process(shop.process.pid), 0.0, []
    while requests_done < requests:
        requests_done += load(shop)["count"]
        samples.append((requests_done, process.memory_info().rss / 2**20))
    half = next(rss for at, rss in samples if at >= requests / 2)
    note = f"{samples[0][1]:.0f} MB after the first {samples[0][0]:,.0f}"
    whole, grown = f"memory of a worker after {requests:,} requests", [samples[-1][1] - half]
    return [
        Measurement(whole, shop.engine, "MB", "≤ 120", [samples[-1][1]], note),
        Measurement("of that, grown over the second half", shop.engine, "MB", "≤ 5", grown),
    ]


def first_answer() -> list[Measurement]:
    """Measures the time from the command to the first response, with a new database."""
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with Service() as service, service.client() as client:
            client.get(f"{service.url}/livez").raise_for_status()
            took.append(time.perf_counter() - began)
    name = "start to first answer, embedded, new database"
    return [Measurement(name, "SQLite", "s", "≤ 1", took)]
