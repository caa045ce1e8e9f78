"""HTTP: decodes requests and encodes answers. The rules are in ``items.py`` and its like."""
