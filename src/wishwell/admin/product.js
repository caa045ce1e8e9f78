import { html, nothing } from './lit-html.js';
import { get, session } from './api.js';
import { figures } from './figures.js';
import { STOCK, csvButton, empty, money, number, outward, pages, periodChoice, periodOf } from './parts.js';
import { picture, table, time, to, waiting } from './parts.js';

function load({ query }) {
  const { id } = query;
  const { from, to, before } = periodOf(query);
  const days = (of) => get('reports/days', { ...of, product: id });
  const now = days({ from, to });
  const parts = {
    days: now,
    now: now.then(numbers),
    before: before.to >= session.since ? days(before).then(numbers) : undefined,
  };
  if (!session.admin) return parts;
  const known = get(`products/${encodeURIComponent(id)}`).catch((error) => {
    if (error.status !== 404) throw error;
  });
  return { ...parts, known, wishers: pages('reports/wishers', { product: id, limit: 20 }) };
}

function numbers(days) {
  const sum = (name) => days.reduce((total, day) => total + day[name], 0);
  return { wishes: days.at(-1)?.wishes ?? 0, added: sum('added'), removed: sum('removed') };
}

const title = ({ known }, { query }) => known?.title ?? query.title ?? `Product ${query.id}`;

function show(data, at) {
  const { known = {}, wishers } = data;
  const { id } = at.query;
  return html`<p><a href=${to('products', { days: at.query.days })}>Products</a></p>
    <div class="head">${picture(known.image)}<div><h1 id="title" tabindex="-1">${title(data, at)}</h1>
        <p class="soft">${id}${known.price ? ` · ${money(known.price)}` : nothing}${
          STOCK[known.availability] ? ` · ${STOCK[known.availability]}` : nothing}${known.url ? html` · ${outward(known.url, 'View in shop')}` : nothing}</p></div>
      <div class="tools">${periodChoice(at)}</div></div>
    ${figures(data, ['wishes', 'added', 'removed'], at)}
    ${session.admin
      ? html`<section class="card"><div class="head"><h2>Who wants this <small class="soft">now</small></h2>
          <div class="tools">${csvButton('reports/wishers', `wishers-${id}`, { product: id })}</div></div>
          ${wishers ? people(wishers, at.redraw) : waiting()}</section>`
      : nothing}`;
}

function people(wishers, redraw) {
  if (!wishers.rows.length) return empty('Nobody wants this right now', 'Shoppers appear here as soon as they save it, newest first.');
  const heads = ['Shopper', 'Variant', ['Quantity', 'number'], 'Saved', 'Price alerts'];
  const line = (row) => html`<tr>
    <th scope="row"><a href=${to('shoppers', { id: row.profile })}>${row.profile.split('/').slice(3).join(' ')}</a></th>
    <td>${row.variantId ?? '–'}</td><td class="number">${number(row.quantity)}</td>
    <td>${time(row.savedAt)}</td><td>${{ true: 'on', false: 'off' }[row.notices] ?? 'not asked'}</td></tr>`;
  return html`${table('Who wants this', heads, wishers.rows.map(line))}${wishers.more(redraw)}`;
}

export default { path: 'product', under: 'products', name: 'Product', load, show, title };
