"""Names all bad headers and query parameters of a refused request (rule: error-envelope).

Only requests that are refused before their body was decoded cost this.
"""

import copy
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NoReturn, cast

from wishwell import errors, profiles
from wishwell.db import Database
from wishwell.errors import BadField, Invalid, RequestError
from wishwell.http import field_codes, queries, responding, routes
from wishwell.http.context import Request
from wishwell.http.responding import Handler
from wishwell.http.routes import Route
from wishwell.profiles import WholeStore

SINGLE_HEADERS = (b"authorization", b"profile", b"content-type", b"content-length", b"origin")


async def name_all(request: Request, error: RequestError, route: Route) -> None:
    """Adds all bad headers and query parameters to an error, unless the body was decoded."""
    if type(error) is not Invalid or request.decoding is not None or error.details:
        return
    fields_by_name: dict[str, BadField] = {}

    def add(other: Invalid) -> bool:
        """Returns whether the error names a field that wasn't named before."""
        count = len(fields_by_name)
        for field in field_codes.of_error(other):
            fields_by_name.setdefault(field.field, field)
        return len(fields_by_name) > count

    for other in (error, *_in_headers(request, of_store=route.of_store)):
        add(other)
    allowed_names = routes.query_names(route, request.method)
    pairs = [*filter(None, request.query_string.split(b"&"))]
    for other in queries.find_errors(pairs, allowed_names):
        add(other)
    if request.reads and (request.caller or request.visit) is not None:
        trial = copy.copy(request)
        trial.service = dataclasses.replace(request.service, db=cast(Database, _NoDatabase()))
        if trial.acts_on is None:  # the header Profile is bad
            store = request.store
            trial.acts_on = WholeStore(store) if route.of_store else profiles.of_nobody(store)
        values = queries.readable(pairs, allowed_names)
        handler = routes.handler(route, request.method)
        async for other in _of_handler(trial, handler, values, fields_by_name):
            if not add(other):
                break
    error.details = [*islice(fields_by_name.values(), errors.MAX_BAD_FIELDS)]


def _in_headers(request: Request, *, of_store: bool) -> Iterator[Invalid]:
    """Yields the errors of all headers."""
    checks: list[Callable[[], object]] = [
        *(partial(request.check_once, name) for name in SINGLE_HEADERS),
        *(partial(responding.check_precondition, request, n) for n in responding.PRECONDITIONS),
    ]
    gid = request.header(b"profile")
    if gid is not None and request.caller is not None and not of_store:
        checks.append(partial(request.profile_of, gid, "Profile"))
    yield from queries.errors_of(checks)


async def _of_handler(
    trial: Request, handler: Handler, values: dict[str, str], fields_by_name: dict[str, BadField]
) -> AsyncIterator[Invalid]:
    """Yields the errors of parameters whose rules only the handler of a read has: runs it without
    the parameters found so far, up to its first use of the database."""
    while True:
        # A cursor can be judged only once all other parameters are right.
        names = values.keys() - fields_by_name.keys() - {"page"}
        trial.query = {name: values[name] for name in names}
        try:
            await handler(trial)
        except Invalid as error:
            yield error
        except (_Reached, RequestError):
            return
        else:
            return


class _Reached(Exception):
    """The handler uses the database, so all parameters that it parses before are right."""


class _NoDatabase:
    def __getattr__(self, name: str) -> Callable[..., Any]:
        return _refuse


async def _refuse(*_: object, **__: object) -> NoReturn:
    raise _Reached
