"""Repeated keys of JSON objects, which decoders accept without a word."""

import json
from typing import Any


def duplicate_key(text: bytes | str) -> str | None:
    """Returns a key that an object in this JSON contains twice, or ``None``.

    Decoders silently keep the last of repeated keys. The text must have been decoded before, which
    has validated its syntax and size.
    """
    try:
        _unique_keys_decoder.decode(text if isinstance(text, str) else text.decode())
    except _DuplicateKey as error:
        return str(error)
    return None


class _DuplicateKey(Exception):
    pass


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> None:
    earlier_keys: set[str] = set()
    for key, _ in pairs:
        if key in earlier_keys:
            raise _DuplicateKey(key)
        earlier_keys.add(key)


_unique_keys_decoder = json.JSONDecoder(object_pairs_hook=_refuse_duplicates)
