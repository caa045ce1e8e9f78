"""The API description compared with the service: see test_openapi.py and test_authorisation.py."""
