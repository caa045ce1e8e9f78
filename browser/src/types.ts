// The API's records and bodies under their own names; made from its description (api.d.ts).
import type { components } from './api.js';

type Schemas = components['schemas'];

export type Item = Schemas['Item'];
export type ItemPage = Schemas['ItemPage'];
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

/** What a heart stands for: one variant, or the product in whatever variant. */
export type Match = 'product' | 'variant';

/** A product, in one variant or (without `variantId`) in whatever variant. */
export interface Product {
  productId: ProductId;
  variantId?: ProductId | null | undefined;
  /** With `product`, it is the product in whatever variant, and `variantId` is what a save saves. */
  match?: Match | undefined;
}

/** Every operation takes a signal that ends it: before it is sent, or while it is awaited. */
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
}

export interface ListOptions extends Options {
  sort?: 'recently_saved' | 'oldest_saved' | 'customer' | undefined;
}

/** A list, or its id. */
export type Shareable = string | Pick<List, 'id' | 'name'>;

/** How a list is to be shared: with `reservations`, and without `notes`, unless it says otherwise. */
export interface ShareOptions extends ShareTerms, Options {
  /** The address of the shop's page for shared lists; `/shared/{token}` without it. */
  page?: string | undefined;
  /** What the system's share sheet shows; the list's name, or else the page's title. */
  title?: string | undefined;
  text?: string | undefined;
}

export interface Sharing {
  share: Share;
  /** The link to the list. */
  url: string;
  /** Whether the system has shown its share sheet; else show the link, to be copied. */
  sheet: boolean;
}

/** What is shown of a product. */
export interface State {
  saved: boolean;
  /** The saved item, once the service has answered. */
  item: Item | undefined;
  /** Shown ahead of the service's answer. */
  pending: boolean;
}

export type Change = Product & State;

/** A press that only a customer may make; without an attribute `sign-in` there is no `url`. */
export interface SignIn extends Product {
  url: string | undefined;
}

export interface Failure extends Partial<Product> {
  error: unknown;
  /** What is shown now, after it was put back; only for a save or removal that failed. */
  saved?: boolean;
}

export interface Events {
  /** A product was saved or removed, here or in another tab, or its item has changed. */
  change: CustomEvent<Change>;
  /** A save or removal failed and was put back, or asking what is saved failed. */
  error: CustomEvent<Failure>;
  /** Lists, or the items on them, have changed; none named means that any may have. */
  lists: CustomEvent<{ listIds: string[] }>;
  /** Somebody else is shopping now: whatever is shown of the one before has to go. */
  shopper: CustomEvent<undefined>;
}
