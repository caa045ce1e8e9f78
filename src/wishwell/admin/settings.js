// The store's settings: a form for what a merchant may change, and the rest in a merchant's words.
import { html, nothing } from './lit-html.js';
import { ask } from './api.js';
import { act, number, say, time } from './parts.js';
import { TEXT_NAMES } from './text-names.js';

const ADDRESS = 'https://…';
/** Fields of the hosted page's look: name, label, hint, and the input's type. */
const LOOK = [
  ['shopName', 'Shop name', 'Shown on the wishlist page that the service hosts.', 'text'],
  ['logoUrl', 'Logo', 'The address of a picture: https, or a path of the shop.', 'text'],
  ['accent', 'Accent colour', 'Such as #8f1449. Buttons and links have it.', 'text'],
  ['shopUrl', 'Shop address', 'Where the logo and “Continue shopping” lead.', 'url'],
  ['cartUrl', 'Cart address', 'Adds a product to the cart; may contain {productId}, {variantId} and {quantity}.', 'text'],
  ['language', 'Language', 'Such as en or de. Empty: each shopper’s browser decides.', 'text'],
];

const onOff = (value) => (value ? 'on' : 'off');
/** Settings that only an operator can change: label, and how the value is shown. Others have their own name as label. */
const WORDS = {
  id: ['Store ID'],
  handle: ['Store’s short name'],
  platform: ['Platform in customers’ IDs'],
  productIds: ['Product IDs', (value) => (value === 'text' ? 'text' : 'numbers')],
  authFlow: ['Sign-in page'],
  hosts: ['Shop’s addresses'],
  naming: ['How customers are recognised'],
  jwtCookie: ['Cookie'],
  jwtHeader: ['Header'],
  jwtIssuer: ['Issuer'],
  jwtAudience: ['Audience'],
  jwtClaim: ['Field with the customer’s ID'],
  jwtEmailClaim: ['Field with the customer’s email'],
  jwtVerifiedClaim: ['Field that says whether the email is verified'],
  jwtLocaleClaim: ['Field with the customer’s language'],
  jwtKeySet: ['Public keys'],
  platformShop: ['Shop on the platform'],
  serviceUrl: ['Address of this service for visitors'],
  origins: ['Websites that may use the API'],
  pages: ['Pages'],
  productUrl: ['Product page'],
  wishlistPage: ['Wishlist page'],
  sharedPage: ['Page for shared lists'],
  priceDropPercent: ['Smallest price drop that sends a notice', (value) => `${number(value)} %`],
  eventsSince: ['Events are recorded since'],
  createdAt: ['Created'],
  active: ['Wishlists in the shop', onOff],
  forgetCustomersAfter: ['Inactive customers are erased after', (value) => `${number(value)} months`],
  forgetSince: ['Erasing inactive customers since'],
  reporting: ['Reports'],
  timeZone: ['Time zone'],
  purchases: ['Purchases are matched with wishes', onOff],
  purchased: ['A bought item is', (value) => (value === 'remove' ? 'removed' : 'marked as bought')],
  attributionDays: ['Days between wish and purchase'],
  currency: ['Currency of the shop'],
  limits: ['Limits'],
  profile_read: ['A shopper reads, per minute'],
  profile_write: ['A shopper changes, per minute'],
  profile_token: ['Sign-ins of a shopper, per minute'],
  admin_read: ['Programs read, per minute'],
  admin_write: ['Programs change, per minute'],
  admin_token: ['Tokens by programs, per minute'],
  items: ['Wishes of a shopper'],
  lists: ['Lists of a shopper'],
  entries: ['Wishes on all lists of a shopper'],
  list_items: ['Wishes on a list'],
};
const EDITED = ['draft', 'look', 'notices', 'showWishes'];

/** Renders the settings of `store`. `redraw()` renders the view again. */
export function settings(store, redraw) {
  // What is typed, until it is saved; `texts` are rows of language, name and text.
  store.draft ??= { texts: Object.entries(store.look?.texts ?? {}).flatMap(([language, texts]) =>
    Object.entries(texts).map(([name, text]) => ({ language, name, text }))) };
  return html`<form class="settings" novalidate @submit=${save(store, redraw)}>
      <h3>Hosted wishlist page</h3>${LOOK.map((field) => input(store, field))}
      <h3>Texts of your own</h3>${texts(store, redraw)}
      <h3>Shoppers</h3>
      <label class="field check"><input type="checkbox" name="showWishes" .checked=${Boolean(store.reporting?.showWishes)}>
        Show shoppers how many people want a product</label>
      <label class="field">Notices of price drops and restocks, if a customer was never asked
        <select name="notices">${Object.entries({ 'opt-out': 'are sent (opt-out)', 'opt-in': 'aren’t sent (opt-in)' }).map(([value, name]) =>
          html`<option value=${value} ?selected=${value === (store.notices ?? 'opt-out')}>${name}</option>`)}</select></label>
      <div class="row"><button class="primary">Save settings</button></div></form>
    <details><summary>More settings</summary>
      <p class="soft">An operator changes these with <code>wishwell store update ${store.handle} …</code></p>${values(store)}</details>`;
}

/** Renders a field with its hint and, after a refused save, its error. */
function input(store, [name, label, hint, type]) {
  const wrong = store.draft.wrong?.[`look.${name}`];
  return html`<div class="field"><label for=${`look-${name}`}>${label}</label>
    <input id=${`look-${name}`} type=${type} name=${name} .defaultValue=${store.look?.[name] ?? ''} spellcheck="false"
      autocomplete="off" placeholder=${type === 'url' ? ADDRESS : nothing} aria-invalid=${wrong ? 'true' : nothing} aria-describedby=${`about-${name}`}>
    <small id=${`about-${name}`} class=${wrong ? 'down' : 'soft'}>${wrong ?? hint}</small></div>`;
}

function texts({ draft }, redraw) {
  const change = (row, name) => ({ target }) => (row[name] = target.value.trim());
  const cell = (row, name, label, hint = label) => html`<input aria-label=${label} placeholder=${hint} .value=${row[name] ?? ''}
    list=${name === 'name' ? 'text-names' : nothing} @input=${change(row, name)} @change=${redraw}>`;
  const unknown = draft.texts.map(({ name }) => name).filter((name) => name && !TEXT_NAMES.includes(name));
  const wrong = Object.entries(draft.wrong ?? {}).filter(([field]) => field.startsWith('look.texts'));
  const add = () => {
    draft.texts.push({});
    redraw();
  };
  const remove = (row) => () => {
    draft.texts.splice(draft.texts.indexOf(row), 1);
    redraw();
  };
  return html`<p class="soft">Replace any text of hearts, pages and mails, or add a language. Choose the text’s name from the list.</p>
    <datalist id="text-names">${TEXT_NAMES.map((name) => html`<option value=${name}></option>`)}</datalist>
    ${draft.texts.map((row) => html`<div class="text">${cell(row, 'language', 'Text’s language', 'Language')}${cell(row, 'name', 'Text’s name', 'Name')}
      ${cell(row, 'text', 'Your text')}<button type="button" @click=${remove(row)}>Remove</button></div>`)}
    ${unknown.map((name) => html`<p class="down" role="alert">No text has the name “${name}”, so it is shown nowhere.</p>`)}
    ${wrong.map(([, message]) => html`<p class="down" role="alert">${message}</p>`)}
    <div><button type="button" @click=${add}>Add a text</button></div>`;
}

/** Returns the handler that saves the form: only what differs, so that no concurrent change is undone. */
const save = (store, redraw) => (event) => {
  event.preventDefault();
  const form = event.target;
  const look = {};
  for (const [name] of LOOK) {
    const value = form.elements[name].value.trim();
    if (value !== (store.look?.[name] ?? '')) look[name] = value;
  }
  const own = {};
  for (const { language, name, text } of store.draft.texts) if (language && name) (own[language] ??= {})[name] = text ?? '';
  if (JSON.stringify(own) !== JSON.stringify(store.look?.texts ?? {})) look.texts = own;
  const body = {};
  if (Object.keys(look).length) body.look = look;
  if (form.elements.notices.value !== (store.notices ?? 'opt-out')) body.notices = form.elements.notices.value;
  const showWishes = form.elements.showWishes.checked;
  if (showWishes !== Boolean(store.reporting?.showWishes)) body.reporting = { showWishes };
  return act(async () => {
    try {
      const { data } = await ask('store', { method: 'PATCH', body });
      delete store.look;
      Object.assign(store, data, { draft: undefined });
      say('Saved. The shop’s pages show it within 5 seconds.');
    } catch (error) {
      if (error.status !== 400) throw error;
      const found = error.details?.length ? error.details : [{ field: '', message: error.message }];
      store.draft.wrong = Object.fromEntries(found.map(({ field, message }) => [field, message]));
      say(found[0].message);
    }
    redraw();
    form.querySelector('[aria-invalid]')?.focus();
  })({ currentTarget: form });
};

/** Renders the settings that aren't in the form, by their labels. */
function values(of) {
  const words = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  const line = ([name, value]) => {
    const [label = words(name), form = shown] = WORDS[name] ?? [];
    return html`<div><dt>${label}</dt><dd>${form(value)}</dd></div>`;
  };
  const given = (value) => value !== null && value !== '' && (typeof value !== 'object' || Object.keys(value).length);
  return html`<dl>${Object.entries(of).filter(([name, value]) => !EDITED.includes(name) && given(value)).map(line)}</dl>`;
}

function shown(value) {
  if (typeof value === 'boolean') return onOff(value);
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') return values(value);
  return /^\d{4}-\d\d-\d\dT/.test(value) ? time(value) : value;
}
