"""Tokens that say nothing: a prefix that scanners know, random letters and digits, a checksum."""

import hashlib
import hmac
import secrets
import zlib

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM = 6


def new(prefix: str, length: int) -> str:
    """A new token, with ``length`` random characters of 5.95 bits each."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(length))
    return prefix + body + _checksum(prefix + body)


def well_formed(token: str, prefix: str, length: int) -> bool:
    """Whether the checksum is right, so that a typo is refused without asking the database."""
    return (
        token.startswith(prefix)
        and len(token) == len(prefix) + length + _CHECKSUM
        and token.isascii()
        and hmac.compare_digest(token[-_CHECKSUM:], _checksum(token[:-_CHECKSUM]))
    )


def hashed(token: str) -> str:
    """What a token is found by. A plain hash is enough for so many random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def _checksum(text: str) -> str:
    value, found = zlib.crc32(text.encode()), ""
    for _ in range(_CHECKSUM):
        value, digit = divmod(value, len(_ALPHABET))
        found = _ALPHABET[digit] + found
    return found
