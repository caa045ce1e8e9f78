import { html, nothing } from './lit-html.js';
import { session } from './api.js';
import { NAMES, STOCK, csvButton, empty, money, notCounted, number, pages, periodChoice, periodOf } from './parts.js';
import { productLink, searchForm, table, waiting } from './parts.js';

const SORTS = ['wishes', 'added', 'removed', 'rising', 'customers', 'visitors'];
const FILTERS = { '': 'All products', sold_out: 'Sold out', price_dropped: 'Price dropped' };

/** Returns the parameters of the report. */
function asked({ query }) {
  const { from, to } = periodOf(query);
  const title = query.title?.slice(0, 100); // the API's limit
  const only = Object.hasOwn(FILTERS, query.only ?? '') ? query.only : '';
  return { from, to, sort: SORTS.includes(query.sort) ? query.sort : 'wishes', title, only };
}

const load = (at) => ({ found: pages('reports/products', asked(at)) });

function show({ found }, at) {
  const { query, go, redraw } = at;
  const { sort, from, to, only } = asked(at);
  // On phones there is room for two columns of numbers.
  const wide = (name) => (['wishes', sort === 'wishes' ? 'added' : sort].includes(name) ? '' : 'wide');
  const head = (name) => {
    const choose = () => go({ sort: name });
    return [html`<button class="sort" aria-pressed=${sort === name} @click=${choose}>${NAMES[name]}</button>`, `number ${wide(name)}`];
  };
  return html`<div class="head"><h1 id="title" tabindex="-1">Products</h1>
      <div class="tools">
        ${searchForm('Search by title or ID', 'Title or product ID', query.title, (title) => go({ title }))}
        <button aria-pressed=${sort === 'rising'} @click=${() => go({ sort: sort === 'rising' ? '' : 'rising' })}>Rising</button>
        <label class="unseen" for="only">Filter</label>
        <select id="only" @change=${({ target }) => go({ only: target.value })}>${Object.entries(FILTERS).map(([filter, name]) =>
          html`<option value=${filter} ?selected=${filter === (only ?? '')}>${name}</option>`)}</select>
        ${periodChoice(at)}
        ${csvButton('reports/products', `wishes-${from}-${to}`, asked(at))}
      </div></div>
    <section class="card">${body()}</section>`;

  function body() {
    if (!session.asOf) return notCounted();
    if (!found) return waiting();
    if (!found.rows.length && query.title)
      return empty(`No wishes for products with “${query.title}” in the title or as ID`,
        'Try a shorter search, or the whole ID. Only products from the imported catalogue have titles.');
    if (!found.rows.length && only === 'sold_out') return empty('No wished-for product is sold out', 'Products without data from the shop count as available.');
    if (!found.rows.length && only)
      return empty('No price has dropped', 'Products appear here when they cost less than when somebody saved them.');
    if (!found.rows.length)
      return empty('No wishes in this period', 'Add hearts to your product pages, or choose another period.');
    // The service compares with the previous period only when asked to sort by it.
    const shown = SORTS.slice(0, 4).filter((name) => name !== 'rising' || sort === name);
    const heads = ['Product', ...shown.map(head), ['Price', 'number wide'], ['Stock', 'wide'], head('customers'), head('visitors')];
    const cell = (n, kind = '') => html`<td class="number ${kind}">${number(n)}</td>`;
    // Rows of the page before have no rise until the new ones are loaded.
    const rise = ({ rise: n }) => html`<td class="number">${n > 0 ? '+' : nothing}${n === undefined ? '–' : number(n)}</td>`;
    const line = (row) => html`<tr><th scope="row">${productLink(row, query.days)}</th>
      ${shown.map((name) => (name === 'rising' ? rise(row) : cell(row[name], wide(name))))}
      <td class="number wide">${row.price ? money(row.price) : '–'}</td><td class="wide">${STOCK[row.availability] ?? '–'}</td>
      ${cell(row.customers, wide('customers'))}${cell(row.visitors, wide('visitors'))}</tr>`;
    return html`${table('Products by wishes', heads, found.rows.map(line))}
      ${found.rows.some((row) => row.title) ? nothing : html`<p class="soft">To see titles and pictures here, import
        the shop’s catalogue with <code>wishwell products</code>.</p>`}
      ${found.more(redraw)}`;
  }
}

export default { path: 'products', name: 'Products', periods: true, load, show };
