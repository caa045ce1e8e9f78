"""The demo shop, the merchant's page and the API reference in a real Chromium: see conftest.py."""
