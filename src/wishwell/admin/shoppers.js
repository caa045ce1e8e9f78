import { html, nothing } from './lit-html.js';
import { ask, download, session } from './api.js';
import { act, confirmed, counted, empty, number, outward, Pages, picture, say, table, time, to, waiting } from './parts.js';

// Not in the address: it would stay in the browser's history.
let looked = '';
let found; // the profiles that gave an e-mail address

function load({ query: { id } }) {
  if (!id) return {};
  const ofProfile = (path, query) => ask(path, { profile: id, query });
  const lists = new Pages((page) => ofProfile('lists', { page, limit: 50 }));
  const items = new Pages((page) => ofProfile('items', { page, limit: 50, include: 'product' }));
  return { profile: ofProfile('profile').then(({ data }) => data), lists: lists.more(), items: items.more() };
}

/** Goes to a shopper, or finds those who gave an e-mail address. */
async function look(text, redraw) {
  looked = text;
  found = undefined;
  if (text.includes('@')) {
    found = new Pages((page) => ask('profiles', { query: { email: text, page, limit: 50 } }));
    await found.more();
    location.hash = to('shoppers');
  } else if (text) {
    const gid = text.startsWith('gid://') ? text : `gid://${session.store.platform}/Customer/${text}`;
    location.hash = to('shoppers', { id: gid });
  }
  redraw();
}

function show(data, { query: { id }, redraw }) {
  const search = (event) => {
    event.preventDefault();
    return act(() => look(event.target.querySelector('input').value.trim(), redraw))({ currentTarget: event.target });
  };
  return html`<div class="head"><h1 id="title" tabindex="-1">Shoppers</h1>
      <div class="tools"><form class="search" role="search" @submit=${search}>
        <label class="unseen" for="who">Customer id, GID or e-mail</label>
        <input id="who" type="search" placeholder="Customer id, GID or e-mail" autocomplete="off" .value=${looked}>
        <button>Find</button></form></div></div>
    ${id ? person(data, id, redraw) : found ? matches(redraw) : html`<section class="card">${empty('Whom do you look for?',
      'Type the id that the shop knows a customer by, a GID, or an e-mail address that was typed at sign-in. Their lists are shown as they see them.')}</section>`}`;
}

function matches(redraw) {
  if (!found.rows.length) return html`<section class="card">${empty(`Nobody gave “${looked}”`, 'A customer whose e-mail address the shop knows, but who typed none here, is found by the id.')}</section>`;
  return html`<section class="card"><p class="soft">They gave this address, and nobody has confirmed it.</p>
    ${table('Profiles', ['Profile', 'Kind', ['Wishes', 'number'], ['Lists', 'number'], 'Since'], found.rows.map((row) => html`<tr>
      <th scope="row"><a href=${to('shoppers', { id: row.profile })}>${row.profile}</a></th><td>${row.kind}</td>
      <td class="number">${number(row.items)}</td><td class="number">${number(row.lists)}</td><td>${time(row.createdAt)}</td></tr>`))}
    ${found.button(redraw)}</section>`;
}

function person({ profile, lists, items }, id, redraw) {
  if (!profile) return html`<section class="card">${waiting()}</section>`;
  const erase = act(async () => {
    const typed = profile.profile;
    const text = 'All that is stored of them is removed within a minute, on their lists, in shares and in events. It can’t be undone.';
    if (!(await confirmed({ title: 'Erase this shopper?', text, button: 'Erase', typed }))) return;
    await ask('profile', { method: 'DELETE', profile: typed });
    location.hash = to('shoppers');
    say(`${typed} is erased.`);
  });
  const keep = act(() => download('profile/export', 'profile.json', { profile: id }));
  const facts = [profile.kind === 'session' ? 'A visitor' : 'A customer', counted(profile.items, 'wish', 'wishes'), counted(profile.lists, 'list')];
  return html`<section class="card"><div class="head"><div><h2 class="gid">${profile.profile}</h2>
        <p>${facts.join(' · ')}${profile.createdAt ? html` · since ${time(profile.createdAt)}` : nothing}</p>
        ${profile.email ? html`<p>${profile.email} <span class="badge">unconfirmed</span></p>` : nothing}</div>
      <div class="tools"><button @click=${keep}>Export</button><button class="danger" @click=${erase}>Erase …</button></div></div>
      ${profile.createdAt ? nothing : empty('Nothing is stored of them', 'They saved nothing yet, or the id is another one.')}</section>
    ${lists?.rows.map((list) => html`<section class="card"><details ?open=${list === lists.rows[0]} @toggle=${act(() => read(list, id).then(redraw))}>
      <summary><h2>${list.name} <small class="soft">${counted(list.itemCount, 'wish', 'wishes')}</small></h2></summary>
      ${list.items ? wishes(list.items) : waiting()}</details></section>`)}
    ${lists?.button(redraw)}
    ${items?.rows.length ? html`<section class="card"><h2>All wishes</h2>${wishes(items.rows)}${items.button(redraw)}</section>` : nothing}`;
}

/** A list's items, in the order that its owner sees. */
async function read(list, profile) {
  list.items ??= (await ask(`lists/${list.id}`, { profile, query: { include: 'product', sort: 'customer' } })).data.items;
}

const wishes = (items) => !items.length ? html`<p class="soft">There is nothing on it.</p>` : html`<ul class="wishes">${items.map((item) => html`<li>
  ${picture(item.product?.image)}<div><p>${outward(item.product?.url, item.product?.title ?? `Product ${item.productId}`)}
      ${item.product?.variantTitle ?? (item.variantId ? `variant ${item.variantId}` : nothing)}</p>
    ${item.note ? html`<p class="note">${item.note}</p>` : nothing}
    <p class="soft">${item.quantity > 1 ? html`${number(item.quantity)} × · ` : nothing}${time(item.createdAt)}
      ${item.tags.map((tag) => html`<span class="badge">${tag}</span>`)}</p></div></li>`)}</ul>`;

export default { path: 'shoppers', name: 'Shoppers', admin: true, load, show };
