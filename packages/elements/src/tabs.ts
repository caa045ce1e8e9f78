import type { Item } from './types.js';

const AWAY = 60_000; // ms in the background after which everything shown is reloaded

/** A message from one tab to the others: its shopper, and the records written. */
export interface News {
  shopper: string | undefined;
  items?: Item[];
  gone?: string[];
  lists?: string[];
}

/**
 * Connects the shop's tabs. Calls `hear` with each message of another tab, `again` when this tab was
 * hidden or offline and may have missed some, and `seen` when it is shown again. Returns a function
 * that sends a message.
 */
export function joinTabs(
  base: string,
  hear: (news: News) => void,
  again: () => void,
  seen: () => void,
): (news: News) => void {
  let channel: BroadcastChannel | undefined;
  let hidden = Date.now();
  const open = () => {
    try {
      channel = new BroadcastChannel(`wishwell:${base}`);
    } catch {
      return; // Firefox with all storage blocked: hearts work, but tabs aren't synchronised
    }
    channel.onmessage = ({ data }: MessageEvent<News>) => hear(data);
  };
  open();
  // An open channel can keep a page out of the back/forward cache.
  addEventListener('pagehide', () => {
    channel?.close();
    channel = undefined;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    open();
    again();
    seen();
  });
  addEventListener('online', again);
  // Dispatched on the document, and bubbles to the window.
  addEventListener('visibilitychange', () => {
    if (document.hidden) hidden = Date.now();
    else if (Date.now() - hidden > AWAY) again();
    else seen();
  });
  return (news) => channel?.postMessage(news);
}
