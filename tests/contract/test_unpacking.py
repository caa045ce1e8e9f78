"""Files in wrappings: gzip and zip files are read, others are named."""

import gzip
import io
import os
import time
import tracemalloc
import zipfile

import pytest

from wishwell.errors import Invalid
from wishwell.transfer import unpacking
from wishwell.transfer.spool import open_unpacked

from .test_catalogue import NUMBERS
from .test_csv import AT, csv_file

CSV = b"id,title\n7,Lamp\n"


def zipped(*names, method=zipfile.ZIP_DEFLATED, content=CSV):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name in names:
            archive.writestr(name, content)
    return made.getvalue()


def encrypted():
    """Returns a zip file whose directory says that its file is encrypted."""
    made = bytearray(zipped("a.csv"))
    made[made.index(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def unpack(tmp_path, packed, **how):
    """Returns the content of a file with these bytes."""
    path = tmp_path / "feed"
    path.write_bytes(packed)
    with open_unpacked(str(path), **how) as file:
        return file.read()


GOOD = {
    "plain": CSV,
    "gzip": gzip.compress(CSV),
    "several gzip members": gzip.compress(CSV[:5]) + gzip.compress(CSV[5:]),
    "zip": zipped("export/feed.csv"),
    "stored": zipped("feed.csv", method=zipfile.ZIP_STORED),
    "zip by macOS": zipped("feed.csv", "__MACOSX/._feed.csv", ".DS_Store"),
    "zip with a folder": zipped("a/", "a/feed.csv"),
}
BAD = {
    "two files": (zipped("a.csv", "b.csv"), "exactly one file, but has 'a.csv', 'b.csv'"),
    "many files": (zipped(*map(str, range(9))), "'4' and 4 more. Unpack it"),
    "empty zip": (zipped(), "has none"),
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), "File > Save As > CSV UTF-8"),
    "ods": (zipped("mimetype", "content.xml"), "File > Save As > Text CSV"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 600, "workbook. Save it as CSV"),
    "encrypted": (encrypted(), r"is encrypted \('a.csv'\)"),
    "bzip2 in zip": (zipped("a.csv", method=zipfile.ZIP_BZIP2), "isn't compressed with Deflate"),
    "bzip2": (b"BZh91AY&SY" + b"x" * 600, "is packed. Unpack it first"),
    "gzip in gzip": (gzip.compress(gzip.compress(CSV)), "is packed twice"),
    "xlsx in gzip": (gzip.compress(zipped("xl/workbook.xml")), "is packed twice"),
    "tar in gzip": (gzip.compress(bytes(257) + b"ustar\x0000"), "is a tar archive"),
    "cut gzip": (gzip.compress(CSV)[:-9], "can't be unpacked .*cut off"),
    "cut zip": (zipped("a.csv")[:-30], "can't be unpacked .*cut off"),
    "damaged gzip": (gzip.compress(CSV)[:-8] + b"\0" * 8, "can't be unpacked .*damaged"),
    "damaged zip": (zipped("a.csv").replace(b"a.csv", b"b.csv", 1), "can't be unpacked"),
    "large directory": (
        zipped(*(f"{n:030000}" for n in range(40)), content=b""),
        "directory is too large",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_compressed_file_is_read(tmp_path, name):
    """gzip and a zip with one file are read like the file in them. Rule: files-unpacked."""
    assert unpack(tmp_path, GOOD[name]) == CSV


@pytest.mark.parametrize("name", BAD)
def test_unsupported_compression_is_named(tmp_path, name):
    """A wrapping that can't be read is named, with what to do. Rule: files-unpacked."""
    packed, message = BAD[name]
    with pytest.raises(Invalid, match=message):
        unpack(tmp_path, packed)


def test_unpacked_size_is_limited(tmp_path, monkeypatch):
    """A file that unpacks to more than the limit, or above a size to more than 200 times its own,
    is refused in little memory. Rule: files-unpacked."""
    assert unpack(tmp_path, gzip.compress(CSV), max_bytes=len(CSV)) == CSV
    with pytest.raises(Invalid, match="more than 15 bytes, the limit set by WISHWELL_MAX_UNPACKED"):
        unpack(tmp_path, gzip.compress(CSV), max_bytes=len(CSV) - 1)
    bomb = bytes(20 << 20)
    assert unpack(tmp_path, gzip.compress(bomb)) == bomb
    monkeypatch.setattr(unpacking, "_MIN_RATIO_BYTES", 10_000_000)
    for packed in (gzip.compress(bomb), zipped("a.csv", content=bomb)):
        tracemalloc.start()
        with pytest.raises(Invalid, match="more than 200 times"):
            unpack(tmp_path, packed)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 2 << 20


def test_compressed_wishes_have_the_time_of_their_file(tmp_path):
    """Wishes without a time get the same one from a compressed file whenever it is imported.
    Rules: files-unpacked, import-twice."""
    path = tmp_path / "wishes.csv.gz"
    path.write_bytes(gzip.compress(b"Who,What\n5,7\n"))
    os.utime(path, ns=(AT * 10**6, AT * 10**6))
    how = csv_file.Reading(csv_file.parse_columns("customer=Who,product=What"))
    times = set()
    for _ in range(2):
        file = csv_file.CsvFile(str(path), NUMBERS, how, time.time_ns() // 10**6)
        assert not [*file.check()] and not file.spool.errors
        times |= {item.created_at for bundle in file for item in bundle.items}
    assert len(times) == 1
