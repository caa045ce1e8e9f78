"""Handlers for reports: which products are wished for, and by which profiles."""

from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from wishwell import profiles, reports
from wishwell.errors import Invalid, NotFound
from wishwell.field_types import published
from wishwell.http import queries, responding, responses
from wishwell.http.context import Request
from wishwell.http.responses import PageInfo, Response
from wishwell.products import product_bodies
from wishwell.profiles import Profile, search
from wishwell.profiles.pages import Cursor, Page
from wishwell.reports import purchases, shoppers, spreadsheet, wishers
from wishwell.stores import Store

_SHOWN_SECONDS = 3_600

T = TypeVar("T")


class Report(msgspec.Struct, Generic[T], rename="camel", kw_only=True):
    """The body of a response with a report; of these, only that of products has pages."""

    data: T
    page_info: PageInfo | UnsetType = UNSET
    as_of: reports.AsOf
    since: reports.Since


class EarnedReport(msgspec.Struct, rename="camel"):
    """The body of a response with what wishes earn; by product it has pages."""

    data: Annotated[list[purchases.EarnedRow], published(maxItems=reports.MAX_DAYS)]
    page_info: PageInfo | UnsetType = UNSET


async def product_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    dates = request.query.get("from"), request.query.get("to")
    sort = queries.choice(request.query, "sort", reports.SORTS)
    by = queries.choice(request.query, "by", reports.BY)
    title = _title(request)
    only = queries.choice(request.query, "only", reports.ONLY) if "only" in request.query else ""
    if _wants_csv(request):
        span = await read(reports.span, store, period)
        if "limit" in request.query:
            max_rows = queries.limit(request.query["limit"])
            batches = _yield_once(
                await read(reports.products, store, span, sort, by, 0, max_rows, title, only)
            )
        else:
            batches = reports.product_batches(
                request.service.db, store, span, sort, by, title, only
            )
        return _respond_csv(
            f"wishes-{period.first}-{period.last}", reports.columns(by, sort), batches
        )
    list_name = f"report|{dates}|{sort}|{by}|{title}|{only}"
    page_request = responding.parse_page_request(request, list_name)
    offset, limit = 0, page_request.limit
    if page_request.cursor is not None:  # rule: report-period
        period, offset = _parse_cursor(page_request.cursor)
    span = await read(reports.span, store, period)
    if period.until_now:
        period = reports.Period(period.first, max(period.last, span.now.day))
    rows = await read(reports.products, store, span, sort, by, offset, limit + 1, title, only)
    return _respond(span, rows[:limit], _links(request, period, offset, limit, rows))


def _links(
    request: Request, period: reports.Period, offset: int, limit: int, rows: list[Any]
) -> Mapping[str, str]:
    """Returns the cursors of the pages around ``rows``, which begin at an offset and are up to one
    more than ``limit``."""
    next_cursor = _cursor(period, offset + limit) if len(rows) > limit else None
    page = Page(
        rows[:limit], next_cursor, _cursor(period, max(0, offset - limit)) if offset else None
    )
    return request.service.cursor_signer.links(page, request.cursor_scope)


def _cursor(period: reports.Period, offset: int) -> Cursor:
    """Returns the cursor of a row offset in a report on this period, which later pages keep.

    Reports are sorted again for each page, so their cursors have a row offset in place of an id.
    """
    first, last = (date.fromisoformat(day).toordinal() for day in (period.first, period.last))
    return Cursor(str(UUID(int=first << 96 | last << 64 | offset)), backward=False)


def _parse_cursor(cursor: Cursor) -> tuple[reports.Period, int]:
    """Returns the arguments of ``_cursor``."""
    number = UUID(cursor.id).int
    first, last = (date.fromordinal(number >> bits & 0xFFFFFFFF).isoformat() for bits in (96, 64))
    return reports.Period(first, last), number & 0xFFFFFFFFFFFFFFFF


async def summary_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    as_csv = _wants_csv(request)
    span = await read(reports.span, store, period)
    summary = reports.summary(span)
    if store.reporting.purchases:
        summary.purchases = await read(purchases.summary, store, period.first, period.last)
    if as_csv:
        columns, rows = reports.summary_table(summary)
        return _respond_csv(f"summary-{period.first}-{period.last}", columns, _yield_once(rows))
    return _respond(span, summary)


async def days_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    product = _product(request, "product", store) if "product" in request.query else ""
    as_csv = _wants_csv(request)
    span = await read(reports.span, store, period)
    days = await read(reports.days, store, span, product)
    if as_csv:
        return _respond_csv(
            f"days-{period.first}-{period.last}", reports.DAY_COLUMNS, _yield_once(days)
        )
    return _respond(span, days)


async def purchases_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    as_csv, by = _wants_csv(request), queries.choice(request.query, "by", purchases.BY)
    if by == "day":
        for name in ("limit", "page"):
            if name in request.query:
                raise Invalid(
                    f"{name}: is allowed only with by=product; by day has all days.",
                    cause="not_allowed",
                )
        rows: list[Any] = await read(purchases.days, store, reports.days_in(period))
    elif as_csv:
        max_rows = queries.limit(request.query["limit"]) if "limit" in request.query else None
        rows = await read(purchases.products, store, period.first, period.last, max_rows)
    else:
        dates = request.query.get("from"), request.query.get("to")
        page_request = responding.parse_page_request(request, f"purchases|{dates}")
        offset, limit = 0, page_request.limit
        if page_request.cursor is not None:  # rule: report-period
            period, offset = _parse_cursor(page_request.cursor)
        rows = await read(purchases.products, store, period.first, period.last, limit + 1, offset)
        links = responses.page_info(_links(request, period, offset, limit, rows))
        return responses.json(200, EarnedReport(rows[:limit], links))
    if not as_csv:
        return responses.json(200, EarnedReport(rows))
    columns, table_rows = purchases.table(by, rows)
    return _respond_csv(f"purchases-{period.first}-{period.last}", columns, _yield_once(table_rows))


async def wishers_report(request: Request) -> object:
    store, query, as_csv = request.store, request.query, _wants_csv(request)
    variant = _product(request, "variant", store) if "variant" in query else None
    product = _product(request, "product", store)
    wishers_search = wishers.search_for(product, variant)
    if as_csv and "limit" not in query:
        batches = wishers.wisher_batches(request.service.db, store, wishers_search)
        return _respond_csv(f"wishers-{product}", wishers.COLUMNS, batches)
    page_request = responding.parse_page_request(request, f"wishers|{wishers_search.values!r}")
    page_request = msgspec.structs.replace(page_request, search=wishers_search)
    page = await request.service.db.long_read(wishers.page, store, page_request)
    if as_csv:
        return _respond_csv(f"wishers-{product}", wishers.COLUMNS, _yield_once(page.records))
    return page


# rule: report-shoppers
async def shoppers_report(request: Request) -> object:
    sort = queries.choice(request.query, "sort", shoppers.SORTS)
    return await request.service.db.long_read(shoppers.find, request.store, sort)


# rule: show-wishes
async def list_wish_counts(request: Request) -> Response:
    store = request.store
    shown_ids = queries.several(request.query, "products")
    if not store.reporting.show_wishes:
        raise NotFound(
            "This store doesn't publish the number of wishes for its products.",
            "wishes_not_published",
        )
    if isinstance(request.acts_on, Profile):
        await request.service.db.read(profiles.check_open, request.acts_on)
    product_ids = [product_bodies.product_id(id, store, "products") for id in shown_ids]
    counts = await request.service.db.read(reports.rounded_wishes, store, product_ids)
    return responses.cacheable([reports.ShownCount(*count) for count in counts], _SHOWN_SECONDS)


def _period(request: Request) -> reports.Period:
    query, now = request.query, request.service.clock()
    return reports.period(request.store, query.get("from"), query.get("to"), now)


def _title(request: Request) -> str:
    """Returns the text to find in titles; '' without the parameter. Raises ``Invalid``."""
    title = request.query.get("title", "")
    if "title" in request.query and not search.TITLE.fullmatch(title):
        raise Invalid("title: must be 1 to 100 characters without control characters.")
    return title


def _product(request: Request, name: str, store: Store) -> str:
    return product_bodies.product_id(queries.required(request.query, name), store, name)


def _wants_csv(request: Request) -> bool:
    return queries.choice(request.query, "format", ("json", "csv")) == "csv"


def _respond(span: reports.Span, data: Any, links: Mapping[str, str] = {}) -> Response:
    """Returns a report with the time of its last count (rule: report-period)."""
    as_of, since = span.counted.as_of, span.counted.since
    page_info = responses.page_info(links)
    return responses.json(200, Report(data=data, page_info=page_info, as_of=as_of, since=since))


# rule: report-csv
def _respond_csv(name: str, columns: Sequence[str], batches: AsyncIterable[list[Any]]) -> Response:
    return responses.csv(spreadsheet.csv_file(columns, batches), name)


async def _yield_once(records: list[Any]) -> AsyncIterator[list[Any]]:
    yield records
