"""Generates the schemas of the API's description from the types of requests and responses.

The first paragraph of a struct's docstring describes its schema, and a docstring below a field
describes the property.
"""

import ast
import inspect
import sys
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, UnsetType, structs

Node = dict[str, Any]  # a part of the description

ADDED = ("description", "minLength")
"""Keys that a use of a named type may add to its reference."""

_NONE: Mapping[str, Any] = {}


class Schemas:
    """Schemas of structs and of the titled types in ``field_types.py`` and elsewhere, by name.

    ``types``: structs by the names of their schemas; structs in their fields keep their own names,
    without "Body". ``omits_null``: True for responses, which omit a field that is null by default.
    ``enums``: enums that get a schema, by name.
    """

    def __init__(
        self, types: Mapping[str, Any], enums: Mapping[str, Any] = _NONE, *, omits_null: bool
    ) -> None:
        self._omits_null = omits_null
        types = {**types, **_inner_structs(types)}
        named = {**types, **_named_types()}
        nodes, found = msgspec.json.schema_components(named.values(), ref_template="{name}")
        self._nodes = dict(zip(named, nodes, strict=True))
        self._names = {node["$ref"]: name for name, node in self._nodes.items() if name in types}
        self._orders = {frozenset(words): words for words in _literals()}
        self._enums = {frozenset(get_args(type_)): name for name, type_ in enums.items()}
        self.by_name = {
            name: self._struct(struct_of(types[name]), node, found[node["$ref"]])
            if name in types
            else self._plain({key: node[key] for key in node if key != "title"})
            for name, node in self._nodes.items()
        }
        for name, type_ in enums.items():
            self.by_name[name] = {"type": "string", "enum": [*get_args(type_)]}

    def _struct(self, cls: type[msgspec.Struct], node: Node, found: Node) -> Node:
        """Returns the schema of a struct. ``node``: a reference, with further keys."""
        words, required, properties = _docstrings(cls), [], {}
        for field in structs.fields(cls):
            name = field.encode_name
            properties[name] = self._property(cls, field, found["properties"][name])
            if field.name in words:
                properties[name]["description"] = words[field.name]
            if field.required and UnsetType not in get_args(field.type):
                required.append(name)
        made: Node = {key: node[key] for key in node if key != "$ref"}
        if (name := cls.__name__.removesuffix("Body")).startswith("New"):
            made.setdefault("x-python", name)
        generic = hasattr(cls, "__parameters__")  # wraps a record, which has a description
        if cls.__doc__ and "description" not in made and not generic:
            made["description"] = _markdown(cls.__doc__.partition("\n\n")[0])
        made |= {"type": "object", "additionalProperties": False}
        return made | ({"required": required} if required else {}) | {"properties": properties}

    def _property(self, cls: type[msgspec.Struct], field: structs.FieldInfo, node: Node) -> Node:
        may_omit = self._omits_null and cls.__struct_config__.omit_defaults
        if may_omit and field.default is None and "anyOf" in node:
            node = next(option for option in node["anyOf"] if option != {"type": "null"})
        return dict(self._plain({key: node[key] for key in node if key != "default"}))

    def _plain(self, node: Any) -> Any:
        """Returns a schema as the description has it, with references to named types."""
        if isinstance(node, list):
            return [self._plain(each) for each in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return node | {"$ref": f"#/components/schemas/{self._names[node['$ref']]}"}
        if "title" in node:
            base = self._nodes.get(node["title"], {})
            added = {key: node[key] for key in ADDED if key in node and node[key] != base.get(key)}
            return {"$ref": f"#/components/schemas/{node['title']}"} | added
        made = {key: self._plain(value) for key, value in node.items()}
        if "anyOf" in made:  # no value matches two options
            made["oneOf"] = made.pop("anyOf")
        if isinstance(made.get("pattern"), str):  # JSON Schema has no \Z
            made["pattern"] = made["pattern"].replace(r"\Z", "$")
        if made.get("type") == "object":
            made["additionalProperties"] = False
        if "enum" in made:
            if name := self._enums.get(frozenset(made["enum"])):
                return {"$ref": f"#/components/schemas/{name}"}
            words = self._orders.get(frozenset(made["enum"]), made["enum"])
            made |= {"type": "string", "enum": list(words)}
        return made


def struct_of(type_: Any) -> type[msgspec.Struct]:
    """Returns the struct of a type that may be annotated or have type parameters."""
    return type_ if isinstance(type_, type) else struct_of(type_.__origin__)


def struct_named(name: str) -> type[msgspec.Struct]:
    """Returns the struct with this name. Raises ``LookupError`` unless there is exactly one."""
    found = {
        value
        for value in _values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__name__ == name
    }
    if len(found) != 1:
        raise LookupError(f"{len(found)} types are called {name}; tools/openapi.py can name one.")
    return found.pop()


def _inner_structs(types: Mapping[str, Any]) -> dict[str, type[msgspec.Struct]]:
    """Returns the structs in fields of the types, by the names of their schemas."""
    nodes, found = msgspec.json.schema_components(types.values(), ref_template="{name}")
    inner = found.keys() - {node["$ref"] for node in nodes}
    return {schema_name(name): struct_named(name) for name in inner}


def schema_name(struct: str) -> str:
    """Returns the name of a struct's schema: ``ItemInput`` for ``NewItemBody``, because generated
    code calls the constructor of ``Item`` ``NewItem``."""
    name = struct.removesuffix("Body")
    return f"{name.removeprefix('New')}Input" if name.startswith("New") else name


def _values() -> list[Any]:
    """Returns all module variables of the package."""
    modules = [module for name, module in sorted(sys.modules.items()) if "wishwell." in name]
    return [value for module in modules for value in vars(module).values()]


def _named_types() -> dict[str, Any]:
    return {
        meta.title: value
        for value in _values()
        for meta in getattr(value, "__metadata__", ())
        # A type with nothing but a title is a reference to the type with the same title.
        if isinstance(meta, Meta) and meta.title and len(msgspec.json.schema(value)) > 1
    }


def _literals() -> list[tuple[str, ...]]:
    """Returns the words of each enum in their order, which msgspec doesn't keep."""
    return [get_args(value) for value in _values() if get_origin(value) is Literal]


def _docstrings(cls: type[msgspec.Struct]) -> dict[str, str]:
    """Returns the docstrings below the fields of a struct, by field."""
    found: dict[str, str] = {}
    # Generic has no Python source from CPython 3.12 on.
    others = ("builtins", "msgspec", "typing")
    ours = [each for each in cls.__mro__ if each.__module__.partition(".")[0] not in others]
    for each in reversed(ours):
        [tree] = ast.parse(inspect.getsource(each)).body
        assert isinstance(tree, ast.ClassDef)
        for field, words in zip(tree.body, tree.body[1:], strict=False):
            match field, words:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = _markdown(text)
    return found


def _markdown(text: str) -> str:
    return inspect.cleandoc(text).replace("``", "`")
