"""The wishlists of a profile: items, lists, shares, copies, reservations, and merging at sign-in.

Start with ``items.py``: its ``write`` saves all changes of items, except those that one statement
can make (``saving.save``, ``saving.change``, ``items.delete``). Then read ``lists.py`` and
``shares.py``. ``linking.py`` merges a session into a customer by the rules in ``merging.py``.
``purge.py`` deletes expired sessions.
"""
