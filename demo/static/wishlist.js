// The wishlist page.
import { cart, collect, complain, copy, fillQuantities, find, look, offer, say, settle, wishlist } from '/static/shop.js';

const rows = find('#items');
let lists = [];
let busy = 0; // changes and drags under way; meanwhile nothing is drawn
let drawing = 0;

/** The id of the list in the address; empty for all items. */
const current = () => location.hash.slice(1);

/** Draws the page from what the service has now, unless a newer drawing has begun. */
async function draw() {
  const turn = ++drawing;
  await undefined; // several events of one change become one drawing
  if (busy || turn !== drawing) return;
  const list = current();
  try {
    const [newLists, items] = await Promise.all([
      collect(wishlist.lists.all()),
      list ? wishlist.lists.find(list, { sort: 'customer' }).then(({ items }) => items) : collect(wishlist.items.all()),
    ]);
    if (busy || turn !== drawing) return;
    lists = newLists.reverse();
    show(items);
  } catch (error) {
    if (error.status === 404 && list) location.hash = '';
    else complain(error);
  }
}

/** Makes a change, shows a failure, and draws the page again. */
async function attempt(work) {
  busy++;
  try {
    const done = await work();
    settle();
    return done;
  } catch (error) {
    complain(error);
  } finally {
    busy--;
    draw();
  }
}

function show(items) {
  const list = lists.find(({ id }) => id === current());
  find('#heading').textContent = list?.name ?? 'Everything';
  find('#tools').hidden = !list;
  find('wishlist-share').hidden = !list;
  find('wishlist-share').setAttribute('list-name', list?.name ?? '');
  find('wishlist-share').setAttribute('list-id', list?.id ?? '');
  find('#hint').hidden = !list || items.length < 2;
  find('#nothing').hidden = list || items.length;
  find('#nothing-here').hidden = !list || items.length;
  rows.hidden = !items.length;
  fill(find('#lists'), [{ id: '', name: 'Everything' }, ...lists], 'list', (node, { id, name, itemCount }) => {
    const link = find('a', node);
    link.href = `#${id}`;
    const was = link.hasAttribute('aria-current');
    if (id !== current()) link.removeAttribute('aria-current');
    else link.setAttribute('aria-current', 'page');
    // On a phone the lists are one row, which scrolls.
    if (id === current() && !was) requestAnimationFrame(() => link.scrollIntoView({ block: 'nearest' }));
    find('.name', node).textContent = name;
    find('.count', node).textContent = itemCount ?? '';
  });
  fill(rows, items, 'row', (node, item) => showItem(node, item, list));
}

/** Gives the parent one child for each record, in order. Children that stay keep their focus. */
function fill(parent, records, template, write) {
  const before = new Map([...parent.children].map((node) => [node.dataset.id, node]));
  const nodes = records.map(({ id }) => before.get(id) ?? copy(find(`#${template}`)));
  for (const node of before.values()) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, at) => {
    node.dataset.id = records[at].id;
    write(node, records[at]);
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
}

function showItem(row, item, list) {
  const { name } = look(item, find('.what', row));
  const handle = find('.handle', row);
  handle.hidden = !list;
  handle.setAttribute('aria-label', `Move ${name}`);
  handle.onpointerdown = (event) => drag(event, row, name);
  const move = (step) => pass(row, step) && order(row, name);
  handle.onkeydown = (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(step);
  };
  // For shoppers who can't drag and have no arrow keys.
  for (const [part, step] of [['.up', -1], ['.down', 1]]) {
    find(part, row).hidden = !list;
    find(part, row).onclick = () => move(step);
  }
  const note = find('.note', row);
  note.textContent = item.note ?? '';
  note.hidden = !item.note;
  find('.write', row).textContent = item.note ? 'Change the note' : 'Add a note';
  find('.write', row).onclick = () => write(item, name);
  const quantity = find('.quantity', row);
  fillQuantities(quantity, Math.max(10, item.quantity), item.quantity, name);
  quantity.onchange = () => attempt(() => wishlist.items.update(item.id, { quantity: +quantity.value }));
  const remove = find('.remove', row);
  remove.setAttribute('aria-label', `Remove ${name}`);
  remove.onclick = () => takeAway(row, item, `${name} was removed.`);
  find('.cart', row).setAttribute('aria-label', `Move ${name} to cart`);
  find('.cart', row).onclick = () => {
    const { productId, variantId, quantity } = item;
    const detail = { productId, variantId, quantity };
    const moved = new CustomEvent('wishlist-to-cart', { bubbles: true, cancelable: true, detail });
    if (!row.dispatchEvent(moved)) return;
    takeAway(row, item, `${name} is in your cart.`, () => cart.put({ ...detail, quantity: -quantity }));
  };
  find('summary', row).setAttribute('aria-label', `More for ${name}`);
  fill(find('.boxes', row), lists, 'box', (box, { id, name }) => {
    const input = find('input', box);
    find('span', box).textContent = name;
    input.checked = item.listIds.includes(id);
    input.onchange = () => {
      const others = item.listIds.filter((other) => other !== id);
      item.listIds = input.checked ? [...others, id] : others;
      attempt(() => wishlist.items.setLists(item.id, item.listIds));
    };
  });
  find('.new', row).onclick = () => make(item);
}

/** Removes an item, and offers to put it back as it was, in its place. */
async function takeAway(row, item, text, undo) {
  const name = find('.name', row).textContent;
  const list = current();
  const ids = [...rows.children].map(({ dataset }) => dataset.id);
  const next = row.nextElementSibling ?? row.previousElementSibling;
  (next ? find('.remove', next) : find('#heading')).focus();
  row.remove();
  const back = async () => {
    undo?.();
    const { productId, variantId, quantity, tags, note } = item;
    const listIds = item.listIds.filter((id) => lists.some((other) => other.id === id));
    const { id } = await wishlist.items.create({ productId, variantId, quantity, tags, note, listIds });
    if (listIds.includes(list)) await place(list, ids.map((old) => (old === item.id ? id : old)));
    say(`${name} is back.`);
  };
  offer(text, { Undo: () => attempt(back) });
  await attempt(() => wishlist.items.delete(item.id));
}

/** Orders those of the items that are still on the list. */
async function place(list, ids) {
  const { items } = await wishlist.lists.find(list);
  await wishlist.lists.order(list, ids.filter((id) => items.some((item) => item.id === id)));
}

async function write(item, name) {
  const note = await ask(`A note for ${name}`, 'Save', { note: item.note ?? '' });
  if (note !== undefined) attempt(() => wishlist.items.update(item.id, { note }));
}

// ------------------------------------------------------------------------ the shopper's order

/** Moves a row by one. It moves the neighbour, so that the row keeps focus and pointer. */
function pass(row, step) {
  const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
  if (step < 0 && other) row.after(other);
  else if (other) row.before(other);
  return Boolean(other);
}

function order(row, name) {
  const list = current();
  const ids = [...rows.children].map(({ dataset }) => dataset.id);
  say(`${name} is number ${ids.indexOf(row.dataset.id) + 1} of ${ids.length}.`);
  attempt(() => wishlist.lists.order(list, ids));
}

function drag(event, row, name) {
  const handle = event.currentTarget;
  const before = row.previousElementSibling;
  let from = event.clientY;
  busy++;
  handle.setPointerCapture(event.pointerId);
  row.classList.add('dragged');
  handle.onpointermove = ({ clientY }) => {
    const step = Math.sign(clientY - from);
    const was = row.offsetTop;
    if (Math.abs(clientY - from) > row.offsetHeight / 2 && pass(row, step)) from += row.offsetTop - was;
    row.style.translate = `0 ${clientY - from}px`;
  };
  handle.onlostpointercapture = () => {
    handle.onpointermove = handle.onlostpointercapture = null;
    row.classList.remove('dragged');
    row.style.translate = '';
    busy--;
    if (row.previousElementSibling === before) draw();
    else order(row, name);
  };
}

// ------------------------------------------------------------------------------------- lists

/** Asks for a name or a note, or with `text` for a yes. Resolves to undefined if the shopper cancels. */
function ask(title, yes, { name, note, text = '' }) {
  const dialog = find('#ask');
  const [input, area, button, cancel] = ['input', 'textarea', '.button', '.plain'].map((part) => find(part, dialog));
  find('h2', dialog).textContent = title;
  find('p', dialog).textContent = text;
  for (const [field, value] of [[input, name], [area, note]]) {
    field.closest('label').hidden = field.disabled = value === undefined;
    field.value = value ?? '';
  }
  button.textContent = yes;
  cancel.onclick = () => dialog.close('');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    const answer = () => text || (area.disabled ? input : area).value.trim();
    dialog.onclose = () => resolve(dialog.returnValue ? answer() : undefined);
  });
}

/** Creates a list, and shows it or, if an item is given, puts the item on it. */
async function make(item) {
  const name = await ask('New list', 'Create', { name: '' });
  if (!name) return;
  await attempt(async () => {
    const { id } = await wishlist.lists.create({ name });
    say(`The list ${name} was created.`);
    if (item) await wishlist.items.setLists(item.id, [...item.listIds, id]);
    else location.hash = id;
  });
}

async function rename() {
  const list = lists.find(({ id }) => id === current());
  const name = await ask('Rename the list', 'Rename', { name: list.name });
  if (name) attempt(() => wishlist.lists.update(list.id, { name }));
}

async function remove() {
  const list = lists.find(({ id }) => id === current());
  const text = 'Its products stay in your wishlist.';
  if (!(await ask(`Delete “${list.name}”?`, 'Delete', { text }))) return;
  await attempt(async () => {
    await wishlist.lists.delete(list.id);
    location.hash = '';
    find('#heading').focus();
  });
}

find('#new-list').onclick = () => make();
find('#rename').onclick = rename;
find('#delete').onclick = remove;
for (const type of ['change', 'lists']) wishlist.addEventListener(type, draw);
wishlist.addEventListener('shopper', () => {
  rows.replaceChildren();
  draw();
});
addEventListener('hashchange', draw);

// A menu closes when the shopper clicks outside it, or has chosen something in it.
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details[open]'))
    menu.open = menu.contains(target) && !target.closest('.menu button:not(.up, .down)');
});
document.addEventListener('keydown', ({ key, target }) => {
  const menu = key === 'Escape' && target.closest('details[open]');
  if (menu) menu.open = Boolean(find('summary', menu).focus());
});
find('#needs').remove();
find('#wishlist').hidden = false;
draw();
