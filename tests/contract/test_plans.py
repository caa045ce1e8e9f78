"""No statement reads or sorts more rows because the store or the profile is larger."""

import re
from collections.abc import Iterator
from itertools import product as combinations

import msgspec
import pytest

from tests.contract.large_store import (
    NIL,
    STORE,
    LargePostgres,
    LargeSqlite,
    id_of,
    owner,
    time_of,
)
from tests.contract.test_statements import queries, queries_of_store
from wishwell.db import pages, statements
from wishwell.reports import tally

COUNT = 6000
LARGE = 100_000
MAX_ROWS = 1000
"""Rows that a statement may read: some batches of 100."""
MAX_LOOKUP = 50
"""Rows that a lookup of three records may read."""
AT = 4500
"""A record of a profile with one item."""
LATER, EARLIER = "2100-01-01T00:00:00.000Z", time_of(50)


def same(names: str, value: object) -> dict[str, object]:
    return dict.fromkeys(names.split(), value)


PARAMS = {
    "store": STORE,
    **same("profile profile_id session holder owner", owner(AT)),
    **same("customer reader", id_of("nobody", 1)),
    **same("item item_id id share", id_of("items", AT)),
    **same("ids items", [id_of("items", AT + n) for n in range(3)]),
    "list": id_of("lists", AT),
    "lists": [id_of("lists", AT)],
    "webhook": id_of("webhooks", 0),
    **same("profiles owners holders", [owner(AT + n) for n in range(3)]),
    **same("hash after position merged merged_id", NIL),
    "hashes": [id_of("orders", n) for n in range(3)],
    "numbers": [4001, 4002],
    **same("product product_id", "p0"),
    "products": ["p0", "p7", f"p{AT + 1}"],
    "variants": ["", "", ""],
    **same("tags types titles", ["gift"]),
    "dropped": ["p0", "p7"],
    **same("only details", ""),
    "words": ["null", "undefined"],
    "emails": ["buyer10@example.com"],
    "kinds": ["confirmation", "notices"],
    "address": "hash10",
    "client": "client10",
    "kind": "notices",
    **same("now ahead updated_at touched_at", LATER),
    **same("since since_for_cookies", LATER),
    **same("before before_for_cookies gone_before empty_before mailed_before", EARLIER),
    "after_time": "",
    "limit": 100,
    "most": 4000,
    "title": "",
    **same("by sort", "product"),
    "forever": tally.FOREVER,
    "customers": "true",
}
_OF_LIST = {"id": id_of("lists", AT), "lists": 1}
_OF_EVENTS = {"after": 50_000, "until": 60_000}
OTHERS: dict[str, dict[str, object]] = {
    **same("list_create item_save item_save_shown", {"id": id_of("new", 1)}),
    **same("list_find list_with_items list_change list_resize", _OF_LIST),
    **same(
        "list_touch list_order list_mark_shared list_leave_items",
        {"id": id_of("lists", AT)},
    ),
    **same(
        "events_after events_of_profile_after events_old event_positions person_events", _OF_EVENTS
    ),
    "events_remove": {"first": 100, "last": 200},
    "clocks_forget": {"after": 1},
    "webhook_set": {"position": 1},
    "deliveries_remove": {"before": id_of("deliveries", 50)},
    "profile_count": {"items": 1, "lists": 1},
    "count_dates": {"after": id_of("profiles", 99), "to": id_of("profiles", 149)},
    **same("count_products", {"after": "p100", "end": "p200"}),
    "count_rows_of": {"first": 100},
    **same("report_days report_wishes", {"before": 100, "now": 200}),
    "report_products": {"earlier": 1, "before": 100, "now": 200, "offset": 0},
    **same("entries_around entry_place", {"after": 500, "position": 3}),
}
"""Arguments that a statement has instead."""

GROWING = {
    "counts_gone": "once per count: products without wishes are rare",
    **same(
        "erase_mail_tokens erase_suppressions erase_confirmations", "once, when a store is deleted"
    ),
    **same("mails_cancel mails_remove", "SQLite searches by profile alone"),
    "mails_count": "for `wishwell store mail show`",
    "mails_by_minute": "for the page of mails in /admin, a long read",
    "mails_sent_count": "counts the mails of a day, at most the daily limit",
    "repair_sessions": "once an hour, a hundred rows at a time",
    "erase_erased": "once, when a store is deleted",
    "erase_erasures": "once, when a store is deleted",
    "erase_requests": "once, when a store is deleted",
    "erase_wish_counts": "when a store is deleted; SQLite searches by `until` alone",
    "erase_events_unpositioned": "SQLite searches by profile alone",
    "erase_events_positioned": "SQLite searches by profile alone",
    "removed_forget": "SQLite searches by profile alone",
    "events_after": "searches the feed to its end if no event has one of the types",
    "report_products": "a report on the whole store",
    "repair_requests": "once an hour; a store has few requests of its platform",
    "customers_count": "once, when a store's platform is changed",
    "contacts_reachable": "once, when mails are turned on",
    "customers_like_placeholders": "the doctor looks at all customers",
    "import_email_ids": "once per import of another app's wishes",
    "products_wishes": "counts all wishes of a file's products with a large drop",
    "page of products by title": "searches the titles",
    "page of items by list": "sorts the list's items",
    "page of items_shown by list": "sorts the list's items",
    "page of items by product tag": "searches the products' wishes for a rare tag",
    "page of items_shown by product tag": "searches the products' wishes for a rare tag",
}
"""Statements that read more rows in a larger store, with the reason."""

TERMS: dict[str, list[object]] = {
    "product": [["p0"], ["p7", f"p{AT + 1}"], ["p0", "p7"]],
    "variant": [["v1"], ["v1", "v3"]],
    "tag": [["gift"], ["tag7"], ["gift", "tag7"]],
    "list": [[id_of("lists", AT)], [id_of("lists", 0)]],
    "title": [["[bB]lue"]],
    **same("webhook webhook_failed", [id_of("webhooks", 0)]),
}
"""Values of search terms: of many records, and of few."""
Question = tuple[str, statements.Step, dict[str, object]]


def questions(engine) -> Iterator[Question]:
    """Yields each statement that reads rows, with its name and arguments."""
    for name, statement in statements.load(engine).items():
        params = PARAMS | OTHERS.get(name, {})
        for step in statement.steps:
            if re.search(r"\b(FROM|WHERE)\b", step.sql) and name != "coordinator_time":
                yield name, step, {key: params.get(key, 1) for key in step.param_names}
        if statement.batch:
            row = {key: params.get(key, 1) for key in statement.step.param_names}
            named = params | {"rows": msgspec.json.encode([row]).decode()}
            yield f"{name} of rows", statement.batch, named


def page_questions(engine, count) -> Iterator[Question]:
    """Yields the same for pages, of common and rare values."""
    for query, (_, edge, limit, *_) in (*queries(), *queries_of_store()):
        name = " ".join((f"page of {query.noun}", *(query.terms and ("by", *query.terms))))
        table = "items" if query.noun.startswith("items") else query.noun
        step = statements.Step(pages.sql(engine, query), ("owner", "cursor", "limit", *"abc"))
        named = {"owner": STORE if query.whole_store else owner(AT), "limit": limit}
        named["cursor"] = edge and id_of(table, count // 2)
        for values in combinations(*(TERMS[term] for term in query.terms)):
            used = step.param_names[: 3 + len(values)]
            yield (
                name,
                step._replace(param_names=used),
                named | dict(zip("abc", values, strict=False)),
            )


def test_array_parameters_of_statements_have_sample_values():
    """Each array parameter has a sample value, so that a missing one fails in this quick test
    already."""
    for name, step, params in questions("postgresql"):
        for number in set(re.findall(r"\$(\d+)::text\[\]", step.sql)):
            argument = step.param_names[int(number) - 1]
            assert isinstance(params[argument], list), (name, argument)


@pytest.fixture(scope="module")
def new_store(engine, tmp_path_factory, request):
    """A factory for databases with a store of so many rows."""
    made: list = []

    def make(count):
        path = str(tmp_path_factory.mktemp("large") / "wishwell.db")
        if engine == "sqlite":
            made.append(LargeSqlite(path))
        else:
            made.append(LargePostgres(request.getfixturevalue("postgres_server"), path))
        made[-1].fill(count)
        return made[-1]

    yield make
    for store in made:
        store.close()


def growing(store, asked, most) -> dict[str, str]:
    """Returns the plans of statements that read more rows than ``most``, by name."""
    plans = {}
    for name, step, named in asked:
        for mode in store.modes:
            read, plan = store.work(step, named, mode)
            if read > most:
                plans[name] = f"{name} {mode}: {read} rows\n{step.sql}\n{plan}"
    return plans


def lookups(engine) -> list[Question]:
    """Returns the lookups of some records of a profile, as questions about the largest one."""
    keys = {key for key, value in PARAMS.items() if value == owner(AT)}
    few = {"ids": "items", "items": "items", "lists": "lists"}
    asked = []
    for name, step, named in questions(engine):
        if name.endswith(" of rows") or name in LOOKUPS:
            named = {key: owner(0) if key in keys else value for key, value in named.items()}
            if "id" in named:
                named["id"] = id_of("items", 1500)
            named |= {
                key: [id_of(table, 1500 + n) for n in range(3)]
                for key, table in few.items()
                if key in named
            }
            asked.append((name, step, named))
    return asked


LOOKUPS = {
    name
    for name, statement in statements.load("postgresql").items()
    if re.search(r"AS k0 .* OFFSET 0", statement.steps[0].sql) and name not in GROWING
} | {"item_find", "item_change", "item_set_notice_times", "entries_around"}


def test_lookup_costs_the_same_in_a_large_profile(new_store, engine):
    """Looking up three records reads a few rows, of a profile with 4,000 items as of one with
    one, with and without statistics. So does a page of an admin token's search.
    Rule: lookup-cost."""
    store = new_store(COUNT)
    assert {"entries_named", "entries_remove", "items_delete", "items_known"} <= LOOKUPS
    asked = lookups(engine)
    assert len(asked) > 20
    searches = [
        question
        for question in page_questions(engine, COUNT)
        if " by " in question[0] and question[2]["owner"] == STORE and question[0] not in GROWING
    ]
    for _ in range(2):
        slow = growing(store, asked, MAX_LOOKUP) | growing(store, searches, MAX_ROWS)
        assert not slow, "\n\n".join(slow.values())
        store.analyze()


@pytest.mark.slow
def test_no_statement_reads_the_whole_store(new_store, engine):
    """In a store of 100,000 records no statement reads or sorts more than 1,000 of them, unless
    GROWING has its reason; on SQLite also without statistics. Rule: lookup-cost."""
    store = new_store(LARGE)
    asked = [*questions(engine), *page_questions(engine, LARGE)]
    slow = growing(store, asked, MAX_ROWS) if engine == "sqlite" else {}
    store.analyze()
    slow |= growing(store, asked, MAX_ROWS) | growing(store, lookups(engine), MAX_LOOKUP)
    unexpected = [plan for name, plan in slow.items() if name not in GROWING]
    assert not unexpected, "\n\n".join(unexpected)
