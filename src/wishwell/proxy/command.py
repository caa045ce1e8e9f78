"""The command ``wishwell proxy``: the application on a server of its own."""

import os

import click

from wishwell import config, log, serve
from wishwell.errors import Misconfigured
from wishwell.proxy import settings as proxy_settings
from wishwell.proxy.app import Proxy
from wishwell.proxy.protocol import PathsOnly

_STOP_SECONDS = 8


@click.command("proxy")
@click.pass_obj
def proxy(settings: config.Settings) -> None:
    """Serve the proxy for browsers on the shop's own domain.

    Its settings are WISHWELL_PROXY_*; docs/proxy.md lists them.
    """
    log.configure(settings.log_level)
    given = proxy_settings.load(os.environ)
    if given.api == proxy_settings.INSIDE:
        raise Misconfigured(
            f"{proxy_settings.PREFIX}API is {proxy_settings.INSIDE}: then `wishwell serve` answers "
            "the proxy's paths itself; here it must be the API's address."
        )
    names = f"{proxy_settings.PREFIX}HOST and {proxy_settings.PREFIX}PORT"
    listening = serve.listen(given.host, given.port, names)
    serve.serve_one(Proxy(given, dates=True), listening, PathsOnly, _STOP_SECONDS, base=given.base)
