import { copyLink, linkOf, liveShare, share, sharesOf, type SharingWishlist } from './shares.js';
import { SHARE } from './texts/en.js';

const STYLE = `:host{display:inline-block}
:host([hidden]),[hidden]{display:none!important}
button,input{all:unset;box-sizing:border-box;min-height:var(--wishlist-target,2.75rem);padding:0 1.1em;
border:1px solid;border-color:var(--wishlist-line,color-mix(in srgb,currentColor 18%,transparent));border-radius:var(--wishlist-radius,99rem);color:var(--wishlist-color,currentColor)}
button{display:inline-flex;place-content:center;align-items:center;cursor:pointer;font-weight:550}
button:hover{border-color:currentColor}
input{flex:1 1 12em;min-width:0;text-overflow:ellipsis;cursor:text}
:focus-visible{outline:var(--wishlist-focus,3px solid Highlight);outline-offset:2px}
button:disabled{cursor:not-allowed;opacity:.5}
div{display:flex;flex-wrap:wrap;gap:.5em;margin-top:.5em}
p{margin:.5em 0 0}p:empty{display:none}`;

/** The name of each attribute's text. */
const TEXTS = {
  label: 'share',
  'label-link': 'shareLink',
  'label-copy': 'copyLink',
  'label-copied': 'shareCopied',
  'label-stop': 'stop',
  'label-sure': 'shareSure',
  'label-stopped': 'shareStopped',
} as const;

export type WishlistShare = HTMLElement;

declare global {
  interface HTMLElementTagNameMap {
    'wishlist-share': WishlistShare;
  }
}

/**
 * Defines the element <wishlist-share list-id list-name page reservations notes label label-…>: a
 * button that shares the list and, while the list is shared, its link, a button to copy it, and a
 * button to stop sharing. A second call with the same name does nothing.
 */
export function defineShare(wishlist: SharingWishlist, name = 'wishlist-share'): void {
  if (customElements.get(name)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);

  class Element extends HTMLElement {
    static readonly observedAttributes = ['list-id', 'page', ...Object.keys(TEXTS)];

    readonly #share = this.#button('button', () => this.#press());
    readonly #link = document.createElement('input');
    readonly #copy = this.#button('copy', () => this.#copied());
    readonly #stop = this.#button('stop', ({ detail }) => this.#end(detail));
    readonly #status = document.createElement('p');
    readonly #panel = document.createElement('div');
    /** Aborts requests for the previous list; undefined before the first. */
    #asking: AbortController | undefined;
    #sure = false;
    #say: (name: keyof typeof SHARE) => string = (name) => SHARE[name];

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      this.#link.readOnly = true;
      this.#link.part.add('link');
      this.#link.onfocus = () => this.#link.select();
      // Screen readers announce a status only if the element is on the page before its text.
      this.#status.role = 'status';
      this.#status.part.add('status');
      this.#panel.part.add('panel');
      this.#panel.append(this.#link, this.#copy);
      root.append(this.#share, ' ', this.#stop, this.#panel, this.#status);
      this.#words();
      this.#show();
    }

    connectedCallback() {
      this.#say = wishlist.texts(this, SHARE, () => this.#words());
      this.#words();
      wishlist.addEventListener('shopper', this.#ask);
      this.#ask();
    }

    disconnectedCallback() {
      wishlist.removeEventListener('shopper', this.#ask);
      this.#asking!.abort();
    }

    attributeChangedCallback(name: string, was: string | null, now: string | null) {
      this.#words();
      // An element in the page's HTML gets its attributes when it is already connected.
      const isShown = this.isConnected && this.#asking;
      if (!name.startsWith('label') && was !== now && isShown) this.#ask();
    }

    #button(part: string, press: (event: MouseEvent) => void) {
      const button = document.createElement('button');
      button.type = 'button';
      button.part.add(part);
      button.onclick = press;
      return button;
    }

    /** Loads and shows whether the list is shared. */
    readonly #ask = () => {
      this.#asking?.abort();
      this.#asking = new AbortController();
      this.#show();
      this.#work(async (signal) => {
        // Failures, such as for another shopper's list, aren't reported, because nobody pressed.
        const shares = await sharesOf(wishlist, this.#listId)
          .list({ signal })
          .catch(() => []);
        const good = liveShare(shares);
        if (good && !signal.aborted) this.#show(linkOf(good, this.#page));
      });
    };

    #press() {
      this.#work(async (signal) => {
        const { url, sheet } = await share(wishlist, this.#listId, {
          page: this.#page,
          title: this.getAttribute('list-name') ?? undefined,
          reservations: this.hasAttribute('reservations'),
          notes: this.hasAttribute('notes'),
          signal,
        });
        if (signal.aborted) return;
        this.#show(url);
        if (!sheet) this.#link.focus();
      });
    }

    async #copied() {
      // If copying isn't allowed, the link is selected, to be copied by hand.
      if (await copyLink(this.#link)) this.#tell('label-copied');
    }

    /** Deletes all shares of the list, on the second press. */
    #end(clicks: number) {
      if (!this.#sure) return this.#tell('label-sure');
      if (clicks > 1) return; // a double click counts as one press
      this.#work(async (signal) => {
        const shares = sharesOf(wishlist, this.#listId);
        for (const { id } of await shares.list({ signal })) await shares.delete(id, { signal });
        if (signal.aborted) return;
        this.#show();
        this.#tell('label-stopped');
        this.#share.focus();
      });
    }

    /** Runs the work for the list; a failure is reported by the wishlist's event `error`. */
    async #work(work: (signal: AbortSignal) => Promise<void>) {
      const { signal } = this.#asking!;
      if (!this.#listId) return;
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted)
          wishlist.dispatchEvent(new CustomEvent('error', { detail: { error } }));
      }
    }

    #show(url = '') {
      this.#link.value = url;
      this.#panel.hidden = this.#stop.hidden = !url;
      this.#share.disabled = !this.#listId;
      this.#sure = false;
      this.#status.textContent = '';
    }

    #tell(name: keyof typeof TEXTS) {
      this.#sure = name === 'label-sure';
      this.#status.textContent = this.#text(name);
    }

    #words() {
      this.#share.textContent = this.#text('label');
      this.#copy.textContent = this.#text('label-copy');
      this.#stop.textContent = this.#text('label-stop');
      this.#link.ariaLabel = this.#text('label-link');
    }

    get #listId(): string {
      return this.getAttribute('list-id') ?? '';
    }

    get #page(): string | undefined {
      return this.getAttribute('page') ?? undefined;
    }

    #text(name: keyof typeof TEXTS): string {
      return this.getAttribute(name) || this.#say(TEXTS[name]);
    }
  }

  customElements.define(name, Element);
}
