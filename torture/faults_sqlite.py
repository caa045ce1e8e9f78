"""What can happen to the file of the embedded database."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from torture import checker
from torture.harness import Harness, Result, harness, scenario

DISK_KIB = 16_000


@scenario("sqlite")
async def sqlite_disk_full(engine: str, result: Result, scale: float) -> None:
    """The file lies on a small disk, which fills up and is emptied again."""
    folder = _folder("torture-disk-")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_KIB}k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or await asyncio.to_thread(_fails, *mount):
        _remove(folder)
        result.skipped = "mounting a small disk needs root"
        return
    settings = {"WISHWELL_DATABASE_URL": f"sqlite:///{folder}/wishwell.db"}
    try:
        with harness(engine, result, scale, settings) as r:
            r.file = str(folder / "wishwell.db")
            await r.under_load(lambda: _fill(r, folder), count=16)
            result.faults = "the disk full, 3 times"
            r.bounded()
            result.must(r.journal.statuses()["503"] > 0, "the disk was never full")
            await r.compare()
    finally:
        await asyncio.to_thread(_fails, "umount", "-l", str(folder))
        _remove(folder)


def _folder(prefix: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=prefix))


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _fails(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode != 0


async def _fill(r: Harness, folder: Path) -> None:
    ballast = folder / "ballast"
    for _ in range(3):
        handle = os.open(ballast, os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):  # until the disk is full
            while True:
                os.write(handle, b"x" * 4096)
        os.close(handle)
        await asyncio.sleep(max(1.0, 2 * r.scale))
        headers = {"Authorization": f"Bearer {r.service.admin_token()}"}
        client = r.client(**headers)
        answer = await client.ask("GET", "/api/2025-04/items?limit=1")
        client.close()
        r.result.must(answer.status == 200, f"a read on a full disk: {answer.status}")
        ballast.unlink()
        await r.well_again(time.monotonic())
        await asyncio.sleep(0.5)


@scenario("sqlite")
async def sqlite_read_only(engine: str, result: Result, scale: float) -> None:
    """The file can't be written at a start: a plain message, and nothing is harmed."""
    with harness(engine, result, scale) as r:

        async def fault() -> None:
            await asyncio.to_thread(r.service.stop)
            if await asyncio.to_thread(_fails, "chattr", "+i", r.sqlite_file):
                result.notes.append("skipped: chattr +i is not permitted here")
            else:
                try:
                    said = r.service.cli("serve", check=False, timeout=15)
                finally:
                    await asyncio.to_thread(_fails, "chattr", "-i", r.sqlite_file)
                result.must(said.returncode == 1, f"serve ended with {said.returncode}")
                result.must("Traceback" not in said.stderr, "serve showed a traceback")
            await asyncio.to_thread(r.service.start)
            await r.well_again(time.monotonic())

        await r.under_load(fault, count=8)
        result.faults = "the file read-only at a start"
        await r.compare()


@scenario("sqlite")
async def sqlite_second_writer(engine: str, result: Result, scale: float) -> None:
    """Another process holds the write lock, for 0.5 s and for 5 s, and writes on its own."""
    with harness(engine, result, scale) as r:

        def hold(seconds: float) -> None:
            other = sqlite3.connect(r.sqlite_file, timeout=10, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE stores SET updated_at = updated_at")
            time.sleep(seconds)
            other.execute("COMMIT")
            other.close()

        async def fault() -> None:
            for seconds in (0.5, 0.5, max(3.0, 5 * scale)):
                await asyncio.to_thread(hold, seconds)
                await r.well_again(time.monotonic())
                await asyncio.sleep(0.5)

        await r.under_load(fault, count=16)
        result.faults = "locked by another process"
        r.bounded()
        await r.compare()


@scenario("sqlite")
async def sqlite_truncated_wal(engine: str, result: Result, scale: float) -> None:
    """A crash that took the end of the log: what is left is whole, and it starts.

    What the cut off part held is gone with it, so nothing is compared with the journal.
    """
    times = max(3, round(10 * scale))
    with harness(engine, result, scale) as r:
        copies = _folder("torture-wal-")

        async def fault() -> None:
            await asyncio.to_thread(r.service.kill)
            for suffix in ("", "-wal"):
                shutil.copy(r.sqlite_file + suffix, copies / f"wishwell.db{suffix}")
            await asyncio.to_thread(r.service.start)

        await r.under_load(fault, count=8)
        await r.compare()
        await asyncio.to_thread(r.service.kill)
        wal = (copies / "wishwell.db-wal").read_bytes()
        for number in range(times):
            for suffix in ("-wal", "-shm"):
                Path(r.sqlite_file + suffix).unlink(missing_ok=True)
            shutil.copy(copies / "wishwell.db", r.sqlite_file)
            Path(r.sqlite_file + "-wal").write_bytes(wal[: len(wal) * number // times + number])
            await asyncio.to_thread(r.service.start)
            for name, statement in checker.INVARIANTS.items():
                count = r.sql(statement)
                result.must(count == "0", f"{count} {name} after the log was cut")
            said = checker.sqlite_is_whole(r.sqlite_file)
            result.must(said == "ok", f"integrity_check after the log was cut: {said}")
            await asyncio.to_thread(r.service.kill)
        shutil.rmtree(copies)
        result.faults = f"the log cut at {times} places of {len(wal)} bytes"
