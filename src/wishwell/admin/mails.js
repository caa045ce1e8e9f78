import { html, nothing } from './lit-html.js';
import { session } from './api.js';
import { empty, number, pages, table, time, to, waiting } from './parts.js';

const KINDS = { confirmation: 'Confirmation', notices: 'Notices' };
const STATES = { waiting: 'Waiting', sending: 'Sending', sent: 'Sent', failed: 'Failed', cancelled: 'Cancelled' };

function load() {
  return { mails: pages('mails', {}) };
}

function show({ mails }, { redraw }) {
  const on = session.store.mail?.on;
  return html`<div class="head"><h1 id="title" tabindex="-1">Mails</h1></div>
    ${on ? nothing : html`<section class="card"><p>This store sends no mails to shoppers. An operator turns them on with
      <code>wishwell store update ${session.store.handle} --mail on</code>.</p></section>`}
    <section class="card">${!mails ? waiting() : mails.rows.length ? list(mails, redraw) : empty('No mails yet',
      'Mails of the last 30 days appear here, without their texts and addresses.')}</section>`;
}

function list(mails, redraw) {
  const line = ({ profile, kind, state, createdAt, sentAt, items, problem }) => html`<tr>
    <th scope="row"><a href=${to('shoppers', { id: profile })}>${profile}</a></th>
    <td>${KINDS[kind] ?? kind}</td><td class="number">${items.length ? number(items.length) : nothing}</td>
    <td>${STATES[state] ?? state}${problem ? html`<br><span class="soft">${problem}</span>` : nothing}</td>
    <td>${time(sentAt ?? createdAt)}</td></tr>`;
  return html`${table('Mails', ['Shopper', 'Kind', ['Products', 'number'], 'State', 'Time'], mails.rows.map(line))}
    ${mails.more(redraw)}`;
}

export default { path: 'mails', name: 'Mails', admin: true, load, show };
