"""The browser library: one file, served under a name that holds its hash."""

import hashlib
from pathlib import Path

from wishwell.proxy.answers import Answer, Refused

_NAME = "wishwell.js"
_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")


class Assets:
    """The library in a folder, read when it is first asked for and kept."""

    def __init__(self, folder: Path, base: str) -> None:
        self._file = folder / _NAME
        self._base = base
        self._content: bytes | None = None
        self._hashed = ""

    def answer(self, name: str) -> Answer:
        """The file, or the way to its name with the hash. Raises ``Refused``."""
        content = self._read()
        if name == _NAME:
            place = f"{self._base}/assets/{self._hashed}".encode()
            return Answer(302, [(b"location", place), (b"cache-control", b"no-cache")])
        if name != self._hashed:
            raise Refused(404, f"There is no such version; {_NAME} leads to the one there is.")
        kind = (b"content-type", b"text/javascript; charset=utf-8")
        return Answer(200, [kind, _FOREVER], content)

    def _read(self) -> bytes:
        if self._content is None:
            try:
                self._content = self._file.read_bytes()
            except OSError:
                raise Refused(
                    404, f"The browser library is not installed: there is no {_NAME}."
                ) from None
            digest = hashlib.sha256(self._content).hexdigest()[:16]
            self._hashed = f"wishwell-{digest}.js"
        return self._content
