// A view's key figures, each compared with the previous period, and the chart of the chosen figure.
import { html } from './lit-html.js';
import { session } from './api.js';
import './chart.js';
import { NAMES, dayName, empty, notCounted, number, percent, periodOf, waiting } from './parts.js';

let drawn = 'wishes';

/** Renders the figures `names`. `now` and `before` have numbers by name; `days` are the rows of the report. */
export function figures({ now, before, days }, names, { query, redraw }) {
  const period = periodOf(query);
  // For days before the first count, added and removed are unknown.
  const known = (name) => name === 'wishes' || name === 'shoppers' || period.before.from >= session.since;
  const draw = (name) => {
    drawn = name;
    redraw();
  };
  const one = (name) => {
    const inside = html`<span class="name">${NAMES[name]}</span>
      <span class="big">${now ? number(now[name]) : '…'}</span>
      <span class="change">${now && change(name, now[name], known(name) ? before?.[name] : undefined)}</span>`;
    return name === 'shoppers'
      ? html`<div class="tile">${inside}</div>`
      : html`<button class="tile" aria-pressed=${drawn === name} @click=${() => draw(name)}>${inside}</button>`;
  };
  return html`<section class="card"><div class="tiles">${names.map(one)}</div>${chart(days, period)}</section>`;
}

function change(name, now, before) {
  if (before === undefined) return html`<span class="soft">no earlier data</span>`;
  const good = name === 'removed' ? now < before : now > before;
  const way = now === before ? 'soft' : good ? 'up' : 'down';
  const part = before ? percent((now - before) / before) : '';
  return html`<span class=${way}>${part}</span> <span class="soft">vs. ${number(before)} in the previous period</span>`;
}

function chart(days, { to }) {
  if (!session.asOf) return notCounted();
  if (!days) return waiting();
  if (!days.length) return empty('No data for this period', `Counting started on ${dayName(session.since)}. Choose a later period.`);
  return html`<days-chart .data=${{ days, metric: drawn }}></days-chart>
    ${session.since === to ? html`<p class="soft">Today is the first day of counting. The chart becomes a line tomorrow.</p>` : ''}`;
}
