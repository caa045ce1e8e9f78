// Helpers shared by the views. Values in templates become text, never markup (rule: admin-page).
import { html, nothing, render } from './lit-html.js';
import { ask, download, session } from './api.js';

const LOCALE = navigator.language;
const whole = new Intl.NumberFormat(LOCALE);
const brief = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumSignificantDigits: 4 });
const parts = new Intl.NumberFormat(LOCALE, { style: 'percent', signDisplay: 'exceptZero' });
const portions = new Intl.NumberFormat(LOCALE, { style: 'percent' });
const dayForm = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayLong = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const timeForm = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

export const number = (n) => whole.format(n);
/** Formats a number, from a million on as 1.5M, which fits next to a chart. */
export const numberShort = (n) => (n < 1e6 ? whole : brief).format(n);
/** Formats a change, such as +5%. */
export const percent = (part) => parts.format(part);
/** Formats a part of a whole, such as 5%. */
export const share = (part) => portions.format(part);
export const dayShort = (day) => dayForm.format(new Date(day));
export const dayName = (day) => dayLong.format(new Date(day));
export const time = (at) => (at ? html`<time datetime=${at}>${timeForm.format(new Date(at))}</time>` : '–');
export const money = ({ amount, currency }) => new Intl.NumberFormat(LOCALE, { style: 'currency', currency }).format(amount);
export const counted = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

/** Returns the day `days` later. */
export function later(day, days) {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** Labels of the numbers in reports. */
export const NAMES = { wishes: 'Wishes', shoppers: 'Shoppers', added: 'Added', removed: 'Removed', rising: 'Rising', customers: 'Customers', visitors: 'Visitors' };
export const STOCK = { in_stock: 'In stock', out_of_stock: 'Out of stock', preorder: 'Pre-order', backorder: 'Backorder' };

/** Returns the address of a view. Empty values of `query` are omitted. */
export function to(path, query = {}) {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  return `#/${path}${given.size ? `?${given}` : ''}`;
}

// ------------------------------------------------------------------------------------ the period

const PERIODS = { 7: 'Last 7 days', 30: 'Last 30 days', 90: 'Last 90 days', 365: 'Last 365 days', month: 'This month' };

/** Returns the period that a view's query chooses, and `before`, the previous period of the same length. */
export function periodOf(query) {
  const chosen = Object.hasOwn(PERIODS, query.days) ? query.days : '30';
  const days = chosen === 'month' ? Number(session.today.slice(-2)) : Number(chosen);
  const from = later(session.today, 1 - days);
  return { chosen, from, to: session.today, before: { from: later(from, -days), to: later(from, -1) } };
}

/** Renders the choice of the period. `go(changes)` changes the view's address. */
export const periodChoice = ({ query, go }) => html`<label class="unseen" for="days">Period</label>
  <select id="days" @change=${({ target }) => go({ days: target.value })}>${Object.entries(PERIODS).map(([days, name]) =>
    html`<option value=${days} ?selected=${days === periodOf(query).chosen}>${name}</option>`)}</select>`;

// ------------------------------------------------------------------------------------- products

// rule: admin-page. Where a shop on this computer, such as `make demo`, has its pictures.
const LOOPBACK = 'http://127.0.0.1:';
const isAllowed = (image) => image?.startsWith('https://') || (location.href.startsWith(LOOPBACK) && image?.startsWith(LOOPBACK));

/** Renders a placeholder, and on it the picture if its URL is allowed and it loads. */
export const picture = (image) => html`<span class="picture">${isAllowed(image)
  ? html`<img src=${image} alt="" loading="lazy" referrerpolicy="no-referrer"
      @error=${({ target }) => target.classList.add('broken')} @load=${({ target }) => target.classList.remove('broken')}>`
  : nothing}</span>`;

/** Renders a product's picture and title as a link to its view. The link has the title, which a reports token can't read there. */
export const productLink = (row, days) => html`<a class="product" href=${to('product', { id: row.productId, title: row.title, days })}>
  ${picture(row.image)}<span class="title">${row.title ?? `Product ${row.productId}`}</span></a>`;

/** Renders an external link, which sends no referrer. */
export const outward = (url, text) =>
  /^https?:\/\//.test(url ?? '')
    ? html`<a href=${url} target="_blank" rel="noopener noreferrer">${text}</a>`
    : text;

// ------------------------------------------------------------------------------------- states

/** Renders a placeholder for data that is loading. */
export const waiting = () => html`<div class="waiting"></div>`;

/** Renders a search field; `does(text)` runs the search. */
export function searchForm(label, hint, text, does) {
  const submit = (event) => {
    event.preventDefault();
    return act(() => does(event.target.elements[0].value.trim()))({ currentTarget: event.target });
  };
  return html`<form class="search" role="search" @submit=${submit}><label class="unseen" for="search">${label}</label>
    <input id="search" type="search" placeholder=${hint} maxlength="255" autocomplete="off" .value=${text ?? ''}>
    <button>Search</button></form>`;
}

/** Renders an empty state: a title, and what to do next. */
export const empty = (title, next) => html`<div class="empty"><h2>${title}</h2><p>${next}</p></div>`;

export const notCounted = () =>
  empty('No data yet', 'The first figures appear here automatically within a minute or so.');

/** Renders a table that can scroll horizontally. `heads`: names, or pairs of a name and the column's class. */
export const table = (caption, heads, rows) => html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
  <table><caption class="unseen">${caption}</caption><thead><tr>
    ${heads.map((head) => [head].flat()).map(([name, kind]) => html`<th scope="col" class=${kind ?? nothing}>${name}</th>`)}
  </tr></thead><tbody>${rows}</tbody></table></div>`;

/** Loads the first page of records into `rows`; `more(redraw)` renders a button that appends the next page. */
export async function pages(path, query, profile) {
  const found = { rows: [] };
  const read = async (page) => {
    const { data, pageInfo } = await ask(path, { profile, query: { limit: 50, ...query, page } });
    found.rows.push(...data);
    found.next = pageInfo?.next;
  };
  found.more = (redraw) =>
    found.next ? html`<button @click=${act(() => read(found.next).then(redraw))}>Show more</button>` : nothing;
  await read();
  return found;
}

// ------------------------------------------------------------------------------------- actions

/** The element that `say` writes to. */
export const notice = Object.assign(document.createElement('p'), { className: 'notice', role: 'status' });

/** Shows a message for some seconds, also to screen readers. */
export function say(text) {
  notice.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(say, 8_000, '');
}

/** Returns an event handler that runs `does` once at a time, and shows its failure. */
export const act = (does) => async ({ currentTarget: button }) => {
  if (button.ariaBusy === 'true') return;
  button.ariaBusy = 'true';
  try {
    await does();
  } catch (error) {
    if (error.status !== 401) say(error.message);
  } finally {
    button.ariaBusy = null;
  }
};

/** Renders a button that downloads a report as a CSV file. */
export const csvButton = (path, name, query) => html`<button
  @click=${act(() => download(path, `${name}.csv`, { query: { ...query, format: 'csv' } }))}>Download CSV</button>`;

// rule: admin-scope
/** Asks for confirmation of an irreversible action; `typed` is a text to be typed. Resolves to true if confirmed. */
export function confirmed({ title, text, button, typed }) {
  const dialog = document.createElement('dialog');
  const check = ({ target }) => (dialog.querySelector('.danger').disabled = target.value.trim() !== typed);
  const field = () => html`<label>To confirm, type <code>${typed}</code>
    <input autocomplete="off" spellcheck="false" @input=${check}></label>`;
  render(html`<form method="dialog"><h2 id="question">${title}</h2><p>${text}</p>${typed ? field() : nothing}
    <div class="row"><button type="button" @click=${() => dialog.close()}>Cancel</button>
      <button class="danger" value="yes" ?disabled=${typed}>${button}</button></div></form>`, dialog);
  dialog.setAttribute('aria-labelledby', 'question');
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((answer) => {
    dialog.onclose = () => {
      dialog.remove();
      answer(dialog.returnValue === 'yes');
    };
  });
}
