// The card "Earned from wishes": what a period's purchases of wishes earned, and the products that earned most.
import { html, nothing, svg } from './lit-html.js';
import { counted, empty, money, percent, productLink, share } from './parts.js';

const sum = ({ revenue, units }) => (revenue.length ? revenue.map(money).join(' + ') : counted(units, 'unit'));

/** Returns the amount of the only currency, without one the units; undefined for several currencies. */
function comparable({ revenue, units }, currency) {
  if (revenue.length > 1 || (revenue[0] && revenue[0].currency !== currency)) return undefined;
  return currency ? Number(revenue[0]?.amount ?? 0) : units;
}

/** Renders by how much sales have changed, if both periods are in the same currency. */
function change(now, before) {
  const currency = (now.revenue[0] ?? before.revenue[0])?.currency;
  const [amount, earlier] = [now, before].map((sales) => comparable(sales, currency));
  if (amount === undefined || !earlier) return nothing;
  const way = amount === earlier ? 'soft' : amount > earlier ? 'up' : 'down';
  return html`<span class=${way}>${percent((amount - earlier) / earlier)}</span>`;
}

/** Returns which part of all sales these are, such as “33%”. */
function partOf(sales, all) {
  const currency = all.revenue[0]?.currency;
  const [amount, whole] = [sales, all].map((each) => comparable(each, currency));
  return amount === undefined || !whole ? '' : share(amount / whole);
}

/** Renders the card, if the store has purchases on. `now` and `before`: summaries; `rows`: products that earned most. */
export function earned(now, before, rows, query) {
  if (!now?.purchases) return nothing;
  const { orders, units, mailed } = now.purchases;
  const earlier = before?.purchases ? `vs. ${sum(before.purchases)} in the previous period` : 'no earlier data';
  const mailedPart = mailed ? partOf(mailed, now.purchases) : '';
  const first = Number(rows?.[0]?.revenue[0]?.amount);
  const line = (row) => {
    const part = first ? `${Math.min(100, (100 * Number(row.revenue[0]?.amount ?? 0)) / first)}%` : '0%';
    return html`<li><svg class="bar" aria-hidden="true">${svg`<rect width=${part} height="100%" rx="6"></rect>`}</svg>
      ${productLink(row, query.days)}<span class="soft part">${partOf(row, now.purchases)}</span><b>${sum(row)}</b></li>`;
  };
  return html`<section class="card" id="earned"><h2>Earned from wishes</h2>
    ${orders
      ? html`<p><span class="big">${sum(now.purchases)}</span> ${before?.purchases ? change(now.purchases, before.purchases) : nothing}
            <span class="soft">${earlier}</span></p>
          <p class="soft">${counted(orders, 'order')} with ${counted(units, 'wished-for unit')}</p>
          ${mailed ? html`<p class="soft">${sum(mailed)} of it${mailedPart && ` (${mailedPart})`} within 7 days of a mail that named the product</p>` : nothing}
          <ol class="top">${rows?.map(line)}</ol>`
      : empty('No orders with a wish in this period', 'The shop sends its orders to Wishwell; choose a longer period.')}
  </section>`;
}
