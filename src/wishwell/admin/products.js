import { html, nothing } from './lit-html.js';
import { ask, session } from './api.js';
import { NAMES, csvButton, empty, notCounted, number, Pages, periodChoice, periodOf, productLink, table, waiting } from './parts.js';

const SORTS = ['wishes', 'added', 'removed'];

/** What the report is asked. */
function asked({ query }) {
  const { from, to } = periodOf(query);
  return { from, to, sort: SORTS.includes(query.sort) ? query.sort : 'wishes', title: query.title };
}

function load(at) {
  const query = asked(at);
  const rows = new Pages((page) => ask('reports/products', { query: { ...query, page, limit: 50 } }));
  return { rows: rows.more() };
}

function show({ rows }, at) {
  const { query, go, redraw } = at;
  const { sort, from, to } = asked(at);
  const head = (name) => [html`<button class="sort" aria-pressed=${sort === name} @click=${() => go({ sort: name })}>${NAMES[name]}</button>`, 'number'];
  const search = (event) => {
    event.preventDefault();
    go({ title: event.target.querySelector('[type=search]').value.trim() });
  };
  return html`<div class="head"><h1 id="title" tabindex="-1">Products</h1>
      <div class="tools">
        <form class="search" role="search" @submit=${search}>
          <label class="unseen" for="search">Part of a title</label>
          <input id="search" type="search" placeholder="Search by title" maxlength="100" .value=${query.title ?? ''}
            @search=${(event) => event.target.value || search({ preventDefault() {}, target: event.target.form })}>
          <button>Search</button>
        </form>
        ${periodChoice(at)}
        ${csvButton('reports/products', `wishes-${from}-${to}`, asked(at))}
      </div></div>
    <section class="card">${body()}</section>`;

  function body() {
    if (!session.asOf) return notCounted();
    if (!rows) return waiting();
    if (!rows.rows.length)
      return query.title
        ? empty(`No product with “${query.title}” in its title is wished for`, 'Try a shorter part of the title. A search finds only products whose titles the shop has brought in.')
        : empty('No wishes in these days', 'Put hearts on the pages of the shop’s products, or choose other days.');
    const heads = ['Product', ...SORTS.map(head), ['Customers', 'number wide'], ['Visitors', 'number wide']];
    return html`${table('Products by their wishes', heads, rows.rows.map((row) => html`<tr>
        <th scope="row">${productLink(row)}</th>
        ${['wishes', 'added', 'removed', 'customers', 'visitors'].map((name) => html`<td class="number ${name === 'customers' || name === 'visitors' ? 'wide' : ''}">${number(row[name])}</td>`)}
      </tr>`))}
      ${rows.rows.some((row) => row.title) ? nothing : html`<p class="soft">To see titles and pictures here, bring in the shop’s products
        with <code>wishwell products</code>.</p>`}
      ${rows.button(redraw)}`;
  }
}

export default { path: 'products', name: 'Products', periods: true, load, show };
