"""Sends the due mails of a process, a batch of each store after the other's."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from email.message import EmailMessage

import structlog

from wishwell import ids
from wishwell.contacts import queue, store_mails
from wishwell.contacts.queue import Attempt, BegunMail, ClaimedMail
from wishwell.db import Database
from wishwell.db.clock import ReferenceClock
from wishwell.errors import Misconfigured, Unavailable
from wishwell.fairness.fair_queue import Flow, Ticket
from wishwell.fairness.fair_semaphore import FairSemaphore
from wishwell.jobs import Job, Run
from wishwell.mailer import compose, contents, smtp
from wishwell.mailer.smtp import Connections, Server
from wishwell.stores import Store
from wishwell.stores.sealing import Damaged, Sealing

_MAX_CONCURRENT = 32
"""Maximum concurrent sends of a process. A store has at most as many as are left free."""

_BATCH_SIZE = 50
_FAILURE_BACKOFF_SECONDS = 30
_STOP_SECONDS = 5.0
"""Seconds for which a process that stops waits for mails that are being sent."""

_RECORD_BACKOFF_SECONDS = 1.0
_START_PAUSE_SECONDS = 0.01
"""Minimum seconds between the beginnings of two mails. Composing one takes 4 ms, so without a pause
all mails of a batch together would hold up requests."""

log = structlog.get_logger("wishwell.mailer.sender")


class _NotSent(Exception):
    """The mail isn't sent now, for example because its owner has bought all of its items."""


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
        self._sends: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        self._starting = asyncio.Lock()
        # By store. The transactions that begin a store's mails wait for each other in the database
        # (rule: mail-limits), so several at a time would only keep connections from requests.
        self._beginning = defaultdict[str, asyncio.Lock](asyncio.Lock)

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
        for store in tuple(self._list_stores()):  # stores may be added meanwhile
            if not store.sends_mails:
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
        """Begins no more mails, waits a while for those that are being sent, and cancels the rest,
        whose outcome is then unknown."""
        self._is_stopping = True
        if self._sends:
            await asyncio.wait(self._sends, timeout=_STOP_SECONDS)
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
            while (current := self._find_store(store.id)) and (mails := await self._claim(current)):
                sends = [
                    asyncio.create_task(self._process(store.id, server, mail)) for mail in mails
                ]
                self._sends.update(sends)
                await asyncio.gather(*sends)
                self._sends.difference_update(sends)
        except (Misconfigured, Damaged) as error:
            log.error("mails_failed", store=store.handle, reason=error.message)
            await asyncio.sleep(_FAILURE_BACKOFF_SECONDS)
        except Unavailable as error:
            log.warning("mails_put_off", store=store.handle, reason=error.message)
        finally:
            del self._tasks[store.id]

    # rule: mail-paused
    def _find_store(self, store_id: str) -> Store | None:
        """Returns a store as it is now, which a backlog of hours would miss; None if no mail of it
        may be begun."""
        if self._is_stopping:
            return None
        stores = (store for store in self._list_stores() if store.id == store_id)
        return next((store for store in stores if store.sends_mails), None)

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
    async def _process(self, store_id: str, server: Server, mail: ClaimedMail) -> None:
        """Sends a mail and records the outcome. If the outcome can't be recorded, another process
        takes it for unknown."""
        async with self._slots.place(Ticket(Flow(store_id, ""))):
            async with self._starting:
                await asyncio.sleep(_START_PAUSE_SECONDS)
            store, began = self._find_store(store_id), self._clock()
            if store is None:
                return
            try:
                attempt = await self._attempt(store, server, mail)
                if attempt is None:
                    return
                state = await self._record(store, attempt, began)
            except Unavailable as error:
                log.warning("mail_put_off", mail=mail.id, reason=error.message)
                return
            except Exception as error:
                # Such as a mail that can't be composed. It mustn't hold up the others.
                log.error("mail_failed", mail=mail.id, reason=smtp.describe(error))
                return
        self.outcomes["retried" if state == "waiting" else state] += 1
        if attempt.problem:
            log.warning("mail_refused", mail=mail.id, outcome=attempt.outcome,
                        reason=attempt.problem)  # fmt: skip

    # rule: mail-states
    async def _attempt(self, store: Store, server: Server, mail: ClaimedMail) -> Attempt | None:
        """Sends a mail; returns None if it isn't sent now. No text is transmitted before
        ``contents.begin`` has committed, which waits until the server has accepted the recipient:
        the time in which a crash leaves the outcome unknown is short."""
        now = self._clock()
        at = ids.timestamp(now)
        contact = await self._db.read(queue.find_recipient, store, mail, at)
        if contact is None or contact.email is None:
            # Cancels the mail if its owner doesn't want it any longer.
            await self._db.write(queue.begin, store, mail, at, "")
            return None
        recipient = contact.email

        async def begin_and_compose() -> EmailMessage:
            async with self._beginning[store.id]:
                content = await self._db.write(
                    contents.begin, store, mail, self._base, at, recipient
                )
            if content is None:
                raise _NotSent
            return self._compose(store, content, now)

        try:
            delivery = await self._connections.send(
                server, store.mail.mail_from, recipient, begin_and_compose
            )
        except _NotSent:
            return None
        return Attempt(BegunMail(mail, contact, [], 0), delivery.outcome, delivery.problem)

    async def _record(self, store: Store, attempt: Attempt, began: int) -> queue.State:
        """Records an outcome. Retries while the database can't be reached, until the lease ends,
        because the mail would be sent again. ``began``: milliseconds since 1970."""
        while True:
            now = self._clock()
            try:
                return await self._db.write(queue.record, store, attempt, ids.timestamp(now))
            except Unavailable:
                if self._is_stopping or now > began + queue.LEASE_SECONDS * 1000:
                    raise
            await asyncio.sleep(_RECORD_BACKOFF_SECONDS)

    def _compose(self, store: Store, content: contents.Content, now: int) -> EmailMessage:
        frame = contents.frame(store, content, now)
        link = f"{store.mail_origin}{self._base}/mail/{content.token}"
        if content.begun.mail.kind == "confirmation":
            return compose.compose_confirmation(frame, link)
        wishlist = contents.wishlist_url(store, self._base)
        return compose.compose_notices(frame, content.lines, content.begun.more, wishlist, link)
