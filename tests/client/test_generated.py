"""The client's generated files are up to date."""

from tools import blocking_client, described_client


def test_records_and_operations_are_what_the_description_makes():
    """Equals the output of `make format`."""
    for path, text in described_client.made().items():
        assert path.read_text() == text, path


def test_blocking_client_is_what_the_async_one_makes():
    """Equals the output of `make format`."""
    assert len(blocking_client.SOURCES) == 4
    for source in blocking_client.SOURCES:
        assert blocking_client.target(source).read_text() == blocking_client.made(source)
