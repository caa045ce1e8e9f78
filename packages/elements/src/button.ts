import type { WishlistError } from './error.js';
import { idOf, isId } from './memory.js';
import { HEART as TEXTS } from './texts/en.js';
import { textsOf, type Say } from './texts/index.js';
import type { Change, Match, NewItem, Product, Saved, SignIn, State } from './types.js';
import type { Wishlist } from './wishlist.js';

export const HEART = 'M12 21C6 16 3 13 3 9a5 5 0 0 1 9-2 5 5 0 0 1 9 2c0 4-3 7-9 12z';

const STYLE = `:host{display:inline-block}
:host([hidden]){display:none}
button{all:unset;box-sizing:border-box;display:flex;place-content:center;align-items:center;gap:.4em;cursor:pointer;border-radius:99rem;
min-width:var(--wishlist-target,2.75rem);min-height:var(--wishlist-target,2.75rem);color:var(--wishlist-color,currentColor)}
button:focus-visible{outline:var(--wishlist-focus,3px solid Highlight)}
button.text{padding-inline:.6em}span:empty{display:none}
button:disabled{cursor:not-allowed;opacity:.5}
svg{width:var(--wishlist-size,1.5rem);fill:none;stroke:currentColor;stroke-width:1.8}
:host([saved]) [name]{color:var(--wishlist-color-saved,#c2183c)}
:host([saved]) svg{fill:currentColor}
[role=alert]{display:block;font-size:small}
@media(prefers-reduced-motion:no-preference){svg{transition:scale .3s cubic-bezier(.3,3,.5,1)}button:active svg{scale:.75}}
@media(forced-colors:active){button{color:ButtonText}:host([saved]) [name]{color:inherit}:host button:disabled{color:GrayText}}`;

export type WishlistButton = HTMLElement;

declare global {
  interface HTMLElementTagNameMap {
    'wishlist-button': WishlistButton;
  }
  interface GlobalEventHandlersEventMap {
    'wishlist-added': CustomEvent<Saved>;
    'wishlist-removed': CustomEvent<Saved>;
    'wishlist-change': CustomEvent<Change>;
    'wishlist-sign-in': CustomEvent<SignIn>;
  }
}

/**
 * Defines the element <wishlist-button product-id variant-id match list tags quantity choose-list
 * label label-saved label-sign-in sign-in sign-in-return disabled>: a heart that shows whether a product is on this wishlist, and
 * saves or removes it. A second call with the same name does nothing.
 */
export function defineButton(wishlist: Wishlist, name = 'wishlist-button'): void {
  if (customElements.get(name)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);

  class Button extends HTMLElement {
    static readonly observedAttributes = [
      'product-id',
      'variant-id',
      'match',
      'label',
      'label-saved',
      'disabled',
    ];

    readonly #button = document.createElement('button');
    /** The slot for the text that the shop puts into the element. */
    readonly #text = document.createElement('slot');
    /** The text that replaces the shop's while the product is saved. */
    readonly #word = document.createElement('span');
    #product: Product | undefined;
    /** The product before the attribute changes of the current task. */
    #settled: Product | undefined;
    #saved = false;
    #say: Say<keyof typeof TEXTS> | undefined;
    #presses = 0;
    #message: HTMLElement | undefined;
    #stop: (() => void) | undefined;

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
      // A content security policy may block inline markup and <style>, but not constructed sheets.
      root.adoptedStyleSheets = [sheet];
      const button = this.#button;
      button.type = 'button';
      button.part.add('button');
      button.onclick = (event) => {
        // A heart inside a link must not follow the link.
        event.preventDefault();
        const chooses = this.hasAttribute('choose-list');
        const saved = chooses && this.#saved ? undefined : this.#toggle();
        if (!chooses) return;
        const open = ({ toggleMenu }: typeof import('./choose.js')) =>
          toggleMenu({ wishlist, target: this.#product!, button, saved });
        // If the script can't be loaded, the product is saved nevertheless.
        wishlist.menu = import('./choose.js').then(open).catch(() => {});
      };
      const draw = (tag: string) => document.createElementNS('http://www.w3.org/2000/svg', tag);
      const icon = draw('svg');
      const path = draw('path');
      icon.part.add('icon');
      icon.ariaHidden = 'true';
      icon.setAttribute('viewBox', '0 0 24 24');
      path.setAttribute('d', HEART);
      icon.append(path);
      const slot = document.createElement('slot');
      // A named slot, because white space between the tags would fill an unnamed one.
      slot.name = 'icon';
      slot.append(icon);
      this.#text.onslotchange = () => this.#draw();
      button.append(slot, this.#text, this.#word);
      root.append(button);
    }

    connectedCallback() {
      this.#settled = undefined;
      this.#say = textsOf(this, TEXTS, () => this.#draw());
      this.#follow();
      wishlist.addEventListener('count', this.#hide);
      this.#hide();
    }

    disconnectedCallback() {
      wishlist.removeEventListener('count', this.#hide);
      this.#stop?.();
    }

    attributeChangedCallback() {
      if (this.isConnected && this.#say) this.#follow();
    }

    /** Saves or removes the product. The promise rejects if that fails. */
    #toggle(): Promise<boolean> {
      const [saved, press] = [this.#saved, ++this.#presses];
      const [list, tags, quantity] = ['list', 'tags', 'quantity'].map((name) =>
        this.getAttribute(name)?.trim(),
      );
      const product = {
        ...this.#product!,
        listName: list || undefined,
        tags: tags ? tags.split(/[\s,]+/).filter(Boolean) : undefined,
        quantity: quantity ? +quantity : undefined,
      } as NewItem & Product;
      const done = wishlist.toggle(product);
      // Failures are also reported by the wishlist's event `error`.
      done.catch(async ({ code, status, ['shown']: answered }: WishlistError) => {
        if (press !== this.#presses || (answered && status !== 401)) return;
        try {
          if (status === 401 || code === 'cookies-blocked') {
            return (await import('./sign-in.js')).refuse(
              this,
              wishlist,
              product,
              !saved,
              status,
              (text) => this.#tell(text),
            );
          }
        } catch {}
        this.#tell(this.#say!(saved ? 'notRemoved' : 'notSaved'));
      });
      return done;
    }

    /** Subscribes to the product in the attributes. */
    #follow() {
      this.#stop?.();
      this.#saved = false;
      this.#product = undefined;
      const [productId, variantId, match] = ['product-id', 'variant-id', 'match'].map((name) => {
        return idOf(this.getAttribute(name) ?? '') || undefined;
      });
      const wrong = [productId, variantId].find((id) => id && !isId(id));
      if (wrong) console.warn(`<${name}>: "${wrong}" isn't the id of a product or variant.`, this);
      if (productId && !wrong) {
        this.#product = { productId, variantId, match: match as Match };
        this.#stop = wishlist.watch(this.#product, (...news) => this.#show(...news));
      }
      this.#draw();
      // Deferred, because a script that changes the product sets one attribute after another.
      queueMicrotask(() => this.#pick());
    }

    /** Saves the variant if the shopper has picked it, not a script while the page loads. */
    #pick() {
      const [was, now] = [this.#settled, this.#product];
      this.#settled = now;
      if (
        now?.match === 'product' &&
        now.variantId &&
        was?.productId === now.productId &&
        was.variantId !== now.variantId &&
        navigator.userActivation?.hasBeenActive !== false
      ) {
        // A failure is reported by the wishlist's event `error`.
        wishlist.refine(now);
      }
    }

    #show({ saved, item, pending }: State, change: boolean, product: Product) {
      if (saved === this.#saved) return;
      this.#saved = saved;
      this.#draw();
      if (!change) return;
      const bubbles = true;
      const detail = { ...product, saved, item, pending };
      const options = { bubbles, composed: bubbles, cancelable: bubbles, detail };
      this.dispatchEvent(new CustomEvent('wishlist-change', options));
    }

    /** Shows a message until the heart changes. */
    #tell(text: string) {
      this.#message?.remove();
      // Screen readers announce an alert that is inserted together with its text.
      const message = (this.#message = document.createElement('span'));
      message.role = 'alert';
      message.part.add('message');
      message.textContent = text;
      this.shadowRoot!.append(message);
    }

    /** Hides the heart while the store is off. */
    readonly #hide = () => {
      this.hidden ||= wishlist.off;
    };

    #draw() {
      this.#message?.remove();
      const button = this.#button;
      const whenSaved = this.getAttribute('label-saved');
      const text = this.#text.assignedNodes().some((node) => node.textContent!.trim());
      const word = this.#saved && text;
      this.#text.style.display = word ? 'none' : '';
      this.#word.textContent = word ? whenSaved || this.#say!('heartSaved') : '';
      button.classList.toggle('text', text);
      const label =
        (this.#saved && whenSaved) ||
        this.getAttribute('label') ||
        (text ? '' : this.#say!('heart'));
      button.disabled = !this.#product || this.hasAttribute('disabled');
      this.toggleAttribute('saved', this.#saved);
      // Visible text must be the accessible name, because voice control uses the text people see.
      button.ariaLabel = text ? null : label;
      // Only one of name and aria-pressed has the state, because "Remove, pressed" is confusing.
      button.ariaPressed = whenSaved ? null : `${this.#saved}`;
      const chooses = this.hasAttribute('choose-list');
      button.ariaHasPopup = chooses ? 'dialog' : null;
      button.ariaExpanded = chooses ? (button.ariaExpanded ?? 'false') : null;
      button.title = label;
    }
  }

  customElements.define(name, Button);
}
