"""The generated files of the client: up to date, and made of whatever the description says."""

import copy

import pytest

from tools import blocking_client, described_client


def test_records_and_operations_are_what_the_description_makes():
    """`make format` writes them."""
    for path, text in described_client.made().items():
        assert path.read_text() == text, path


def test_blocking_client_is_what_the_async_one_makes():
    """`make format` writes it."""
    assert len(blocking_client.SOURCES) == 4
    for source in blocking_client.SOURCES:
        assert blocking_client.target(source).read_text() == blocking_client.made(source)


@pytest.fixture
def description(monkeypatch):
    """A copy of the description, to change."""
    changed = copy.deepcopy(described_client.DESCRIPTION)
    monkeypatch.setattr(described_client, "DESCRIPTION", changed)
    return changed


def test_new_field_is_in_its_record_and_in_what_is_sent(description):
    schemas = description["components"]["schemas"]
    for name in ("Item", "NewItem", "ItemPatch"):
        schemas[name]["properties"]["madeUp"] = {"type": ["string", "null"]}
    records, operations = described_client.made().values()
    assert "    made_up: str | None = None\n" in records
    create, update = operations.split("    async def create", 1)[1].split("    async def update")[
        :2
    ]
    assert "        made_up: str | None = None,\n" in create
    assert " madeUp=made_up" in create
    assert "        made_up: str | UnsetType | None = UNSET,\n" in update


@pytest.mark.parametrize(
    ("method", "words", "arguments"),
    [
        ("put", {}, ""),
        ("post", {}, ", repeatable=False"),
        ("post", {"x-repeatable": True}, ""),
    ],
)
def test_new_operation_is_a_method(description, method, words, arguments):
    """contract: retry-harmless. A POST is only repeated if its description says so."""
    operation = {
        "x-python": "items.make_up",
        "tags": ["Items"],
        "description": "Makes it up with `listId`.\n`HEAD`\nanswers the same without a body.",
        "responses": {"204": {}, "404": {}},
    }
    description["paths"]["/items/{itemId}/made-up"] = {
        "parameters": [{"$ref": "#/components/parameters/ItemId"}],
        method: operation | words,
    }
    _, operations = described_client.made().values()
    made = operations.split("    async def make_up(self, id: str) -> None:\n")[1]
    docstring = '        """Makes it up with ``list_id``.\n\n        Raises ``NotFound``.'
    assert made.startswith(docstring)
    call = f'Call("{method.upper()}", path("items", id, "made-up"), nothing{arguments})'
    assert f"        call = {call}\n        await self._line.result(call)\n" in made
