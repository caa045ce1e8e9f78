import { html, nothing } from './lit-html.js';
import { get, session } from './api.js';
import { act, counted, dayName, empty, number, pages, table, time, to, waiting } from './parts.js';

const KINDS = { confirmation: 'Confirmation', notices: 'Notices' };
const STATES = { waiting: 'Waiting', sending: 'Sending', sent: 'Sent', failed: 'Failed', cancelled: 'Cancelled' };
const COLUMNS = { sent: 'Sent', waiting: 'Waiting', failed: 'Failed', unsubscribed: 'Unsubscribed' };
const LANGUAGES = { de: 'Deutsch', en: 'English', es: 'Español', fr: 'Français', it: 'Italiano', nl: 'Nederlands', pl: 'Polski' };

function load() {
  const mails = pages('mails', {}).catch((error) => {
    if (error.status !== 404) throw error;
    return { missing: true };
  });
  return { mails, days: get('mails/days') };
}

function show({ mails, days }, { redraw }) {
  return html`<div class="head"><h1 id="title" tabindex="-1">Mails</h1></div>
    ${mails?.missing ? html`<section class="card"><p>This service sends no mails yet.</p></section>` : html`${state()}${preview()}${byDay(days)}
    <section class="card">${!mails ? waiting() : mails.rows.length ? list(mails, redraw) : empty('No mails yet',
      'Mails of the last 30 days appear here, without their texts and addresses.')}</section>`}`;
}

/** Renders that mails are off or paused, or their problem. */
function state() {
  const { handle, mail = {} } = session.store;
  if (!mail.on) return html`<section class="card"><p>This store sends no mails to shoppers. An operator turns them on with
    <code>wishwell store update ${handle} --mail on</code>.</p></section>`;
  if (!mail.problem && !mail.pausedAt) return nothing;
  return html`<section class="card" role="status"><h2>${mail.pausedAt ? 'Paused' : 'Problem'}</h2>
    ${mail.problem ? html`<p>${mail.problem}</p>` : nothing}
    ${mail.pausedAt ? html`<p>Mails wait since ${time(mail.pausedAt)}, until an operator runs
      <code>wishwell store mail resume ${handle}</code>.</p>` : nothing}</section>`;
}

/** Renders the choice of a mail to preview in another tab, whose page takes it from `window.preview`. */
function preview() {
  const { language = '' } = session.store.look ?? {};
  const chosen = LANGUAGES[language.split('-')[0]] ? language.split('-')[0] : 'en';
  const open = (event) => {
    event.preventDefault();
    window.preview = get('mails/preview', Object.fromEntries(new FormData(event.target)));
    window.open('mail.html');
    return act(() => window.preview)({ currentTarget: event.target });
  };
  const option = (mine) => ([value, name]) => html`<option value=${value} ?selected=${value === mine}>${name}</option>`;
  return html`<section class="card"><form class="row" @submit=${open}>
    <label class="unseen" for="kind">Kind</label><select id="kind" name="kind">${Object.entries(KINDS).map(option('notices'))}</select>
    <label class="unseen" for="language">Language</label>
    <select id="language" name="language">${Object.entries(LANGUAGES).map(option(chosen))}</select>
    <button>Preview</button></form></section>`;
}

/** Renders the days of the last 30 with mails, the newest first. */
function byDay(days) {
  const rows = days?.filter((day) => Object.keys(COLUMNS).some((name) => day[name])).toReversed();
  if (!rows?.length) return nothing;
  const line = (row) => html`<tr><th scope="row">${dayName(row.day)}</th>
    ${Object.keys(COLUMNS).map((name) => html`<td class="number">${number(row[name])}</td>`)}</tr>`;
  const heads = ['Day', ...Object.values(COLUMNS).map((name) => [name, 'number'])];
  return html`<section class="card"><h2>By day</h2>${table('By day', heads, rows.map(line))}</section>`;
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
