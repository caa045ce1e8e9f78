"""The journal: a file outside the database, with the acts that a restore must not undo.

Each line is an act as JSON. It is on disk before the act's transaction commits, so an act without a
line was not done; a line without its act is repeated by `wishwell restore replay`, unless a later
line says that the act was refused. A profile is named by its derived key, never by its GID.
"""

import contextlib
import fcntl
import hashlib
import os
import time
import uuid
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path

import msgspec

from wishwell import ids
from wishwell.errors import Unrecorded

actor: ContextVar[str] = ContextVar("actor", default="wishwell")
"""The admin token, the command with its system user, or the background job that acts."""

REFUSED = "act.refused"
"""The action of a line about an earlier line whose act was refused: not done, and never will be."""

_LOCK_SECONDS = 2.0
_FIRST_BYTES = (b"{", b"\n")


class Act(
    msgspec.Struct, kw_only=True, omit_defaults=True, rename="camel", forbid_unknown_fields=True
):
    """A line. ``id``: the id of a token, webhook, request or refused line, or an order's hash;
    ``profile``: a profile's key.

    ``created``: when the erased profile or forgotten order was created; ``sessions``: when each
    session that was linked to it was created, by the session's key. ``until``: the time up to which
    tokens are revoked. ``hash``: of an e-mail address; ``reason``: why it gets no mail.
    ``options``: of a command, and ``withheld`` those without their value, each with the hash of its
    file or ''. ``time``: empty until the line is written, or until a command begins.
    """

    time: str = ""
    action: str
    by: str = ""
    command: str = ""
    options: list[str] = msgspec.field(default_factory=list)
    withheld: dict[str, str] = msgspec.field(default_factory=dict)
    store: str = ""
    store_id: str = ""
    id: str = ""
    profile: str = ""
    created: str = ""
    sessions: dict[str, str] = msgspec.field(default_factory=dict)
    jti: str = ""
    until: str = ""
    hash: str = ""
    reason: str = ""


class Journal:
    """Appends acts to a file, which it opens by its name each time. Without a path it is off.

    ``command`` is recorded before the first write of this process, if there is one.
    """

    def __init__(self, path: str = "", command: Act | None = None) -> None:
        self._path = path
        self.is_on = bool(path)
        self._command = command
        self.failures = 0
        """Number of calls of ``append`` that failed."""

    def record_command(self) -> None:
        """Records the command, once. Raises ``Unrecorded``."""
        if self._command is not None:
            self.append([self._command], actor.get())
            self._command = None

    def begin_command(self, time: str) -> None:
        """Sets the time of the command's line, which so isn't later than the times that the command
        stores: a restore lists commands that are later than all times in the backup."""
        if self._command is not None:
            self._command.time = time

    def is_another_file(self) -> bool:
        """Returns whether the path leads to a file that isn't a journal, such as a key."""
        with contextlib.suppress(OSError), Path(self._path).open("rb") as file:
            return file.read(1) not in (b"", *_FIRST_BYTES)
        return False

    # rule: journal-first
    def append(self, acts: Sequence[Act], by: str = "") -> None:
        """Appends a line for each act and waits until they are on disk. Sets the acts' time and, if
        given, ``by``. Raises ``Unrecorded``."""
        for act in acts:
            act.by = by or act.by
        try:
            self._append(acts)
        except OSError as error:
            self.failures += 1
            self.refuse(acts)  # the lines may have reached the file, although not the disk
            raise Unrecorded(self._path) from error

    # rule: journal-refused
    def refuse(self, acts: Sequence[Act]) -> None:
        """Appends that these acts weren't done, for those that have a line. Where that fails, a
        replay repeats the act."""
        lines = [(act.by, line_id(msgspec.json.encode(act))) for act in acts if act.time]
        for act in acts:
            act.time = ""
        with contextlib.suppress(OSError):
            self._append([Act(action=REFUSED, by=by, id=line) for by, line in lines])

    def _append(self, acts: Sequence[Act]) -> None:
        if not acts or not self._path:
            return
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            _lock(file)
            new = _write(file, acts)
            fcntl.flock(file, fcntl.LOCK_UN)
            os.fsync(file)
            if new:
                _sync_folder(self._path)
        finally:
            os.close(file)


def line_id(line: bytes) -> str:
    """Returns the id of a line: a UUID made from a hash of its text, without the line feed."""
    return str(uuid.UUID(bytes=hashlib.sha256(line).digest()[:16]))


def _write(file: int, acts: Sequence[Act]) -> bool:
    """Writes all lines, or none and raises ``OSError``. Returns whether the file was empty."""
    end = os.lseek(file, 0, os.SEEK_END)
    if end and os.pread(file, 1, 0) not in _FIRST_BYTES:
        raise OSError("the file isn't a journal, so a line would damage it")
    try:
        if end and os.pread(file, 1, end - 1) != b"\n":  # a crash cut off the last line
            os.write(file, b"\n")
        for act in acts:
            act.time = act.time or ids.timestamp(ids.wall_clock())
            line = msgspec.json.encode(act) + b"\n"
            if os.write(file, line) < len(line):
                raise OSError("no space left for the whole line")
    except OSError:
        with contextlib.suppress(OSError):  # /dev/full has no end
            os.ftruncate(file, end)
            for act in acts:
                act.time = ""
        raise
    return not end


def _sync_folder(path: str) -> None:
    folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _lock(file: int) -> None:
    """Waits for other processes to finish their lines. Raises ``OSError`` if one hangs."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
