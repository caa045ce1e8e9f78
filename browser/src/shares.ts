import type { News } from './tabs.js';
import type {
  List,
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
 * What sharing needs of a wishlist. The wishlist loads this module when a page shares something, so
 * importing its class here would be a circle.
 */
export interface SharingWishlist extends EventTarget {
  readonly lists: { find(id: string): Promise<ListWithItems> };
  call<T>(method: string, path: string, options?: Options & { body?: object }): Promise<T>;
  wrote(news: Partial<News>): void;
}

const part = encodeURIComponent;

/** The shares of a list of the shopper's own: the links that show it to whoever has them. */
export function sharesOf(wishlist: SharingWishlist, listId: string) {
  const path = `lists/${part(listId)}/shares`;
  const write = async <T>(method: string, path: string, options: object): Promise<T> => {
    const answer = await wishlist.call<T>(method, path, options);
    wishlist.wrote({ lists: [listId] });
    return answer;
  };
  return {
    /** All of them, at most 20, newest first. */
    list: async (options?: Options): Promise<Share[]> =>
      (await wishlist.call<SharePage>('GET', path, options)).data,
    /** Not repeated once it may have been received: each is a link of its own. */
    create: async (body: ShareTerms = {}, options?: Options): Promise<Share> =>
      data(await write('POST', path, { ...options, body })),
    update: async (id: string, body: ShareTerms, options?: Options): Promise<Share> =>
      data(await write('PATCH', `${path}/${part(id)}`, { ...options, body })),
    /** From now on its link is no longer good, for anybody. */
    delete: (id: string, options: Options = {}): Promise<void> =>
      write('DELETE', `${path}/${part(id)}`, options),
  };
}

/** Somebody's list, by the token of its link. A link that is no longer good is status 404. */
export function sharedList(wishlist: SharingWishlist, token: string) {
  const path = `shared/${part(token)}`;
  const reservation = (itemId: string) => `${path}/items/${part(itemId)}/reservation`;
  return {
    find: async (options?: Options): Promise<SharedList> =>
      data(await wishlist.call('GET', path, options)),
    /** So many in all for this shopper. Status 409 if others have reserved too many for that. */
    reserve: async (itemId: string, quantity = 1, options?: Options): Promise<SharedItem> =>
      data(await wishlist.call('PUT', reservation(itemId), { ...options, body: { quantity } })),
    release: (itemId: string, options?: Options): Promise<void> =>
      wishlist.call('DELETE', reservation(itemId), options),
    /** A new list of the shopper's own with these items; not repeated once it may be there. */
    copy: async (name?: string, options?: Options): Promise<List> => {
      const body = { name };
      const list = data<List>(await wishlist.call('POST', `${path}/copies`, { ...options, body }));
      // Hearts and other tabs learn what is saved now; that they can't is no failure of the copy.
      const { items } = await wishlist.lists.find(list.id).catch(() => ({ items: [] }));
      wishlist.wrote({ items, lists: [list.id] });
      return list;
    },
  };
}

const data = <T>(answer: { data: T }): T => answer.data;

/** The link of a share: `page` with its token in place of `{token}`. */
export function linkOf({ token }: Share, page = '/shared/{token}'): string {
  return new URL(page.replace('{token}', token), document.baseURI).href;
}

let last: Promise<unknown> = Promise.resolve();

/** The list's newest share of just this kind, or a new one: a second press is the same link. */
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
  // One after the other, so that the second finds what the first has made.
  last = next.catch(() => {});
  return next;
}

/** What `wishlist.share` does. */
export async function share(
  wishlist: SharingWishlist,
  list: Shareable,
  { page, title, text, signal, ...how }: ShareOptions = {},
): Promise<Sharing> {
  const [id, name] = typeof list === 'string' ? [list] : [list.id, list.name];
  const share = await shareOf(wishlist, id, how, signal);
  const url = linkOf(share, page);
  const told = { title: title ?? name ?? document.title, ...(text && { text }), url };
  let sheet = !!navigator.canShare?.(told);
  if (sheet) {
    // Closed by the shopper, it was there all the same; else the browser wanted a fresher press.
    await navigator.share(told).catch(({ name }) => (sheet = name === 'AbortError'));
  }
  return { share, url, sheet };
}
