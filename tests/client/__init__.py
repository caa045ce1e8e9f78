"""The Python client against the running service, and its retries without a network: see conftest.py."""
