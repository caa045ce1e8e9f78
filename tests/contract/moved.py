"""Exports, imports and deletes stores, and fills a store with a record of every kind."""

from typing import Any

from tests.contract.desk import SEALING
from wishwell import config, ids, opaque, products, stores
from wishwell.access import auth
from wishwell.cli import data_commands
from wishwell.contacts import addresses, queue, store_mails, suppressions, tokens
from wishwell.db import run_statement
from wishwell.errors import Invalid
from wishwell.events import webhooks
from wishwell.events.webhooks import NewWebhook
from wishwell.ids import NO_UUID
from wishwell.privacy import store_deletion
from wishwell.products.money import Money
from wishwell.stores import store_secrets
from wishwell.transfer import exporting, file_records, importing
from wishwell.transfer.import_file import ImportFile
from wishwell.wishlists import item_changes, items, lists, orders

SETTINGS = config.load({})
OF_STORE = {"limits": {"items": 77}, "reporting": {"time_zone": "Europe/Paris", "purchases": True}}
NOW = "2026-01-01T00:00:00.000Z"
AT = ids.from_timestamp(NOW)


def export(bench, store, between=None):
    """Returns a store's export; awaits ``between`` after the first line was read."""

    async def read():
        found = b""
        end = file_records.EndRecord(0, 0, 0)
        async for piece in exporting.export_lines(bench.db, store.handle, NOW, end):
            found += piece
            if between is not None and found.count(b"\n") == 1:
                await between()
        return found

    return bench.run(read()).decode()


def exported(bench, store, folder):
    """Writes a store's export to a file; returns its path."""
    path = folder / "store.jsonl"
    path.write_text(export(bench, store))
    return path


def profiles_of(bench, store):
    return bench.all("store_profiles", store=store.id, after=NO_UUID, limit=99)


def checked(file):
    for _ in file.check():
        pass
    return file


def load(bench, path, handle, *, dry=False, steps=None):
    """Imports a file as `wishwell import` does; only ``steps`` steps if given. Raises ``Invalid``
    or ``Misconfigured``."""
    file = ImportFile(str(path), bench.clock())
    checked(file)
    if file.spool.errors:
        raise Invalid(file.spool.errors[0])

    async def add():
        how = await bench.db.read(importing.plan, file, handle)
        data_commands.check_outbound(SETTINGS, file)
        importing.check_secrets(SEALING, file)
        await importing.check_tokens(bench.db, file)
        made = importing.take_store, SEALING, file, handle, bench.clock.tick()
        store = await bench.db.write(*made)
        counts = importing.Counts()
        work: Any = importing.load(bench.db, file, store, dry=dry, mode=how)
        number = 0
        async for counts in work:  # noqa: B007
            number += 1
            if number == steps:
                break
        await work.aclose()
        return counts, store

    return bench.run(add())


def delete(bench, store):
    doomed = bench.write(store_deletion.begin, store.handle, NOW)
    return bench.drain(store_deletion.remove_store(bench.db, doomed))


def wish(bench, profile, *products, **fields):
    """Saves items; returns the profile."""
    for product in products:
        bench.save(profile, product, **fields)
    return profile


def items_by_product(bench, profile):
    """Returns a profile's items by product id."""
    rows = bench.all("items_all", profile=profile.id)
    return {int(item.product_id): item for item in map(items.from_row, rows)}


def new_hook(bench, store_id):
    """Inserts a webhook that is due; returns its id."""
    id = bench.new_id()
    hook = "store_id id enabled position missed created_at updated_at due_at types url sealed"
    row = (store_id, id, 1, 0, 0, NOW, NOW, NOW, "", "https://shop.example/", "x")
    bench.insert("webhooks", hook, [row])
    return id


class FilledStore:
    """A store with a record of every kind."""

    def __init__(self, bench, handle):
        self.bench, now = bench, bench.clock.tick
        hosts = (f"https://{handle}.example",)
        self.store = bench.new_store(handle, events=True, hosts=hosts, **OF_STORE)
        hidden = store_secrets.SecretsPatch()
        bench.write(store_secrets.change, SEALING, self.store, hidden, bench.clock)
        self.token, self.hash = bench.new_id(), opaque.hashed(fresh := auth.new_admin_token())
        bench.write(auth.create_admin_token, self.store, fresh, "a token", self.token, now(), None)
        new = NewWebhook("https://hooks.example/", ["item.created"], include=["product"])
        bench.write(webhooks.create, SEALING, self.store, new, bench.new_id(), now())
        for price, stock in (("100 EUR", False), ("50 EUR", True)):
            said = products.ProductData(
                "A title", "https://shop.example/1", price=Money(*price.split())
            )
            variants = (products.Variant("7", price=Money("9.50", "EUR"), available=stock),)
            given = products.NewProduct("1", said, variants)
            bench.write(products.put, self.store, [given], [bench.new_id()], now())
        self.people()

    @property
    def profiles(self):
        return self.owner, self.friend, self.session

    def people(self):
        bench, now = self.bench, self.bench.clock.tick
        self.owner, self.friend = (bench.new_customer(self.store) for _ in range(2))
        on = bench.new_list(self.owner, "Birthday")
        wish(bench, self.owner, 1, 2, list_ids=(on.id,), tags=("a", "b"), quantity=3, note="n\nm")
        saved = [row[0] for row in bench.all("items_all", profile=self.owner.id)]
        bench.write(lists.order, self.owner, on.id, saved, now())
        bench.write(addresses.remember, self.owner, "a@shop.example", now())
        self.link = bench.share(self.owner, on.id)
        visitor, self.session = (bench.new_session(self.store) for _ in range(2))
        wish(bench, visitor, 3)
        for who in (self.friend, visitor):
            bench.reserve(self.link.token, saved[0], who)
        bench.link(visitor, self.friend)
        wish(bench, self.session, 5)
        self.buy(self.friend, 3)
        self.mails()
        gone = bench.save(self.owner, 4)
        bench.write(item_changes.delete, self.owner, gone.id, now())
        for jti in ("", bench.new_id()):
            bench.write(auth.revoke_profile, self.owner, bench.clock(), jti)

    def mails(self):
        """Fills the tables of mails."""
        bench, at = self.bench, self.bench.clock.tick()
        bench.write(queue.add_confirmation, self.friend, bench.new_id(), at)
        params = {"store": self.store.id, "id": bench.new_id(), "now": at}
        bench.write(run_statement, "confirmation_add", **params, address="a", client="b")
        hash = suppressions.address_hash(self.store.id, "gone@shop.example")
        bench.write(suppressions.add, self.store, hash, "unsubscribed", at)
        bench.write(tokens.create, self.store, self.friend.id, "unsubscribe", hash, at)
        bench.write(store_mails.resume, self.store, at)

    def buy(self, buyer, product):
        """Sends an order of one unit."""
        placed, version = self.bench.clock.tick(), self.bench.clock.tick()
        line = orders.Line(str(product), "", 1, "9.50", "EUR")
        order = orders.Order(f"{buyer.gid} {product}", buyer, placed, version, [line])
        self.bench.write(orders.apply, self.store, order, version)

    def seen(self):
        """Returns everything of this store that an import of another store could wrongly change."""
        rows = self.bench.select("SELECT profile_id, jti, revoked_at FROM revocations")
        written = export(self.bench, self.bench.read(stores.by_handle, self.store.handle))
        return written, sorted(row for row in rows if row[0] == self.owner.id)
