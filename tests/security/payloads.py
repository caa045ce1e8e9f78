"""Smuggling payloads: requests that contain another one. Two parsers may disagree on where the
outer one ends. To one of them the hidden request is part of a body, so it must never be executed."""

from __future__ import annotations

from tests.servers import PREFIX

ITEMS = f"{PREFIX}/items"
PREFLIGHT = ("Origin: https://evil.example", "Access-Control-Request-Method: GET")
SOCKET = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")


def hidden(request_id: str, token: str) -> bytes:
    """Returns a whole request whose id appears in the log if the request was carried out."""
    lines = [f"GET {PREFIX}/lists HTTP/1.1", "Host: shop", f"X-Request-Id: {request_id}"]
    return "\r\n".join([*lines, f"Authorization: Bearer {token}", "", ""]).encode()


def head(token: str | None, *lines: str, start: str = f"POST {ITEMS} HTTP/1.1") -> bytes:
    words = [start, "Host: shop", *([f"Authorization: Bearer {token}"] if token else [])]
    words += ["Content-Type: application/json", *lines]
    return "\r\n".join([*words, "", ""]).encode("latin-1")


def payloads(token: str, inside: bytes) -> dict[str, bytes]:
    """Returns the payloads by name; ``inside`` is the hidden request."""
    size, chunk = len(inside), b"%x\r\n%s\r\n0\r\n\r\n" % (len(inside), inside)
    te, cl = "Transfer-Encoding: chunked", f"Content-Length: {size}"
    after_end = b"0\r\n\r\n" + inside
    both = f"Content-Length: {len(after_end)}"

    def sized(line: str) -> bytes:
        return head(token, line) + inside

    def chunked(line: str) -> bytes:
        return head(token, line, f"Content-Length: {len(chunk)}") + chunk

    def to(start: str, *lines: str, token: str | None = token) -> bytes:
        return head(token, *lines, start=start)

    made = {
        "CL.TE": head(token, both, te) + after_end,
        "TE.CL": head(token, te, "Content-Length: 4") + chunk,
        "CL.0": head(token, cl, "Content-Length: 0") + inside,
        "0.CL": head(token, "Content-Length: 0", cl) + inside,
        "equal lengths twice": head(token, cl, cl) + inside,
        "equal lengths in one": sized(f"{cl}, {size}"),
        "length in a list": sized(f"Content-Length: 0, {size}"),
        "plus": sized(f"Content-Length: +{size}"),
        "minus": sized(f"Content-Length: -{size}"),
        "hex": sized(f"Content-Length: 0x{size:x}"),
        "underscore": sized(f"Content-Length: {str(size)[0]}_{str(size)[1:]}"),
        "past 64 bits": sized(f"Content-Length: {2**64 + size}"),
        "length with a tab": sized(f"Content-Length:\x0b{size}"),
        "length, folded": sized(f"Content-Length:\r\n {size}"),
        "length after a bare LF": sized(f"X-A: b\n{cl}"),
        "length after a bare CR": sized(f"X-A: b\r{cl}"),
        "length with a space before the colon": sized(f"Content-Length : {size}"),
        "length with a space in front": sized(f" {cl}"),
        "length as a hop": head(token, cl, "Connection: Content-Length") + inside,
        "TE and identity": chunked(f"{te}\r\nTransfer-Encoding: identity"),
        "TE in a list": chunked("Transfer-Encoding: identity, chunked"),
        "TE twice": chunked(f"{te}\r\n{te}"),
        "TE with something": chunked("Transfer-Encoding: xchunked"),
        "TE with a parameter": chunked("Transfer-Encoding: chunked;q=1"),
        "TE with a tab": chunked("Transfer-Encoding:\x0bchunked"),
        "TE with NUL": chunked("Transfer-Encoding: chunked\0"),
        "TE, folded": chunked("Transfer-Encoding:\r\n chunked"),
        "TE with a space before the colon": chunked("Transfer-Encoding : chunked"),
        "TE with an underscore": chunked("Transfer_Encoding: chunked"),
        "TE after a bare LF": chunked("X-A: b\nTransfer-Encoding: chunked"),
        "TE as a hop": chunked(f"{te}\r\nConnection: Transfer-Encoding"),
        "TE in HTTP/1.0": to(f"POST {ITEMS} HTTP/1.0", te, "Connection: keep-alive") + chunk,
        "body of a GET": to(f"GET {ITEMS} HTTP/1.1", cl) + inside,
        "body of a HEAD": to(f"HEAD {ITEMS} HTTP/1.1", cl) + inside,
        "body of an OPTIONS": to(f"OPTIONS {ITEMS} HTTP/1.1", cl, *PREFLIGHT, token=None) + inside,
        "body without a token": head(None, cl) + inside,
        "body of an unknown path": to("POST /none HTTP/1.1", cl) + inside,
        "body of a method that is not taken": to("PUT /livez HTTP/1.1", cl) + inside,
        "chunks of a method that is not taken": to("PUT /livez HTTP/1.1", te) + chunk,
        "body that waits": head(token, cl, "Expect: 100-continue") + inside,
        "upgrade": head(token, cl, "Connection: Upgrade", "Upgrade: h2c") + inside,
        "upgrade to a socket": to(f"GET {ITEMS} HTTP/1.1", cl, *SOCKET) + inside,
        "method of a tunnel": to("CONNECT shop:80 HTTP/1.1", cl) + inside,
        "length that is empty": sized("Content-Length: "),
        "NUL in a header": head(token, "X-Y: a\0b", cl) + inside,
        "header without a colon": head(token, "X-Y", cl) + inside,
        "header without a name": head(token, ": x", cl) + inside,
        "header's name with bytes": head(token, "X-\u00e9: x", cl) + inside,
        "bare line feeds": sized(cl).replace(b"\r\n", b"\n"),
        "no Host": sized(cl).replace(b"Host: shop\r\n", b"", 1),
        "two Hosts": head(token, "Host: other", cl) + inside,
        "two Hosts in HTTP/1.0": to(f"POST {ITEMS} HTTP/1.0", "Host: other", cl) + inside,
        "TE after another": head(token, "Transfer-Encoding: gzip, chunked") + chunk,
        "no version": to(f"POST {ITEMS}", cl) + inside,
        "version 3": to(f"POST {ITEMS} HTTP/3.0", cl) + inside,
        "no request line": b"Host: shop\r\n\r\n" + inside,
        "garbage": b"\x16\x03\x01\x02\0\x01\xfc\x03\x03" + b"\0" * 50 + b"\r\n\r\n" + inside,
        "space in the path": to(f"POST {ITEMS} x HTTP/1.1", cl) + inside,
        "NUL in the path": to(f"POST {ITEMS}\0 HTTP/1.1", cl) + inside,
    }
    chunks = {
        "extension": b"%x;a=b\r\n%s\r\n0\r\n\r\n" % (size, inside),
        "extension with LF": b"%x;a=b\n%s\r\n0\r\n\r\n" % (size, inside),
        "extension with CRLF in quotes": b'%x;a="\r\n"\r\n%s\r\n0\r\n\r\n' % (size, inside),
        "extension of the last": b"0;\n" + inside,
        "size with a space": b"%x \r\n%s\r\n0\r\n\r\n" % (size, inside),
        "size with zeros": b"%020x\r\n%s\r\n0\r\n\r\n" % (size, inside),
        "size in 0x": b"0x%x\r\n%s\r\n0\r\n\r\n" % (size, inside),
        "size with a plus": b"+%x\r\n%s\r\n0\r\n\r\n" % (size, inside),
        "size that is none": b"zz\r\n%s\r\n0\r\n\r\n" % inside,
        "size past 64 bits": b"1%016x\r\n%s\r\n0\r\n\r\n" % (size, inside),
        "bare LF": b"%x\n%s\n0\n\n" % (size, inside),
        "no end of a chunk": b"2\r\n{}%s0\r\n\r\n" % inside,
        "trailer that is no header": b"0\r\n" + inside,
    }
    made |= {f"chunks: {name}": head(token, te) + body for name, body in chunks.items()}
    return made


# Payloads that every reader delimits alike, so the service may answer them normally.
PLAIN = {
    *("length as a hop", "TE with an underscore", "chunks: extension", "chunks: size with zeros"),
    *(f"body of {what}" for what in ("a GET", "a HEAD", "an OPTIONS", "an unknown path")),
    *(f"{what} of a method that is not taken" for what in ("body", "chunks")),
    *("body without a token", "body that waits"),
}
