"""``wishwell openapi``."""

import json

import pytest
from click.testing import CliRunner

from tests.http.description import DOCUMENT
from wishwell.cli import main

pytestmark = pytest.mark.either_engine


def printed(*arguments):
    result = CliRunner().invoke(main, ["openapi", *arguments])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_openapi_prints_the_description():
    """The command prints the document that the service serves."""
    assert printed() == DOCUMENT


@pytest.mark.parametrize(("ids", "kind"), [("integer", "integer"), ("text", "string")])
def test_openapi_for_one_type_of_product_ids(ids, kind):
    """With ``--product-ids`` every product id, and every example of one, has that type.
    Rule: openapi-open."""
    document = printed("--product-ids", ids)
    schemas = document["components"]["schemas"]
    assert schemas["ProductId"]["type"] == kind
    assert schemas["ItemInput"]["properties"]["variantId"]["type"] == [kind, "null"]
    examples = document["paths"]["/items"]["post"]["requestBody"]["content"]["application/json"][
        "examples"
    ]
    assert ("text" in examples) is (ids == "text")
    values = [example["value"]["productId"] for example in examples.values()]
    assert {type(value) for value in values} == {int if ids == "integer" else str}
