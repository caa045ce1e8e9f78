"""The storefront on a shop's own domain. Start with ``Front`` and ``Browser`` in conftest.py."""
