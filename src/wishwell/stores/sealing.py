"""Sealing: encrypts secrets that the service stores in the database and reads again.

AES-256-GCM under the newest key of ``WISHWELL_SEALING_KEYS``. A sealed text contains its key's id,
so that keys can be rotated (rule: sealing-keys), and is bound to its owner: moved to another
store, it can't be decrypted.
"""

import base64
import hmac
import os
import re
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from wishwell.errors import Misconfigured, ServiceError

_NONCE_BYTES = 12
_KEY_ID = re.compile("[0-9a-f]{12}")


class Damaged(ServiceError):
    """The sealed text is damaged; no key decrypts it."""


class Sealing:
    """Encrypts and decrypts with ``keys``, 32 bytes or more each, the newest first."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = {key_id(key): AESGCM(_derive_key(key)) for key in keys}
        self._newest = key_id(keys[0])

    def seal(self, plain: bytes, owner: str) -> str:
        """Returns the sealed text, which ``open`` decrypts only for the same ``owner``."""
        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + self._keys[self._newest].encrypt(nonce, plain, owner.encode())
        return f"{self._newest}.{base64.b64encode(sealed).decode()}"

    # rule: sealing-keys
    def open(self, text: str, owner: str) -> bytes:
        """Returns the decrypted text. Raises ``Misconfigured`` if its key is missing, and
        ``Damaged``; both name ``owner``."""
        key_id, _, rest = text.partition(".")
        key = self._keys.get(key_id)
        if key is None and _KEY_ID.fullmatch(key_id):
            raise Misconfigured(
                f"The secrets of {owner} are encrypted with the key {key_id}, which isn't in "
                "WISHWELL_SEALING_KEYS. Append that key to WISHWELL_SEALING_KEYS, separated by a "
                "comma."
            )
        try:
            if key is None:
                raise ValueError("no key's id")
            sealed = base64.b64decode(rest, validate=True)
            return key.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], owner.encode())
        except (InvalidTag, ValueError) as error:
            raise Damaged(f"The secrets of {owner} were changed or damaged.") from error

    def is_newest(self, text: str) -> bool:
        """Returns whether a text is sealed with the newest key."""
        return text.startswith(f"{self._newest}.")


def key_id(key: bytes) -> str:
    return hmac.digest(key, b"wishwell sealing kid", "sha256")[:6].hex()


def _derive_key(key: bytes) -> bytes:
    return HKDF(SHA256(), length=32, salt=None, info=b"wishwell sealing").derive(key)
