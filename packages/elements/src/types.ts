// Types of the API's records and bodies (from api.d.ts), and of the library itself.
import type { components } from './api.js';
import type { ErrorCode } from './error.js';

type Schemas = components['schemas'];

export type Item = Schemas['Item'] & { purchased?: { quantity: number; at: string } };
export type ItemPage = Schemas['ItemPage'];
export type ItemProduct = Schemas['ItemProduct'];
export type ItemPatch = Schemas['ItemPatch'];
export type List = Schemas['Wishlist'];
export type ListPage = Schemas['WishlistPage'];
export type ListPatch = Schemas['ListPatch'];
export type ListWithItems = Schemas['WishlistWithItems'];
export type NewItem = Schemas['ItemInput'];
export type NewList = Schemas['ListInput'];
export type Share = Schemas['Share'];
export type SharedItem = Schemas['SharedItem'];
export type SharedList = Schemas['SharedList'];
export type SharePage = Schemas['SharePage'];
export type ShareTerms = Schemas['ShareTerms'];
/** A number, or text in a store with text ids. A number and its decimal text are the same id. */
export type ProductId = Schemas['ProductId'];

/** Whether a heart represents one variant, or the product in any variant. */
export type Match = 'product' | 'variant';

/** A product in one variant or, without `variantId`, in any variant. */
export interface Product {
  productId: ProductId;
  variantId?: ProductId | null | undefined;
  /** With `product`, means the product in any variant; saving uses `variantId`. */
  match?: Match | undefined;
}

/** Options of every operation. The signal aborts it, before it is sent or while it is awaited. */
export interface Options {
  signal?: AbortSignal | undefined;
}

export interface PageOptions extends Options {
  /** Records per page, 1 to 250; by default 50. */
  limit?: number | undefined;
  /** The cursor `pageInfo.next` or `pageInfo.previous` of another page. */
  page?: string | undefined;
}

export interface ItemOptions extends PageOptions {
  /** For example `product:1,2 tag:gift` (rule: search-terms). */
  query?: string | undefined;
  /** With `product`, items include their product data, as published by the shop. */
  include?: 'product' | undefined;
}

export interface ListOptions extends Options {
  sort?: 'recently_saved' | 'oldest_saved' | 'customer' | undefined;
  include?: 'product' | undefined;
}

/** A list, or its id. */
export type Shareable = string | Pick<List, 'id' | 'name'>;

/** Terms of sharing a list; by default with `reservations` and without `notes`. */
export interface ShareOptions extends ShareTerms, Options {
  /** URL of the shop's page for shared lists; by default `/shared/{token}`. */
  page?: string | undefined;
  /** The title in the system's share sheet; by default the list's name, or else the page's title. */
  title?: string | undefined;
  text?: string | undefined;
}

export interface Sharing {
  share: Share;
  /** The link to the list. */
  url: string;
  /** Whether the system has shown its share sheet. If not, show the link, to be copied. */
  sheet: boolean;
}

/** The state of a product as a heart shows it. */
export interface State {
  saved: boolean;
  /** The saved item, once the service has responded. */
  item: Item | undefined;
  /** Whether the state is shown before the service has confirmed it (optimistic). */
  pending: boolean;
}

export type Change = Product & State;

/** A press that needs a sign-in. `url` is undefined without the attribute `sign-in`. */
export interface SignIn extends Product {
  url: string | undefined;
}

export interface Failure extends Partial<Product> {
  error: unknown;
  /** The error's `code`; `cookies-blocked` if the browser refuses the visitor's cookie. */
  code?: ErrorCode | undefined;
  /** Sends the save or removal that failed again. */
  retry?: () => unknown;
  /** Whether the product is shown as saved after the undo. Only for a failed save or removal. */
  saved?: boolean;
}

/** A confirmed save or removal, in `wishlist-added` and `wishlist-removed`. */
export interface Saved {
  productId: ProductId;
  variantId: ProductId | undefined;
  quantity: number;
  /** The list that it was saved on; `name` as far as it is known. */
  list: { id: string; name?: string | undefined } | undefined;
  /** As far as the shop has published it. */
  product:
    | {
        title?: string | undefined;
        price?: number | undefined;
        currency?: string | undefined;
        url?: string | undefined;
      }
    | undefined;
}

/** A save or removal that the service has confirmed; `isNew`: whether the save has added an item. */
export interface Done {
  saved: boolean;
  items: Item[];
  isNew: boolean;
}

/** A message for <wishlist-toast>. One with the same `key` replaces an earlier one. */
export interface Message {
  text: string;
  actions?: { text: string; href?: string; act?: () => unknown }[];
  key?: string | undefined;
  /** The message ends when all these items are saved or removed again; `saved`: as it says now. */
  items?: Item[];
  saved?: boolean | undefined;
  /** Shows the message anew for the items that are left when some were saved or removed again. */
  renew?: ((left: Item[]) => void) | undefined;
}

export interface Events {
  /** A save or removal by `save`, `remove` or `toggle`, here, was confirmed. */
  done: CustomEvent<Done>;
  /** `count` or `off` has changed. */
  count: CustomEvent<undefined>;
  /** A message to show. Whoever shows it calls `preventDefault`. */
  toast: CustomEvent<Message>;
  /** A product was saved or removed, here or in another tab, or its item has changed. */
  change: CustomEvent<Change>;
  /** A save or removal failed and was undone, or a lookup failed. */
  error: CustomEvent<Failure>;
  /** Lists or the items on them have changed; without ids, any of them may have. */
  lists: CustomEvent<{ listIds: string[] }>;
  /** The shopper has changed. Remove the previous one's data from the page. */
  shopper: CustomEvent<undefined>;
}
