"""Importers: readers of other programs' files, one module for each format.

``csv_file.py`` reads wishlists exported by another app, for ``transfer.importing``.
``catalogue.py`` reads a shop's product feed. Both read CSV through ``table.py``.
"""
