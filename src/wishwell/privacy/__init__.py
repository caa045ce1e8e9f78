"""Privacy: erasing profiles and stores, and exporting a person's data.

Start with ``erasure.py``, which closes a profile at once and deletes its data in batches.
``store_deletion.py`` does that for a store, ``personal_export.py`` writes what is stored about a
person. ``platform_requests.py`` records privacy requests of a shop's platform, and
``request_processing.py`` carries them out. ``journal_replay.py`` repeats erasures after a restore.
"""
