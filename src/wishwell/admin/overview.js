import { html, nothing, svg } from './lit-html.js';
import { get, session } from './api.js';
import { earned } from './earned.js';
import { figures } from './figures.js';
import { counted, empty, money, number, periodChoice, periodOf, productLink, time, to, waiting } from './parts.js';

function load({ query }) {
  const { from, to, before } = periodOf(query);
  const summary = async (days) => {
    const numbers = await get('reports/summary', days);
    return { ...numbers, shoppers: numbers.profiles.customers + numbers.profiles.visitors };
  };
  const top = (sort) => get('reports/products', { from, to, sort, limit: 10 });
  const now = summary({ from, to });
  const sold = { from, to, by: 'product', limit: 5 };
  return {
    status: session.admin ? get('store/status') : undefined,
    now,
    earning: now.then(({ purchases }) => purchases && get('reports/purchases', sold)),
    before: before.to >= session.since ? summary(before) : undefined,
    days: get('reports/days', { from, to }),
    wished: top('wishes'),
    rising: top('rising'),
  };
}

function show(data, at) {
  return html`<div class="head"><h1 id="title" tabindex="-1">Overview</h1>
      <p class="soft">${session.asOf ? html`As of ${time(session.asOf)}` : nothing}</p>
      <div class="tools">${periodChoice(at)}</div></div>
    ${data.status?.warnings?.length ? html`<p class="card" role="status"><a href=${to('store')}>${counted(data.status.warnings.length, 'warning')} about this store</a></p>` : nothing}
    ${figures(data, ['wishes', 'shoppers', 'added', 'removed'], at)}
    ${worth(data.now?.value)}
    ${earned(data.now, data.before, data.earning, at.query)}
    <div class="two">
      ${top('Most wished for', '', data.wished, ['wishes', 'wishes'], at.query)}
      ${top('Rising', 'added vs. the previous period', data.rising, ['rising', 'rise'], at.query)}
    </div>`;
}

/** Renders the value of the wishes at the products' prices, if any is known. */
function worth(values) {
  if (!values) return nothing;
  const sum = (name) => values.filter((value) => Number(value[name])).map(({ currency, [name]: amount }) => money({ amount, currency })).join(' + ');
  const [available, soldOut] = [sum('amount'), sum('soldOut')];
  return html`<section class="card" id="value"><h2>Value of wishes <small class="soft">price times quantity</small></h2>
    <p>${available ? html`<span class="big">${available}</span>` : nothing}
      ${soldOut ? html`<span class="soft">${available && 'and '}${soldOut} sold out</span>` : nothing}</p></section>`;
}

/** Renders the top products, each with a bar relative to the first. */
function top(title, what, rows, [sort, column], query) {
  const some = rows?.filter((row) => row[column] > 0);
  const line = (row) => {
    const part = `${(100 * row[column]) / some[0][column]}%`;
    return html`<li><svg class="bar" aria-hidden="true">${svg`<rect width=${part} height="100%" rx="6"></rect>`}</svg>
      ${productLink(row, query.days)}<b>${column === 'rise' ? '+' : nothing}${number(row[column])}<span class="unseen"> ${column === 'rise' ? 'added' : column}</span></b></li>`;
  };
  return html`<section class="card"><h2>${title} ${what && html`<small class="soft">${what}</small>`}</h2>
    ${!some ? waiting() : some.length
      ? html`<ol class="top">${some.map(line)}</ol>
          <a href=${to('products', { ...query, sort })}>All products</a>`
      : rows.length
        ? empty('Nothing is rising', 'No product was added more often than in the previous period.')
        : empty('No wishes yet', 'Add hearts to your product pages, tap one, and wait a minute.')}
  </section>`;
}

export default { path: 'overview', name: 'Overview', periods: true, lives: true, load, show };
