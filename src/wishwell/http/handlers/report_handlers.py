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
from wishwell.reports import purchases, spreadsheet, wishers
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
    if _as_csv(request):
        of = await read(reports.span, store, period)
        if "limit" in request.query:
            most = queries.limit(request.query["limit"])
            parts = _one(await read(reports.products, store, of, sort, by, 0, most, title))
        else:
            parts = reports.product_batches(request.service.db, store, of, sort, by, title)
        return _csv(f"wishes-{period.first}-{period.last}", reports.columns(by, sort), parts)
    asked = responding.asked_page(request, f"report|{dates}|{sort}|{by}|{title}")
    at, limit = 0, asked.limit
    if asked.cursor is not None:  # rule: report-period
        period, at = _position(asked.cursor)
    of = await read(reports.span, store, period)
    if period.until_now:
        period = reports.Period(period.first, max(period.last, of.now.day))
    rows = await read(reports.products, store, of, sort, by, at, limit + 1, title)
    return _respond(of, rows[:limit], _links(request, period, at, limit, rows))


def _links(
    request: Request, period: reports.Period, at: int, limit: int, rows: list[Any]
) -> Mapping[str, str]:
    """Returns the cursors of the pages around ``rows``, which begin at an offset and are up to one
    more than ``limit``."""
    later = _cursor(period, at + limit) if len(rows) > limit else None
    page = Page(rows[:limit], later, _cursor(period, max(0, at - limit)) if at else None)
    return request.service.cursor_signer.links(page, request.cursor_scope)


def _cursor(period: reports.Period, offset: int) -> Cursor:
    """Returns the cursor of a row offset in a report on this period, which later pages keep.

    Reports are sorted again for each page, so their cursors have a row offset in place of an id.
    """
    first, last = (date.fromisoformat(day).toordinal() for day in (period.first, period.last))
    return Cursor(str(UUID(int=first << 96 | last << 64 | offset)), backward=False)


def _position(cursor: Cursor) -> tuple[reports.Period, int]:
    """Returns the arguments of ``_cursor``."""
    at = UUID(cursor.id).int
    first, last = (date.fromordinal(at >> bits & 0xFFFFFFFF).isoformat() for bits in (96, 64))
    return reports.Period(first, last), at & 0xFFFFFFFFFFFFFFFF


async def summary_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    of = await read(reports.span, store, period)
    summary = reports.summary(of)
    if store.reporting.purchases:
        summary.purchases = await read(purchases.summary, store, period.first, period.last)
    if _as_csv(request):
        columns, rows = reports.summary_table(summary)
        return _csv(f"summary-{period.first}-{period.last}", columns, _one(rows))
    return _respond(of, summary)


async def days_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    product = _product(request, "product", store) if "product" in request.query else ""
    of = await read(reports.span, store, period)
    days = await read(reports.days, store, of, product)
    if _as_csv(request):
        return _csv(f"days-{period.first}-{period.last}", reports.DAY_COLUMNS, _one(days))
    return _respond(of, days)


async def purchases_report(request: Request) -> Response:
    store, read, period = request.store, request.service.db.long_read, _period(request)
    as_csv, by = _as_csv(request), queries.choice(request.query, "by", purchases.BY)
    if by == "day":
        for name in ("limit", "page"):
            if name in request.query:
                raise Invalid(f"{name}: is allowed only with by=product; by day has all days.")
        every: list[Any] = await read(purchases.days, store, reports.days_in(period))
    elif as_csv:
        most = queries.limit(request.query["limit"]) if "limit" in request.query else None
        every = await read(purchases.products, store, period.first, period.last, most)
    else:
        dates = request.query.get("from"), request.query.get("to")
        asked = responding.asked_page(request, f"purchases|{dates}")
        at, limit = 0, asked.limit
        if asked.cursor is not None:  # rule: report-period
            period, at = _position(asked.cursor)
        every = await read(purchases.products, store, period.first, period.last, limit + 1, at)
        links = responses.page_info(_links(request, period, at, limit, every))
        return responses.json(200, EarnedReport(every[:limit], links))
    if not as_csv:
        return responses.json(200, EarnedReport(every))
    columns, rows = purchases.table(by, every)
    return _csv(f"purchases-{period.first}-{period.last}", columns, _one(rows))


async def wishers_report(request: Request) -> object:
    store, given = request.store, request.query
    product = _product(request, "product", store)
    chosen = wishers.search_for(
        product, _product(request, "variant", store) if "variant" in given else None
    )
    if _as_csv(request) and "limit" not in given:
        parts = wishers.wisher_batches(request.service.db, store, chosen)
        return _csv(f"wishers-{product}", wishers.COLUMNS, parts)
    asked = responding.asked_page(request, f"wishers|{chosen.values!r}")
    asked = msgspec.structs.replace(asked, search=chosen)
    page = await request.service.db.long_read(wishers.page, store, asked)
    if _as_csv(request):
        return _csv(f"wishers-{product}", wishers.COLUMNS, _one(page.records))
    return page


# rule: show-wishes
async def list_wish_counts(request: Request) -> Response:
    store = request.store
    given = queries.several(request.query, "products")
    if not store.reporting.show_wishes:
        raise NotFound(
            "This store doesn't publish the number of wishes for its products.",
            "wishes_not_published",
        )
    if isinstance(request.acts_on, Profile):
        await request.service.db.read(profiles.check_open, request.acts_on)
    asked = [product_bodies.product_id(id, store, "products") for id in given]
    reached = await request.service.db.read(reports.rounded_wishes, store, asked)
    return responses.kept([reports.ShownCount(*each) for each in reached], _SHOWN_SECONDS)


def _period(request: Request) -> reports.Period:
    given, now = request.query, request.service.clock()
    return reports.period(request.store, given.get("from"), given.get("to"), now)


def _title(request: Request) -> str:
    """Returns the text to find in titles; '' without the parameter. Raises ``Invalid``."""
    title = request.query.get("title", "")
    if "title" in request.query and not search.TITLE.fullmatch(title):
        raise Invalid("title: must be 1 to 100 characters without control characters.")
    return title


def _product(request: Request, name: str, store: Store) -> str:
    return product_bodies.product_id(queries.required(request.query, name), store, name)


def _as_csv(request: Request) -> bool:
    return queries.choice(request.query, "format", ("json", "csv")) == "csv"


def _respond(of: reports.Span, data: Any, links: Mapping[str, str] = {}) -> Response:
    """Returns a report with the time of its last count (rule: report-period)."""
    as_of, since = of.counted.as_of, of.counted.since
    page_info = responses.page_info(links)
    return responses.json(200, Report(data=data, page_info=page_info, as_of=as_of, since=since))


# rule: report-csv
def _csv(name: str, columns: Sequence[str], parts: AsyncIterable[list[Any]]) -> Response:
    return responses.csv(spreadsheet.csv_file(columns, parts), name)


async def _one(records: list[Any]) -> AsyncIterator[list[Any]]:
    yield records
