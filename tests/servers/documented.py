"""Checks that the API's description lists each response: its status, headers and error code."""

import functools
import json
import os
import re
from typing import Any

import httpx2

from tools import error_codes
from wishwell.http import management

from .base import PREFIX

DOCUMENT = json.loads(management.description())


@functools.cache
def _operations(method: str) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Returns the operations with a method, each with a regular expression for its path. Literal
    segments come before parameters, as in the routes."""
    return [
        (re.compile(PREFIX + re.sub(r"{\w+}", "[^/]+", path)), item[method.lower()])
        for path, item in sorted(DOCUMENT["paths"].items(), key=lambda each: each[0].count("{"))
        if method.lower() in item
    ]


def _headers(operation: dict[str, Any], status: str) -> set[str]:
    """Returns the names of a response's headers in lower case."""
    response = operation["responses"][status]
    if "$ref" in response:
        response = DOCUMENT["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return {name.lower() for name in response["headers"]}


def check(response: httpx2.Response) -> None:
    """Raises ``AssertionError`` for a response that its operation doesn't list.

    Errors of the storefront have further codes, because it identifies the shopper.
    """
    request, status, code = response.request, str(response.status_code), ""
    if request.method in ("HEAD", "OPTIONS"):
        return
    if response.status_code >= 400:
        error = response.json()["error"]
        if "code" not in error and os.environ.get("WISHWELL_TEST_UPGRADE_FROM"):
            return  # of an earlier release
        code = error["code"]
        assert code in error_codes.CODES[status], f"{status} {code}"
    for path, operation in _operations(request.method):
        if path.fullmatch(request.url.path) and code != "path_not_found":
            place = f"{request.method} {path.pattern}: {status} {code}"
            assert status in operation["responses"], place
            assert not code or code in operation["x-error-codes"][status], place
            listed, names = _headers(operation, status), {*response.headers}
            assert listed <= names, f"{place} lacks {listed - names}"
            assert ("location" in listed) == ("location" in names), place
            return
