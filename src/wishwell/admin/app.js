// The page's frame: sign-in, the open view, and the data loaded for it so far.
import { html, nothing, render } from './lit-html.js';
import { begin, end, ending, leave, look, session, take } from './api.js';
import { notice, to } from './parts.js';
import overview from './overview.js';
import products from './products.js';
import product from './product.js';
import shoppers from './shoppers.js';
import mails from './mails.js';
import store from './store.js';

/** A view has `path`, `name`, `admin` if it needs an admin token, `under` for the path of a parent view, `load(at)`, which
 * returns promises by name, and `show(data, at)`, which renders the data loaded so far. `at`: `query`, `go(changes)`, `redraw()`. */
const VIEWS = [overview, products, product, shoppers, mails, store];
const LOOK_MS = 2_000;

let open; // the open view
let reason = ''; // why the session has ended

const seen = () => VIEWS.filter((view) => session.admin || !view.admin);

/** Returns the view and query in the address. */
function address() {
  const [path, query] = location.hash.slice(2).split('?');
  const view = seen().find((one) => one.path === path) ?? overview;
  return { view, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Opens the view in the address, and renders its data as it arrives. */
async function show() {
  if (!session.today) return;
  const { view, query } = address();
  const same = open?.view === view && open.at.query.id === query.id;
  const at = { query, redraw: () => open === mine && draw(), go: (changes) => (location.hash = to(view.path, { ...query, ...changes })) };
  const mine = { view, at, data: same ? open.data : {}, waits: true };
  open = mine;
  draw();
  if (!same) {
    document.getElementById('title')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  try {
    const parts = Object.entries(view.load(at));
    await Promise.all(parts.map(async ([name, part]) => {
      const value = await part;
      if (open !== mine) return;
      mine.data[name] = value;
      draw();
    }));
  } catch (error) {
    mine.failed = error;
  }
  mine.waits = false;
  at.redraw();
}

function draw() {
  render(session.today ? frame() : signIn(), document.body);
  document.title = open ? `${open.view.title?.(open.data, open.at) ?? open.view.name} · Wishwell` : 'Wishwell';
}

function frame() {
  const { view, data, at, waits, failed } = open;
  const link = (one) => html`<a href=${to(one.path, one.periods && { days: at.query.days })}
    aria-current=${one.path === (view.under ?? view.path) ? 'page' : nothing}>${one.name}</a>`;
  return html`<header>
      <a class="brand" href=${to(overview.path)}><img src="icon.svg" alt="" width="28" height="28">Wishwell</a>
      <nav aria-label="Main">${seen().filter((one) => !one.under).map(link)}</nav>
      <span class="store">${session.store?.shopName ?? session.store?.handle}</span>
      <button @click=${() => end('You’re signed out.')}>Sign out</button>
    </header>
    <main aria-busy=${Boolean(waits)}>
      ${failed
        ? html`<div class="empty" role="alert"><h1 id="title" tabindex="-1">Something went wrong</h1><p>${failed.message}</p>
            <button @click=${show}>Try again</button></div>`
        : view.show(data, at)}
    </main>${notice}`;
}

// rule: admin-token-in-memory. The field has no name, so that no form submission can put the token into an address.
function signIn() {
  return html`<main class="sign-in"><form @submit=${enter}>
    <h1 class="brand"><img src="icon.svg" alt="" width="40" height="40">Wishwell</h1>
    <p role="alert">${reason}</p>
    <input type="text" autocomplete="username" value="Wishwell" hidden>
    <label for="token">Admin or reports token</label>
    <input id="token" type="password" autocomplete="current-password" required autofocus spellcheck="false">
    <button class="primary">Sign in</button>
    <p class="soft">Ask your administrator for a token (<code>wishwell token create --store default --label me</code>; add
      <code>--for reports</code> for one that can only read figures). You stay signed in until you sign out or leave this page.</p>
  </form></main>`;
}

async function enter(event) {
  event.preventDefault();
  const [, field, button] = event.target.elements;
  button.disabled = true;
  if (await signInWith(field.value.trim())) field.value = '';
  else field.focus();
  button.disabled = false;
}

/** Signs in and opens the view. Returns whether the token was accepted. */
async function signInWith(given) {
  try {
    if (!/^[\x21-\x7e]+$/.test(given)) throw new Error('This isn’t a token: tokens contain only letters, digits, - and _. Copy it again.');
    await begin(given);
    reason = '';
  } catch (error) {
    reason = error.status === 403 ? 'This token can’t be used here. Use an admin or reports token.' : error.message;
    draw();
    return false;
  }
  await show();
  return true;
}

ending.over = (why) => {
  open = undefined;
  reason = why;
  notice.textContent = '';
  for (const dialog of document.querySelectorAll('dialog')) dialog.close();
  draw();
  document.getElementById('token').focus();
};

/** Polls in the background: signs out when the token was revoked, and shows a new count. */
async function watch() {
  if (!session.today) return;
  const changed = await look().catch(() => false); // a 401 has signed out already
  if (changed && open?.view.lives) show();
}

setInterval(watch, LOOK_MS);
addEventListener('visibilitychange', watch);
addEventListener('pagehide', () => session.today && leave());
addEventListener('pageshow', ({ persisted }) => persisted && take());
addEventListener('hashchange', show);
const kept = take();
if (kept) signInWith(kept);
else draw();
