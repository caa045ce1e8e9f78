"""The test suites. conftest.py has the servers and stores that they share.

``api`` and ``http`` test the API over HTTP, ``storefront``, ``browser``, ``forward`` and ``examples`` a
shop's side of it, and ``client`` the Python client. ``contract`` runs use cases on both engines in this
process, ``service`` whole deployments and their faults. ``security`` and ``linearizability`` attack and
check the running program. ``servers`` starts everything. ``faults``, ``fuzz`` and ``mutation`` are
programs of their own (``make faults``, ``make fuzz``, ``make mutate``); pytest collects nothing there.
``lint`` reads code and documents (``make check``); ``make test`` leaves it out. A test's docstring ends
with the rules of docs/rules/ that it checks.
"""
