"""Debian's nginx as a reverse proxy, configured as in docs/operations.md, on the loopback."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial

from tests.servers import HERE, Program, connects, free_port

_CONFIGURATION = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    log_format ids escape=json '{{"upstream":"$upstream_addr","id":"$upstream_http_x_request_id"}}';
    access_log {folder}/access.log ids;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    underscores_in_headers on;
    ignore_invalid_headers off;
    {servers}
}}
"""
_SERVERS = """
    # One kept connection for all: whatever one client leaves on it, the next would get.
    upstream service {{ server {service}; keepalive 1; }}
    server {{
        listen {here}:{port};
        location / {{
            proxy_pass http://service;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_request_buffering {buffering};
        }}
    }}
"""


def nginx_binary() -> str | None:
    """Returns the path of this system's nginx, or `None`. Debian installs it where only root's PATH
    leads."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")


class Nginx(Program):
    """The least careful reverse proxy possible: passes invalid header names on. ``servers`` is the
    configuration with {service}, {here}, {port} and {folder} to fill in."""

    def __init__(
        self, service_url: str, *, buffering: bool = True, servers: str = _SERVERS
    ) -> None:
        super().__init__("nginx")
        self.folder.chmod(0o755)
        self.port = free_port()
        self.url = f"http://{HERE}:{self.port}"
        filled = servers.format(
            folder=self.folder,
            service=service_url.removeprefix("http://"),
            here=HERE,
            port=self.port,
            buffering="on" if buffering else "off",
        )
        text = _CONFIGURATION.format(folder=self.folder, servers=filled)
        (self.folder / "nginx.conf").write_text(text)

    def start(self) -> Nginx:
        words = [nginx_binary(), "-p", self.folder, "-c", self.folder / "nginx.conf"]
        self.begin(words, partial(connects, self.port))
        return self

    def passed_on(self) -> list[str]:
        """Returns the request ids of the responses it received from the service."""
        lines = map(json.loads, (self.folder / "access.log").read_text().splitlines())
        return [line["id"] for line in lines if line["id"]]
