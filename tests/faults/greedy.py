"""Callers that ask as soon as they have their answer: ``python -m tests.faults.greedy PORT``.

Runs as a separate process that gets only idle processor time, because real callers have machines of
their own. It reads a line of JSON: for each caller its headers and its requests, each a method, a
path and a body. It ends with its input, and prints how often each status came.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from typing import Any

import uvloop

from tests.faults.load import Client, Cut, Unsent
from tests.servers import HERE

REFUSED_SECONDS = 0.05
"""The pause after a refusal."""


async def start(port: int, callers: list[dict[str, Any]]) -> Process:
    """Starts the process. Returns it once it sends requests."""
    words = (sys.executable, "-m", "tests.faults.greedy", str(port))
    process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE)
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(callers).encode() + b"\n")
    await process.stdout.readline()
    return process


async def stop(process: Process) -> Counter[str]:
    """Stops the process. Returns how often it received each status."""
    assert process.stdin
    process.stdin.close()
    output, _ = await process.communicate()
    return Counter(json.loads(output))


async def _ask_all(port: int, callers: list[dict[str, Any]]) -> Counter[str]:
    statuses, ended = Counter[str](), asyncio.Event()
    reading = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    reading.add_done_callback(lambda _: ended.set())

    async def one(caller: dict[str, Any]) -> None:
        client, number = Client(HERE, port, caller["headers"]), 0
        while not ended.is_set():
            method, path, body = caller["requests"][number % len(caller["requests"])]
            number += 1
            try:
                status = (await client.ask(method, path, body)).status
            except (Cut, Unsent, TimeoutError):
                status = 0
            statuses[str(status)] += 1
            if status >= 300 or not status:
                await asyncio.sleep(REFUSED_SECONDS)

    asking = [asyncio.create_task(one(caller)) for caller in callers]
    print("asking", flush=True)
    await ended.wait()
    await asyncio.wait(asking, timeout=10)
    return statuses


if __name__ == "__main__":
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    print(json.dumps(uvloop.run(_ask_all(int(sys.argv[1]), json.loads(sys.stdin.readline())))))
