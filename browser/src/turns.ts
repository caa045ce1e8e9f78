let last: Promise<unknown> = Promise.resolve();

/**
 * Does the work when all work before it is done: of all tabs where the browser has locks, else of
 * this page. A visitor's first write makes their session, and two at once would make two.
 */
export function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  // `globalThis`, as a server that renders the page may have no navigator.
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (locks) return locks.request('wishwell', signal ? { signal } : {}, work) as Promise<T>;
  const turn = last.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  last = turn.catch(() => {});
  return turn;
}
