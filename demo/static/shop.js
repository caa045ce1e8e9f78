// The shop's own script for all pages: messages that <wishlist-toast> doesn't show, the cart, and the
// choice of a colour on product pages.
import { wishlist } from '/apps/wishlist/assets/wishwell.js';

export { wishlist };

export const find = (selector, within = document) => within.querySelector(selector);
export const copy = (template) => template.content.firstElementChild.cloneNode(true);

// ---------------------------------------------------------------------------------- messages

/** Announces a text to screen readers, without showing it. */
export const say = (text) => (find('#said').textContent = text);

/** Shows a text with buttons, each of which also hides it. */
function show(place, text, buttons) {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  const nodes = Object.entries(buttons).map(([name, press]) => {
    const button = document.createElement('button');
    button.textContent = press ? name : '×';
    button.ariaLabel = name;
    button.onclick = () => (place.replaceChildren(), press?.());
    return button;
  });
  place.replaceChildren(paragraph, ...nodes);
}

/** Shows an error, until it is closed or an action succeeds. */
export function complain(error) {
  const text =
    !error.status || error.status > 499
      ? 'We couldn’t update your wishlist. Please try again.'
      : error.status === 429
        ? 'You’re going a bit fast. Please try again in a minute.'
        : `Something went wrong: ${error.message}`;
  show(find('#notice'), text, { Close: undefined });
}
export const settle = () => find('#notice').replaceChildren();

/** Shows a message about a completed action, with buttons for next steps, until closed or replaced. */
export function offer(text, buttons) {
  say(text);
  show(find('#done'), text, { ...buttons, Close: undefined });
}

document.addEventListener('keydown', (event) => {
  const undo = [...document.querySelectorAll('#done button')].find(({ textContent }) => textContent === 'Undo');
  if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
  if (!undo || event.target.closest('input, textarea')) return;
  event.preventDefault();
  undo.click();
});

// <wishlist-toast> has answered the presses on hearts.
wishlist.addEventListener('error', ({ detail: { error } }) => error.shown || complain(error));
wishlist.addEventListener('change', ({ detail }) => detail.pending || settle());

// ---------------------------------------------------------------------------------- analytics

/** What a tag manager would receive from analytics.js; open the console to see it. */
window.dataLayer = { push: (...events) => console.info('analytics', ...events) };

// ------------------------------------------------------------------------------------ the cart

/** A fake cart, stored in the tab. A real shop has its own, and listens to `wishlist-cart` in the same way. */
export const cart = {
  lines: () => JSON.parse(sessionStorage.cart ?? '[]'),
  /** Adds `quantity` of a product; removes it if negative. */
  put({ productId, variantId, quantity }) {
    const lines = cart.lines();
    let line = lines.find((known) => known.productId === productId && known.variantId === variantId);
    if (!line) lines.push((line = { productId, variantId, quantity: 0 }));
    line.quantity += quantity;
    sessionStorage.cart = JSON.stringify(lines.filter((line) => line.quantity > 0));
    cart.show();
  },
  add({ productId, variantId, quantity }, name) {
    const line = { productId, variantId, quantity };
    cart.put(line);
    offer(`Added ${name} to your cart`, { Undo: () => cart.put({ ...line, quantity: -quantity }) });
  },
  show() {
    const count = cart.lines().reduce((sum, { quantity }) => sum + quantity, 0);
    Object.assign(find('#carted'), { hidden: !count, textContent: count });
    document.dispatchEvent(new CustomEvent('cart'));
  },
};

// One item, or of "Add all to cart" several.
document.addEventListener('wishlist-cart', ({ detail: { item, items } }) => {
  if (item) return cart.add(item, item.product?.title ?? 'the item');
  for (const { productId, variantId, quantity } of items) cart.put({ productId, variantId, quantity });
  offer(`Added ${items.length} to your cart`, {});
});
cart.show();

/** Fills the link of a cart row with a product's picture and text. Returns its name and price. */
export function look({ productId, variantId }, link) {
  const known = find(`template[data-product="${productId}"][data-variant="${variantId ?? ''}"]`);
  link.replaceChildren(known.content.cloneNode(true));
  link.href = known.dataset.href;
  return { name: find('.name', link).textContent, price: +(known.dataset.price ?? 0) };
}

// -------------------------------------------------------------------------- a product's page

const heart = find('.product wishlist-button');

/** Shows a link's colour without loading its page. Also changes the saved item's variant. */
function choose(swatch) {
  const address = new URL(swatch.href);
  history.replaceState(null, '', address);
  find('.swatches [aria-current]')?.removeAttribute('aria-current');
  swatch.setAttribute('aria-current', 'true');
  find('.product .picture').className = swatch.className.replace('swatch', 'picture');
  find('#colour').textContent = `Colour: ${swatch.textContent}`;
  say(`Colour: ${swatch.textContent}.`);
  heart.setAttribute('variant-id', address.searchParams.get('variant'));
}

if (heart) {
  find('.swatches').addEventListener('click', (event) => {
    const swatch = event.target.closest('a');
    // With a modifier key the browser opens the link in a new tab or window.
    if (!swatch || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(swatch);
  });
  find('#buy').hidden = false;
  find('#buy').onclick = () => {
    const [productId, variantId] = ['product-id', 'variant-id'].map((name) => +heart.getAttribute(name));
    cart.add({ productId, variantId, quantity: 1 }, find('h1').textContent);
  };
}
