"""``wishwell openapi``: the API's description, also for one type of product ids."""

import json
from typing import Any

import click

from wishwell.cli import terminal

Node = Any  # a part of the description

_ID = {"$ref": "#/components/schemas/ProductId"}
_IN_JSON = {"integer": "integer", "text": "string"}
"""The type of product ids in JSON, by that of the store."""


# rule: openapi-open
@click.command("openapi")
@click.option(
    "--product-ids",
    type=click.Choice([*_IN_JSON]),
    help="Only this type of product ids, that of the store: for clients without union types.",
)
def openapi_command(product_ids: str | None) -> None:
    """Print the API's description.

    The service serves the same at /.well-known/openapi.
    """
    # Imported here, because no other command needs the metrics.
    from wishwell.http import management

    document = json.loads(management.description())
    if product_ids:
        narrow(document, product_ids)
    terminal.say(json.dumps(document, ensure_ascii=False, indent=1))


def narrow(document: Node, product_ids: str) -> None:
    """Leaves one type of product ids in a description, and examples of this type."""
    schemas = document["components"]["schemas"]
    kind = _IN_JSON[product_ids]
    options = schemas["ProductId"].pop("oneOf")
    own = next(option for option in options if option["type"] == kind)
    schemas["ProductId"] |= own
    del schemas["ProductId"]["examples"]
    _narrow(document, kind, own)


def _narrow(node: Node, kind: str, own: Node) -> None:
    if isinstance(node, list):
        for each in node:
            _narrow(each, kind, own)
    elif isinstance(node, dict):
        if node.get("oneOf") == [_ID, {"type": "null"}]:
            del node["oneOf"]
            node |= own | {"type": [kind, "null"]}
        for key, value in node.items():
            if key == "examples" and isinstance(value, dict):
                node[key] = _examples(value, kind)
            elif key != "x-codeSamples":
                _narrow(value, kind, own)


def _examples(examples: Node, kind: str) -> Node:
    """Returns the examples with ids of a type: integers also fit as texts, not vice versa."""
    if kind == "string":
        return {name: _as_text(example) for name, example in examples.items()}
    return {name: each for name, each in examples.items() if _as_text(each, int) == each}


def _as_text(node: Node, to: type = str) -> Node:
    """Returns an example whose product ids are texts, or with ``int`` no texts."""
    if isinstance(node, list):
        return [_as_text(each, to) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _converted(value, to) if key in ("productId", "variantId") else _as_text(value, to)
        for key, value in node.items()
    }


def _converted(id: Node, to: type) -> Node:
    if to is str:
        return None if id is None else str(id)
    return None if isinstance(id, str) else id
