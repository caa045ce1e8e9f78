"""Builds the API's description, src/wishwell/http/openapi.json, from openapi.yaml next to it.

``make format`` runs it; a test fails if the committed file is out of date.
"""

import json
from typing import Any

import yaml

from tools import samples
from tools.blocking_client import CLIENT
from wishwell import __version__

SOURCE = CLIENT.parent / "http" / "openapi.yaml"
BUILT = SOURCE.with_suffix(".json")


class Strict(yaml.CSafeLoader):  # type: ignore[misc]
    """A YAML loader that refuses duplicate keys, where PyYAML silently keeps the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {twice}", node.start_mark)
        return dict(super().construct_mapping(node, deep))


def text() -> str:
    """Returns the description as JSON."""
    document = yaml.load(SOURCE.read_text("utf-8"), Strict)  # noqa: S506
    document["info"]["x-wishwell-version"] = __version__
    samples.add(document)
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    BUILT.write_text(text(), "utf-8")
