"""The wishlists of a profile: items, lists, shares, copies, reservations, and merging at sign-in.

Start with ``items.py`` and ``item_changes.py``: ``write`` saves all changes of items, except those
that one statement can make (``saving.save``, ``saving.change``, ``item_changes.delete``). What else
happens to an item's data at each event is in ``item_life.py``. Then read ``lists.py`` and
``shares.py``. ``linking.py`` merges a session into a customer by the rules in ``merging.py``.
``purge.py`` deletes expired sessions.
"""
