"""The API description compared with the service: see test_authorisation.py; tests/lint/test_openapi.py checks the description itself."""
