"""Opaque tokens: a prefix that secret scanners recognise, random characters and a checksum."""

import hashlib
import hmac
import secrets
import zlib

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARACTERS = 6


def new(prefix: str, length: int) -> str:
    """Returns a new token with ``length`` random base62 characters (5.95 bits each)."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(length))
    return prefix + body + _checksum(prefix + body)


def is_well_formed(token: str, prefix: str, length: int) -> bool:
    """Returns whether the form and checksum are right, so a typo needs no database query."""
    return (
        token.startswith(prefix)
        and len(token) == len(prefix) + length + _CHECKSUM_CHARACTERS
        and token.isascii()
        and hmac.compare_digest(
            token[-_CHECKSUM_CHARACTERS:], _checksum(token[:-_CHECKSUM_CHARACTERS])
        )
    )


def hashed(token: str) -> str:
    """Returns the lookup key of a token. Its entropy makes salting and key stretching needless."""
    return hashlib.sha256(token.encode()).hexdigest()


def _checksum(text: str) -> str:
    remainder, digits = zlib.crc32(text.encode()), ""
    for _ in range(_CHECKSUM_CHARACTERS):
        remainder, digit = divmod(remainder, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits
