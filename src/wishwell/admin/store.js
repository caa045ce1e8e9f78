import { html, nothing } from './lit-html.js';
import { ask, download } from './api.js';
import { act, confirmed, empty, number, Pages, say, table, time, waiting } from './parts.js';

function load() {
  const pages = (path) => new Pages((page) => ask(path, { query: { page, limit: 50 } })).more();
  return { store: ask('store').then(({ data }) => data), tokens: pages('tokens'), requests: pages('requests') };
}

function show({ store, tokens, requests }, { redraw }) {
  return html`<div class="head"><h1 id="title" tabindex="-1">Store</h1></div>
    <section class="card"><h2>Admin tokens</h2>${tokens ? held(tokens, redraw) : waiting()}</section>
    <section class="card"><h2>What the platform asks for</h2>${requests ? asked(requests, redraw) : waiting()}</section>
    <section class="card"><h2>Settings</h2>
      ${store ? html`<p class="soft">As they are in force. Change them with <code>wishwell store update ${store.handle} …</code></p>
        <dl>${settings(store)}</dl>` : waiting()}</section>`;
}

function held(tokens, redraw) {
  const revoke = (token) => act(async () => {
    const text = 'Programs that use it are refused within 5 seconds. It can’t be undone.';
    if (!(await confirmed({ title: `Revoke “${token.label}”?`, text, button: 'Revoke' }))) return;
    await ask(`tokens/${token.id}`, { method: 'DELETE' });
    token.revokedAt = new Date().toISOString();
    redraw();
    say(`${token.label} is revoked.`);
  });
  const state = (token) => token.revokedAt ? html`revoked ${time(token.revokedAt)}`
    : token.expiresAt && new Date(token.expiresAt) < new Date() ? html`expired ${time(token.expiresAt)}`
      : token.current ? html`<span class="badge">in use here</span>`
        : html`${token.expiresAt ? html`until ${time(token.expiresAt)} ` : nothing}<button class="danger small" @click=${revoke(token)}>Revoke …</button>`;
  return html`${table('Admin tokens', ['Label', 'For', 'Made', 'Last used', 'State'], tokens.rows.map((token) => html`<tr>
      <th scope="row">${token.label}</th><td>${token.scope}</td><td>${time(token.createdAt)}</td>
      <td>${token.lastUsedAt ? time(token.lastUsedAt) : 'never'}</td><td>${state(token)}</td></tr>`))}${tokens.button(redraw)}`;
}

const STATES = { waiting: 'waits', exported: 'export is kept', erased: 'erased', nothing: 'nothing was stored', called_off: 'called off', deleting: 'the store is being deleted' };

function asked(requests, redraw) {
  if (!requests.rows.length) return empty('It has asked for nothing', 'Requests of Shopify to show or to erase a customer are listed here, once its webhooks lead to this service.');
  const callOff = (request) => act(async () => {
    const text = 'The store is kept. The platform is not told.';
    if (!(await confirmed({ title: 'Call the deletion of the store off?', text, button: 'Call off' }))) return;
    await ask(`requests/${request.id}`, { method: 'DELETE' });
    request.state = 'called_off';
    redraw();
    say('The deletion is called off.');
  });
  const keep = (request) => act(() => download(`requests/${request.id}/export`, `request-${request.id}.json`));
  const does = (request) => request.state === 'exported' ? html`<button class="small" @click=${keep(request)}>Export</button>`
    : request.state === 'waiting' && request.topic === 'shop/redact' ? html`<button class="danger small" @click=${callOff(request)}>Call off …</button>` : nothing;
  return html`${table('Requests', ['Request', 'Came', 'State', 'Until', 'Action'], requests.rows.map((request) => html`<tr>
      <th scope="row">${request.topic}${request.profile ? html` <span class="soft">${request.profile}</span>` : nothing}</th>
      <td>${time(request.receivedAt)}</td><td>${STATES[request.state] ?? request.state}</td>
      <td>${time(request.dueAt ?? request.expiresAt ?? request.doneAt)}</td><td>${does(request)}</td></tr>`))}${requests.button(redraw)}`;
}

/** Names and values as they came; a name in words. */
const settings = (of) => Object.entries(of).map(([name, value]) => html`<div><dt>${words(name)}</dt><dd>${shown(value)}</dd></div>`);
const words = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

function shown(value) {
  if (value === null || value === '' || value?.length === 0 || Object.keys(Object(value)).length === 0 && typeof value === 'object') return '–';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') return html`<dl>${settings(value)}</dl>`;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return time(value);
  return typeof value === 'number' ? number(value) : value;
}

export default { path: 'store', name: 'Store', admin: true, load, show };
