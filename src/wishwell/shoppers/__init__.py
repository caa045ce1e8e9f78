"""Shoppers: how a shop's visitors and customers are identified, independent of HTTP requests.

Start with ``shop.py``: a store with its decrypted secrets. ``cookie.py`` signs the visitor's
cookie, ``customers.py`` verifies the platform's signed query and the shop's JWTs, ``key_sets.py``
fetches and caches the JWTs' keys.
"""
