// The shop's own script: on every page it says what failed; it changes the colour on a product's page,
// and it is the wishlist page.
import { wishlist } from '/apps/wishlist/assets/wishwell.js';

const find = (selector, within = document) => within.querySelector(selector);
const copy = (template) => template.content.firstElementChild.cloneNode(true);

// ------------------------------------------------------------------------------ what is told

/** Says it to those who listen, without showing it. */
const say = (text) => (find('#said').textContent = text);

/** Shows what failed, until it is closed or something has worked. */
function complain(error) {
  const text = document.createElement('p');
  const close = document.createElement('button');
  text.textContent =
    !error.status || error.status > 499
      ? 'Your wishlist can’t be reached just now, so nothing was changed. Please try again soon.'
      : error.status === 429
        ? 'That was a lot at once. Please try again in a minute.'
        : `That did not work: ${error.message}`;
  close.textContent = 'Close';
  close.className = 'plain';
  close.onclick = settle;
  find('#notice').replaceChildren(text, close);
}
const settle = () => find('#notice').replaceChildren();

wishlist.addEventListener('error', ({ detail }) => complain(detail.error));
wishlist.addEventListener('change', ({ detail }) => detail.pending || settle());

// -------------------------------------------------------------------------- a product's page

/** Shows the colour of a link without a new page; what is saved of the product gets it too. */
function choose(swatch) {
  const address = new URL(swatch.href);
  history.replaceState(null, '', address);
  find('.swatches [aria-current]')?.removeAttribute('aria-current');
  swatch.setAttribute('aria-current', 'true');
  find('.product .picture').className = swatch.className.replace('swatch', 'picture');
  find('#colour').textContent = `Colour: ${swatch.textContent}`;
  say(`Colour: ${swatch.textContent}.`);
  find('.product wishlist-button').setAttribute('variant-id', address.searchParams.get('variant'));
}

find('.swatches')?.addEventListener('click', (event) => {
  const swatch = event.target.closest('a');
  // With a key the browser opens a tab of it.
  if (!swatch || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(swatch);
});

// ------------------------------------------------------------------------- the wishlist page

const rows = find('#items');
let lists = [];
let busy = 0; // things under way, while which nothing is drawn anew
let drawing = 0;

/** The id of the list that the address names; empty for everything. */
const current = () => location.hash.slice(1);

async function collect(records) {
  const all = [];
  for await (const record of records) all.push(record);
  return all;
}

/** Draws the page as it is now, unless something newer overtakes it. */
async function draw() {
  const turn = ++drawing;
  await undefined; // several events of one change are one drawing
  if (busy || turn !== drawing) return;
  const list = current();
  try {
    const [newLists, items] = await Promise.all([
      collect(wishlist.lists.all()),
      list ? wishlist.lists.find(list, { sort: 'customer' }).then((found) => found.items) : collect(wishlist.items.all()),
    ]);
    if (busy || turn !== drawing) return;
    lists = newLists.reverse();
    show(items);
  } catch (error) {
    if (error.status === 404 && list) location.hash = '';
    else complain(error);
  }
}

/** Does one thing that changes something, says when it failed, and draws what is true then. */
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
  find('#hint').hidden = !list || items.length < 2;
  find('#nothing').hidden = list || items.length;
  find('#nothing-here').hidden = !list || items.length;
  rows.hidden = !items.length;
  fill(find('#lists'), [{ id: '', name: 'Everything' }, ...lists], 'list', (node, { id, name, itemCount }) => {
    const link = find('a', node);
    link.href = `#${id}`;
    if (id === current()) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    find('.name', node).textContent = name;
    find('.count', node).textContent = itemCount ?? '';
  });
  fill(rows, items, 'row', (node, item) => showItem(node, item, list));
}

/** Makes a parent's children those of the records, in order; those that stay keep their focus. */
function fill(parent, records, template, write) {
  const had = new Map([...parent.children].map((node) => [node.dataset.id, node]));
  const nodes = records.map(({ id }) => had.get(id) ?? copy(find(`#${template}`)));
  for (const node of had.values()) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, at) => {
    node.dataset.id = records[at].id;
    write(node, records[at]);
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
}

function showItem(row, item, list) {
  const known =
    find(`template[data-product="${item.productId}"][data-variant="${item.variantId ?? ''}"]`) ?? find('#gone');
  const what = find('.what', row);
  what.replaceChildren(known.content.cloneNode(true));
  if (known.dataset.href) what.href = known.dataset.href;
  const name = find('.name', what).textContent;
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
  // For those who neither drag nor have arrow keys.
  for (const [part, step] of [['.up', -1], ['.down', 1]]) {
    find(part, row).hidden = !list;
    find(part, row).onclick = () => move(step);
  }
  const remove = find('.remove', row);
  remove.setAttribute('aria-label', `Remove ${name}`);
  remove.onclick = () => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    (next ? find('.remove', next) : find('#heading')).focus();
    row.remove();
    say(`${name} was removed.`);
    attempt(() => wishlist.items.delete(item.id));
  };
  find('summary', row).setAttribute('aria-label', `Lists of ${name}`);
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

// ------------------------------------------------------------------------------ the own order

/** Moves a row by one, by moving its neighbour: so it keeps focus and pointer. */
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

/** Asks for a name, or with `text` for a yes; nothing when the shopper would rather not. */
function ask(title, yes, { value = '', text = '' } = {}) {
  const dialog = find('#ask');
  const [input, button, cancel] = ['input', '.button', '.plain'].map((part) => find(part, dialog));
  find('h2', dialog).textContent = title;
  find('p', dialog).textContent = text;
  find('label', dialog).hidden = input.disabled = Boolean(text);
  input.value = value;
  button.textContent = yes;
  cancel.onclick = () => dialog.close('');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue && (text || input.value.trim()));
  });
}

/** Makes a list and shows it, or puts the item on it. */
async function make(item) {
  const name = await ask('New list', 'Create');
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
  const name = await ask('Rename the list', 'Rename', { value: list.name });
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

if (rows) {
  find('#new-list').onclick = () => make();
  find('#rename').onclick = rename;
  find('#delete').onclick = remove;
  for (const type of ['change', 'lists']) wishlist.addEventListener(type, draw);
  wishlist.addEventListener('shopper', () => {
    rows.replaceChildren();
    draw();
  });
  addEventListener('hashchange', draw);
  // A menu closes when the shopper goes elsewhere.
  document.addEventListener('click', ({ target }) => {
    for (const menu of rows.querySelectorAll('details[open]')) menu.open = menu.contains(target);
  });
  rows.addEventListener('keydown', ({ key, target }) => {
    const menu = key === 'Escape' && target.closest('details[open]');
    if (menu) menu.open = Boolean(find('summary', menu).focus());
  });
  draw();
}
