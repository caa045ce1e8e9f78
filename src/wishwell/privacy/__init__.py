"""Privacy: erasing profiles and stores, and exporting a person's data.

Start with ``erasure.py``, which closes a profile immediately and deletes its data in batches.
``store_deletion.py`` does the same for a store, ``personal_export.py`` exports a person's data.
``platform_requests.py`` records privacy requests of a shop's platform, and
``request_processing.py`` carries them out. ``journal_replay.py`` repeats erasures after a restore.
"""
