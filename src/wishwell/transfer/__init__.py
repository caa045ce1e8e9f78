"""Export and import of a store as one file, JSON Lines.

Start with ``file_records.py``, the file's records. ``exporting.py`` writes them, ``import_file.py``
checks and groups them, ``importing.py`` adds to the database what ``additions.py`` finds missing.
``spool.py`` holds checked records on disk, so that memory use stays constant.
"""
