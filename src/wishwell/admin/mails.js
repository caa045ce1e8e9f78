import { html, nothing } from './lit-html.js';
import { session } from './api.js';
import { counted, empty, number, pages, table, time, to, waiting } from './parts.js';

const KINDS = { confirmation: 'Confirmation', notices: 'Notices' };
const STATES = { waiting: 'Waiting', sending: 'Sending', sent: 'Sent', failed: 'Failed', cancelled: 'Cancelled' };

function load() {
  const mails = pages('mails', {}).catch((error) => {
    if (error.status !== 404) throw error;
    return { missing: true };
  });
  return { mails };
}

function show({ mails }, { redraw }) {
  return html`<div class="head"><h1 id="title" tabindex="-1">Mails</h1></div>
    ${mails?.missing ? html`<section class="card"><p>This service sends no mails yet.</p></section>` : html`${state()}
    <section class="card">${!mails ? waiting() : mails.rows.length ? list(mails, redraw) : empty('No mails yet',
      'Mails of the last 30 days appear here, without their texts and addresses.')}</section>`}`;
}

/** Renders that mails are off, or their problem, such as why they are paused. */
function state() {
  const { handle, mail = {} } = session.store;
  if (!mail.on) return html`<section class="card"><p>This store sends no mails to shoppers. An operator turns them on with
    <code>wishwell store update ${handle} --mail on</code>.</p></section>`;
  return mail.problem ? html`<section class="card" role="status"><h2>Problem</h2><p>${mail.problem}</p></section>` : nothing;
}

/** Renders how many of the mails shown are in each state. */
function counts({ rows }) {
  const found = Object.entries(STATES).map(([state, name]) => [name, rows.filter((mail) => mail.state === state).length]);
  const words = found.filter(([, n]) => n).map(([name, n]) => `${name}: ${number(n)}`);
  return html`<p class="soft">Of the ${counted(rows.length, 'mail')} shown: ${words.join(' · ')}</p>`;
}

function list(mails, redraw) {
  const line = ({ profile, kind, state, createdAt, sentAt, items, problem }) => html`<tr>
    <th scope="row"><a href=${to('shoppers', { id: profile })}>${profile}</a></th>
    <td>${KINDS[kind] ?? kind}</td><td class="number">${items.length ? number(items.length) : nothing}</td>
    <td>${STATES[state] ?? state}${problem ? html`<br><span class="soft">${problem}</span>` : nothing}</td>
    <td>${time(sentAt ?? createdAt)}</td></tr>`;
  return html`${counts(mails)}${table('Mails', ['Shopper', 'Kind', ['Products', 'number'], 'State', 'Time'], mails.rows.map(line))}
    ${mails.more(redraw)}`;
}

export default { path: 'mails', name: 'Mails', admin: true, load, show };
