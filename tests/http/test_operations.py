"""The service accepts and refuses what the description says of each operation.

The build derives tokens, parameters and statuses (tools/operations.py); here responses show whether
they are right. Requests name records that don't exist, or are refused. The clients check each
response's status, headers and code (tests/servers/documented.py).
"""

import re
from urllib.parse import urlencode

import pytest

from tests.api.conftest import envelope
from tests.conftest import ROOMY
from tests.platform import NEW, Platform

from .description import DOCUMENT, OPERATIONS, parameters_of
from .test_authorisation import OPTIONS

SOME = "0190a8b0-0000-7000-8000-000000000000"
KIB = 1024
PLATFORM = "receivePlatformWebhook"

each_operation = pytest.mark.parametrize("name", OPERATIONS)


@pytest.fixture(scope="module")
def platform(service):
    return Platform(service, NEW, options=(*ROOMY, *OPTIONS))


@pytest.fixture(scope="module")
def shop(platform):
    return platform.shop


@pytest.fixture(scope="module")
def member(shop):
    return shop.customer()


@pytest.fixture(scope="module")
def proxy(shop):
    """A client with the token of a storefront's proxy."""
    return shop.client(shop.another_admin_token("proxy", "--for", "storefront"))


@pytest.fixture
def http(name, shop, member):
    """A client whose token and profile the operation accepts."""
    named = [entry["name"] for entry in parameters_of(name)]
    return shop.acting_as(member.gid) if "Profile" in named else shop.admin


def url_of(name, **query):
    """Returns an operation's URL, with the parameters that its query requires."""
    for entry in parameters_of(name):
        if entry["in"] == "query" and entry["required"]:
            example = entry["example"]
            query[entry["name"]] = ",".join(example) if isinstance(example, list) else example
    path = OPERATIONS[name][1].replace("{productId}", "7")
    return re.sub(r"{\w+}", SOME, path) + (f"?{urlencode(query)}" if query else "")


def code_of(answer):
    return answer.json()["error"]["code"] if answer.status_code >= 400 else ""


@each_operation
def test_operation_requires_the_token_that_it_declares(shop, member, proxy, name):
    """Each operation refuses a missing token, a profile's and a proxy's, unless it declares that
    any will do, or none is needed. Rules: token-required, openapi-complete."""
    method, _, operation = OPERATIONS[name]
    security, url = operation.get("security", DOCUMENT["security"]), url_of(name)
    needs_token = security != [] and {} not in security
    answer = shop.anonymous.request(method, url)
    assert (code_of(answer) == "token_missing") == needs_token, answer.text
    needs_admin = operation.get("x-admin-token", False)
    answer = member.http.request(method, url)
    assert (code_of(answer) == "admin_token_required") == needs_admin, answer.text
    answer = proxy.request(method, url)
    assert (code_of(answer) == "token_kind_not_allowed") == (security != []), answer.text
    assert ("403" in operation["responses"]) == (security != [])


@each_operation
def test_operation_accepts_the_parameters_that_it_declares(shop, member, http, name):
    """Each operation accepts `Profile` only if it declares it, requires the parameters that it
    declares as required, and refuses others. Rules: profile-header, input-strict."""
    method, _, operation = OPERATIONS[name]
    parameters = parameters_of(name)
    in_query = sorted(entry["name"] for entry in parameters if entry["in"] == "query")
    allowed = f"allowed: {', '.join(in_query)}" if in_query else "none are allowed"
    answer = http.request(method, url_of(name, colour="red"))
    message = f"colour: isn't a query parameter of this operation; {allowed}."
    assert envelope(answer, 400) == message
    answer = shop.acting_as(member.gid).request(method, url_of(name))
    is_refused = answer.status_code == 400 and "Profile: isn't allowed" in answer.text
    has_profile = any(entry["name"] == "Profile" for entry in parameters)
    assert is_refused == (not has_profile and operation.get("security") != []), answer.text
    for entry in parameters:
        if entry["in"] == "query" and entry["required"]:
            answer = http.request(method, url_of(name).partition("?")[0])
            assert envelope(answer, 400) == f"{entry['name']}: is required."


@each_operation
def test_operation_accepts_the_body_that_it_declares(platform, http, name):
    """An operation refuses bodies that are too large or not JSON, or missing unless that is allowed;
    one without a body ignores it. Rules: input-strict, openapi-complete."""
    method, _, operation = OPERATIONS[name]
    body = operation.get("requestBody")

    def send(content, kind="application/json"):
        if name == PLATFORM:  # signed
            return platform.send("shop/redact", content, content_type=kind)
        return http.request(method, url_of(name), content=content, headers={"Content-Type": kind})

    assert (send(b"{}", "text/plain").status_code == 415) == bool(body)
    assert ("415" in operation["responses"]) == ("413" in operation["responses"]) == bool(body)
    if body:
        size = 2048 * KIB if name == PLATFORM else 256 * KIB
        assert send(b" " * (size + 1)).status_code == 413
    if body and name != PLATFORM:
        query = {"itemIds": SOME} if name == "deleteItems" else {}  # instead of the body
        answer = http.request(method, url_of(name, **query))
        assert (answer.status_code in (400, 415)) == body["required"], answer.text


@each_operation
def test_path_refuses_the_methods_that_it_does_not_declare(http, name):
    """Another method is 405, and `Allow` lists those that the path has. Rule: openapi-complete."""
    methods = DOCUMENT["paths"][OPERATIONS[name][1]].keys() - {"parameters"}
    other = next(method for method in ("patch", "put", "post") if method not in methods)
    answer = http.request(other, url_of(name))
    assert envelope(answer, 405)
    assert {*answer.headers["Allow"].lower().split(", ")} - {"head"} == methods
