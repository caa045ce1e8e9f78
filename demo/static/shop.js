// The shop's own script, on every page: what failed, what can be undone, how much is saved and in the
// cart; and another colour on a product's page.
import { wishlist } from '/apps/wishlist/assets/wishwell.js';

export { wishlist };

export const find = (selector, within = document) => within.querySelector(selector);
export const copy = (template) => template.content.firstElementChild.cloneNode(true);

export async function collect(records) {
  const all = [];
  for await (const record of records) all.push(record);
  return all;
}

// ------------------------------------------------------------------------------ what is told

/** Says it to those who listen, without showing it. */
export const say = (text) => (find('#said').textContent = text);

/** Shows a text with buttons, of which each also closes it. */
function tell(place, text, buttons) {
  const words = document.createElement('p');
  words.textContent = text;
  const nodes = Object.entries(buttons).map(([name, press]) => {
    const button = document.createElement('button');
    button.textContent = name;
    button.className = 'plain';
    button.onclick = () => (place.replaceChildren(), press?.());
    return button;
  });
  place.replaceChildren(words, ...nodes);
}

/** Shows what failed, until it is closed or something has worked. */
export function complain(error) {
  const text =
    !error.status || error.status > 499
      ? 'Your wishlist can’t be reached just now, so nothing was changed. Please try again soon.'
      : error.status === 429
        ? 'That was a lot at once. Please try again in a minute.'
        : `That did not work: ${error.message}`;
  tell(find('#notice'), text, { Close: undefined });
}
export const settle = () => find('#notice').replaceChildren();

/** Shows what was done, with buttons for what may come next, until it is closed or something else is done. */
export function offer(text, buttons) {
  say(text);
  tell(find('#done'), text, { ...buttons, Close: undefined });
}

document.addEventListener('keydown', (event) => {
  const undo = [...document.querySelectorAll('#done button')].find(({ textContent }) => textContent === 'Undo');
  if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
  if (!undo || event.target.closest('input, textarea')) return;
  event.preventDefault();
  undo.click();
});

wishlist.addEventListener('error', ({ detail }) => complain(detail.error));
wishlist.addEventListener('change', ({ detail }) => detail.pending || settle());

// ------------------------------------------------------------------------- the count of wishes

let counting = 0;

function badge(id, count, text = count) {
  find(id).hidden = !count;
  find(id).textContent = text;
}

/** Shows how many wishes there are, unless a newer count overtakes it. */
async function count() {
  const turn = ++counting;
  await undefined; // several events of one change are one count
  if (turn !== counting) return;
  try {
    const { data, pageInfo } = await wishlist.items.list({ limit: 99 });
    if (turn === counting) badge('#saved', data.length, pageInfo?.next ? '99+' : data.length);
  } catch {
    // The last count stays; what failed for the shopper is told by what they did.
  }
}

for (const type of ['lists', 'shopper']) wishlist.addEventListener(type, count);
wishlist.addEventListener('change', ({ detail }) => detail.pending || count());
count();

// ------------------------------------------------------------------------------------ the cart

/** A pretend one, of this tab: a real shop has its own, and hears what is moved to it as this one does. */
export const cart = {
  lines: () => JSON.parse(sessionStorage.cart ?? '[]'),
  /** Puts so many of a product into it, or takes them out where `quantity` is below 0. */
  put({ productId, variantId, quantity }) {
    const lines = cart.lines();
    let line = lines.find((one) => one.productId === productId && one.variantId === variantId);
    if (!line) lines.push((line = { productId, variantId, quantity: 0 }));
    line.quantity += quantity;
    sessionStorage.cart = JSON.stringify(lines.filter((one) => one.quantity > 0));
    cart.show();
  },
  show() {
    badge('#carted', cart.lines().reduce((sum, { quantity }) => sum + quantity, 0));
    document.dispatchEvent(new CustomEvent('cart'));
  },
};

// Where the shop has sold out, say, `preventDefault()` leaves the wish where it is.
document.addEventListener('wishlist-to-cart', (event) => event.defaultPrevented || cart.put(event.detail));
cart.show();

/** How a product looks in a row, for wishlist and cart: fills the link with it, and answers with its name. */
export function look({ productId, variantId }, what) {
  const known =
    find(`template[data-product="${productId}"][data-variant="${variantId ?? ''}"]`) ?? find('#gone');
  what.replaceChildren(known.content.cloneNode(true));
  if (known.dataset.href) what.href = known.dataset.href;
  return { name: find('.name', what).textContent, price: +(known.dataset.price ?? 0) };
}

// -------------------------------------------------------------------------- a product's page

const heart = find('.product wishlist-button');

/** Shows the colour of a link without a new page; what is saved of the product gets it too. */
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
    // With a key the browser opens a tab of it.
    if (!swatch || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(swatch);
  });
  find('#buy').hidden = false;
  find('#buy').onclick = () => {
    const [productId, variantId] = ['product-id', 'variant-id'].map((name) => +heart.getAttribute(name));
    const line = { productId, variantId, quantity: 1 };
    cart.put(line);
    offer(`${find('h1').textContent} is in your cart.`, { Undo: () => cart.put({ ...line, quantity: -1 }) });
  };
}
