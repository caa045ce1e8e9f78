"""Faults of the embedded database's file."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
from asyncio import to_thread
from pathlib import Path

from tests.faults import checker
from tests.faults.harness import Harness, scenario

DISK_KIB = 16_000


def _fails(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode != 0


@scenario("sqlite")
async def sqlite_disk_full(r: Harness) -> None:
    """The file's small disk fills up and is emptied again."""
    r.result.faults = "the disk full, 3 times"
    folder = r.service.folder / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_KIB}k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or await to_thread(_fails, *mount):
        r.result.skipped = "mounting a small disk needs root"
        return
    try:
        r.file = str(folder / "wishwell.db")
        await to_thread(r.service.stop)
        for file in r.service.folder.glob("wishwell.*"):  # with its keys
            shutil.copy(file, folder)
        settings = {"WISHWELL_DATABASE_URL": f"sqlite:///{r.file}"}
        await to_thread(r.service.restart, settings=settings)
        await r.under_load(lambda: _fill(r, folder / "ballast"), 16)
        r.bounded()
        r.must(r.journal.statuses()["503"] > 0, "the disk was never full")
        await r.compare()
    finally:
        await to_thread(r.service.stop)
        await to_thread(_fails, "umount", "-l", str(folder))


async def _fill(r: Harness, ballast: Path) -> None:
    for _ in range(3):
        handle = os.open(ballast, os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):  # until the disk is full
            while True:
                os.write(handle, b"x" * 4096)
        os.close(handle)
        await asyncio.sleep(max(1.0, 2 * r.scale))
        reads = await r.statuses(1, "GET", "/items?limit=1")
        r.must(reads == {200}, f"a read on a full disk: {reads}")
        ballast.unlink()
        await r.well_again()
        await asyncio.sleep(0.5)


@scenario("sqlite", load=8)
async def sqlite_read_only(r: Harness) -> None:
    """The file is read-only at a start: a plain message, and no damage."""
    r.result.faults = "the file read-only at a start"
    await to_thread(r.service.stop)
    if await to_thread(_fails, "chattr", "+i", r.sqlite_file):
        r.note("skipped: chattr +i is not permitted here")
    else:
        try:
            said = r.service.cli("serve", check=False, timeout=15)
        finally:
            await to_thread(_fails, "chattr", "-i", r.sqlite_file)
        r.must(said.returncode == 1, f"serve ended with {said.returncode}")
        r.must("Traceback" not in said.stderr, "serve showed a traceback")
    await to_thread(r.service.start)
    await r.well_again()


@scenario("sqlite")
async def sqlite_truncated_wal(r: Harness) -> None:
    """A crash that lost the end of the write-ahead log: the rest is intact, and the service starts.

    The lost part's records are missing, so nothing is compared with the journal.
    """
    times = max(3, round(10 * r.scale))
    with tempfile.TemporaryDirectory(prefix="torture-wal-") as name:
        copy = Path(name) / "wishwell.db"

        async def fault() -> None:
            await to_thread(r.service.kill)
            for suffix in ("", "-wal"):
                shutil.copy(r.sqlite_file + suffix, f"{copy}{suffix}")
            await to_thread(r.service.start)

        await r.under_load(fault, 8)
        await r.compare()
        await to_thread(r.service.kill)
        wal = Path(f"{copy}-wal").read_bytes()
        for number in range(times):
            Path(r.sqlite_file + "-shm").unlink(missing_ok=True)
            shutil.copy(copy, r.sqlite_file)
            Path(r.sqlite_file + "-wal").write_bytes(wal[: len(wal) * number // times + number])
            await to_thread(r.service.start)
            for name, statement in checker.INVARIANTS.items():
                count = r.sql(statement)
                r.must(count == "0", f"{count} {name} after the log was cut")
            said = checker.sqlite_is_whole(r.sqlite_file)
            r.must(said == "ok", f"integrity_check after the log was cut: {said}")
            await to_thread(r.service.kill)
    r.result.faults = f"the log cut at {times} places of {len(wal)} bytes"
