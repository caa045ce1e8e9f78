"""HTTP layer: decodes requests and encodes responses. Business rules are in the packages below it.

Start with ``routes.py`` (every URL), then ``pipeline.py`` (the steps of a request) and
``handlers.py``.
"""
