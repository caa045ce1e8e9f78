"""The description of the API in itself, and the page to browse it; what the service does is held
to it elsewhere."""

import hashlib
import re
from importlib import resources
from typing import Any

import jsonschema_rs  # schemathesis brings it
import pytest
import yaml

ROOM = resources.files("wishwell.http")
PAGE = ROOM.joinpath("docs_page")
VENDORED = {"LICENSE", "NOTICE", "swagger-ui.css"}
VENDORED |= {"swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt"}
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

OF_STORE = {
    name
    for name, (_, path, _) in OPERATIONS.items()
    if path.startswith(("/webhooks", "/events", "/products", "/requests", "/reports"))
    or path == "/profiles"
}
SPREADSHEETS = ("productReport", "daysReport", "wishersReport")
REQUIRED = ("email", "wishersReport product", "shownWishes products")
NO_TOKEN = ("getOpenapi", "takePlatformWebhook")
CREATED = ("createList", "createProfileToken", "createWebhook", "createShare", "copySharedList")
SUCCESS = {key: {"201"} for key in CREATED} | {"createItem": {"200", "201"}}
SUCCESS |= {name: {"204"} for name in OPERATIONS if name.startswith("delete")}
SUCCESS |= {name: {"204"} for name in ("putProducts", "removeListItem", "callOffRequest")}
ALWAYS = {"400", "405", "408", "429", "431", "500", "503"}
WITH_TOKEN = {"401", "403", "404"}
WITH_BODY = {"413", "415"}

STANDARD_HEADERS = {f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset")}
STANDARD_HEADERS |= {"X-Request-Id"}
MORE_HEADERS = {"401": {"WWW-Authenticate"}, "405": {"Allow"}}
MORE_HEADERS |= {key: {"Retry-After"} for key in ("429", "503")}
# A token is a record without an address, and a share.
LOCATED = {"createItem", "createList", "createWebhook", "copySharedList"}
CONFLICTING = {"updateItem", "createWebhook", "renewWebhookSecret", "testWebhook", "retryDelivery"}
CONFLICTING |= {"reserveSharedItem", "callOffRequest"}


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
    """Of this API's version. The operations are those of the routes (tests/test_house.py)."""
    assert re.fullmatch(r"3\.1\.\d+", DOCUMENT["openapi"])
    assert {"title", "version", "description", "license"} <= set(DOCUMENT["info"])
    assert DOCUMENT["info"]["version"] == "2025-04"
    assert [server["url"] for server in DOCUMENT["servers"]] == ["/api/2025-04"]
    methods = [method for item in DOCUMENT["paths"].values() for method in item]
    assert len(methods) - methods.count("parameters") == len(OPERATIONS)


@each_operation
def test_operation_says_what_it_does_and_for_whom(name):
    """Also that HEAD works, whether it needs a token, and takes `Profile` where that means
    something."""
    method, _, operation = OPERATIONS[name]
    assert re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)*", name)
    assert operation["summary"] and not operation["summary"].endswith(".")
    said = " ".join(operation["description"].split())
    assert said.endswith((".", "|"))
    assert method != "get" or "`HEAD` answers the same without a body." in said
    [tag] = operation["tags"]
    assert tag in {tag["name"] for tag in DOCUMENT["tags"]}
    tokens = {key: [] for key in NO_TOKEN} | {"getSharedList": [{}, {"bearer": []}]}
    tokens |= {
        key: [{"bearer": ["admin"]}] for key in ("createProfileToken", "deleteProfile", *OF_STORE)
    }
    assert operation.get("security", DOCUMENT["security"]) == tokens.get(name, [{"bearer": []}])
    headers = [entry for entry in parameters_of(name) if entry["in"] == "header"]
    taken = [] if name in NO_TOKEN or name in OF_STORE else [("Profile", False)]
    assert [
        (entry["name"], entry["required"])
        for entry in headers
        if not entry["name"].startswith("X-Shopify-")
    ] == taken


@each_operation
def test_parameters_are_whole(name):
    _, path, _ = OPERATIONS[name]
    parameters = parameters_of(name)
    assert len({(entry["in"], entry["name"]) for entry in parameters}) == len(parameters)
    in_path = [entry["name"] for entry in parameters if entry["in"] == "path"]
    assert in_path == re.findall(r"\{(\w+)\}", path)
    for entry in parameters:
        assert entry["description"].strip()
        assert entry["required"] is (
            entry["in"] == "path"
            or entry["name"] in REQUIRED
            or f"{name} {entry['name']}" in REQUIRED
            or entry["name"].startswith("X-Shopify-")
        )
        assert errors_of(entry["schema"], entry["example"]) == [], entry["name"]


# ------------------------------------------------------------------------ bodies and responses


@each_operation
def test_operation_has_every_status(name):
    """contract: openapi-complete."""
    operation = OPERATIONS[name][2]
    expected = ALWAYS | SUCCESS.get(name, {"200"})
    if name not in NO_TOKEN:
        expected |= WITH_TOKEN
    if name == "takePlatformWebhook":
        expected |= {"401"}
    if "requestBody" in operation:
        expected |= WITH_BODY
    if name in CONFLICTING:
        expected |= {"409"}
    if name == "listEvents":
        expected |= {"410"}
    assert set(operation["responses"]) == expected


@each_operation
def test_every_response_has_its_headers_and_body(name):
    """contract: openapi-complete. Described, with examples; an error's of its own status."""
    for status, response in responses_of(name).items():
        headers = {key: follow(entry) for key, entry in response["headers"].items()}
        expected = STANDARD_HEADERS | MORE_HEADERS.get(status, set())
        assert set(headers) == expected | (
            {"Location"} if status == "201" and name in LOCATED else set()
        )
        for key, header in headers.items():
            assert header["required"] is True and header["description"].strip()
            assert errors_of(header["schema"], header["example"]) == [], f"{status} {key}"
        assert response["description"].strip(), status
        bodies = response.get("content", {})
        kinds = set() if status == "204" else {"application/json"}
        if name in SPREADSHEETS and status == "200":
            kinds.add("text/csv")
        assert set(bodies) == kinds
        if status >= "400":
            body = bodies["application/json"]
            assert body["schema"] == {"$ref": "#/components/schemas/Error"}
            for example in body["examples"].values():
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
    # Those that may come without one: ids in the query, a new session, plain terms, and any place.
    optional = ("deleteItems", "createProfileToken", "createShare", "copySharedList", "putListItem")
    assert body["required"] is (name not in optional)
    schema = follow(body["content"]["application/json"]["schema"])
    assert schema["type"] == "object"
    if name != "takePlatformWebhook":  # the platform adds fields as it likes
        assert schema["additionalProperties"] is False


def test_schemas_mean_the_same_to_every_tool():
    """Objects are closed, arrays say what they hold, patterns are anchored and use what each engine
    knows, nothing is made an object of (the format uuid), and no key is without a value."""
    for place, value in walk(DOCUMENT):
        types = value.get("type")
        if "/schemas/" in place and types == "object":
            assert value.get("additionalProperties") is False, place
        if "/schemas/" in place and isinstance(value.get("required"), list):
            assert set(value["required"]) <= set(value["properties"]), place
        if types == "array" or (isinstance(types, list) and "array" in types):
            assert "items" in value, place
        if isinstance(pattern := value.get("pattern"), str):
            assert pattern.startswith("^"), place
            assert pattern.endswith("$") or pattern in ("^/", "^Bearer"), place
            assert not re.search(r"\\[sSdDwWbBpP]|\(\?[^:]", pattern), place
            re.compile(pattern)
        assert value.get("format") != "uuid", place
        if "/examples/" not in place:
            # A description in one line is cut at a comma: the rest becomes a key of nothing.
            assert None not in value.values(), place
        for key in ("description", "summary"):
            if isinstance(text := value.get(key), str):
                # In Markdown a line that begins with a number and a full stop begins a list.
                assert not re.search(r"^ *[0-9]+[.)] ", text, re.MULTILINE), f"{place}/{key}"
    # Of a parameter that is an array, most clients name it again for each value.
    for name, parameter in DOCUMENT["components"]["parameters"].items():
        assert follow(parameter["schema"]).get("type") != "array", name


# --------------------------------------------------------------------------- what holds it together


def test_references_resolve_and_every_component_and_tag_is_used():
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
    tags = {operation["tags"][0] for _, _, operation in OPERATIONS.values()}
    assert tags == {tag["name"] for tag in DOCUMENT["tags"]}


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
