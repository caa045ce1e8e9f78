"""The running service: the application, its processes and its background jobs.

Start with ``app.py``, which builds all components. ``serve.py`` opens the socket and supervises the
worker processes, ``background.py`` runs jobs next to the requests, ``doctor.py`` checks a
deployment, ``keys.py`` creates the keys of an embedded database.
"""
