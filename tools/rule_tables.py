"""Writes the tables of operations and fields into docs/rules/, from the OpenAPI document.

``make format`` runs it; a test fails if a page is out of date. The tables stand between the lines
``<!-- generated: TAG -->`` and ``<!-- end -->``; TAG is a tag of the document. Each schema is
described on the page of the first tag whose operations use it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from wishwell.http import management

PAGES = sorted((Path(__file__).parents[1] / "docs" / "rules").glob("*.md"))
TABLES = re.compile(r"(<!-- generated: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)

METHODS = ("get", "post", "put", "patch", "delete")
# Longer patterns are left out: the field's description says the same in words.
MAX_PATTERN = 50
USUAL_STATUSES = {"401", "403", "404", "413", "415"}
"""Statuses that docs/rules/README.md explains once."""

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
        self.schemas = self._by_tag()

    def text(self, tag: str) -> str:
        """Returns the Markdown for a tag."""
        tagged = [one for one in self.operations if tag in one[2]["tags"]]
        rows = [self._operation(*one) for one in tagged]
        if not rows:
            raise LookupError(f"No operation has the tag {tag}.")
        columns = 4 if any(errors for *_, errors in rows) else 3
        rows = [row[:columns] for row in rows]
        parts = [
            "## Operations and fields\n",
            _table(["Operation", "For", "Success", "Other errors"][:columns], *rows),
        ]
        for name in self.schemas[tag]:
            schema = self._schema(name)
            title = f"`{name}`: {_line(schema.get('description', 'a request body.'))}\n"
            fields = [self._field(schema, *one) for one in schema["properties"].items()]
            parts += [title, _table(["Field", "Type and limits", "Meaning"], *fields)]
        return "\n".join(["", *parts, ""])

    def _operation(self, method: str, path: str, operation: Node) -> list[str]:
        security = operation.get("security", self.document["security"])
        callers = "admin token" if {"adminBearer": []} in security else "any token"
        if not security or {} in security:
            callers = "anybody"
        statuses = sorted(operation["responses"])
        success = [status for status in statuses if status < "300"]
        errors = [one for one in statuses if one >= "300" and one not in self.omitted]
        return [f"`{method} {path}`", callers, ", ".join(success), ", ".join(errors)]

    def _schema(self, name: str) -> Node:
        return self.document["components"]["schemas"][name]

    def _by_tag(self) -> dict[str, list[str]]:
        """Returns the names of the object schemas for each tag, each name once."""
        found: dict[str, list[str]] = {tag["name"]: [] for tag in self.document["tags"]}
        seen: set[str] = set()
        for tag, names in found.items():
            for _, _, operation in self.operations:
                if tag in operation["tags"]:
                    success = {k: v for k, v in operation["responses"].items() if k < "300"}
                    for name in self._named([operation.get("requestBody"), success], seen):
                        schema = self._schema(name)
                        # An envelope, such as a page, contains only the records in `data`.
                        if "properties" in schema and "data" not in schema["properties"]:
                            names.append(name)
        return found

    def _named(self, node: Node, seen: set[str]) -> Iterator[str]:
        """Yields the schemas that a node refers to, nested ones included, unless seen before."""
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).partition("#/components/schemas/")[2]
            if name and name not in seen:
                seen.add(name)
                yield name
                # The page on events lists the members of this union in a separate table.
                if "discriminator" not in self._schema(name):
                    yield from self._named(self._schema(name), seen)
            node = [value for key, value in node.items() if key not in ("headers", "links")]
        if isinstance(node, list):
            for part in node:
                yield from self._named(part, seen)

    def _field(self, schema: Node, name: str, node: Node) -> list[str]:
        optional = "" if name in schema.get("required", ()) else "?"
        described = self._resolved(node)
        return [f"`{name}`{optional}", self._type(node), _line(described.get("description", ""))]

    def _resolved(self, node: Node) -> Node:
        name = str(node.get("$ref", "")).rpartition("/")[2]
        return self._schema(name) | {k: v for k, v in node.items() if k != "$ref"} if name else node

    def _type(self, node: Node) -> str:
        """Returns the type and limits of a value in words."""
        name = str(node.get("$ref", "")).rpartition("/")[2]
        node = self._resolved(node)
        if name and ("properties" in node or "discriminator" in node):
            return f"`{name}`"
        if "oneOf" in node:
            return " or ".join(dict.fromkeys(self._type(one) for one in node["oneOf"]))
        if "enum" in node:
            return ", ".join(f"`{value}`" for value in node["enum"])
        kinds = node.get("type", "any value")
        words = kinds if isinstance(kinds, str) else " or ".join(kinds)
        if words == "array":
            words = f"array of {self._type(node['items'])}"
        elif node.get("format") == "date-time":
            words = words.replace("string", "time")
        limits = [_range(node, "minimum", "maximum"), _range(node, "minLength", "maxLength")]
        limits += [_range(node, "minItems", "maxItems"), "unique" * node.get("uniqueItems", False)]
        pattern = node.get("pattern", "")
        if pattern and "time" not in words and len(pattern) <= MAX_PATTERN:
            limits.append(f"`{pattern}`")
        return ", ".join([words, *filter(None, limits)])


def _range(node: Node, least: str, most: str) -> str:
    low, high = node.get(least), node.get(most)
    unit = {"minLength": " characters", "minItems": " entries"}.get(least, "")
    if high is None:
        return "" if low is None else f"at least {low:,}{unit}"
    return f"at most {high:,}{unit}" if low is None else f"{low:,} to {high:,}{unit}"


def _line(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def filled(page: str, tables: Tables) -> str:
    """Returns a page with its tables replaced by those of the document."""
    return TABLES.sub(lambda found: found[1] + tables.text(found[2]) + found[3], page)


def document() -> Node:
    """Returns the OpenAPI document as the service serves it."""
    return msgspec.json.decode(management.description())


def made() -> dict[Path, str]:
    """Returns the expected content of each page."""
    tables = Tables(document())
    return {path: filled(path.read_text("utf-8"), tables) for path in PAGES}


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text, "utf-8")
