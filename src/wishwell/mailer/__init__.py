"""Mails to shoppers: how they are composed and sent.

``contents.py`` reads what a mail is about, directly before it is sent. ``compose.py`` makes the
message from that, with ``templates/`` and ``texts.json``. ``smtp.py`` sends it, and ``sender.py``
drives all of it as a background job. The queue is in ``contacts/``.
"""
