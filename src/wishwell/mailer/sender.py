"""Sends the due mails of a process, a batch of each store after the other's."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable

import structlog

from wishwell import ids
from wishwell.contacts import queue, store_mails
from wishwell.contacts.queue import Attempt, ClaimedMail
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock
from wishwell.errors import Misconfigured, Unavailable
from wishwell.fairness.fair_queue import Flow, Ticket
from wishwell.fairness.fair_semaphore import FairSemaphore
from wishwell.jobs import Job, Run
from wishwell.mailer import compose, contents, smtp
from wishwell.mailer.smtp import Connections, Delivery, Server
from wishwell.stores import Store
from wishwell.stores.sealing import Damaged, Sealing

_MAX_CONCURRENT = 32
"""Maximum concurrent sends of a process. A store has at most as many as are left free."""

_BATCH_SIZE = 50
_FAILURE_BACKOFF_SECONDS = 30

log = structlog.get_logger("wishwell.mailer.sender")


class Sender:
    """The sender of a process.

    ``list_stores``: returns the stores. ``url``: the installation's SMTP server, or None. ``base``:
    the path of the storefront. ``outcomes`` counts finished attempts. ``oldest_due``: the earliest
    due time found by the last poll, in milliseconds since 1970, or 0.
    """

    def __init__(
        self,
        db: Database,
        connections: Connections,
        sealing: Sealing | None,
        clock: ReferenceClock,
        list_stores: Callable[[], Iterable[Store]],
        url: str | None,
        base: str,
    ) -> None:
        self.outcomes: Counter[str] = Counter()
        self.oldest_due = 0
        self._db = db
        self._connections = connections
        self._sealing = sealing
        self._clock = clock
        self._list_stores = list_stores
        self._url = url or ""
        self._base = base
        self._slots = FairSemaphore(_MAX_CONCURRENT, store_factor=1)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    # rule: mail-states
    def job(self) -> Job:
        """Returns the job that sends the mails that are due."""

        async def work(_run: Run) -> None:
            await self.poll()

        return Job("mails", 1.0, work)

    async def poll(self) -> bool:
        """Starts a task for each store with due mails. Returns whether there is any.

        Raises ``Unavailable``.
        """
        now, due_times = ids.timestamp(self._clock()), []
        for store in self._list_stores():
            if not store.mail.mail_on:
                continue
            due_since = await self._db.read(queue.due_since, store, now)
            if due_since is None:
                continue
            due_times.append(ids.from_timestamp(due_since))
            if store.id not in self._tasks:
                self._tasks[store.id] = asyncio.create_task(self._serve_store(store))
        self.oldest_due = min(due_times, default=0)
        return bool(due_times)

    async def stop(self) -> None:
        """Cancels all work and waits until it has stopped. Mails that are being sent then have an
        unknown outcome."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._connections.close()

    async def wait_until_idle(self) -> None:
        """Waits until all work is finished."""
        while self._tasks:
            await asyncio.gather(*self._tasks.values())

    async def _serve_store(self, store: Store) -> None:
        """Sends a store's due mails, in batches."""
        try:
            server = await self._find_server(store)
            if server is None:
                return
            while mails := await self._claim(store):
                await asyncio.gather(*(self._process(store, server, mail) for mail in mails))
        except (Misconfigured, Damaged) as error:
            log.error("mails_failed", store=store.handle, reason=error.message)
            await asyncio.sleep(_FAILURE_BACKOFF_SECONDS)
        except Unavailable as error:
            log.warning("mails_put_off", store=store.handle, reason=error.message)
        finally:
            del self._tasks[store.id]

    async def _claim(self, store: Store) -> list[ClaimedMail]:
        now = ids.timestamp(self._clock())
        return await self._db.write(queue.claim, store, _BATCH_SIZE, now)

    async def _find_server(self, store: Store) -> Server | None:
        """Returns the store's own server or the installation's; None, and logs it, without one."""
        state = await self._db.read(store_mails.find, store.id)
        url = store_mails.open_server(self._sealing, store.id, state, self._url)
        if not url:
            log.error("mails_failed", store=store.handle, reason="WISHWELL_SMTP_URL is not set")
            await asyncio.sleep(_FAILURE_BACKOFF_SECONDS)
            return None
        return smtp.parse(url, store.id if state.sealed else "")

    # rule: mail-states
    async def _process(self, store: Store, server: Server, mail: ClaimedMail) -> None:
        """Sends a mail and records the outcome. Before ``contents.begin`` commits nothing is sent;
        if the outcome can't be recorded, another process takes it for unknown."""
        async with self._slots.place(Ticket(Flow(store.id, ""))):
            now = self._clock()
            try:
                content = await self._db.write(
                    contents.begin, store, mail, self._base, ids.timestamp(now)
                )
                if content is None:
                    return
                delivery = await self._send(store, server, content, now)
                attempt = Attempt(content.begun, delivery.outcome, delivery.problem)
                state = await self._db.write(
                    queue.record, store, attempt, ids.timestamp(self._clock())
                )
            except Unavailable as error:
                log.warning("mail_put_off", mail=mail.id, reason=error.message)
                return
        self.outcomes["retried" if state == "waiting" else state] += 1
        if delivery.problem:
            log.warning("mail_refused", mail=mail.id, outcome=delivery.outcome,
                        reason=delivery.problem)  # fmt: skip

    async def _send(
        self, store: Store, server: Server, content: contents.Content, now: int
    ) -> Delivery:
        frame = contents.frame(store, content, now)
        link = f"{store.mail_origin}{self._base}/mail/{content.token}"
        if content.begun.mail.kind == "confirmation":
            message = compose.compose_confirmation(frame, link)
        else:
            wishlist = contents.wishlist_url(store, self._base)
            message = compose.compose_notices(
                frame, content.lines, content.begun.more, wishlist, link
            )
        return await self._connections.send(server, store.mail.mail_from, frame.recipient, message)
