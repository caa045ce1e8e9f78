"""Two months of a shop's life, for the merchant's page: wishes, lists, price drops, orders and mails.

All but the counts and the mails is a file for ``wishwell import``. A service that had run for two
months would have counted every day, so the results of these counts are written to its database.
"""

import json
import math
import random
import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo import catalogue
from demo.catalogue import Product
from wishwell import ids
from wishwell.contacts.suppressions import address_hash
from wishwell.reports.tally import FOREVER

_DAYS = 60
_CUSTOMERS, _VISITORS = 420, 300
_FIRST_CUSTOMER_ID = 2001
_EARLIER_WISHES, _WISHES_A_DAY, _REMOVED_SHARE = 1_300, 36, 0.36
_DROPS = {"blanket": (19, 89), "chair": (9, 165), "candle": (4, 24)}
"""By picture: how many days ago the price fell, and the price before."""

_LISTS = ("Birthday", "New flat", "Someday")
_ORDER_WITHIN_DAYS = 25


@dataclass(eq=False)
class _Shopper:
    gid: str
    is_customer: bool
    joined_at: int = 0
    email: str = ""
    confirmed_at: int = 0
    wishes: dict[int, "_Wish"] = field(default_factory=dict)
    """By product id."""

    @property
    def has_list(self) -> bool:
        return self.is_customer and len(self.wishes) > 5


@dataclass(eq=False)
class _Wish:
    """A saved product. ``removed_day``: the index of the day on which it was removed, if it was."""

    shopper: _Shopper
    product: Product
    day: int
    saved_at: int
    removed_day: int = _DAYS + 1
    id: str = ""
    list_id: str = ""


@dataclass(eq=False)
class _Mail:
    shopper: _Shopper
    kind: str
    sent_at: int
    wish: _Wish | None = None
    problem: str = ""


class History:
    """What happened in the shop until ``now`` (milliseconds); the same each time, but for ids.

    ``store``: as ``wishwell store list --json`` shows it.
    """

    def __init__(self, store: dict[str, Any], now: int) -> None:
        self._store, self._now = store, now
        self._store_id: str = store["id"]
        self._random = random.Random(7)  # noqa: S311  (made-up data)
        self._midnight = now - now % ids.DAY_MS
        self._shoppers = [
            *(_Shopper(f"gid://shopify/Customer/{_FIRST_CUSTOMER_ID + n}", True) for n in range(_CUSTOMERS)),
            *(_Shopper(ids.session_gid("wishwell", str(uuid.uuid4())), False) for _ in range(_VISITORS)),
        ]  # fmt: skip
        self._wishes: list[_Wish] = []
        for day in range(_DAYS + 1):
            self._live_a_day(day)
        for shopper in self._shoppers:
            shopper.joined_at = min(
                (wish.saved_at for wish in shopper.wishes.values()), default=now
            )
        self._mails = [*self._send_mails()]
        self._orders = [*self._place_orders()]

    def _live_a_day(self, day: int) -> None:
        """Adds and removes the wishes of a day. The first day has those of the weeks before it, too."""
        start = self._midnight - (_DAYS - day) * ids.DAY_MS
        week = 1 + 0.3 * math.sin(day * math.tau / 7)
        count = round(_WISHES_A_DAY * week * (0.8 + 0.5 * day / _DAYS))
        span = ids.DAY_MS
        if day == 0:
            count, start, span = _EARLIER_WISHES, start - 45 * ids.DAY_MS, 46 * ids.DAY_MS
        if day == _DAYS:
            share = (self._now - start) / ids.DAY_MS
            count, span = round(count * share), self._now - start
        products = self._random.choices(
            catalogue.PRODUCTS,
            [_popularity(n, day) for n in range(len(catalogue.PRODUCTS))],
            k=count,
        )
        for product in products:
            shopper = self._choose_shopper(day)
            if product.id not in shopper.wishes:
                wish = _Wish(shopper, product, day, start + int(self._random.random() * span))
                wish.id = ids.uuid7_at(wish.saved_at)
                shopper.wishes[product.id] = wish
                self._wishes.append(wish)
        if day:
            for wish in self._random.sample(self._wishes, round(count * _REMOVED_SHARE)):
                if wish.removed_day > _DAYS and wish.day < day:
                    wish.removed_day = day
                    del wish.shopper.wishes[wish.product.id]

    def _choose_shopper(self, day: int) -> _Shopper:
        """Returns one of the shoppers until this day, whose number grows."""
        share = self._random.random() * (0.6 + 0.4 * day / _DAYS)
        first, count = (0, _CUSTOMERS) if self._random.random() < 0.65 else (_CUSTOMERS, _VISITORS)
        return self._shoppers[first + int(share * count)]

    def _send_mails(self) -> Iterator[_Mail]:
        """Yields the confirmations of a quarter of the customers, and the mails about price drops."""
        subscribers = [s for s in self._shoppers[:_CUSTOMERS:4] if s.wishes]
        for number, shopper in enumerate(subscribers):
            asked_at = self._now - int((3 + number % 25 + self._random.random()) * ids.DAY_MS)
            shopper.email = f"shopper{number + 1}@home.example"
            shopper.confirmed_at = asked_at + 300_000
            yield _Mail(shopper, "confirmation", asked_at)
        for picture in _DROPS:
            product, dropped_at = catalogue.BY_PICTURE[picture], self._dropped_at(picture)
            for number, shopper in enumerate(subscribers):
                wish = shopper.wishes.get(product.id)
                if wish and max(wish.saved_at, shopper.confirmed_at) < dropped_at:
                    problem = "550 5.1.1 No such mailbox" if number % 29 == 8 else ""
                    yield _Mail(
                        shopper, "notices", dropped_at + 120_000 + 700 * number, wish, problem
                    )

    def _dropped_at(self, picture: str) -> int:
        """Returns when a product's price fell: in the morning of a day."""
        days, _ = _DROPS[picture]
        return self._midnight - days * ids.DAY_MS + 8 * 3_600_000

    def _price(self, product: Product, at: int) -> str:
        """Returns a product's price at a time in the past."""
        is_earlier = product.picture in _DROPS and at < self._dropped_at(product.picture)
        return f"{_DROPS[product.picture][1] if is_earlier else product.price}.00"

    def _place_orders(self) -> Iterator[dict[str, Any]]:
        """Yields the orders of customers: for every third product that a mail named, and for others."""
        mailed = [mail for mail in self._mails if mail.wish and not mail.problem][::3]
        sent_at = {mail.wish: mail.sent_at for mail in mailed}
        wishes = [w for w in self._wishes if w.removed_day > _DAYS and w.shopper.is_customer]
        others = self._random.sample(wishes, len(wishes) // 16)
        for number, wish in enumerate(dict.fromkeys([*sent_at, *others]), 1):
            assert wish is not None
            within = (4 if wish in sent_at else _ORDER_WITHIN_DAYS) * ids.DAY_MS
            placed_at = (
                sent_at.get(wish, wish.saved_at) + 3_600_000 + int(self._random.random() * within)
            )
            if self._now - _DAYS * ids.DAY_MS < placed_at < self._now:
                yield {
                    "hash": ids.order_hash(self._store_id, str(number)),
                    "updatedAt": ids.timestamp(placed_at),
                    "purchases": [
                        {"productId": wish.product.id, "quantity": 1, "day": ids.timestamp(placed_at)[:10],
                         "amount": self._price(wish.product, placed_at), "currency": "EUR",
                         "placedAt": ids.timestamp(placed_at), "profile": wish.shopper.gid}
                        | ({"mailed": True} if wish in sent_at else {})
                    ],
                }  # fmt: skip

    # ------------------------------------------------------------------------------ the file

    def lines(self) -> Iterator[str]:
        """Yields the lines of a file for ``wishwell import``."""
        yield _line("wishwell", version=1, exportedAt=ids.timestamp(self._now), store=self._store)
        unsubscribed = [s for s in self._shoppers if s.email][5::17]
        for number, shopper in enumerate(unsubscribed):
            at = self._now - (2 + 4 * number) * ids.DAY_MS
            hash = address_hash(self._store_id, shopper.email)
            yield _line(
                "suppression", address=hash, createdAt=ids.timestamp(at), reason="unsubscribed"
            )
        counts = {"profiles": 0, "lists": 0, "items": 0, "shares": 0, "reservations": 0}
        for shopper in self._shoppers:
            if shopper.wishes:
                counts["profiles"] += 1
                yield self._profile_line(shopper, shopper in unsubscribed)
                for kind, line in self._records(shopper):
                    counts[kind] += 1
                    yield line
        for order in self._orders:
            yield _line("order", **order)
        yield _line("end", **counts)

    def _profile_line(self, shopper: _Shopper, is_unsubscribed: bool) -> str:
        joined_at, confirmed_at = (
            ids.timestamp(shopper.joined_at),
            ids.timestamp(shopper.confirmed_at),
        )
        fields: dict[str, Any] = {
            "gid": shopper.gid,
            "createdAt": joined_at,
            "touchedAt": ids.timestamp(self._now),
        }
        if shopper.email:
            fields |= {
                "email": shopper.email, "emailStatus": "confirmed", "emailSource": "page",
                "emailConfirmedAt": confirmed_at, "language": "en", "notices": int(not is_unsubscribed),
                "noticesChosenAt": confirmed_at, "noticesSource": "link" if is_unsubscribed else "page",
            }  # fmt: skip
        return _line("profile", **fields)

    def _records(self, shopper: _Shopper) -> Iterator[tuple[str, str]]:
        """Yields the lines of a shopper's list, if they have one, and of their items."""
        wishes = sorted(shopper.wishes.values(), key=lambda wish: wish.saved_at)
        if shopper.has_list:
            created_at, name = wishes[2].saved_at, self._random.choice(_LISTS)
            list_id, time = ids.uuid7_at(created_at), ids.timestamp(created_at)
            yield "lists", _line("list", id=list_id, name=name, createdAt=time, updatedAt=time)
            for wish in wishes[::2]:
                wish.list_id = list_id
        for wish in wishes:
            time = ids.timestamp(wish.saved_at)
            fields: dict[str, Any] = {
                "id": wish.id, "productId": wish.product.id, "createdAt": time, "updatedAt": time,
                "savedPrice": {"amount": self._price(wish.product, wish.saved_at), "currency": "EUR"},
                # At most one notice a day: a price that is lowered in the mailbox sends no mails to these shoppers.
                "droppedAt": ids.timestamp(self._now),
            }  # fmt: skip
            if wish.list_id:
                fields["listIds"] = [wish.list_id]
            yield "items", _line("item", **fields)

    # -------------------------------------------------------------------------- the database

    def write(self, database: Path) -> None:
        """Writes one count for each day, and the mails, into the service's database."""
        connection = sqlite3.connect(database)
        with connection as db:
            self._write_counts(db)
            _insert(db, "mails", (self._mail_row(mail) for mail in self._mails))
        connection.close()

    def _write_counts(self, db: sqlite3.Connection) -> None:
        now, first_day = ids.timestamp(self._now), self._midnight - _DAYS * ids.DAY_MS
        lists = sum(shopper.has_list for shopper in self._shoppers)
        for n in range(_DAYS + 1):
            wishes = [wish for wish in self._wishes if wish.day <= n < wish.removed_day]
            added = [wish for wish in self._wishes if 0 < wish.day <= n]
            holders = {wish.shopper for wish in wishes}
            customers = sum(shopper.is_customer for shopper in holders)
            key = {"store_id": self._store_id}
            _insert(db, "wish_counts", (
                key | {"product_id": str(product.id), "variant_id": "", "since": n + 1, "until": FOREVER if n == _DAYS else n + 2}
                | _totals([w for w in wishes if w.product is product], [w for w in added if w.product is product])
                for product in catalogue.PRODUCTS
            ))  # fmt: skip
            day = ids.timestamp(first_day + n * ids.DAY_MS)[:10]
            _insert(db, "counts", [
                key | {"day": day, "number": n + 1, "began_at": now, "ended_at": now} | _totals(wishes, added)
                | {"lists": lists * (n + 1) // (_DAYS + 1), "customers_wishing": customers, "visitors_wishing": len(holders) - customers}
            ])  # fmt: skip

    def _mail_row(self, mail: _Mail) -> dict[str, Any]:
        return {
            "profile_id": ids.profile_key(self._store_id, mail.shopper.gid),
            "id": ids.uuid7_at(mail.sent_at), "store_id": self._store_id, "kind": mail.kind, "attempts": 1,
            "state": "failed" if mail.problem else "sent", "problem": mail.problem,
            "created_at": ids.timestamp(mail.sent_at - 60_000), "sent_at": ids.timestamp(mail.sent_at),
            "address": address_hash(self._store_id, mail.shopper.email),
            "items": f"d{mail.wish.id}" if mail.wish else "",
            "products": str(mail.wish.product.id) if mail.wish else "",
        }  # fmt: skip


def _popularity(position: int, day: int) -> float:
    """Returns the weight of a product on a day. Two products rise in the last three weeks."""
    return (2 + (position * 5) % 7) * (2.2 if day > 40 and position % 4 == 1 else 1)


def _totals(wishes: Sequence[_Wish], added: Sequence[_Wish]) -> dict[str, int]:
    customers = sum(wish.shopper.is_customer for wish in wishes)
    return {"customers": customers, "visitors": len(wishes) - customers, "added": len(added)}


def _line(kind: str, **fields: Any) -> str:
    return json.dumps({kind: fields})


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Inserts rows. Columns that they don't name keep their defaults."""
    for row in rows:
        names = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        # The names are those above, never input.
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", row)  # noqa: S608
