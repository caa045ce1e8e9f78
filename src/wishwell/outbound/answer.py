"""Parses another server's answer, with a size limit. No I/O."""

from collections.abc import Mapping
from typing import NamedTuple

import httptools

MAX_ANSWER_BYTES = 64 * 1024
"""Maximum bytes of an answer's body that are read."""

_KEPT_HEADERS = ("location", "retry-after", "x-sib-ratelimit-reset")


class Unanswered(Exception):
    """A call got no answer. The message gives a plain reason, and names at most the host."""


class Answer(NamedTuple):
    """The answer of a server, whatever its status. ``whole``: it fits into ``MAX_ANSWER_BYTES``.

    ``headers``: those that say when or where to send again, with names in lower case.
    """

    status: int
    body: bytes
    whole: bool
    headers: Mapping[str, str]


class AnswerReader:
    """Parses one answer in pieces, and skips interim answers before it.

    ``is_done``: nothing is left to read. ``is_reusable``: the connection may serve another request.
    """

    def __init__(self) -> None:
        self.is_done = False
        self.is_reusable = False
        self._status = 0  # until the headers of the final answer have arrived
        self._has_framing = False
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._parser = httptools.HttpResponseParser(self)

    # rule: outbound-limits
    def feed(self, data: bytes) -> None:
        """Parses a piece, which is empty at the end of the connection. Raises ``Unanswered``."""
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.is_reusable = False
            if not self.is_done:
                raise Unanswered("the answer is not HTTP") from None
        if not data and not self.is_done:
            if not self._status or self._has_framing:
                raise Unanswered("the connection broke off")
            self.is_done = True

    def answer(self) -> Answer:
        """Returns the answer, once it is done. After this, ``feed`` can't be called."""
        del self._parser  # breaks a reference cycle, which would wait for the garbage collector
        whole = len(self._body) <= MAX_ANSWER_BYTES
        return Answer(self._status, bytes(self._body[:MAX_ANSWER_BYTES]), whole, self._headers)

    # ------------------------------------------------------------- the parser's callbacks

    def on_message_begin(self) -> None:
        if self.is_done:
            raise ValueError("an answer that nobody asked for")
        self._has_framing = False
        self._headers = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self._has_framing = True
        if (lower_name := name.decode("latin-1").lower()) in _KEPT_HEADERS:
            self._headers[lower_name] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 100 or status == 101 or self._parser.get_http_version() not in ("1.0", "1.1"):
            raise ValueError("an answer to something else")
        if status >= 200:
            self._status = status
            self.is_reusable = self._parser.should_keep_alive()

    def on_body(self, data: bytes) -> None:
        self._body += data
        if len(self._body) > MAX_ANSWER_BYTES:
            self.is_done = True
            raise ValueError("the rest is not read")

    def on_message_complete(self) -> None:
        self.is_done = self._status > 0
