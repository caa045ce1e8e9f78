import { html, nothing } from './lit-html.js';
import { ask, download, get } from './api.js';
import { act, confirmed, empty, pages, say, table, time, waiting } from './parts.js';
import { settings } from './settings.js';
import { loadWebhooks, webhookTable } from './webhooks.js';

const load = () => ({ status: get('store/status'), store: get('store'), tokens: pages('tokens'), webhooks: loadWebhooks(), requests: pages('requests') });

function show({ status, store, tokens, webhooks, requests }, { redraw }) {
  return html`<div class="head"><h1 id="title" tabindex="-1">Store</h1></div>
    ${status ? running(status) : nothing}
    <section class="card"><h2>Settings</h2>${store ? settings(store, redraw) : waiting()}</section>
    <section class="card"><h2>Admin tokens</h2>${tokens ? held(tokens, redraw) : waiting()}</section>
    <section class="card"><h2>Webhooks</h2>${webhooks ? webhookTable(webhooks) : waiting()}</section>
    <section class="card"><h2>Privacy requests</h2>${requests ? asked(requests, redraw) : waiting()}</section>`;
}

/** Renders the warnings that concern the store, and the running version. */
const running = ({ version, commit, warnings }) => html`<section class="card" id="status"><h2>Status</h2>
  ${warnings.length ? html`<ul class="warnings">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>` : html`<p>No warnings</p>`}
  <p class="soft">Wishwell ${version}, commit ${commit}</p></section>`;

/** Renders a button that, once confirmed, sends DELETE to `path`, calls `ended` and shows `done`. */
const ends = (path, button, done, question, ended) => html`<button class="danger small" @click=${act(async () => {
  if (!(await confirmed({ ...question, button }))) return;
  await ask(path, { method: 'DELETE' });
  ended();
  say(done);
})}>${button} …</button>`;

function held({ rows, more }, redraw) {
  const state = (token) => {
    if (token.revokedAt) return html`revoked ${time(token.revokedAt)}`;
    if (new Date(token.expiresAt ?? '9999') < new Date()) return html`expired ${time(token.expiresAt)}`;
    if (token.current) return html`<span class="badge">in use here</span>`;
    const text = 'Programs that use this token lose access within 5 seconds. This can’t be undone.';
    return ends(`tokens/${token.id}`, 'Revoke', `“${token.label}” was revoked.`, { title: `Revoke “${token.label}”?`, text }, () => {
      token.revokedAt = new Date().toISOString();
      redraw();
    });
  };
  const line = (token) => html`<tr><th scope="row">${token.label}</th><td>${token.scope}</td>
    <td>${time(token.createdAt)}</td><td>${token.lastUsedAt ? time(token.lastUsedAt) : 'never'}</td>
    <td>${token.expiresAt ? time(token.expiresAt) : 'never'}</td><td>${state(token)}</td></tr>`;
  return html`${table('Admin tokens', ['Label', 'Scope', 'Created', 'Last used', 'Expires', 'Status'], rows.map(line))}${more(redraw)}`;
}

function asked({ rows, more }, redraw) {
  if (!rows.length)
    return empty('No requests yet', 'Shopify’s requests to export or erase a customer’s data appear here.');
  const action = (request) => {
    const { id, state, topic } = request;
    const keep = () => download(`requests/${id}/export`, `request-${id}.json`);
    if (state === 'exported') return html`<button class="small" @click=${act(keep)}>Export</button>`;
    if (state !== 'waiting' || topic !== 'shop/redact') return nothing;
    const question = { title: 'Cancel store deletion?', text: 'The store and its data are kept. The platform isn’t notified.' };
    return ends(`requests/${id}`, 'Keep store', 'The store won’t be deleted.', question, () => {
      request.state = 'called_off';
      redraw();
    });
  };
  const line = (request) => html`<tr>
    <th scope="row">${request.topic} <span class="soft">${request.profile}</span></th>
    <td>${time(request.receivedAt)}</td><td>${request.state.replace('_', ' ')}</td>
    <td>${time(request.dueAt ?? request.expiresAt ?? request.doneAt)}</td><td>${action(request)}</td></tr>`;
  return html`${table('Requests', ['Request', 'Received', 'Status', 'Due or done', 'Action'], rows.map(line))}${more(redraw)}`;
}

export default { path: 'store', name: 'Store', admin: true, load, show };
