// What the views have in common. Values in templates become text, never markup (contract: admin-inert).
import { html, nothing, render } from './lit-html.js';
import { ask, download, session } from './api.js';

const LOCALE = navigator.language;
const whole = new Intl.NumberFormat(LOCALE);
const brief = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumSignificantDigits: 4 });
const parts = new Intl.NumberFormat(LOCALE, { style: 'percent', signDisplay: 'exceptZero' });
const dayForm = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayLong = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const timeForm = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

export const number = (n) => whole.format(n);
/** From a million on as 1.5M, which has room beside a chart. */
export const numberShort = (n) => (n < 1e6 ? whole : brief).format(n);
export const percent = (part) => parts.format(part);
export const dayShort = (day) => dayForm.format(new Date(day));
export const dayName = (day) => dayLong.format(new Date(day));
export const time = (at) => (at ? html`<time datetime=${at}>${timeForm.format(new Date(at))}</time>` : '–');
export const counted = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

/** The day so many days later. */
export function later(day, days) {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The numbers of reports, by their names. */
export const NAMES = { wishes: 'Wishes', shoppers: 'Shoppers', added: 'Added', removed: 'Removed' };

/** The address of a view. What is empty in `query` is left out. */
export function to(path, query = {}) {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  return `#/${path}${given.size ? `?${given}` : ''}`;
}

// ------------------------------------------------------------------------------------ the period

const PERIODS = { 7: 'Last 7 days', 30: 'Last 30 days', 90: 'Last 90 days', 365: 'Last 365 days', month: 'This month' };

/** The days of a view, and as many before; of the query of its address. */
export function periodOf(query) {
  const chosen = Object.hasOwn(PERIODS, query.days) ? query.days : '30';
  const days = chosen === 'month' ? Number(session.today.slice(-2)) : Number(chosen);
  const from = later(session.today, 1 - days);
  return { chosen, from, to: session.today, before: { from: later(from, -days), to: later(from, -1) } };
}

/** What chooses the period. `go(changes)` changes the view's address. */
export const periodChoice = ({ query, go }) => html`<label class="unseen" for="days">Period</label>
  <select id="days" @change=${({ target }) => go({ days: target.value })}>${Object.entries(PERIODS).map(([days, name]) =>
    html`<option value=${days} ?selected=${days === periodOf(query).chosen}>${name}</option>`)}</select>`;

// ------------------------------------------------------------------------------------- products

/** A picture by https, and else a place for one. */
export const picture = (image) =>
  image?.startsWith('https://')
    ? html`<img class="picture" src=${image} alt="" loading="lazy" referrerpolicy="no-referrer"
        @error=${({ target }) => target.removeAttribute('src')}>`
    : html`<span class="picture"></span>`;

/** A product's picture and name, which lead to its page, of the same days. A reports token learns its title only here. */
export const productLink = (row, days) => html`<a class="product" href=${to('product', { id: row.productId, title: row.title, days })}>
  ${picture(row.image)}<span class="title">${row.title ?? `Product ${row.productId}`}</span></a>`;

/** A link that leaves the page, without a word on where from. */
export const outward = (url, text) =>
  /^https?:\/\//.test(url ?? '')
    ? html`<a href=${url} target="_blank" rel="noopener noreferrer">${text}</a>`
    : text;

// ------------------------------------------------------------------------------------- states

/** A grey place, until what belongs there has come. */
export const waiting = () => html`<div class="waiting"></div>`;

/** A search field; `does(text)` looks for it. */
export function searchForm(label, hint, text, does) {
  const submit = (event) => {
    event.preventDefault();
    return act(() => does(event.target.elements[0].value.trim()))({ currentTarget: event.target });
  };
  return html`<form class="search" role="search" @submit=${submit}><label class="unseen" for="search">${label}</label>
    <input id="search" type="search" placeholder=${hint} maxlength="255" autocomplete="off" .value=${text ?? ''}>
    <button>Search</button></form>`;
}

/** There is nothing, and what to do next. */
export const empty = (title, next) => html`<div class="empty"><h2>${title}</h2><p>${next}</p></div>`;

export const notCounted = () =>
  empty('Nothing is counted yet', 'The first count begins within a minute, and this page shows it by itself.');

/** A table that scrolls sideways if it must. `heads`: names, or a name and the class of its column. */
export const table = (caption, heads, rows) => html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
  <table><caption class="unseen">${caption}</caption><thead><tr>
    ${heads.map((head) => [head].flat()).map(([name, kind]) => html`<th scope="col" class=${kind ?? nothing}>${name}</th>`)}
  </tr></thead><tbody>${rows}</tbody></table></div>`;

/** The first page of records, `rows`; `more(redraw)` is a button that adds the next one. */
export async function pages(path, query, profile) {
  const found = { rows: [] };
  const read = async (page) => {
    const { data, pageInfo } = await ask(path, { profile, query: { ...query, page, limit: 50 } });
    found.rows.push(...data);
    found.next = pageInfo?.next;
  };
  found.more = (redraw) =>
    found.next ? html`<button @click=${act(() => read(found.next).then(redraw))}>Show more</button>` : nothing;
  await read();
  return found;
}

// ------------------------------------------------------------------------------- what is done

/** Where `say` says it. */
export const notice = Object.assign(document.createElement('p'), { className: 'notice', role: 'status' });

/** Says something for a while, also to a screen reader. */
export function say(text) {
  notice.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(say, 8_000, '');
}

/** A handler that does something with the service: once at a time, and a failure is said. */
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

/** A button that keeps a report as a file. */
export const csvButton = (path, name, query) => html`<button
  @click=${act(() => download(path, `${name}.csv`, { query: { ...query, format: 'csv' } }))}>Download CSV</button>`;

// contract: admin-erase
/** Asks before something that can't be undone; `typed` is what has to be typed. True if it shall be. */
export function confirmed({ title, text, button, typed }) {
  const dialog = document.createElement('dialog');
  const check = ({ target }) => (dialog.querySelector('.danger').disabled = target.value.trim() !== typed);
  const field = () => html`<label>Type <code>${typed}</code>
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
