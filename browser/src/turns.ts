let last: Promise<unknown> = Promise.resolve();

/**
 * Does the work after all earlier work is done: that of all tabs if the browser has locks, else that
 * of this page. A visitor's first write creates their session, and two at once would create two.
 */
export function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  // A server that renders the page may have no navigator.
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (locks) return locks.request('wishwell', signal ? { signal } : {}, work) as Promise<T>;
  const turn = last.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  last = turn.catch(() => {});
  return turn;
}
