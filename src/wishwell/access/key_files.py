"""Files with the keys of an embedded database, next to it."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from wishwell import files
from wishwell.errors import DOCS, Misconfigured


def write_key(path: Path, key: str) -> None:
    """Creates a key file with mode 600, whole or not at all. Never replaces an existing file."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".wishwell-key-") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)  # fails if another process was first


def make_embedded_key(database: str) -> None:
    """Makes the key file next to an embedded database. Another process may do so concurrently.

    Raises ``Misconfigured``.
    """
    path = Path(f"{database}.key")
    try:
        write_key(path, secrets.token_urlsafe(48))
    except OSError as error:
        raise Misconfigured(f"The key file {path} can't be made ({error}).") from error


# rule: signing-keys
def embedded_key(database: str) -> bytes:
    """Returns the key in the file next to an embedded database.

    Raises ``Misconfigured`` if it is missing, other users can read it, or it holds no key.
    """
    path = Path(f"{database}.key")
    restore_hint = f"Put it back from the backup of the keys: {DOCS}runbooks.md#lost-key"
    try:
        with files.open_regular(path) as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise Misconfigured(
                    f"Other users can read the key file {path}. Run chmod 600 on it."
                )
            key = file.read().decode("ascii").strip()
    except FileNotFoundError as error:
        raise Misconfigured(f"The key file {path} is missing. {restore_hint}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"The key file {path} can't be used ({error}).") from error
    if len(key) < 32:
        raise Misconfigured(
            f"The key file {path} has {len(key)} characters; a key has at least 32. {restore_hint}"
        )
    return key.encode()
