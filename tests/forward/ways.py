"""Ways to a service from a shop's own domain: the web servers of deploy/, and the forwarders.

Each is a program with a ``url``. Without a token, the service must trust this machine's address.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.security.nginx import Nginx, nginx_binary
from tests.servers import HERE, Program, free_port

from .conftest import BASE

ROOT = Path(__file__).parents[2]
SERVERS = """
    server {{ listen {here}:{port} default_server; return 444; }}
    server {{ listen {here}:{port}; server_name NAME; include {folder}/storefront.conf; }}
"""
CADDYFILE = """
{{
    admin off
    auto_https off
    default_bind {here}
}}
http://{here}:{port} {{
    respond ok
}}
http://{name}:{port} {{
    import storefront
    respond 404
}}
"""


def _written(
    folder: Path, service: str, base: str, source: str, name: str, secret: str, line: str
) -> None:
    """Writes the configuration of deploy/ and its secret file, adapted to this service and base."""
    text = (ROOT / "deploy" / source).read_text()
    for old, new in (("127.0.0.1:8000", service.removeprefix("http://")), (f"{BASE}/", f"{base}/")):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / name).write_text(text)
    (folder / secret).write_text(f"{line}\n")


def nginx(
    service: str,
    token: str = "",
    *,
    name: str = "shop.example",
    base: str = BASE,
    port: bool = False,
) -> Nginx:
    """Starts nginx. ``name`` is the shop's host, or a pattern with ``~``; ``port`` adds its port to
    the forwarded host."""
    made = Nginx(service, servers=SERVERS.replace("NAME", name))
    line = f'proxy_set_header Authorization "{token and f"Bearer {token}"}";'
    source, file, secret = "nginx-storefront.conf", "storefront.conf", "wishwell-authorization.conf"
    _written(made.folder, service, base, source, file, secret, line)
    if port:
        plain, text = "X-Forwarded-Host $host;", (made.folder / file).read_text()
        assert plain in text
        (made.folder / file).write_text(text.replace(plain, f"{plain[:-1]}:$server_port;"))
    words = [nginx_binary(), "-t", "-q", "-p", made.folder, "-c", made.folder / "nginx.conf"]
    checked = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    return made.start()


class Caddy(Program):
    """Debian's Caddy. ``name`` is the shop's host, "" for any."""

    def __init__(
        self, service: str, token: str = "", *, name: str = "shop.example", base: str = BASE
    ) -> None:
        super().__init__("caddy")
        self.port = free_port()
        self.url = f"http://{HERE}:{self.port}"
        line = f'header_up Authorization "Bearer {token}"' if token else "header_up -Authorization"
        source, secret = "Caddyfile-storefront", "wishwell-authorization"
        _written(self.folder, service, base, source, "storefront", secret, line)
        text = CADDYFILE.format(here=HERE, port=self.port, name=name)
        (self.folder / "Caddyfile").write_text(text)
        words = ["caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"]
        home = {"HOME": str(self.folder), "PATH": os.environ["PATH"]}
        self.begin(words, self.url, env=home)


class Forwarder(Program):
    """A shop with several hosts behind one of the forwarders, ``node`` or ``asgi``.

    ``tokens`` is a JSON file with each host's token, read again for each request. The shop forwards
    the named headers and has a page at ``/up``.
    """

    def __init__(
        self, kind: str, service: str, tokens: Path, headers: tuple[str, ...], base: str = BASE
    ) -> None:
        super().__init__(kind)
        port = free_port()
        self.url = f"http://{HERE}:{port}"
        env = {"PATH": os.environ["PATH"], "WISHLIST_API": service, "WISHLIST_BASE": base}
        env |= {"TOKENS": str(tokens), "PORT": str(port), "HEADERS": " ".join(headers)}
        node = ["node", str(ROOT / "packages/proxy/test/shop.js")]
        asgi = [sys.executable, "-m", "tests.forward.shop"]
        self.begin({"node": node, "asgi": asgi}[kind], f"{self.url}/up", cwd=ROOT, env=env)


Way = Nginx | Caddy | Forwarder
