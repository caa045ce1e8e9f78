"""The description of the API in itself, and the page to browse it; what the service does is held
to it elsewhere."""

import hashlib
import re
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import jsonschema_rs  # schemathesis brings it
import pytest
import yaml

ROOM = resources.files("wishwell.http")
PAGE = ROOM.joinpath("docs_page")
VENDORED = {
    "LICENSE",
    "NOTICE",
    "swagger-ui-bundle.js",
    "swagger-ui-bundle.js.LICENSE.txt",
    "swagger-ui.css",
}
OUR_PAGE = {"index.html", "start.js", "README.txt", "SHA256SUMS"}


class Strict(yaml.CSafeLoader):
    """PyYAML keeps the last of two equal keys without a word; this loader refuses them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {twice}", node.start_mark)
        return super().construct_mapping(node, deep)


DOCUMENT: dict[str, Any] = yaml.load(ROOM.joinpath("openapi.yaml").read_text("utf-8"), Strict)


def follow(value: dict[str, Any]) -> dict[str, Any]:
    """What a reference names, or the value itself."""
    while "$ref" in value:
        place: Any = DOCUMENT
        for part in value["$ref"].removeprefix("#/").split("/"):
            place = place[part.replace("~1", "/").replace("~0", "~")]
        value = place
    return value


METHODS = ("get", "head", "post", "put", "patch", "delete")
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method in METHODS
}
each_operation = pytest.mark.parametrize("name", OPERATIONS)

# The operations of docs/contract.md, and the document itself.
EXPECTED = {
    "listItems": ("get", "/items"),
    "createItem": ("post", "/items"),
    "saveItems": ("put", "/items"),
    "deleteItems": ("delete", "/items"),
    "getItem": ("get", "/items/{itemId}"),
    "updateItem": ("patch", "/items/{itemId}"),
    "deleteItem": ("delete", "/items/{itemId}"),
    "setItemLists": ("put", "/items/{itemId}/lists"),
    "listLists": ("get", "/lists"),
    "createList": ("post", "/lists"),
    "getList": ("get", "/lists/{listId}"),
    "updateList": ("patch", "/lists/{listId}"),
    "deleteList": ("delete", "/lists/{listId}"),
    "orderListItems": ("put", "/lists/{listId}/items/order"),
    "putListItem": ("put", "/lists/{listId}/items/{itemId}"),
    "removeListItem": ("delete", "/lists/{listId}/items/{itemId}"),
    "listShares": ("get", "/lists/{listId}/shares"),
    "createShare": ("post", "/lists/{listId}/shares"),
    "updateShare": ("patch", "/lists/{listId}/shares/{shareId}"),
    "deleteShare": ("delete", "/lists/{listId}/shares/{shareId}"),
    "getSharedList": ("get", "/shared/{token}"),
    "copySharedList": ("post", "/shared/{token}/copies"),
    "reserveSharedItem": ("put", "/shared/{token}/items/{itemId}/reservation"),
    "deleteReservation": ("delete", "/shared/{token}/items/{itemId}/reservation"),
    "listProducts": ("get", "/products"),
    "putProducts": ("put", "/products"),
    "getProduct": ("get", "/products/{productId}"),
    "putProduct": ("put", "/products/{productId}"),
    "deleteProduct": ("delete", "/products/{productId}"),
    "identifyProfile": ("post", "/profiles/identify"),
    "createProfileToken": ("post", "/profiles/token"),
    "listEvents": ("get", "/events"),
    "listWebhooks": ("get", "/webhooks"),
    "createWebhook": ("post", "/webhooks"),
    "getWebhook": ("get", "/webhooks/{webhookId}"),
    "updateWebhook": ("patch", "/webhooks/{webhookId}"),
    "deleteWebhook": ("delete", "/webhooks/{webhookId}"),
    "renewWebhookSecret": ("post", "/webhooks/{webhookId}/secret"),
    "testWebhook": ("post", "/webhooks/{webhookId}/test"),
    "replayWebhook": ("post", "/webhooks/{webhookId}/replays"),
    "listDeliveries": ("get", "/webhooks/{webhookId}/deliveries"),
    "retryDelivery": ("post", "/webhooks/{webhookId}/deliveries/{deliveryId}/retry"),
    "getOpenapi": ("get", "/.well-known/openapi"),
}
OF_STORE = {
    name
    for name, (_, path) in EXPECTED.items()
    if path.startswith(("/webhooks", "/events", "/products"))
}
SUCCESS = {"createItem": {"200", "201"}, "createList": {"201"}, "createProfileToken": {"201"}}
NO_CONTENT = ("deleteItems", "deleteItem", "deleteList", "putProducts", "deleteProduct")
SUCCESS |= {"createWebhook": {"201"}, "deleteWebhook": {"204"}}
SUCCESS |= {"createShare": {"201"}, "copySharedList": {"201"}, "deleteShare": {"204"}}
SUCCESS |= {"deleteReservation": {"204"}, "removeListItem": {"204"}}
SUCCESS |= {name: {"204"} for name in NO_CONTENT}
ALWAYS = {"400", "405", "408", "429", "431", "500", "503"}
WITH_TOKEN = {"401", "403", "404"}
WITH_BODY = {"413", "415"}

STANDARD_HEADERS = {
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Request-Id",
}
MORE_HEADERS = {
    "401": {"WWW-Authenticate"},
    "405": {"Allow"},
    "429": {"Retry-After"},
    "503": {"Retry-After"},
}
# A token is a record without an address, and a share.
LOCATED = {"createItem", "createList", "createWebhook", "copySharedList"}
CONFLICTING = {"updateItem", "createWebhook", "renewWebhookSecret", "testWebhook", "retryDelivery"}
CONFLICTING |= {"reserveSharedItem"}


def walk(value: Any, place: str = "#"):
    """Every object of the document, with its place."""
    if isinstance(value, dict):
        yield place, value
        for key, inner in value.items():
            yield from walk(inner, f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from walk(inner, f"{place}/{at}")


def parameters_of(name: str) -> list[dict[str, Any]]:
    _, path, operation = OPERATIONS[name]
    shared = DOCUMENT["paths"][path].get("parameters", [])
    return [follow(entry) for entry in [*shared, *operation.get("parameters", [])]]


def responses_of(name: str) -> dict[str, dict[str, Any]]:
    return {status: follow(entry) for status, entry in OPERATIONS[name][2]["responses"].items()}


def errors_of(schema: dict[str, Any], value: Any) -> list[str]:
    """Why a value is none of the schema, whose references are into the document."""
    root = schema | {"components": DOCUMENT["components"]}
    validator = jsonschema_rs.Draft202012Validator(root, validate_formats=True)
    return [error.message for error in validator.iter_errors(value)]


def media_types() -> dict[str, dict[str, Any]]:
    """Every body of a request or response, by a name to find it with."""
    found = {}
    for name, (_, _, operation) in OPERATIONS.items():
        bodies = responses_of(name)
        if "requestBody" in operation:
            bodies["request"] = operation["requestBody"]
        for kind, body in bodies.items():
            for media_type, content in body.get("content", {}).items():
                found[f"{name} {kind} {media_type}"] = content
    return found


# ------------------------------------------------------------------------------- the document


def test_document_is_openapi_3_1():
    assert re.fullmatch(r"3\.1\.\d+", DOCUMENT["openapi"])
    assert set(DOCUMENT) == {
        "openapi", "info", "servers", "security", "tags", "paths", "components"
    }  # fmt: skip
    assert {"title", "version", "description", "license"} <= set(DOCUMENT["info"])
    assert DOCUMENT["info"]["version"] == "2025-04"
    assert [server["url"] for server in DOCUMENT["servers"]] == ["/api/2025-04"]
    assert set(DOCUMENT["components"]) == {
        "securitySchemes", "parameters", "headers", "links", "responses", "schemas"
    }  # fmt: skip


def test_document_has_every_operation_once():
    assert {name: entry[:2] for name, entry in OPERATIONS.items()} == EXPECTED
    methods = [method for item in DOCUMENT["paths"].values() for method in item]
    assert len(methods) - methods.count("parameters") == len(OPERATIONS)


def test_components_are_named_as_the_rules_allow():
    for kind, parts in DOCUMENT["components"].items():
        for name in parts:
            assert re.fullmatch(r"[A-Za-z0-9._-]+", name), f"{kind}/{name}"


@each_operation
def test_operation_says_what_it_does(name):
    _, _, operation = OPERATIONS[name]
    assert re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)*", name)
    assert operation["summary"]
    assert not operation["summary"].endswith(".")
    assert operation["description"].strip().endswith((".", "|"))
    assert len(operation["tags"]) == 1
    assert operation["tags"][0] in {tag["name"] for tag in DOCUMENT["tags"]}


@each_operation
def test_operation_that_reads_says_that_head_works_too(name):
    method, _, operation = OPERATIONS[name]
    if method == "get":
        assert "`HEAD` answers the same without a body." in " ".join(
            operation["description"].split()
        )


@each_operation
def test_operation_says_whether_it_needs_a_token(name):
    expected = [{"bearer": []}]
    if name == "getSharedList":
        expected = [{}, {"bearer": []}]
    if name == "getOpenapi":
        expected = []
    if name == "createProfileToken" or name in OF_STORE:
        expected = [{"bearer": ["admin"]}]
    assert OPERATIONS[name][2].get("security", DOCUMENT["security"]) == expected


@each_operation
def test_operation_takes_the_profile_header_where_it_means_something(name):
    headers = [entry for entry in parameters_of(name) if entry["in"] == "header"]
    if name == "getOpenapi" or name in OF_STORE:
        assert headers == []
    else:
        assert [(entry["name"], entry["required"]) for entry in headers] == [("Profile", False)]


@each_operation
def test_parameters_are_whole(name):
    _, path, _ = OPERATIONS[name]
    parameters = parameters_of(name)
    assert len({(entry["in"], entry["name"]) for entry in parameters}) == len(parameters)
    in_path = [entry["name"] for entry in parameters if entry["in"] == "path"]
    assert in_path == re.findall(r"\{(\w+)\}", path)
    for entry in parameters:
        assert entry["description"].strip()
        assert entry["required"] is (entry["in"] == "path")
        assert errors_of(entry["schema"], entry["example"]) == [], entry["name"]


# ------------------------------------------------------------------------ bodies and responses


@each_operation
def test_operation_has_every_status(name):
    operation = OPERATIONS[name][2]
    expected = ALWAYS | SUCCESS.get(name, {"200"})
    if name != "getOpenapi":
        expected |= WITH_TOKEN
    if "requestBody" in operation:
        expected |= WITH_BODY
    if name in CONFLICTING:
        expected |= {"409"}
    if name == "listEvents":
        expected |= {"410"}
    assert set(operation["responses"]) == expected


@each_operation
def test_every_response_has_its_headers(name):
    for status, response in responses_of(name).items():
        headers = {key: follow(entry) for key, entry in response["headers"].items()}
        expected = STANDARD_HEADERS | MORE_HEADERS.get(status, set())
        if status == "201" and name in LOCATED:
            expected = expected | {"Location"}
        assert set(headers) == expected, status
        for key, header in headers.items():
            assert header["required"] is True
            assert header["description"].strip()
            assert errors_of(header["schema"], header["example"]) == [], f"{status} {key}"


@each_operation
def test_every_response_has_a_description_and_but_for_204_a_body(name):
    for status, response in responses_of(name).items():
        assert response["description"].strip(), status
        assert set(response.get("content", ())) == (
            set() if status == "204" else {"application/json"}
        )
        if status >= "400":
            schema = response["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Error"}


def test_example_of_an_error_is_of_its_status():
    for name in OPERATIONS:
        for status, response in responses_of(name).items():
            if status < "400":
                continue
            for example in response["content"]["application/json"]["examples"].values():
                assert example["value"]["error"]["statusCode"] == int(status)


@pytest.mark.parametrize("place", media_types())
def test_every_body_has_examples_that_it_allows(place):
    content = media_types()[place]
    assert content["examples"]
    for key, example in content["examples"].items():
        assert errors_of(content["schema"], example["value"]) == [], key


@each_operation
def test_request_body_is_a_closed_object(name):
    body = OPERATIONS[name][2].get("requestBody")
    if body is None:
        return
    assert set(body["content"]) == {"application/json"}
    # Those that may come without one: ids in the query, a new session, and plain terms.
    optional = ("deleteItems", "createProfileToken", "createShare", "copySharedList", "putListItem")
    assert body["required"] is (name not in optional)
    schema = follow(body["content"]["application/json"]["schema"])
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False


def test_every_object_schema_is_closed():
    open_ones = [
        place
        for place, schema in walk(DOCUMENT["components"]["schemas"])
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False
    ]
    assert open_ones == []


def test_required_fields_are_described():
    for place, schema in walk(DOCUMENT["components"]["schemas"]):
        if isinstance(schema.get("required"), list):
            assert set(schema["required"]) <= set(schema["properties"]), place


def test_patterns_are_anchored_and_mean_the_same_to_every_engine():
    # \s, \d, \w and \b differ between engines; (? other than (?: is not in all of them.
    for place, schema in walk(DOCUMENT):
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            assert pattern.startswith("^"), place
            assert pattern.endswith("$") or pattern in ("^/", "^Bearer"), place
            assert not re.search(r"\\[sSdDwWbBpP]|\(\?[^:]", pattern), place
            re.compile(pattern)


def test_generated_client_sends_back_what_it_was_given():
    """A client makes objects of what has the format uuid, and can't always send them; and for a
    parameter that is an array, most name it again for each value."""
    assert [place for place, value in walk(DOCUMENT) if value.get("format") == "uuid"] == []
    for name, parameter in DOCUMENT["components"]["parameters"].items():
        assert follow(parameter["schema"]).get("type") != "array", name


def test_no_key_is_without_a_value():
    """A description in one line that has a comma is cut there: the rest becomes a key of nothing."""
    empty = [
        f"{place}/{key}"
        for place, value in walk(DOCUMENT)
        for key, inner in value.items()
        if inner is None and "/examples/" not in place
    ]
    assert empty == []


def test_no_line_of_a_text_becomes_a_numbered_list():
    """In Markdown a line that begins with a number and a full stop begins a list."""
    for place, value in walk(DOCUMENT):
        for key in ("description", "summary"):
            if isinstance(text := value.get(key), str):
                assert not re.search(r"^ *[0-9]+[.)] ", text, re.MULTILINE), f"{place}/{key}"


def test_every_array_says_what_it_holds():
    for place, schema in walk(DOCUMENT):
        types = schema.get("type")
        if types == "array" or (isinstance(types, list) and "array" in types):
            assert "items" in schema, place


@pytest.mark.parametrize("id", ["1", str(2**53 - 1), "UHJvZDox=", "a:b", "0._:~=-", "a" * 100])
def test_query_takes_every_product_id(id):
    schema = DOCUMENT["components"]["parameters"]["Query"]["schema"]
    assert errors_of(schema, f"product:{id},1 variant:{id}") == []


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "product:",
        "product:-1",
        "product:1,",
        f"product:{'a' * 101}",
        "product:é",
        "product:1/2",
        "tag:A",
        "tag:a\n",
        " ".join(["tag:a"] * 9),
        "list:1",
        "colour:red",
    ],
)
def test_query_takes_nothing_that_is_no_expression(query):
    schema = DOCUMENT["components"]["parameters"]["Query"]["schema"]
    assert errors_of(schema, query) != []


# --------------------------------------------------------------------------- what holds it together


def test_references_resolve_and_every_component_is_used():
    used = {value["$ref"] for _, value in walk(DOCUMENT) if "$ref" in value}
    for reference in used:
        assert reference.startswith("#/components/"), reference
        assert follow({"$ref": reference}), reference
    used |= {
        f"#/components/securitySchemes/{scheme}"
        for _, _, operation in OPERATIONS.values()
        for entry in operation.get("security", DOCUMENT["security"])
        for scheme in entry
    }
    there = {
        f"#/components/{kind}/{name}"
        for kind, parts in DOCUMENT["components"].items()
        for name in parts
    }
    assert used == there


def test_every_tag_is_used():
    used = {operation["tags"][0] for _, _, operation in OPERATIONS.values()}
    assert used == {tag["name"] for tag in DOCUMENT["tags"]}


@each_operation
def test_links_lead_to_operations_that_take_what_they_give(name):
    sources = {f"$request.{entry['in']}.{entry['name']}" for entry in parameters_of(name)}
    for response in responses_of(name).values():
        for entry in response.get("links", {}).values():
            link = follow(entry)
            assert link["description"]
            target = OPERATIONS[link["operationId"]][2]
            taken = {parameter["name"] for parameter in parameters_of(link["operationId"])}
            assert set(link["parameters"]) <= taken
            assert ("requestBody" not in link) or ("requestBody" in target)
            for expression in link["parameters"].values():
                assert expression in sources or expression.startswith("$response.body#/")


def test_records_are_reached_by_links_from_their_creation():
    def targets(name: str) -> set[str]:
        created = OPERATIONS[name][2]["responses"]["201"]["links"]
        return {follow(entry)["operationId"] for entry in created.values()}

    assert {"getItem", "updateItem", "deleteItem", "setItemLists"} <= targets("createItem")
    assert {"getList", "updateList", "deleteList", "orderListItems"} <= targets("createList")


# ------------------------------------------------------------------------------------- the page


def contents(name: str) -> str:
    return PAGE.joinpath(name).read_text("utf-8")


def test_vendored_files_are_the_ones_that_were_looked_at():
    lines = [line.split("  ") for line in contents("SHA256SUMS").splitlines()]
    sums = {name: expected for expected, name in lines}
    assert set(sums) == VENDORED
    for name, expected in sums.items():
        assert hashlib.sha256(PAGE.joinpath(name).read_bytes()).hexdigest() == expected, name
    assert {entry.name for entry in PAGE.iterdir()} == VENDORED | OUR_PAGE
    assert "5.35.0" in contents("README.txt")


class Addresses(HTMLParser):
    """What a page loads, and the scripts that it holds itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.handlers: list[str] = []
        self.inline = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.found += [known[key] or "" for key in ("src", "href", "action") if key in known]
        self.handlers += [key for key in known if key.startswith("on")]
        self.inline |= tag == "script" and "src" not in known


def test_page_loads_its_own_files_only():
    page = Addresses(contents("index.html"))
    assert page.found == [
        "data:,",
        "docs/swagger-ui.css",
        "docs/swagger-ui-bundle.js",
        "docs/start.js",
    ]
    assert not page.inline
    assert page.handlers == []
    for name in ("index.html", "start.js"):
        assert "//" not in re.sub(r"^\s*//.*$", "", contents(name), flags=re.MULTILINE), name


def test_vendored_files_ask_for_nothing_else():
    css = contents("swagger-ui.css")
    assert "@import" not in css
    assert all(address.startswith("data:") for address in re.findall(r'url\("?([^")]{5})', css))
    for name in ("swagger-ui.css", "swagger-ui-bundle.js"):
        assert "sourceMappingURL" not in contents(name)


def test_page_reads_the_description_of_this_server_and_asks_no_validator():
    script = contents("start.js")
    assert f'url: "{DOCUMENT["servers"][0]["url"]}/.well-known/openapi"' in script
    assert "validatorUrl: null" in script
    assert "persistAuthorization: false" in script
