let last: Promise<unknown> = Promise.resolve();

/**
 * Runs work after all earlier work has ended: in all tabs if the browser has locks, else in this
 * page. A visitor's first write creates their session, and two concurrent ones would create two.
 */
export function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  // In server-side rendering there may be no navigator.
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (locks) return locks.request('wishwell', signal ? { signal } : {}, work) as Promise<T>;
  const turn = last.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  last = turn.catch(() => {});
  return turn;
}
