"""The tests that `.ci/run` repeats in another environment, each file with the reason why it can fail
there although it passes in `make test`. `make test-everything` repeats all tests.

Each table's tests have the mark of the same name in lower case.
"""

# On another version of PostgreSQL. Every statement is prepared there, so other files are listed only if
# their subject is the server's plans, locks, snapshots, collation, constraints, DDL or errors.
OTHER_DATABASE = {
    "tests/contract/test_statements.py": "syntax, types and plans of every statement",
    "tests/contract/test_migrations.py": "DDL",
    "tests/contract/test_migrating.py": "DDL's locks, concurrent indexes",
    "tests/contract/test_moving.py": "every table is exported, imported and deleted",
    "tests/contract/test_model.py": "every statement of a shopper's actions, in any sequence",
    "tests/contract/test_sharing.py": "every statement of shares",
    "tests/contract/test_waiting.py": "row locks, and the state after the wait for one",
    "tests/contract/test_restarts.py": "errors of conflicts",
    "tests/contract/test_lost_server.py": "errors of lost connections",
    "tests/contract/test_platform_versions.py": "upserts with conditions",
    "tests/contract/test_feed.py": "snapshots, and which commits are visible",
    "tests/contract/test_pages.py": "comparison of rows, order of ids",
    "tests/contract/test_sorting.py": "collation, order of NULL",
    "tests/contract/test_list_names.py": "collation, unique constraints",
    "tests/contract/test_purge.py": "deletion in batches, skipped locks",
    "tests/contract/test_deliveries.py": "leases, skipped locks",
    "tests/contract/test_reports.py": "aggregates",
    "tests/contract/test_catalogue.py": "large arrays as arguments",
    "tests/api/test_fields.py": "the running program, with every column of items and lists",
}

# On another CPython: imports, typing, asyncio, ssl, processes and signals, and the standard library's
# parsers. Statements are the same, so most of these run on SQLite; see BOTH_ENGINES.
OTHER_PYTHON = {
    "tests/lint/test_openapi.py": "the description is made from annotations",
    "tests/http/test_bodies.py": "decoding by annotations, and the messages made from them",
    "tests/http/test_authorisation.py": "every operation of the running program",
    "tests/http/test_samples.py": "the samples are programs of this Python",
    "tests/http/test_patterns.py": "regular expressions, Unicode's tables",
    "tests/client": "asyncio, ssl and threads; code that is generated from annotations",
    "tests/contract/test_model.py": "every use case; both drivers",
    "tests/contract/test_statements.py": "SQLite's library comes with the interpreter",
    "tests/contract/test_migrations.py": "SQLite's library comes with the interpreter",
    "tests/contract/test_lost_server.py": "exceptions and cancellation in asyncpg",
    "tests/contract/test_waiting.py": "tasks that wait for each other",
    "tests/contract/test_counting_order.py": "tasks that are cancelled",
    "tests/contract/test_deliveries.py": "outbound connections",
    "tests/contract/test_formats.py": "JSON and its schemas",
    "tests/contract/test_csv.py": "the csv module, Unicode",
    "tests/contract/test_feed_readers.py": "XML's parser, codecs",
    "tests/contract/test_platform_files.py": "XML's parser, the csv module, codecs",
    "tests/contract/test_moving.py": "compressed files",
    "tests/contract/test_files.py": "sqlite3's URIs, paths as bytes",
    "tests/contract/test_reports.py": "dates, decimal",
    "tests/contract/test_tokens.py": "hmac, base64",
    "tests/api/test_framing.py": "the server's protocol",
    "tests/api/test_bad_json.py": "JSON's errors",
    "tests/api/test_cli.py": "commands and their output",
    "tests/api/test_plain_lines.py": "errors of the operating system, of paths and codecs",
    "tests/api/test_settings.py": "the program's start and end",
    "tests/api/test_webhooks.py": "background tasks of the running program",
    "tests/service/test_workers.py": "processes, signals and shared sockets",
    "tests/service/test_supervision.py": "processes, signals and pipes",
    "tests/service/test_version.py": "the metadata of installed distributions",
    "tests/storefront/test_visitor.py": "cookies",
    "tests/storefront/test_key_sets.py": "urls, ssl, cryptography",
    "tests/security/test_corpus.py": "every decoder of untrusted bytes",
    "tests/test_admission.py": "asyncio's futures",
    "tests/test_fair_queue.py": "asyncio's futures",
    "tests/test_outbound.py": "ssl, addresses, streams",
    "tests/test_outbound_hostile.py": "ssl, streams",
    "tests/test_turnstile.py": "processes and file locks",
}
BOTH_ENGINES = {"tests/contract/test_model.py", "tests/contract/test_lost_server.py"}
"""Files of OTHER_PYTHON that also run on PostgreSQL, whose driver has asyncio's streams."""

# Through a proxy: paths, queries, headers, cookies, addresses, bodies and compression. Proxies don't
# affect who is identified by which token or cookie; that is tested without one.
FORWARDED = {
    "tests/storefront/test_paths.py": "paths and queries",
    "tests/storefront/test_requests.py": "ambiguous requests, bodies, headers",
    "tests/storefront/test_answers.py": "headers of responses",
    "tests/storefront/test_compression.py": "encoded and streamed bodies",
    "tests/storefront/test_same_origin.py": "Origin, Sec-Fetch-Site",
    "tests/storefront/test_cookie.py": "Cookie, Set-Cookie",
    "tests/storefront/test_visitor.py": "Set-Cookie, every method",
    "tests/storefront/test_sign_in.py": "the shop's own header beside the cookie",
    "tests/storefront/test_limits.py": "the visitor's address",
    "tests/storefront/test_pages.py": "pages and files, their headers, redirects",
    "tests/storefront/test_shared.py": "links of shared lists",
}

# With Prism: each operation's successes, and almost all of its errors' statuses. Other files of tests/api
# get the same responses again, or send what Prism can't read. The database doesn't matter to Prism.
VALIDATED = {
    "tests/api/test_error_codes.py": "errors of all operations",
    "tests/api/test_errors.py": "the error envelope",
    "tests/api/test_rate_limits.py": "429",
    "tests/api/test_items.py": "items",
    "tests/api/test_save_many.py": "bulk saves",
    "tests/api/test_fields.py": "every field of items and lists",
    "tests/api/test_lists.py": "lists",
    "tests/api/test_list_items.py": "items on lists",
    "tests/api/test_pages_and_search.py": "pages, cursors and search",
    "tests/api/test_sharing_links.py": "shares",
    "tests/api/test_sharing_views.py": "shared lists and their copies",
    "tests/api/test_sharing_whole.py": "shares of a whole wishlist",
    "tests/api/test_sharing_reservations.py": "reservations",
    "tests/api/test_profile_token_and_linking.py": "tokens",
    "tests/api/test_person.py": "profiles and their exports",
    "tests/api/test_touched.py": "changes by an admin token",
    "tests/api/test_products.py": "products",
    "tests/api/test_orders.py": "orders",
    "tests/api/test_reports.py": "reports",
    "tests/api/test_events.py": "the feed",
    "tests/api/test_webhooks.py": "webhooks",
    "tests/api/test_requests.py": "privacy requests",
    "tests/api/test_store_shown.py": "the store and its tokens",
    "tests/api/test_store_patch.py": "changes of the store",
}

TABLES = {
    "other_database": OTHER_DATABASE,
    "other_python": OTHER_PYTHON,
    "forwarded": FORWARDED,
    "validated": VALIDATED,
}


def marks(file: str, engine: str | None) -> list[str]:
    """Returns the marks of the tests in a file, such as ``tests/api/test_items.py``, on an engine;
    ``None`` if they name no engine."""
    found = []
    for mark, table in TABLES.items():
        if mark == "other_database":
            repeated = engine != "sqlite"
        else:
            repeated = engine != "postgresql" or (mark == "other_python" and file in BOTH_ENGINES)
        if repeated and (file in table or file.rpartition("/")[0] in table):
            found.append(mark)
    return found
