"""The proxy between the tests' browsers and the service (tests/forward/ways.py), or none (direct).

``WISHWELL_TEST_STOREFRONT`` names it: ``nginx``, ``caddy``, ``node`` or ``asgi``.
"""

from __future__ import annotations

import json
import os
from weakref import WeakKeyDictionary

import pytest

from tests.forward import ways
from tests.servers import HERE, Service

NAME = os.environ.get("WISHWELL_TEST_STOREFRONT", "direct")
FORWARDERS = ("node", "asgi")
WEB_SERVERS = ("nginx", "caddy")
assert NAME in ("direct", *WEB_SERVERS, *FORWARDERS), f"WISHWELL_TEST_STOREFRONT={NAME}"

direct = pytest.mark.direct
"""``direct(reason, *ways)``: marks a test that applies only without a proxy, or with one of ``ways``."""

_running: WeakKeyDictionary[Service, ways.Way] = WeakKeyDictionary()


def settings(*trusted: str) -> dict[str, str]:
    """Returns settings for a service that trusts these proxies, and the web server in front, if
    any."""
    proxies = [*trusted, *([HERE] if NAME in WEB_SERVERS else [])]
    return {"WISHWELL_TRUSTED_PROXIES": ", ".join(proxies)} if proxies else {}


def admits(service: Service, store: str, host: str) -> None:
    """Gives the forwarder, if there is one, a token of the store for this host."""
    if NAME in FORWARDERS:
        words = ("--store", store, "--label", "way", "--for", "storefront")
        knows(service, host, service.quick("token", "create", *words).strip())


def knows(service: Service, host: str, token: str) -> None:
    """Makes the forwarder send this token for the host; it uses the first token for unknown hosts."""
    file = service.folder / "tokens.json"
    tokens = json.loads(file.read_text()) if file.exists() else {}
    new = file.with_suffix(".new")
    new.write_text(json.dumps(tokens | {host: token}))
    new.replace(file)


def url(service: Service, *, port: bool = False) -> str:
    """Returns the URL for browsers. With ``port``, the stores' hosts contain its port."""
    if NAME == "direct":
        return service.url
    if service not in _running:
        _running[service] = _started(service, port)
    return _running[service].url


def _started(service: Service, port: bool) -> ways.Way:
    base = service.settings.get("WISHWELL_STOREFRONT_BASE", ways.BASE)
    if NAME == "nginx":
        return ways.nginx(service.url, name="~.", base=base, port=port)
    if NAME == "caddy":
        return ways.Caddy(service.url, name="", base=base)
    tokens = service.folder / "tokens.json"
    return ways.Forwarder(NAME, service.url, tokens, ("X-Shop-Token",), base)
