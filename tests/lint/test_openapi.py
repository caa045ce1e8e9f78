"""The API description is complete and consistent, and fits the page to browse it. tests/http compares
it with the service."""

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from tests.http.description import DOCUMENT, OPERATIONS, errors_of, follow, parameters_of
from tools import portable, samples

ROOM = resources.files("wishwell.http")
PAGE = ROOM.joinpath("docs_page")


# Others' documents, which may contain anything.
OPEN = re.compile("#/components/schemas/(PlatformWebhook|OpenapiDocument)(/|$)")
# Types of TypeScript, Java, Kotlin, Swift, Python, Ruby or Go that a generated type would hide.
TAKEN = {"Any", "Data", "Date", "Error", "Event", "List", "Map", "Number", "Object", "Optional"}
TAKEN |= {"Record", "Request", "Response", "Result", "Set", "String", "Time", "Type"}
VERBS = "cancel|copy|create|delete|export|get|identify|list|order|put|receive|remove|renew|replay"
VERBS += "|replace|reserve|retry|save|set|test|update"

each_operation = pytest.mark.parametrize("name", OPERATIONS)

ALWAYS = {"408", "429", "431", "500", "503"}
"""Statuses that every operation has, but no request provokes at will."""
STANDARD_HEADERS = {f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset")}
STANDARD_HEADERS |= {"X-Request-Id"}
MORE_HEADERS = {"401": {"WWW-Authenticate"}, "405": {"Allow"}}
MORE_HEADERS |= {key: {"Retry-After"} for key in ("429", "503")}


def walk(value: Any, place: str = "#"):
    """Yields every object of the document with its path."""
    if isinstance(value, dict):
        yield place, value
        for key, inner in value.items():
            yield from walk(inner, f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from walk(inner, f"{place}/{at}")


def responses_of(name: str) -> dict[str, dict[str, Any]]:
    return {status: follow(entry) for status, entry in OPERATIONS[name][2]["responses"].items()}


def media_types(name: str) -> Iterator[dict[str, Any]]:
    """Yields the media types of an operation's request and responses."""
    request = OPERATIONS[name][2].get("requestBody", {})
    for body in (request, *responses_of(name).values()):
        yield from body.get("content", {}).values()


# ------------------------------------------------------------------------------- the document


def test_document_is_openapi_3_1():
    """The document is OpenAPI 3.1 of this API version. test_structure.py compares it with the
    routes."""
    assert re.fullmatch(r"3\.1\.\d+", DOCUMENT["openapi"])
    assert DOCUMENT["info"]["version"] == "2025-04"
    assert [server["url"] for server in DOCUMENT["servers"]] == ["/api/2025-04"]


@each_operation
def test_operation_declares_its_parameters(name):
    """Each operation declares the parameters of its path, each with a valid example."""
    method, path, operation = OPERATIONS[name]
    assert method != "get" or "`HEAD`" in operation["description"]
    parameters = parameters_of(name)
    assert len({(entry["in"], entry["name"]) for entry in parameters}) == len(parameters)
    in_path = [entry["name"] for entry in parameters if entry["in"] == "path"]
    assert in_path == re.findall(r"\{(\w+)\}", path)
    for entry in parameters:
        assert entry["required"] or entry["in"] != "path"
        assert errors_of(entry["schema"], entry["example"]) == [], entry["name"]


# ------------------------------------------------------------------------ bodies and responses


@each_operation
def test_operation_has_the_errors_of_every_request(name):
    """Each operation lists the errors of every request. Other statuses: tests/http/test_operations.py
    and tests/servers/documented.py. Rule: openapi-complete."""
    assert OPERATIONS[name][2]["responses"].keys() >= ALWAYS


@each_operation
def test_every_response_has_its_headers_and_body(name):
    """Every response describes its headers and body, with examples; an error's example has its
    status.
    Rule: openapi-complete."""
    named = [entry["name"] for entry in parameters_of(name)]
    for status, response in responses_of(name).items():
        headers = {key: follow(entry) for key, entry in response["headers"].items()}
        expected = STANDARD_HEADERS | MORE_HEADERS.get(status, set())
        assert set(headers) - {"Location"} == expected
        for key, header in headers.items():
            assert header["required"] is True
            assert errors_of(header["schema"], header["example"]) == [], f"{status} {key}"
        bodies = response.get("content", {})
        kinds = set() if status == "204" else {"application/json"}
        if status == "200" and "format" in named:
            kinds.add("text/csv")
        assert set(bodies) == kinds
        if status >= "400":
            body = bodies["application/json"]
            assert body["schema"] == {"$ref": "#/components/schemas/ApiError"}
            for example in body["examples"].values():
                assert example["value"]["error"]["statusCode"] == int(status)


@each_operation
def test_every_body_has_valid_examples(name):
    """Each request and response body has examples, and they fit its schema."""
    for content in media_types(name):
        assert content["examples"]
        for key, example in content["examples"].items():
            assert errors_of(content["schema"], example["value"]) == [], key


def test_schemas_are_portable():
    """Schemas are portable: objects say whether they are open, integers have a format, arrays are
    typed, patterns anchored and supported by every engine, no `uuid` format (some tools generate objects for it), and no key lacks a value."""
    for place, value in walk(DOCUMENT):
        types = value.get("type")
        if "/schemas/" in place and types == "object":
            assert isinstance(value.get("additionalProperties"), bool), place
        if "/example" not in place and types == "integer":
            assert value["format"] in ("int32", "int64"), place
        if "/schemas/" in place and isinstance(value.get("required"), list):
            assert set(value["required"]) <= set(value["properties"]), place
        if types == "array" or (isinstance(types, list) and "array" in types):
            assert "items" in value, place
        if isinstance(pattern := value.get("pattern"), str):
            assert pattern.startswith("^"), place
            assert pattern.endswith("$") or pattern in ("^/", "^Bearer", "^v1,"), place
            assert not re.search(r"\\[sSdDwWbBpP]|\(\?[^:]", pattern), place
            re.compile(pattern)
        assert value.get("format") != "uuid", place
        if "/examples/" not in place:
            # An unquoted one-line description is cut at a comma, and the rest becomes a key without
            # a value.
            assert None not in value.values(), place
    for name, parameter in DOCUMENT["components"]["parameters"].items():
        # A repeated parameter is refused, so an array is one value with commas.
        if follow(parameter["schema"]).get("type") == "array":
            assert (parameter["style"], parameter["explode"]) == ("form", False), name


def used_by(nodes: list[Any]) -> dict[str, Any]:
    """Returns the schemas that nodes refer to, directly or not, by name."""
    names = portable.used(nodes, DOCUMENT["components"]["schemas"])
    return {name: DOCUMENT["components"]["schemas"][name] for name in names}


def test_requests_are_strict_and_answers_open():
    """Requests are closed and have enums; answers allow further fields and words.
    Rule: openapi-open."""
    operations = [operation for _, _, operation in OPERATIONS.values()]
    bodies = [node["requestBody"] for node in operations if "requestBody" in node]
    for place, value in walk(used_by([bodies, DOCUMENT["components"]["parameters"]])):
        if value.get("type") == "object" and not place.startswith("#/PlatformWebhook"):
            assert value["additionalProperties"] is False, place
        assert "x-extensible-enum" not in value, place
    answers = [[node["responses"] for node in operations], DOCUMENT["webhooks"]]
    answers.append(DOCUMENT["components"]["responses"])
    for place, value in walk(used_by(answers)):
        if value.get("type") == "object":
            assert value["additionalProperties"] is True, place
        assert "enum" not in value, place


def test_schema_names_and_words_dont_collide_in_go():
    """No schema is called like another's constructor, and no two enums have a value in common,
    because generated Go has one scope for both. Rule: openapi-complete."""
    schemas = DOCUMENT["components"]["schemas"]
    assert not {f"New{name}" for name in schemas} & schemas.keys()
    words = [word for schema in schemas.values() for word in schema.get("enum", ())]
    assert len(words) == len(set(words))


def test_types_of_a_union_require_the_same_fields():
    """All types that a discriminator names require the same fields, because typescript-fetch makes
    one interface of them that requires each. Rule: openapi-complete."""
    unions = [node for _, node in walk(DOCUMENT) if "mapping" in node]
    assert unions
    for union in unions:
        members = [follow({"$ref": reference}) for reference in union["mapping"].values()]
        assert all(member["required"] == members[0]["required"] for member in members)


def test_only_texts_are_fixed():
    """No schema fixes a boolean or a number, because openapi-generator makes Java of it that doesn't
    compile. Rule: openapi-complete."""
    for place, value in walk(DOCUMENT["components"]["schemas"]):
        if isinstance(value, dict) and "type" in value:
            fixed = [*value.get("enum", ()), *([value["const"]] if "const" in value else ())]
            assert all(isinstance(each, str | None) for each in fixed), place


def test_arrays_of_requests_keep_what_is_omitted_and_the_order():
    """Optional arrays of requests may be null, because generated Java sends an empty one where null
    isn't allowed; ordered ones aren't `uniqueItems`, which becomes a set. Rule: openapi-complete."""
    operations = [operation for _, _, operation in OPERATIONS.values()]
    bodies = [node["requestBody"] for node in operations if "requestBody" in node]
    for name, schema in used_by(bodies).items():
        if name == "PlatformWebhook":
            continue
        for field, node in schema.get("properties", {}).items():
            types = follow(node).get("type")
            if types == "array":
                assert field in schema.get("required", ()), f"{name}.{field}"
            if "array" in (types or ()) and "order" in node.get("description", ""):
                assert "uniqueItems" not in node, f"{name}.{field}"


def test_there_is_one_scheme_for_tokens():
    """All operations have one security scheme, because generated Java gives a token to the first
    scheme alone. Rule: openapi-complete."""
    assert DOCUMENT["components"]["securitySchemes"].keys() == {"bearer"}


def test_links_have_no_bodies():
    """Links have no bodies, because openapi-generator refuses objects there."""
    for _, value in walk(DOCUMENT):
        assert not (
            "operationId" in value
            and "parameters" in value
            and "responses" not in value
            and "requestBody" in value
        )


def test_schema_names_shadow_no_type_of_a_language():
    """No schema hides a type of a language, and every object and enum of a body has a name."""
    assert not TAKEN & DOCUMENT["components"]["schemas"].keys()
    for place, value in walk(DOCUMENT):
        is_example = "/example" in place or "/x-codeSamples" in place
        inner = re.search("/(?:content|schemas)/.*/(?:properties|items|schema)(/|$)", place)
        if inner and not is_example and not OPEN.match(place):
            assert value.get("type") != "object" and "enum" not in value, place


def test_operation_ids_begin_with_a_verb():
    """Each operationId is a verb and a noun, as generated clients name their functions."""
    for name in OPERATIONS:
        assert re.match(f"(?:{VERBS})[A-Z]", name), name


# --------------------------------------------------------------------------- references


def test_references_resolve_and_every_component_and_tag_is_used():
    """References resolve, and every component and tag is used."""
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
    tags |= {item["post"]["tags"][0] for item in DOCUMENT["webhooks"].values()}
    assert tags == {tag["name"] for tag in DOCUMENT["tags"]}


# ------------------------------------------------------------------------------------- the page


def contents(name: str) -> str:
    return PAGE.joinpath(name).read_text("utf-8")


def test_groups_of_the_page_contain_every_tag_in_order():
    """The groups of /docs contain every tag, in order."""
    grouped = [tag for group in DOCUMENT["x-tagGroups"] for tag in group["tags"]]
    assert grouped == [tag["name"] for tag in DOCUMENT["tags"]]


def test_page_replaces_the_address_of_the_samples():
    """The page loads the description, and replaces the samples' address with its own."""
    script = contents("start.js")
    assert f'fetch("{DOCUMENT["servers"][0]["url"]}/.well-known/openapi")' in script
    assert f'"{samples.ADDRESS}"' in script and "replaceAll(address, location.origin)" in script
