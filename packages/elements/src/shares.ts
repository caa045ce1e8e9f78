import type { News } from './tabs.js';
import type { textsOf } from './texts/index.js';
import type {
  Item,
  List,
  ListOptions,
  ListWithItems,
  Options,
  Share,
  Shareable,
  SharedItem,
  SharedList,
  SharePage,
  ShareTerms,
  ShareOptions,
  Sharing,
} from './types.js';

/**
 * The part of `Wishlist` that sharing needs. Importing the class would be circular, because it
 * loads this module when a page shares something.
 */
export interface SharingWishlist extends EventTarget {
  readonly lists: { find(id: string, options?: ListOptions): Promise<ListWithItems> };
  call<T>(method: string, path: string, options?: Options & { body?: object }): Promise<T>;
  wrote(news: Partial<News>, added?: Item[]): void;
  readonly texts: typeof textsOf;
}

const part = encodeURIComponent;

/**
 * Operations on the shares (links) of the shopper's own list or, without `listId`, of the whole
 * wishlist. Anyone with a link sees the list.
 */
export function sharesOf(wishlist: SharingWishlist, listId = '') {
  const path = listId ? `lists/${part(listId)}/shares` : 'shares';
  const write = async <T>(method: string, path: string, options: object): Promise<T> => {
    const answer = await wishlist.call<T>(method, path, options);
    wishlist.wrote({ lists: [listId] });
    return answer;
  };
  return {
    /** Returns all shares, at most 20, newest first. */
    list: async (options?: Options): Promise<Share[]> =>
      (await wishlist.call<SharePage>('GET', path, options)).data,
    /** Not retried if it may have been received, because it isn't idempotent. */
    create: async (body: ShareTerms = {}, options?: Options): Promise<Share> =>
      data(await write('POST', path, { ...options, body })),
    update: async (id: string, body: ShareTerms, options?: Options): Promise<Share> =>
      data(await write('PATCH', `${path}/${part(id)}`, { ...options, body })),
    /** Ends the share: its link stops working. */
    delete: (id: string, options: Options = {}): Promise<void> =>
      write('DELETE', `${path}/${part(id)}`, options),
  };
}

/** Returns the newest share that hasn't expired. */
export const liveShare = (shares: Share[]): Share | undefined =>
  shares.find(({ expiresAt }) => !(Date.parse(expiresAt!) < Date.now()));

/** Operations on somebody else's list, by the token in its link. 404 if the link has ended. */
export function sharedList(wishlist: SharingWishlist, token: string) {
  const path = `shared/${part(token)}`;
  const reservation = (itemId: string) => `${path}/items/${part(itemId)}/reservation`;
  return {
    find: async (options?: Options): Promise<SharedList> =>
      data(await wishlist.call('GET', path, options)),
    /** Sets the quantity that this shopper reserves. 409 if others have reserved too many. */
    reserve: async (itemId: string, quantity = 1, options?: Options): Promise<SharedItem> =>
      data(await wishlist.call('PUT', reservation(itemId), { ...options, body: { quantity } })),
    release: (itemId: string, options?: Options): Promise<void> =>
      wishlist.call('DELETE', reservation(itemId), options),
    /** Copies the items to a new list of the shopper's own. Not retried if it may be made. */
    copy: async (name?: string, options?: Options): Promise<List> => {
      const body = { name };
      const list = data<List>(await wishlist.call('POST', `${path}/copies`, { ...options, body }));
      // Updates hearts and other tabs. If that fails, the copy has still been made.
      const found = wishlist.lists.find(list.id, { include: 'product' });
      const { items } = await found.catch(() => ({ items: [] }));
      // Items that the shopper had before are older than the list.
      const added = items.filter(({ createdAt }) => createdAt === list.createdAt);
      wishlist.wrote({ items, lists: [list.id] }, added);
      return list;
    },
  };
}

const data = <T>(answer: { data: T }): T => answer.data;

/** Returns the link of a share: the URL `page` with `{token}` replaced. */
export function linkOf({ token }: Share, page = '/shared/{token}'): string {
  return new URL(page.replace('{token}', token), document.baseURI).href;
}

/** Selects and copies the link in a field. Returns whether that was allowed. */
export async function copyLink(field: HTMLInputElement): Promise<boolean> {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Without https there is no clipboard API; the older command copies the selection.
    return document.execCommand('copy');
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Returns the list's newest share with these terms, or creates one, so that it is idempotent. */
export function shareOf(
  wishlist: SharingWishlist,
  listId: string,
  { reservations = true, notes = false, expiresAt = null }: ShareTerms,
  signal?: AbortSignal,
): Promise<Share> {
  const shares = sharesOf(wishlist, listId);
  const next = last.then(async () => {
    const alike = (await shares.list({ signal })).find(
      (share) =>
        share.reservations === reservations &&
        share.notes === notes &&
        Object.is(Date.parse(share.expiresAt ?? ''), Date.parse(expiresAt ?? '')),
    );
    return alike ?? shares.create({ reservations, notes, expiresAt }, { signal });
  });
  // Serialised, so that a second press finds the share created by the first.
  last = next.catch(() => {});
  return next;
}

/** Shares a list; see `Wishlist.share`. */
export async function share(
  wishlist: SharingWishlist,
  list: Shareable,
  { page, title, text, signal, ...terms }: ShareOptions = {},
): Promise<Sharing> {
  const [id, name] = typeof list === 'string' ? [list] : [list.id, list.name];
  const share = await shareOf(wishlist, id, terms, signal);
  const url = linkOf(share, page);
  const content = { title: title ?? name ?? document.title, ...(text && { text }), url };
  let sheet = !!navigator.canShare?.(content);
  if (sheet) {
    // AbortError means that the shopper closed the sheet; other errors, that the press was too old.
    await navigator.share(content).catch(({ name }) => (sheet = name === 'AbortError'));
  }
  return { share, url, sheet };
}
