"""Checks that the error codes of responses are those that the API's description lists."""

import functools
import json
import os
import re

import httpx2

from tools import error_codes
from wishwell.http import management

from .base import PREFIX


@functools.cache
def _operations() -> dict[tuple[str, str], dict[str, list[str]]]:
    """Returns the listed codes by status, by method and a regular expression for the path."""
    return {
        (method.upper(), PREFIX + re.sub(r"{\w+}", "[^/]+", path)): node["x-error-codes"]
        for path, item in json.loads(management.description())["paths"].items()
        for method, node in item.items()
        if method != "parameters"
    }


def check(response: httpx2.Response) -> None:
    """Raises ``AssertionError`` for an error with a code that its operation doesn't list."""
    request = response.request
    if response.status_code < 400 or request.method in ("HEAD", "OPTIONS"):
        return
    error = response.json()["error"]
    if "code" not in error and os.environ.get("WISHWELL_TEST_UPGRADE_FROM"):
        return  # of an earlier release
    status, code = str(response.status_code), error["code"]
    assert code in error_codes.CODES[status], f"{status} {code}"
    # Paths of the storefront have further codes, since they identify the shopper.
    for (method, path), listed in _operations().items():
        if request.method == method and re.fullmatch(path, request.url.path):
            place = f"{method} {path}: {status} {code}"
            assert code in listed.get(status, ()) or code == "path_not_found", place
