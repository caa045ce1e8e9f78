"""The HTTP server's protocol where the proxy is served: what it refuses besides, and how."""

from wishwell.http.server import GuardedProtocol
from wishwell.proxy.answers import NOSNIFF, PRIVATE


class PathsOnly(GuardedProtocol):
    """Takes a target that is a path and a query, and nothing else: a proxy is not to be misread."""

    targets = (b"/",)
    forbidden = b"#"
    # Nobody was looked for, and whoever it was meant for: no cache may show it to another browser.
    refusal_headers = (NOSNIFF, *PRIVATE, (b"wishwell-shopper", b"-"))
