"""The storefront: serves browsers on a shop's own domain, without tokens (docs/storefront.md).

Start with ``entry.py``. ``identity.py`` finds out who is shopping.
"""
