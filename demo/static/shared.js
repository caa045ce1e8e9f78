// The page of a shared list: shows reservations on request, reserves, and copies the list.
import { sharedList } from '/apps/wishlist/assets/share.js';
import { complain, fillQuantities, find, offer, say, settle, wishlist } from '/static/shop.js';

const shared = sharedList(wishlist, location.pathname.split('/').at(-1));
const rows = [...document.querySelectorAll('#items > li')];

/** Does one thing, and shows a failure. If the link has ended, the page is loaded again, which says so. */
async function attempt(work) {
  try {
    const done = await work();
    settle();
    return done;
  } catch (error) {
    const { status } = error;
    const message = { 403: 'this is your own list.', 409: 'somebody else was faster.' }[status];
    if (status !== 404) complain(message ? { status, message } : error);
    else await shared.find().catch(({ status }) => status === 404 && location.reload());
  }
}

// ------------------------------------------------------------------------------- reservations

async function look() {
  const list = await attempt(() => shared.find());
  if (!list) return;
  // The list has changed since the page was made.
  const ids = list.items.map(({ id }) => id);
  if (`${ids}` !== `${rows.map(({ dataset }) => dataset.id)}`) return location.reload();
  history.replaceState('shown', ''); // a reload shows it again
  find('#reveal').hidden = true;
  const own = list.items.every(({ reserved }) => reserved === undefined);
  find('#dont').textContent = own ? 'This is your own list. What others reserve stays a surprise.' : '';
  if (own) return;
  list.items.forEach((item, at) => show(rows[at], item));
  const alone = find('#alone');
  if (alone) alone.hidden = !list.items.some(({ yours }) => yours);
}

function show(row, { id, quantity, reserved, yours = 0 }) {
  const acts = find('.acts', row);
  const focused = acts.contains(document.activeElement);
  acts.replaceChildren(find('#gift').content.cloneNode(true));
  const name = find('.name', row).textContent;
  // The owner may now want fewer than are reserved already.
  const most = Math.max(quantity - reserved, 0) + yours;
  const [state, amount, reserve, release] = acts.children;
  const others = reserved - yours;
  state.textContent = [
    yours && (quantity > 1 ? `You give ${yours}` : 'You give this'),
    others && (quantity > 1 ? `${others} of ${quantity} reserved` : 'Reserved'),
    !reserved && quantity > 1 && `${quantity} wished for`,
  ].filter(Boolean).join(' · ');
  row.classList.toggle('taken', most === 0);
  amount.hidden = most < 2;
  fillQuantities(amount, Math.min(most, 100), yours || 1, name);
  reserve.hidden = !most || (yours && most < 2);
  reserve.textContent = yours ? 'Change' : 'I’ll give this';
  reserve.setAttribute('aria-label', `${reserve.textContent}: ${name}`);
  reserve.onclick = () => act(`You have reserved ${name}.`, () => shared.reserve(id, +(amount.value || 1)));
  release.hidden = !yours;
  release.setAttribute('aria-label', `Cancel reservation: ${name}`);
  release.onclick = () => act(`You no longer give ${name}.`, () => shared.release(id));
  if (focused) acts.querySelector('button:not([hidden])')?.focus();
}

async function act(text, work) {
  if (await attempt(async () => (await work(), true))) say(text);
  await look();
}

const reveal = find('#reveal');
if (reveal) {
  reveal.hidden = false;
  reveal.onclick = async () => {
    await look();
    find('#heading').focus();
  };
  const again = () => reveal.hidden && look();
  wishlist.addEventListener('shopper', again);
  document.addEventListener('visibilitychange', () => document.hidden || again());
  if (history.state === 'shown') look();
}

// ------------------------------------------------------------------------------------- a copy

find('#copy').hidden = false;
find('#copy').onclick = async () => {
  const list = await attempt(() => shared.copy());
  if (list) offer(`It is in your wishlist now, as “${list.name}”.`, { 'See it': () => location.assign(`/wishlist#${list.id}`) });
};
