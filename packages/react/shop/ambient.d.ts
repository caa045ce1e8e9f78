// What the pages around the snippets of docs/browser.md have.
declare const wishlist: import('@wishwell/browser').Wishlist;
declare const swatch: HTMLElement;
declare const list: import('@wishwell/browser').List;
declare const listId: string;
declare const token: string;
declare function show(item: import('@wishwell/browser').Item): void;
declare const saveForLater: HTMLElement;
declare const cartLine: { productId: number; variantId: number; quantity: number };
declare function removeFromCart(line: typeof cartLine): void;
declare function showLink(url: string): void;
declare const signInDialog: () => Promise<void>;
declare function addToCart(item: import('@wishwell/browser/page').CartItem): void;
