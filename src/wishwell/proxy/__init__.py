"""The proxy on the shop's own domain: it knows who is shopping and holds the tokens.

docs/proxy.md is its contract. An ASGI application to mount, or the command ``wishwell proxy``.
It speaks to the API over HTTP only, and imports nothing that touches the database.
"""

from wishwell.proxy.app import Proxy
from wishwell.proxy.settings import Settings, load

__all__ = ["Proxy", "Settings", "load"]
