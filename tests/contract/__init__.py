"""Use cases called directly, on both engines. Start with ``Bench`` in conftest.py and test_model.py."""
