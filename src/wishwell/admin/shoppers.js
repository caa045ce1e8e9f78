import { html, nothing } from './lit-html.js';
import { ask, download, get, session } from './api.js';
import { act, confirmed, counted, empty, number, outward, pages, picture, say, searchForm } from './parts.js';
import { table, time, to, waiting } from './parts.js';

const SORTS = { recent: 'Most recent', wishes: 'Most wishes' };

function load({ query: { id, sort } }) {
  if (!id) return { shoppers: get('reports/shoppers', { sort: Object.hasOwn(SORTS, sort ?? '') ? sort : '' }) };
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

function show(data, at) {
  const { query: { id }, redraw } = at;
  const find = (text) => look(text, redraw);
  return html`<div class="head"><h1 id="title" tabindex="-1">Shoppers</h1><div class="tools">
      ${searchForm('Customer ID, GID or email', 'Customer ID or email', session.looked, find)}</div></div>
    ${id ? person(data, id, redraw) : html`<section class="card">${session.found ? matches(redraw) : several(data, at)}</section>`}`;
}

/** Renders the shoppers who saved last, or who have the most wishes. */
function several({ shoppers }, { query, go }) {
  const chosen = Object.hasOwn(SORTS, query.sort ?? '') ? query.sort : 'recent';
  const line = ({ profile, kind, items, savedAt, createdAt }) => html`<tr>
    <th scope="row"><a class="shopper" href=${to('shoppers', { id: profile })}>${profile.split('/').slice(3).join(' ')}</a></th>
    <td class="number">${number(items)}</td><td>${time(savedAt ?? createdAt)}</td><td class="wide">${kind === 'session' ? 'Visitor' : 'Customer'}</td></tr>`;
  const heads = ['Shopper', ['Wishes', 'number'], chosen === 'recent' ? 'Saved' : 'Since', ['Type', 'wide']];
  return html`<div class="tools">${Object.entries(SORTS).map(([sort, name]) =>
      html`<button aria-pressed=${sort === chosen} @click=${() => go({ sort })}>${name}</button>`)}</div>
    ${!shoppers ? waiting() : shoppers.length ? table('Shoppers', heads, shoppers.map(line))
      : empty('No shoppers yet', 'They appear here when they save something; those with the most wishes, a minute later.')}`;
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

const titleOf = ({ product, productId }) => product?.title ?? `Product ${productId}`;

// rule: admin-staff
/** Returns a function that returns the handler which, once confirmed, removes a wish of the shopper. */
const removal = ({ profile, lists, items }, redraw) => (item) => act(async () => {
  const text = 'The wish leaves all lists of the shopper, who can save the product again.';
  if (!(await confirmed({ title: `Remove “${titleOf(item)}”?`, text, button: 'Remove' }))) return;
  await ask(`items/${item.id}`, { method: 'DELETE', profile: profile.profile });
  const others = (rows) => rows.filter(({ id }) => id !== item.id);
  profile.items -= 1;
  items.rows = others(items.rows);
  for (const list of lists.rows) {
    if (item.listIds.includes(list.id)) list.itemCount -= 1;
    if (list.items) list.items = others(list.items);
  }
  redraw();
  say('The wish was removed.');
});

/** Renders the form that adds a wish for the shopper. */
function addition({ profile, lists, items }, redraw) {
  const idOf = (text) => (session.store.productIds === 'text' || !/^\d{1,15}$/.test(text) ? text : Number(text));
  const add = async (form) => {
    const [productId, variantId] = ['product', 'variant'].map((name) => idOf(form.elements[name].value.trim()));
    const body = { productId, ...(variantId !== '' && { variantId }) };
    const { data } = await ask('items', { method: 'POST', profile: profile.profile, body, query: { include: 'product' } });
    if (!items.rows.some(({ id }) => id === data.id)) {
      profile.items += 1;
      items.rows.unshift(data);
      for (const list of lists.rows.filter(({ id }) => data.listIds.includes(id))) {
        list.itemCount += 1;
        list.items?.unshift(data);
      }
    }
    profile.createdAt ??= data.createdAt;
    form.reset();
    redraw();
    say('The wish was added.');
  };
  const submit = (event) => {
    event.preventDefault();
    return act(() => add(event.target))({ currentTarget: event.target });
  };
  return html`<form class="search" @submit=${submit}>
    <label class="unseen" for="product">Product ID</label><input id="product" name="product" required placeholder="Product ID" autocomplete="off">
    <label class="unseen" for="variant">Variant ID, if any</label><input id="variant" name="variant" placeholder="Variant ID, if any" autocomplete="off">
    <button>Add a wish</button></form>`;
}

function person(data, id, redraw) {
  const { profile, lists, items, history } = data;
  if (!profile) return html`<section class="card">${waiting()}</section>`;
  const since = profile.createdAt ? html` · since ${time(profile.createdAt)}` : nothing;
  const keep = () => download('profile/export', 'profile.json', { profile: id, query: { include: 'product' } });
  const all = items?.rows.length
    ? html`<section class="card"><h2>All wishes</h2>${wishes(items.rows, removal(data, redraw))}${items.more(redraw)}</section>` : nothing;
  return html`<section class="card"><div class="head"><div><h2>${profile.profile}</h2>
        <p>${profile.kind === 'session' ? 'Visitor' : 'Customer'} · ${counted(profile.items, 'wish', 'wishes')}
          · ${counted(profile.lists, 'list')}${since}</p>
        ${profile.email ? html`<p>${profile.email} <span class="badge">${profile.emailStatus}</span></p>` : nothing}</div>
      <div class="tools"><button @click=${act(keep)}>Export</button>
        <button class="danger" @click=${act(() => erase(profile.profile))}>Erase …</button></div></div>
      ${lists && items ? addition(data, redraw) : nothing}
      ${profile.createdAt ? nothing : empty('No data for this shopper', 'They haven’t saved anything yet, or the ID is wrong.')}
    </section>
    ${lists?.rows.map((list) => ofList(list, data, redraw))}${lists?.more(redraw)}${all}
    ${history ? recorded(history) : nothing}`;
}

/** Renders a list, with its items in the owner's order. The first list is open. */
function ofList(list, data, redraw) {
  const read = async () => {
    list.items ??= (await get(`lists/${list.id}`, { include: 'product', sort: 'customer' }, data.profile.profile)).items;
    redraw();
  };
  return html`<section class="card"><details ?open=${list === data.lists.rows[0]} @toggle=${act(read)}>
    <summary><h2>${list.name} <small class="soft">${counted(list.itemCount, 'wish', 'wishes')}</small></h2></summary>
    ${list.items ? wishes(list.items, removal(data, redraw)) : waiting()}</details></section>`;
}

/** Renders wishes; `remove(item)` returns the handler that removes one. */
function wishes(items, remove) {
  if (!items.length) return html`<p class="soft">This list is empty.</p>`;
  const one = (item) => {
    const { product, variantId, note, quantity, createdAt, tags } = item;
    return html`<li>
    ${picture(product?.image)}<div><p>${outward(product?.url, titleOf(item))}
      ${product?.variantTitle ?? (variantId ? `variant ${variantId}` : nothing)}</p>
      ${note ? html`<p class="note">${note}</p>` : nothing}
      <p class="soft">${quantity > 1 ? `${number(quantity)} × · ` : nothing}${time(createdAt)}
        ${tags.map((tag) => html`<span class="badge">${tag}</span>`)}</p></div>
      <button class="danger small" @click=${remove(item)}>Remove<span class="unseen"> ${titleOf(item)}</span> …</button></li>`;
  };
  return html`<ul class="wishes">${items.map(one)}</ul>`;
}

export default { path: 'shoppers', name: 'Shoppers', admin: true, load, show };
