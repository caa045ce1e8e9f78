// The API's records and bodies by their names, from its description (api.d.ts), and the library's own.
import type { components } from './api.js';

type Schemas = components['schemas'];

export type Item = Schemas['Item'];
export type ItemPage = Schemas['ItemPage'];
export type ItemProduct = Schemas['ItemProduct'];
export type ItemPatch = Schemas['ItemPatch'];
export type List = Schemas['List'];
export type ListPage = Schemas['ListPage'];
export type ListPatch = Schemas['ListPatch'];
export type ListWithItems = Schemas['ListWithItems'];
export type NewItem = Schemas['NewItem'];
export type NewList = Schemas['NewList'];
export type Share = Schemas['Share'];
export type SharedItem = Schemas['SharedItem'];
export type SharedList = Schemas['SharedList'];
export type SharePage = Schemas['SharePage'];
export type ShareTerms = Schemas['ShareTerms'];
/** A number, or text in a store whose product ids are text. A number and its digits are one id. */
export type ProductId = Schemas['ProductId'];

/** What a heart stands for: one variant, or the product in any variant. */
export type Match = 'product' | 'variant';

/** A product in one variant or, without `variantId`, in any. */
export interface Product {
  productId: ProductId;
  variantId?: ProductId | null | undefined;
  /** With `product`, it is the product in any variant, and a save saves `variantId`. */
  match?: Match | undefined;
}

/** Every operation takes a signal that aborts it, before it is sent or while it is awaited. */
export interface Options {
  signal?: AbortSignal | undefined;
}

export interface PageOptions extends Options {
  /** Records a page, 1 to 250; 50 without it. */
  limit?: number | undefined;
  /** `pageInfo.next` or `pageInfo.previous` of an earlier page. */
  page?: string | undefined;
}

export interface ItemOptions extends PageOptions {
  /** For example `product:1,2 tag:gift` (contract: search-terms). */
  query?: string | undefined;
  /** With `product`, items carry what the shop has said of their products. */
  include?: 'product' | undefined;
}

export interface ListOptions extends Options {
  sort?: 'recently_saved' | 'oldest_saved' | 'customer' | undefined;
  include?: 'product' | undefined;
}

/** A list, or its id. */
export type Shareable = string | Pick<List, 'id' | 'name'>;

/** How a list is shared; by default with `reservations` and without `notes`. */
export interface ShareOptions extends ShareTerms, Options {
  /** The address of the shop's page for shared lists; `/shared/{token}` without it. */
  page?: string | undefined;
  /** The title in the system's share sheet; by default the list's name, or else the page's title. */
  title?: string | undefined;
  text?: string | undefined;
}

export interface Sharing {
  share: Share;
  /** The link to the list. */
  url: string;
  /** Whether the system has shown its share sheet; if not, show the link, to be copied. */
  sheet: boolean;
}

/** What a heart shows of a product. */
export interface State {
  saved: boolean;
  /** The saved item, once the service has answered. */
  item: Item | undefined;
  /** Shown ahead of the service's answer. */
  pending: boolean;
}

export type Change = Product & State;

/** A press that needs a sign-in; `url` is undefined without the attribute `sign-in`. */
export interface SignIn extends Product {
  url: string | undefined;
}

export interface Failure extends Partial<Product> {
  error: unknown;
  /** Whether it is shown as saved after the undo; only for a save or removal that failed. */
  saved?: boolean;
}

export interface Events {
  /** A product was saved or removed, here or in another tab, or its item has changed. */
  change: CustomEvent<Change>;
  /** A save or removal failed and was undone, or asking what is saved failed. */
  error: CustomEvent<Failure>;
  /** Lists, or items on them, have changed; without ids, any may have. */
  lists: CustomEvent<{ listIds: string[] }>;
  /** The shopper has changed: remove what you show of the previous one. */
  shopper: CustomEvent<undefined>;
}
