"""Answers of the proxy: the API's, passed on, and its own, with the same envelope."""

from http import HTTPStatus

import msgspec

from wishwell.http import responses

Headers = list[tuple[bytes, bytes]]

NOSNIFF = (b"x-content-type-options", b"nosniff")
PRIVATE = ((b"cache-control", b"private, no-store"), (b"vary", b"Cookie"))


class _Error(msgspec.Struct):
    message: str


class _Failure(msgspec.Struct):
    error: _Error


_failure = msgspec.json.Decoder(_Failure)


class Answer(msgspec.Struct):
    """What goes back, but for the headers that every answer has."""

    status: int
    headers: Headers
    body: bytes = b""


class Refused(Exception):
    """Ends a request with a status and the envelope. ``message`` is written for the caller."""

    def __init__(self, status: int, message: str, headers: Headers | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or []

    def answer(self, request_id: str) -> Answer:
        """The envelope, with the request's id."""
        return own(self.status, self.message, request_id, self.headers)


class Relayed(Exception):
    """Ends a request with the API's own answer to what the proxy asked it: 429, or a 5xx."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def own(status: int, message: str, request_id: str, headers: Headers) -> Answer:
    """An error of the proxy's own."""
    body = responses.envelope(HTTPStatus(status), message, request_id)
    return Answer(status, [responses.JSON, *headers, (b"x-request-id", request_id.encode())], body)


def empty(request_id: str) -> Answer:
    """The page of somebody who has saved nothing."""
    headers = [responses.JSON, (b"x-request-id", request_id.encode())]
    return Answer(200, headers, b'{"data":[]}')


def away() -> Refused:
    """The API was not reached: nothing was done."""
    return Refused(
        503, "The wishlist can't be reached just now. Nothing was done.", [(b"retry-after", b"1")]
    )


def misconfigured() -> Refused:
    """The API takes the proxy's settings for wrong, and waiting a second won't help."""
    message = "The shop's wishlist is set up wrongly: the proxy's log says how. Nothing was done."
    return Refused(503, message, [(b"retry-after", b"60")])


def reason(answer: Answer) -> str:
    """Why the API did not do what it was asked: its status and its message, for the log."""
    try:
        return f"{answer.status}, {_failure.decode(answer.body).error.message}"
    except msgspec.MsgspecError:
        return f"{answer.status}, without a message."


def late() -> Refused:
    """The API did not answer, or not to the end."""
    message = "The wishlist did not answer, or not to the end. A change may or may not be done."
    return Refused(504, message)


def redirected() -> Refused:
    """The API's address is not where the API is."""
    return Refused(502, "The wishlist answered with a redirect.")
