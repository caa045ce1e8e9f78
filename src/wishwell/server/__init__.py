"""The running service: the application, its processes and its background jobs.

Start with ``app.py``, which builds all components and serves in one process. ``serve.py`` opens
the socket, ``workers.py`` supervises worker processes, ``background.py`` runs jobs next to the
requests, ``doctor.py`` checks a deployment (its database in ``database_checks.py``), ``keys.py``
creates an embedded database's keys.
"""
