"""Unpacks gzip files, and zip files with one file in them, into a temporary file."""

import contextlib
import gzip
import os
import re
import struct
import tempfile
import zipfile
import zlib
from typing import IO, Any, BinaryIO, cast

from wishwell.config import MAX_UNPACKED_BYTES
from wishwell.errors import Invalid, Misconfigured

_MAX_RATIO = 200
_MIN_RATIO_BYTES = 100_000_000
"""Number of unpacked bytes above which ``_MAX_RATIO`` applies. Small files may be repetitive."""

_PIECE_BYTES = 1 << 16
_MAX_READ_BYTES = 1 << 20
_MAX_NAMES = 5
_TAR_OFFSET = 257
_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_REFUSED_FORMATS = (
    (rb"\x1f\x8b|PK\x03\x04|PK\x05\x06", "packed twice"),
    (rb"BZh[1-9]1AY&SY|\xfd7zXZ\0|\x28\xb5\x2f\xfd|7z\xbc\xaf\x27\x1c|Rar!\x1a", "packed"),
    (rb"(?s:.{257})ustar", "a tar archive"),
)
_WORKBOOK = (
    "is a spreadsheet program's workbook. Save it as CSV: in Excel with File > Save As > CSV "
    "UTF-8, in LibreOffice with File > Save As > Text CSV, in Google Sheets with File > Download "
    "> CSV."
)
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNPACKING_ERRORS = (
    *(OSError, EOFError, zlib.error, zipfile.BadZipFile),
    *(struct.error, ValueError, RuntimeError, OverflowError),  # from damaged fields of a zip file
)


class _SmallReads:
    """A file whose reads are limited, because ``zipfile`` reads a whole directory in one piece."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size if 0 <= size <= _MAX_READ_BYTES else _MAX_READ_BYTES + 1)
        if len(piece) > _MAX_READ_BYTES:
            raise zipfile.BadZipFile("its directory is too large")
        return piece


# rule: files-unpacked
def unpack(path: str, file: BinaryIO, max_bytes: int = MAX_UNPACKED_BYTES) -> BinaryIO:
    """Returns the file, or if it is packed, a temporary file with the content and the same time.

    Raises ``Invalid`` for packed files that can't be read, and for workbooks.
    """
    start = _read_start(file)
    try:
        if start.startswith(b"\x1f\x8b"):
            packed_bytes = file.seek(0, 2)
            file.seek(0)
            source: Any = gzip.GzipFile(fileobj=file)
        elif start.startswith(_ZIP_SIGNATURES):
            source, packed_bytes = _open_only_file(path, file)
        else:
            _check_content(path, start, _REFUSED_FORMATS[1:])
            return file
    except _UNPACKING_ERRORS as error:
        raise _create_damage_error(path, error) from error
    unpacked_file = _copy_unpacked(path, source, packed_bytes, max_bytes)
    _check_content(path, _read_start(unpacked_file), _REFUSED_FORMATS)
    with contextlib.suppress(OSError):  # without a file, such as in memory
        modified_ns = os.fstat(file.fileno()).st_mtime_ns
        os.utime(unpacked_file.fileno(), ns=(modified_ns, modified_ns))
    return unpacked_file


def _read_start(file: BinaryIO) -> bytes:
    start = file.read(_TAR_OFFSET + 8)
    file.seek(0)
    return start


def _check_content(path: str, start: bytes, formats: Any) -> None:
    """Raises ``Invalid`` for content in one of the formats, or a workbook."""
    if start.startswith(_OLD_WORKBOOK):
        raise Invalid(f"{path}: {_WORKBOOK}")
    for pattern, name in formats:
        if re.match(pattern, start):
            raise Invalid(f"{path}: is {name}. Unpack it first; only gzip and zip files are read.")


def _open_only_file(path: str, file: BinaryIO) -> tuple[IO[bytes], int]:
    """Opens the one file in a zip file. Returns it and its packed size."""
    archive = zipfile.ZipFile(cast("BinaryIO", _SmallReads(file)))
    members = archive.infolist()
    if any(member.filename.startswith("xl/") for member in members) or (
        {"mimetype", "content.xml"} <= {member.filename for member in members}
    ):
        raise Invalid(f"{path}: {_WORKBOOK}")
    members_to_read = [
        member for member in members if not (member.is_dir() or _is_metadata(member.filename))
    ]
    if len(members_to_read) != 1:
        names = ", ".join(repr(member.filename[:80]) for member in members_to_read[:_MAX_NAMES])
        rest_text = (
            f" and {len(members_to_read) - _MAX_NAMES:,} more"
            if len(members_to_read) > _MAX_NAMES
            else ""
        )
        raise Invalid(
            f"{path}: must contain exactly one file, but has {names or 'none'}{rest_text}. Unpack "
            "it, and import one of its files."
        )
    [member_to_read] = members_to_read
    if member_to_read.flag_bits & 1:
        raise Invalid(f"{path}: is encrypted ({member_to_read.filename[:80]!r}). Unpack it first.")
    if member_to_read.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Python's readers of other methods unpack blocks of any size in one piece.
        raise Invalid(
            f"{path}: isn't compressed with Deflate, zip's usual method. Unpack it first."
        )
    return archive.open(member_to_read), member_to_read.compress_size


def _is_metadata(name: str) -> bool:
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def _copy_unpacked(path: str, source: IO[bytes], packed_bytes: int, max_bytes: int) -> BinaryIO:
    """Returns a temporary file with the unpacked bytes."""
    unpacked_file, size = tempfile.TemporaryFile(), 0  # noqa: SIM115
    while piece := _read_piece(path, source):
        size += len(piece)
        if size > max_bytes:
            raise Invalid(
                f"{path}: contains more than {max_bytes:,} bytes, the limit set by "
                "WISHWELL_MAX_UNPACKED_BYTES."
            )
        if size > _MIN_RATIO_BYTES and size > _MAX_RATIO * packed_bytes:
            raise Invalid(
                f"{path}: contains more than {_MAX_RATIO} times as many bytes as it has, like a "
                "file made to fill a disk. If you trust it, unpack it first."
            )
        try:
            unpacked_file.write(piece)
            unpacked_file.flush()
        except OSError as error:
            raise Misconfigured(
                f"{path}: can't be unpacked ({error.strerror}): set TMPDIR to a folder with enough "
                "free space."
            ) from error
    unpacked_file.seek(0)
    return unpacked_file


def _read_piece(path: str, source: IO[bytes]) -> bytes:
    try:
        return source.read(_PIECE_BYTES)
    except _UNPACKING_ERRORS as error:
        raise _create_damage_error(path, error) from error


def _create_damage_error(path: str, error: Exception) -> Invalid:
    return Invalid(f"{path}: can't be unpacked ({error}). Is it damaged or cut off?")
