"""Whom a store may write mails to, and the mails that wait.

``addresses.py``: a profile's e-mail address and choice. ``confirmations.py``: the owner of a typed
address confirms it by a link (double opt-in). ``suppressions.py``: addresses that a store doesn't
write to. ``tokens.py``: what a link in a mail allows. ``queue.py``: the mails of a store and their
states. ``store_mails.py``: a store's SMTP server, and why its mails are paused. ``retention.py``
removes what is old.

``mailer/`` composes and sends the mails.
"""
