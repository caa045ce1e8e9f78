import { html, nothing } from './lit-html.js';
import { ask, download, get, session } from './api.js';
import { act, confirmed, counted, empty, number, outward, pages, picture, say, searchForm } from './parts.js';
import { table, time, to, waiting } from './parts.js';

function load({ query: { id } }) {
  if (!id) return {};
  return {
    profile: get('profile', {}, id),
    lists: pages('lists', {}, id),
    items: pages('items', { include: 'product' }, id),
    history: get('profiles/history', { profile: id }),
  };
}

/** Opens a shopper, or finds shoppers by e-mail address. Only an address that is a customer's id gets into the page's. */
async function look(text, redraw) {
  Object.assign(session, { looked: text, found: undefined });
  const isGid = text.startsWith('gid://');
  const gid = isGid ? text : `gid://${session.store.platform}/Customer/${text.replaceAll('%', '%25')}`;
  if (text.includes('@') && !isGid) {
    session.found = await pages('profiles', { email: text });
    const named = !session.found.rows.length && (await get('profile', {}, gid).catch(() => ({}))).createdAt;
    location.hash = to('shoppers', named ? { id: gid } : {});
  } else if (text) {
    await get('profile', {}, gid); // shows an error for an invalid GID while it can still be corrected
    location.hash = to('shoppers', { id: gid });
  }
  redraw();
}

function show(data, { query: { id }, redraw }) {
  const find = (text) => look(text, redraw);
  return html`<div class="head"><h1 id="title" tabindex="-1">Shoppers</h1><div class="tools">
      ${searchForm('Customer ID, GID or email', 'Customer ID or email', session.looked, find)}</div></div>
    ${id ? person(data, id, redraw) : html`<section class="card">${session.found ? matches(redraw) : empty(
      'Find a shopper', 'Search by customer ID or email to see someone’s lists.')}</section>`}`;
}

function matches(redraw) {
  const { looked, found } = session;
  if (!found.rows.length)
    return empty(`No shopper found for “${looked}”`, 'Not every customer has given an email address here. Try their customer ID.');
  const line = (row) => html`<tr>
    <th scope="row"><a href=${to('shoppers', { id: row.profile })}>${row.profile}</a></th><td>${row.kind}</td>
    <td class="number">${number(row.items)}</td><td>${time(row.createdAt)}</td></tr>`;
  return html`<p class="soft">Another person may have typed this address, unless it is confirmed.</p>
    ${table('Profiles', ['Profile', 'Type', ['Wishes', 'number'], 'Since'], found.rows.map(line))}${found.more(redraw)}`;
}

async function erase(gid) {
  const text = 'All of their data is deleted within a minute: lists, wishes, shared links and events. This can’t be undone.';
  if (!(await confirmed({ title: 'Erase this shopper?', text, button: 'Erase', typed: gid }))) return;
  await ask('profile', { method: 'DELETE', profile: gid });
  location.hash = to('shoppers');
  say(`${gid} was erased.`);
}

/** Renders what is recorded about a shopper, for “my wishlist is gone”. */
function recorded({ state, entries, unrecorded, questions }) {
  const line = (entry) => html`<tr><th scope="row">${time(entry.time)}</th><td>${entry.source}</td><td>${entry.says}</td></tr>`;
  const list = (title, texts) => html`<h3>${title}</h3><ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
  return html`<section class="card"><details><summary><h2>History</h2></summary><p>${state}</p>
    ${table('History', ['Time', 'Recorded in', 'What'], entries.map(line))}
    ${list('Not recorded', unrecorded)}${list('Ask the shopper', questions)}</details></section>`;
}

function person({ profile, lists, items, history }, id, redraw) {
  if (!profile) return html`<section class="card">${waiting()}</section>`;
  const since = profile.createdAt ? html` · since ${time(profile.createdAt)}` : nothing;
  const keep = () => download('profile/export', 'profile.json', { profile: id, query: { include: 'product' } });
  const all = items?.rows.length
    ? html`<section class="card"><h2>All wishes</h2>${wishes(items.rows)}${items.more(redraw)}</section>` : nothing;
  return html`<section class="card"><div class="head"><div><h2>${profile.profile}</h2>
        <p>${profile.kind === 'session' ? 'Visitor' : 'Customer'} · ${counted(profile.items, 'wish', 'wishes')}
          · ${counted(profile.lists, 'list')}${since}</p>
        ${profile.email ? html`<p>${profile.email} <span class="badge">${profile.emailStatus}</span></p>` : nothing}</div>
      <div class="tools"><button @click=${act(keep)}>Export</button>
        <button class="danger" @click=${act(() => erase(profile.profile))}>Erase …</button></div></div>
      ${profile.createdAt ? nothing : empty('No data for this shopper', 'They haven’t saved anything yet, or the ID is wrong.')}
    </section>
    ${lists?.rows.map((list) => ofList(list, lists, id, redraw))}${lists?.more(redraw)}${all}
    ${history ? recorded(history) : nothing}`;
}

/** Renders a list, with its items in the owner's order. The first list is open. */
function ofList(list, { rows }, profile, redraw) {
  const read = async () => {
    list.items ??= (await get(`lists/${list.id}`, { include: 'product', sort: 'customer' }, profile)).items;
    redraw();
  };
  return html`<section class="card"><details ?open=${list === rows[0]} @toggle=${act(read)}>
    <summary><h2>${list.name} <small class="soft">${counted(list.itemCount, 'wish', 'wishes')}</small></h2></summary>
    ${list.items ? wishes(list.items) : waiting()}</details></section>`;
}

function wishes(items) {
  if (!items.length) return html`<p class="soft">This list is empty.</p>`;
  const one = ({ product, productId, variantId, note, quantity, createdAt, tags }) => html`<li>
    ${picture(product?.image)}<div><p>${outward(product?.url, product?.title ?? `Product ${productId}`)}
      ${product?.variantTitle ?? (variantId ? `variant ${variantId}` : nothing)}</p>
      ${note ? html`<p class="note">${note}</p>` : nothing}
      <p class="soft">${quantity > 1 ? `${number(quantity)} × · ` : nothing}${time(createdAt)}
        ${tags.map((tag) => html`<span class="badge">${tag}</span>`)}</p></div></li>`;
  return html`<ul class="wishes">${items.map(one)}</ul>`;
}

export default { path: 'shoppers', name: 'Shoppers', admin: true, load, show };
