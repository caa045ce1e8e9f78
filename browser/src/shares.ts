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

/** The links of a list of the shopper's own. Anybody who has one sees the list. */
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
    /** Not retried once it may have been received: each makes another link. */
    create: async (body: ShareTerms = {}, options?: Options): Promise<Share> =>
      data(await write('POST', path, { ...options, body })),
    update: async (id: string, body: ShareTerms, options?: Options): Promise<Share> =>
      data(await write('PATCH', `${path}/${part(id)}`, { ...options, body })),
    /** From now on its link leads nowhere. */
    delete: (id: string, options: Options = {}): Promise<void> =>
      write('DELETE', `${path}/${part(id)}`, options),
  };
}

/** A list of somebody else's, by the token of its link. Status 404 for a link that has ended. */
export function sharedList(wishlist: SharingWishlist, token: string) {
  const path = `shared/${part(token)}`;
  const reservation = (itemId: string) => `${path}/items/${part(itemId)}/reservation`;
  return {
    find: async (options?: Options): Promise<SharedList> =>
      data(await wishlist.call('GET', path, options)),
    /** Sets how many this shopper gives. Status 409 if others have reserved too many for that. */
    reserve: async (itemId: string, quantity = 1, options?: Options): Promise<SharedItem> =>
      data(await wishlist.call('PUT', reservation(itemId), { ...options, body: { quantity } })),
    release: (itemId: string, options?: Options): Promise<void> =>
      wishlist.call('DELETE', reservation(itemId), options),
    /** Makes a list of the shopper's own with these items; not retried once it may be made. */
    copy: async (name?: string, options?: Options): Promise<List> => {
      const body = { name };
      const list = data<List>(await wishlist.call('POST', `${path}/copies`, { ...options, body }));
      // Tells hearts and other tabs what is saved now. If that fails, the copy is made all the same.
      const { items } = await wishlist.lists.find(list.id).catch(() => ({ items: [] }));
      wishlist.wrote({ items, lists: [list.id] });
      return list;
    },
  };
}

const data = <T>(answer: { data: T }): T => answer.data;

/** The link of a share: the address `page` with the token in place of `{token}`. */
export function linkOf({ token }: Share, page = '/shared/{token}'): string {
  return new URL(page.replace('{token}', token), document.baseURI).href;
}

let last: Promise<unknown> = Promise.resolve();

/** The list's newest share with these terms, or a new one: a second press gives the same link. */
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
  // One at a time, so that a second press finds the share that the first has made.
  last = next.catch(() => {});
  return next;
}

/** Shares a list, as `wishlist.share` does. */
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
    // An AbortError: the shopper has closed the sheet. Else the browser wanted a more recent press.
    await navigator.share(content).catch(({ name }) => (sheet = name === 'AbortError'));
  }
  return { share, url, sheet };
}
