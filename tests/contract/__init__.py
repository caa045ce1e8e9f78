"""Use cases called directly, on both engines. Start with ``UseCases`` in conftest.py and
test_model.py."""
