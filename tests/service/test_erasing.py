"""Erasure during writes, in several processes, and through kills."""

import itertools
import threading
import time

import pytest

from tests.api.conftest import data, new_list, save
from tests.conftest import ROOMY, SEALING_KEY, Shop
from tests.servers import wait_until

# xdist runs the group in one process, so the tests share a service.
pytestmark = pytest.mark.xdist_group("erasing")

WRITES = 80
"""Number of saves to wait for, about ten of each writer."""

WAITING = "SELECT 1 FROM erasures WHERE done_at IS NULL"


@pytest.fixture(scope="module")
def apart(new_service):
    """A separate service, because these tests stop it and other tests' data must not be lost."""
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY, WISHWELL_LIMIT_ADDRESS="100000")
    yield service.start()
    service.kill()


@pytest.mark.slow
def test_erasure_resumes_after_a_kill_right_after_the_response(apart):
    """An acknowledged erasure of many records completes after a kill and a restart.
    Rule: erase-completes."""
    service = apart
    shop = Shop(service, "--events", "on", *ROOMY)
    ann, bob = shop.customer(), shop.customer()
    wishes = new_list(ann.http, "secret")
    for first in range(1, 1_001, 250):
        wanted = range(first, first + 250)
        many = [
            {"productId": n, "tags": ["a", "b", "c"], "listIds": [wishes["id"]]} for n in wanted
        ]
        data(ann.http.put("/items", json={"items": many}))
    link = data(ann.http.post(f"/lists/{wishes['id']}/shares", json={"reservations": True}), 201)
    item = data(bob.http.get(f"/shared/{link['token']}"))["items"][0]
    where = f"/shared/{link['token']}/items/{item['id']}/reservation"
    data(bob.http.put(where, json={"quantity": 1}))
    mine = save(bob.http, 77)
    assert shop.acting_as(ann.gid).delete("/profile").status_code == 204
    service.kill()
    service.restart()
    assert wait_until(lambda: not service.rows(WAITING), seconds=60, every=0.5)
    for table in ("profiles", "events"):
        gids = service.rows(f"SELECT gid FROM {table} WHERE gid = '{ann.gid}'")
        assert len(gids) == (table == "events")
    for table in ("shares", "share_tokens", "reservations", "held"):
        assert not service.rows(f"SELECT 1 FROM {table} WHERE store_id = '{shop.id}'")
    left = service.rows(f"SELECT id FROM items WHERE store_id = '{shop.id}'")
    assert [str(id) for (id,) in left] == [mine["id"]]


@pytest.mark.slow
def test_writes_during_an_erasure_are_wholly_before_or_after(apart):
    """Each of eight writers' writes is wholly before or after the erasure. Rule: erase-completes."""
    shop = Shop(apart, "--events", "on", *ROOMY, "--limit", "items=1000000")
    gid, ends = shop.gid(), threading.Event()
    done: list[list[tuple[int, int]]] = [[] for _ in range(8)]
    wrong: list[str] = []

    def write(number):
        http = shop.acting_as(gid)
        numbers = itertools.count(1 + number * 100_000)
        for product in itertools.takewhile(lambda _: not ends.is_set(), numbers):
            made = http.post("/items", json={"productId": product, "tags": ["a"]})
            done[number].append((made.status_code, product))
            answers = [made]
            if made.status_code == 201:
                path = f"/items/{made.json()['data']['id']}"
                answers += [http.patch(path, json={"quantity": 2})]
                answers += [on := http.post("/lists", json={"name": f"list {product}"})]
                if on.status_code == 201:
                    body = {"listIds": [on.json()["data"]["id"]]}
                    answers += [http.put(f"{path}/lists", json=body)]
            for answer in answers:
                erased = "erased" in answer.text and "Retry-After" in answer.headers
                if answer.status_code not in ((503,) if erased else (200, 201, 404)):
                    wrong.append(answer.text)
            if answers[-1].status_code == 503:
                time.sleep(0.01)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    assert wait_until(lambda: sum(map(len, done)) >= WRITES, seconds=60)
    answer = shop.acting_as(gid).delete("/profile")
    assert answer.status_code == 204, answer.text
    assert wait_until(lambda: not apart.rows(WAITING), seconds=60, every=0.2)
    of_store = f"WHERE store_id = '{shop.id}'"
    begun_again = lambda: apart.rows(f"SELECT 1 FROM items {of_store}")  # noqa: E731
    assert wait_until(begun_again, seconds=60, every=0.2), "nobody saved after the erasure"
    enough = sum(map(len, done)) + WRITES
    assert wait_until(lambda: sum(map(len, done)) >= enough, seconds=60)
    ends.set()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]
    kept = {int(product) for (product,) in apart.rows(f"SELECT product_id FROM items {of_store}")}
    assert kept
    for own in done:
        saved = [product for status, product in own if status == 201]
        first = min(kept & {*saved}, default=10**9)
        assert [product for product in saved if product >= first] == sorted(kept & {*saved})
        refused = [product for status, product in own if status == 503]
        assert not refused or first > min(refused)
    shown = data(shop.acting_as(gid).get("/profile"))
    lists = len(apart.rows(f"SELECT 1 FROM lists {of_store}"))
    assert (shown["items"], shown["lists"]) == (len(kept), lists)
    told = [n for (n,) in apart.rows(f"SELECT sequence FROM events {of_store} ORDER BY sequence")]
    assert told == list(range(told[0], told[0] + len(told)))
