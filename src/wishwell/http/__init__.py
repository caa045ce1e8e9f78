"""HTTP layer: decodes requests and encodes responses. Business rules are in the packages below it.

Start with ``routes.py`` (every URL), then ``pipeline.py`` (the steps of a request) and
``item_handlers.py``; ``responding.py`` has what handlers share. ``protocol.py`` speaks HTTP/1.1.
"""
