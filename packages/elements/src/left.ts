// The event of a save or removal whose answer came after its page was left. Loaded by the next page.
import { detailsOf } from './events.js';
import { SENT, storage } from './kept.js';
import type { Item, Product } from './types.js';
import type { Wishlist } from './wishlist.js';

const LATEST = 30_000; // ms within which the last page's change was sent
const SKEW = 5_000; // ms that the browser's clock may be ahead of the service's
const POLLS = 4;
const POLL = 500; // ms between polls, because the change may still be on its way

/** Dispatches the event of a change that the last page sent, if the service confirms it. */
export async function resume(wishlist: Wishlist, sent: string): Promise<void> {
  storage()?.removeItem(SENT);
  const [saved, { productId, variantId }, at] = JSON.parse(sent) as [boolean, Product, number];
  const path = `items?query=${encodeURIComponent(`product:${productId}`)}&include=product`;
  for (let polls = 0; polls < POLLS && Date.now() - at < LATEST; polls++) {
    await new Promise((done) => setTimeout(done, POLL));
    const { data } = await wishlist.call<{ data: Item[] }>('GET', path);
    const item = data.find((item) => !variantId || `${item.variantId}` === `${variantId}`);
    if (saved ? !(item && Date.parse(item.createdAt) > at - SKEW) : item) continue;
    const { quantity = 1 } = item ?? {};
    const detail = { productId, variantId, quantity, ...(item && detailsOf(item, new Map())) };
    document.dispatchEvent(new CustomEvent(`wishlist-${saved ? 'added' : 'removed'}`, { detail }));
    return;
  }
}
