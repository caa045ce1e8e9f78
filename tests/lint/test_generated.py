"""The files that ``make format`` generates are up to date."""

import runpy
from pathlib import Path

from tools import described_client, openapi, sample_settings, text_names

BUILD = Path(__file__).parents[2] / "clients" / "python" / "hatch_build.py"


def test_openapi_document_is_up_to_date():
    """The OpenAPI document equals the output of `make format`. Rule: openapi-complete."""
    assert openapi.BUILT.read_text("utf-8") == openapi.text()


def test_generated_client_types_are_up_to_date():
    """The client's types and operations equal the output of `make format`."""
    for path, text in described_client.generate_sources().items():
        assert path.read_text() == text, path


def test_generated_blocking_client_is_up_to_date():
    """The installed blocking client is the current one; `make format` generates it again."""
    sources = sorted((described_client.CLIENT / "_async").glob("*.py"))
    assert len(sources) == 5
    blocking = runpy.run_path(str(BUILD))["blocking"]
    for source in sources:
        made = described_client.CLIENT / "_sync" / source.name
        assert made.read_text() == blocking(source.read_text()), source.name


def test_names_of_texts_are_up_to_date():
    """src/wishwell/admin/text-names.js has the names of the elements' and mails' texts."""
    assert text_names.SCRIPT.read_text("utf-8") == text_names.text()


def test_sample_settings_are_up_to_date():
    """The sample settings equal the output of `make format`. Rule: command-settings."""
    assert sample_settings.SAMPLE.read_text("utf-8") == sample_settings.text()
