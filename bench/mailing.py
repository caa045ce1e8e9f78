"""Request latency while mails to a great many wishers of one product are sent.

``python -m bench.mailing`` fills a store with wishers whose mails are due, of whom an SMTP server on
this machine takes 50 mails a second. Prints the p99 of page requests alone and meanwhile, the mails
a second, the queue's size and age by the metrics, and the seconds from a pause to the last mail;
then the p99 while notices of another price drop join the waiting mails. Some minutes per engine.
"""

import multiprocessing
import re
import time
from multiprocessing.sharedctypes import Synchronized
from typing import Any

from bench import seed
from bench.client import Raw, bearer, request
from bench.meanwhile import BATCH, PRODUCT, Asked, compared, main
from bench.targets import STORE, run, say
from tests.servers import PREFIX, wait_until
from tests.servers.mail_server import MailServer
from wishwell import ids

MAIL_SECONDS = 0.2
"""Seconds in which the SMTP server accepts a mail. A process sends 16 mails of a store concurrently,
so about 50 a second."""

QUIET_SECONDS = 10
COLUMNS = seed.COLUMNS | {
    "profiles": f"{seed.COLUMNS['profiles']} email email_status email_source notices",
    "mails": "profile_id id store_id kind state created_at due_at items",
}


class Relay:
    """An SMTP server in a process of its own, which counts the mails that it accepts."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._count: Synchronized[int] = context.Value("i", 0)
        ports = context.Queue()
        self._process = context.Process(
            target=_accept, args=(ports, self._count, MAIL_SECONDS), daemon=True
        )
        self._process.start()
        self.url = f"smtp://127.0.0.1:{ports.get(timeout=30)}"

    @property
    def count(self) -> int:
        return self._count.value

    def close(self) -> None:
        self._process.kill()


def _accept(ports: Any, count: "Synchronized[int]", seconds: float) -> None:
    server = MailServer()
    server.seconds = seconds
    ports.put(server.port)
    while True:
        time.sleep(0.1)
        count.value = len(server.received)


def fill(load: Asked, count: int) -> None:
    """Inserts wishers of a product, each with a mail that is due, as a price drop leaves them."""
    shop, at = load.shop, ids.timestamp(ids.wall_clock() - 60_000)
    new_id = ids.UUID7()
    for begin in range(0, count, BATCH):
        rows: dict[str, list[tuple[Any, ...]]] = {"profiles": [], "items": [], "mails": []}
        for number in range(begin, min(begin + BATCH, count)):
            gid = f"gid://shopify/Customer/w{number}"
            one = seed.profile(shop.store, gid, [PRODUCT])
            [profile], [item] = one["profiles"], one["items"]
            email = f"w{number}@shop.example", "confirmed", "shop", 1
            rows["profiles"].append((*profile, *email))
            rows["items"].append(item)
            mail = profile[0], new_id(), shop.store, "notices", "waiting", at, at, f"d{item[1]}"
            rows["mails"].append(mail)
        seed.insert(shop.database, rows, analyze=begin + BATCH >= count, columns=COLUMNS)


def read_metric(load: Asked, name: str) -> float:
    with load.shop.client(load.shop.admin) as client:
        text = client.get(f"{load.shop.url}/metrics").text
    values = re.findall(rf"^wishwell_{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE)
    return max(map(float, values), default=0)


def put(load: Asked, amount: str) -> None:
    price = {"amount": amount, "currency": "EUR"}
    body = {"title": "A lamp", "price": price}
    Raw(load.shop.url, load.shop.admin).ask("PUT", f"/products/{PRODUCT}", body)


def measure(load: Asked, count: int) -> None:
    shop, relay = load.shop, Relay()
    options = (
        "--mail",
        "on",
        "--mail-from",
        "shop@sender.example",
        "--host",
        "https://shop.example",
    )
    shop.settings["WISHWELL_SMTP_URL"] = relay.url
    shop.quick("store", "update", STORE, *options, "--mail-limit", "1000000", "--yes")
    mail = "store", "mail"
    shop.quick(*mail, "pause", STORE)
    began = time.monotonic()
    fill(load, count)
    say(f"{shop.engine:10} {count:,} wishers with mails, in {time.monotonic() - began:,.0f} s")
    shop.serve()
    put(load, "80")
    requests = [request("GET", f"{PREFIX}/items", bearer(owner.token)) for owner in load.owners]
    next(load.p99s(requests))  # the first one warms up
    alone = list(load.p99s(requests))
    shop.quick(*mail, "resume", STORE)
    wait_until(lambda: relay.count > 0, seconds=60)
    sent, began = relay.count, time.monotonic()
    beside = list(load.p99s(requests))
    speed = (relay.count - sent) / (time.monotonic() - began)
    say(f"{shop.engine:10} sending, {compared(alone, beside)}; {speed:,.1f} mails a second")
    time.sleep(QUIET_SECONDS)  # until the metrics are measured again
    waiting, age = read_metric(load, "mails_waiting"), read_metric(load, "mails_oldest_seconds")
    say(f"{shop.engine:10} by the metrics, {waiting:,.0f} mails wait, the oldest for {age:,.0f} s")
    shop.quick(*mail, "pause", STORE)
    began = last = time.monotonic()
    sent = relay.count
    while time.monotonic() < last + QUIET_SECONDS:
        if relay.count != sent:
            sent, last = relay.count, time.monotonic()
        time.sleep(0.05)
    stored = shop.number("SELECT count(*) FROM mails WHERE state = 'sent'")
    say(f"{shop.engine:10} the last mail came {last - began:.1f} s after the pause")
    say(f"{shop.engine:10} {sent:,} mails came, {stored:,.0f} are stored as sent")
    put(load, "60")
    began = time.monotonic()
    joining = list(load.p99s(requests))
    speed = shop.number("SELECT count(*) FROM events") / (time.monotonic() - began)
    say(f"{shop.engine:10} collecting, {compared(alone, joining)}; {speed:,.0f} notices a second")
    shop.stop()
    relay.close()


if __name__ == "__main__":
    run(lambda: main("mailing", __doc__, "count", measure))
