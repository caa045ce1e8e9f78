"""Writes the tables of operations and fields into docs/rules/, from the OpenAPI document.

``make format`` runs it; a test fails if a page is out of date. The tables stand between the lines
``<!-- generated: TAG -->`` and ``<!-- end -->``; TAG is a tag of the document, ``types`` for the
named types that several pages use, or ``event types``. Each schema is described on the page of the
first tag whose operations use it, and a field that several schemas of a page share once.
"""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from wishwell.http import management

PAGES = sorted((Path(__file__).parents[1] / "docs" / "rules").glob("*.md"))
TABLES = re.compile(r"(<!-- generated: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)

METHODS = ("get", "post", "put", "patch", "delete")
# Longer patterns, and those with escapes, are left out: the description says the same in words.
MAX_PATTERN = 50
USUAL_STATUSES = {"401", "403", "404", "413", "415"}
"""Statuses that docs/rules/README.md explains once."""
DEFAULTED = "null has the same effect as omitting the field."
"""A description that docs/rules/http.md gives once, for all fields of new records."""
# Tags without tables of fields: the document's own schema belongs to the OpenAPI specification.
WITHOUT_FIELDS = {"OpenAPI"}

Node = Any  # a part of the document


def _table(*rows: list[str]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]) + "\n"


class Tables:
    """The tables for each tag of an OpenAPI document."""

    def __init__(self, document: Node) -> None:
        self.document = document
        self.operations = [
            (method.upper(), path, item[method])
            for path, item in document["paths"].items()
            for method in METHODS
            if method in item
        ]
        statuses = [operation["responses"].keys() for _, _, operation in self.operations]
        self.omitted = set.intersection(*map(set, statuses)) | USUAL_STATUSES
        self.schemas = self._group_schemas()
        self.listed = {name for names in self.schemas.values() for name in names}
        self.shared: list[str] = []
        self.shared = self._shared_types()

    def text(self, tag: str) -> str:
        """Returns the Markdown for a tag, for the shared types, or for the types of events."""
        if tag == "types":
            rows = [[f"`{name}`", *self._describe(self._schema(name))] for name in self.shared]
            return f"\n## Types\n\n{_table(['Type', 'Values', 'Meaning'], *rows)}\n"
        if tag == "event types":
            return "\n" + "\n".join(self._describe_events())
        operations = [operation for operation in self.operations if tag in operation[2]["tags"]]
        if not operations:
            raise LookupError(f"No operation has the tag {tag}.")
        rows = [self._to_row(*operation) for operation in operations]
        parts = ["## Operations and fields\n", _table(["Operation", "For", "Statuses"], *rows)]
        if self.schemas[tag]:
            parts.append("Other types: [README](README.md#types) or their noun's page.\n")
        seen_fields: set[tuple[str, ...]] = set()
        for name in self.schemas[tag]:
            parts += self._describe_fields(name, seen_fields)
        return "\n".join(["", *parts, ""])

    def _to_row(self, method: str, path: str, operation: Node) -> list[str]:
        security = operation.get("security", self.document["security"])
        callers = "admin token" if "x-admin-token" in operation else "any token"
        if not security or {} in security:
            callers = "anybody"
        statuses = sorted(operation["responses"].keys() - self.omitted)
        return [f"`{method} {path}`", callers, ", ".join(statuses)]

    def _describe_fields(self, name: str, seen_fields: set[tuple[str, ...]]) -> Iterator[str]:
        """Yields the description of a schema. ``seen_fields``: the fields above
        it, which it extends."""
        schema = self._schema(name)
        rows, repeated = [], []
        for field, node in schema["properties"].items():
            field_text = _field(schema, field)
            words, meaning = self._describe(node)
            plain = words.removesuffix(" or null")
            is_undescribed = self._resolve(node).get("description", "") in ("", DEFAULTED)
            if (field, plain, meaning) in seen_fields or (
                is_undescribed and (field, plain) in seen_fields
            ):
                repeated.append(field_text)
            else:
                rows.append([field_text, words, meaning])
            seen_fields |= {(field, plain), (field, plain, meaning)}
        title = f"`{name}`: {self._schema_meaning(name)}"
        if repeated:
            title += f" As above: {', '.join(repeated)}."
        yield title + "\n"
        if rows:
            groups = itertools.groupby(rows, key=lambda row: row[1:])
            merged_rows = [[", ".join(row[0] for row in group), *rest] for rest, group in groups]
            yield _table(["Field", "Type and limits", "Meaning"], *merged_rows)

    def _describe_events(self) -> Iterator[str]:
        """Yields a table of the types of events, and one of all fields of their ``data``."""
        types = self._schema("WishlistEvent")["discriminator"]["mapping"]
        data = {
            type_: self._resolve(self._resolve({"$ref": reference})["properties"]["data"])
            for type_, reference in types.items()
        }
        rows = [
            [f"`{type_}`", ", ".join(_field(node, field) for field in node["properties"])]
            for type_, node in data.items()
        ]
        yield _table(["Type", "`data`"], *rows)
        meanings: dict[str, list[str]] = {}
        fields = [field for node in data.values() for field in node["properties"].items()]
        for field, node in fields:
            words, meaning = self._describe(node)
            row = meanings.setdefault(field, [words])
            if meaning not in ("", *row):
                row.append(meaning)
        described = [
            [f"`{field}`", words, " ".join(row)] for field, (words, *row) in meanings.items()
        ]
        yield _table(["Field", "Type and limits", "Meaning"], *described)

    def _schema(self, name: str) -> Node:
        return self.document["components"]["schemas"][name]

    def _schema_meaning(self, name: str) -> str:
        return _join_first_paragraph(self._schema(name).get("description", ""))

    def _group_schemas(self) -> dict[str, list[str]]:
        """Returns the names of the object schemas for each tag, each name once."""
        names_by_tag: dict[str, list[str]] = {tag["name"]: [] for tag in self.document["tags"]}
        seen_names: set[str] = set()
        for tag, names in names_by_tag.items():
            for _, _, operation in self.operations:
                if tag in operation["tags"]:
                    success = {k: v for k, v in operation["responses"].items() if k < "300"}
                    for name in self._find_schemas(
                        [operation.get("requestBody"), success], seen_names
                    ):
                        schema = self._schema(name)
                        # An envelope, such as a page, contains only the records in `data`.
                        if schema.get("properties") and "data" not in schema["properties"]:
                            names.append(name)
        return names_by_tag | {tag: [] for tag in WITHOUT_FIELDS}

    def _shared_types(self) -> list[str]:
        """Returns the names of types with limits that the fields of several pages have."""
        tags: dict[str, set[str]] = {}
        for tag, names in self.schemas.items():
            for name in names:
                properties = str(self._schema(name)["properties"])
                for used in re.findall(r"(?:schemas/|'x-schema': ')(\w+)", properties):
                    tags.setdefault(used, set()).add(tag)
        limited = [name for name in tags if len(tags[name]) > 1 and self._is_limited(name)]
        return sorted(limited)

    def _is_limited(self, name: str) -> bool:
        schema = self._schema(name)
        if "properties" in schema:
            return "$ref" not in str(schema)
        return "discriminator" not in schema and bool(
            {"enum", "x-extensible-enum", "pattern", "minimum", "maxLength", "maxItems"}
            & schema.keys()
            or {"type": "null"} not in schema.get("oneOf", [{"type": "null"}])
        )

    def _find_schemas(self, node: Node, seen_names: set[str]) -> Iterator[str]:
        """Yields the schemas that a node refers to, nested ones included, unless seen before."""
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).partition("#/components/schemas/")[2]
            if name and name not in seen_names:
                seen_names.add(name)
                yield name
                # The members of this union are on the page on events.
                if "discriminator" not in self._schema(name):
                    yield from self._find_schemas(self._schema(name), seen_names)
            node = [value for key, value in node.items() if key not in ("headers", "links")]
        if isinstance(node, list):
            for part in node:
                yield from self._find_schemas(part, seen_names)

    def _describe(self, node: Node) -> tuple[str, str]:
        """Returns the type of a value, and its meaning unless the type's description has it."""
        name = _reference(node)
        words = self._describe_type(node)
        meaning = _join_first_paragraph(self._resolve(node).get("description", ""))
        if name and words == f"`{name}`" and meaning == self._schema_meaning(name):
            meaning = ""
        return words, "" if meaning == DEFAULTED else meaning

    def _resolve(self, node: Node) -> Node:
        name = _reference(node)
        return self._schema(name) | {k: v for k, v in node.items() if k != "$ref"} if name else node

    def _describe_type(self, node: Node) -> str:
        """Returns the type and limits of a value in words."""
        name = _reference(node)
        node = self._resolve(node)
        if "x-schema" in node:
            option = {"$ref": f"#/components/schemas/{node['x-schema']}"}
            return f"{self._describe_type(option)} or null"
        if name in self.shared or name in self.listed or "discriminator" in node:
            return f"`{name}`"
        if "oneOf" in node:
            return " or ".join(dict.fromkeys(self._describe_type(one) for one in node["oneOf"]))
        if node.get("properties"):
            values = node["properties"].items()
            return "; ".join(f"`{key}`: {self._describe_type(value)}" for key, value in values)
        if words := node.get("enum") or node.get("x-extensible-enum"):
            return ", ".join(f"`{value}`" for value in words)
        kinds = node.get("type", "any value")
        words = kinds if isinstance(kinds, str) else " or ".join(kinds)
        if "items" in node:
            words = words.replace("array", f"array of {self._describe_type(node['items'])}")
        elif node.get("format") == "date-time":
            words = words.replace("string", "time")
        limits = [
            _describe_range(node, "minimum", "maximum"),
            _describe_range(node, "minLength", "maxLength"),
        ]
        limits += [
            _describe_range(node, "minItems", "maxItems"),
            "unique" * node.get("uniqueItems", False),
        ]
        pattern = node.get("pattern", "")
        is_readable = len(pattern) <= MAX_PATTERN and "\\u" not in pattern
        if pattern and is_readable and "time" not in words:
            limits.append(f"`{pattern}`")
        return ", ".join([words, *filter(None, limits)])


def _field(schema: Node, name: str) -> str:
    return f"`{name}`" + "?" * (name not in schema.get("required", ()))


def _reference(node: Node) -> str:
    return str(node.get("$ref", "")).rpartition("/")[2]


def _describe_range(node: Node, least_key: str, most_key: str) -> str:
    least, most = node.get(least_key), node.get(most_key)
    unit = {"minLength": " characters", "minItems": " entries"}.get(least_key, "")
    if most is None:
        return "" if least is None else f"at least {least:,}{unit}"
    return f"at most {most:,}{unit}" if least is None else f"{least:,} to {most:,}{unit}"


def _join_first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def fill_tables(page: str, tables: Tables) -> str:
    """Returns a page with its tables replaced by those of the document."""
    return TABLES.sub(lambda match: match[1] + tables.text(match[2]) + match[3], page)


def document() -> Node:
    """Returns the OpenAPI document as the service serves it."""
    return msgspec.json.decode(management.description())


def generate_pages() -> dict[Path, str]:
    """Returns the expected content of each page."""
    tables = Tables(document())
    return {path: fill_tables(path.read_text("utf-8"), tables) for path in PAGES}


if __name__ == "__main__":
    for path, text in generate_pages().items():
        path.write_text(text, "utf-8")
