let last: Promise<unknown> = Promise.resolve();

/**
 * Runs work after all earlier work has ended: in all tabs if the browser has locks, else in this
 * page. A visitor's first write creates their session, and two concurrent ones would create two.
 */
export async function inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let begun: Promise<T> | undefined;
  const begin = () => (begun = work());
  try {
    return await navigator.locks.request('wishwell', { signal } as LockOptions, begin);
  } catch (error) {
    // There are no locks in server-side rendering, on http, and with all storage blocked.
    if (begun) throw error;
    signal?.throwIfAborted();
  }
  const turn = last.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  last = turn.catch(() => {});
  return turn;
}
