import type { Item } from './types.js';

const AWAY = 60_000; // ms in the background after which all is asked again

/** What one tab tells the others: who is shopping there, and what was written. */
export interface News {
  shopper: string | undefined;
  items?: Item[];
  gone?: string[];
  lists?: string[];
}

/**
 * Hears the other tabs of the shop, and calls `again` when this one may have missed something: it
 * was away, or offline. Returns what tells the others.
 */
export function joinTabs(
  base: string,
  hear: (news: News) => void,
  again: () => void,
): (news: News) => void {
  let channel: BroadcastChannel | undefined;
  let hidden = Date.now();
  const open = () => {
    try {
      channel = new BroadcastChannel(`wishwell:${base}`);
    } catch {
      return; // Firefox with all storage blocked: hearts work, tabs can't agree
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
  });
  addEventListener('online', again);
  // It bubbles from the document.
  addEventListener('visibilitychange', () => {
    if (document.hidden) hidden = Date.now();
    else if (Date.now() - hidden > AWAY) again();
  });
  return (news) => channel?.postMessage(news);
}
