// Shows the elements in one state, with made-up answers of the service: /states?state=NAME, or with
// `lang`, `dir` and `scheme` too. Without a state, shows all of them side by side.
const LONG = 'Handmade shelf of oiled oak with four boards and hidden brackets '.repeat(3);
const LIST = '01931f2e-0000-7000-8000-000000000001';
const given = new URLSearchParams(location.search);
const money = (amount) => ({ amount, currency: 'EUR' });
const product = (title, picture, price, more = {}) => ({
  title,
  image: `${location.origin}/pictures/${picture}.svg`,
  url: `${location.origin}/products/lamp`,
  price: money(price),
  available: true,
  ...more,
});
const item = (productId, product, more = {}) => ({
  id: `01931f2e-0000-7000-8000-0000000001${productId}`,
  productId,
  quantity: 1,
  listIds: [LIST],
  createdAt: '2026-11-01T12:00:00.000Z',
  updatedAt: '2026-11-01T12:00:00.000Z',
  product,
  ...more,
});
const ITEMS = [
  item(10, product('Dome lamp', 'lamp-honey', '39.90'), { savedPrice: money('52.90') }),
  item(11, product('Bud vase', 'vase-sky', '32.00', { available: false })),
  item(12, product(LONG, 'chair-sage', '145.00'), { note: 'For the kitchen, please', quantity: 2 }),
  item(13, { ...product('Wool throw', 'blanket-sky', '75.00'), deleted: true }),
  item(14, product('Studio chair', 'chair-clay', '145.00', { variantTitle: 'Clay' }), {
    purchased: { quantity: 1, at: '2026-11-02T12:00:00.000Z' },
  }),
  item(15, product('Morning mug', 'mug-clay', '18.00')),
];
const HEART = '<wishlist-button product-id="15"></wishlist-button>';
const SAVED = '<wishlist-button product-id="10"></wishlist-button>';
const TOAST = '<wishlist-toast sign-in="/sign-in"></wishlist-toast>';
const PAGE = '<wishlist-page cart sign-in="/sign-in"></wishlist-page>';
const OF_LIST = PAGE.replace('cart', `cart list="${LIST}"`);
const SHARED = '<wishlist-shared token="wwshr_made_up" cart></wishlist-shared>';
const SHARE = `<p>The list “Birthday”</p><wishlist-share list-id="${LIST}" reservations></wishlist-share>`;
const WANTED = (product) => `<wishlist-wanted product-id="${product}"></wishlist-wanted>`;
const LINK = { id: LIST, token: 'wwshr_made_up', reservations: true, notes: false };
/** The press by which a guest says that the shared list is somebody else's. */
const IS_GUEST = '.answers .primary';
/** States that need little height; among all, they are the first. */
const LOW = [
  'hearts',
  'wanted',
  'share button',
  'share link',
  'share link ending',
  'saved',
  'saved, long title',
  'removed',
];
const LONG_NAMES = [
  'Everything for the new kitchen, and for the balcony',
  'Weihnachtsgeschenkeideensammlung',
];

/** Returns items as a guest sees them, the first ones with these reservations. */
const guestItems = (...reservations) =>
  ITEMS.slice(0, 4).map(({ savedPrice: _, ...item }, at) => ({
    ...item,
    reserved: 0,
    ...reservations[at],
  }));

/** Each state: its elements, presses by selector, and what the service answers otherwise. */
const STATES = {
  hearts: {
    html: `${HEART}${SAVED}<wishlist-button product-id="15">Save for later</wishlist-button>
      <wishlist-button product-id="10">Save for later</wishlist-button>
      <wishlist-button product-id="15" disabled></wishlist-button><a href="#x">Wishlist <wishlist-count></wishlist-count></a>`,
  },
  wanted: {
    html: `<p>Dome lamp</p>${WANTED(10)}<p>Studio chair</p>${WANTED(14)}<p>Bud vase</p>${WANTED(11)}`,
  },
  'share button': { html: SHARE },
  'share link': { html: SHARE, shares: [LINK] },
  'share link ending': { html: SHARE, shares: [LINK], presses: ['[part=stop]'] },
  saved: { html: HEART + TOAST, presses: ['[part=button]'] },
  'saved, long title': {
    html: HEART.replace('15', '12') + TOAST,
    presses: ['[part=button]'],
  },
  removed: { html: SAVED + TOAST, presses: ['[part=button]'] },
  failed: { html: HEART + TOAST, presses: ['[part=button]'], refused: true },
  chooser: { html: HEART.replace('></', ' choose-list></'), presses: ['[part=button]'] },
  cards: { html: PAGE },
  reductions: { html: PAGE, profile: { showReductions: true } },
  'custom order': { html: OF_LIST },
  many: { html: PAGE, count: 30 },
  'long names': { html: OF_LIST, names: LONG_NAMES },
  'address waiting': { html: PAGE, profile: { emailStatus: 'pending' } },
  menu: { html: OF_LIST, presses: ['.menu'] },
  options: { html: OF_LIST, presses: ['.options'] },
  sharing: { html: PAGE, presses: ['.menu', '.share'] },
  'link created': { html: PAGE, presses: ['.menu', '.share', '.create'] },
  selecting: { html: PAGE, presses: ['.menu', '.select', '.pick input'] },
  confirming: { html: OF_LIST, presses: ['.menu', '.delete'] },
  'shared list': { html: SHARED, guest: guestItems() },
  'reserved by others': {
    html: SHARED,
    guest: guestItems({ reserved: 1, quantity: 2 }, { reserved: 1, quantity: 1 }),
    presses: [IS_GUEST],
  },
  'reserved by you': {
    html: SHARED,
    guest: guestItems({ reserved: 1, yours: 1 }, { reserved: 2, yours: 1, quantity: 3 }),
    presses: [IS_GUEST],
  },
  'own shared list': { html: SHARED, guest: guestItems().map(({ reserved: _, ...item }) => item) },
  'empty shared list': { html: SHARED, guest: [] },
  'ended link': { html: SHARED, guest: 'ended' },
  empty: { html: PAGE, count: 0 },
  loading: { html: PAGE, waits: true },
  error: { html: PAGE, broken: true },
};

function answer(state, method, path) {
  const { count = ITEMS.length, profile, refused, guest, shares = [] } = state;
  const [first = 'A name that is long', second = 'Birthday'] = state.names ?? [];
  const items = Array.from({ length: count }, (_, at) => ({
    ...ITEMS[at % ITEMS.length],
    id: ITEMS[0].id.slice(0, -2) + (10 + at),
  }));
  const list = { id: LIST, name: second, itemCount: count, shared: false };
  const isSave = method !== 'GET' && path.startsWith('items');
  const saved = ITEMS.find(({ productId }) => productId === (path.includes('"12"') ? 12 : 15));
  if (state.broken || (isSave && refused)) return [500, {}];
  if (method === 'DELETE') return [204];
  if (isSave) return [201, { data: saved }];
  if (path.includes('query=product:'))
    return [200, { data: ITEMS.filter(({ productId }) => productId === 10), pageInfo: {} }];
  if (path.startsWith('items')) return [200, { data: items, pageInfo: {} }];
  if (path.includes('shares')) return [200, { data: method === 'GET' ? shares : LINK }];
  if (path.startsWith('shared'))
    return guest === 'ended'
      ? [404, { code: 'share_not_found' }]
      : [200, { data: { ...list, displayName: 'Mira', reservations: true, items: guest } }];
  if (path.startsWith('wishes'))
    return [
      200,
      {
        data: [
          { productId: 10, wishes: 100 },
          { productId: 14, wishes: 10_000 },
        ],
      },
    ];
  if (path.startsWith('lists/')) return [200, { data: { ...list, items } }];
  if (path.startsWith('lists'))
    return [200, { data: [{ ...list, id: `${LIST}2`, name: first }, list] }];
  const by = { noticesBy: 'address_needed', notified: false, email: 'a…@e….com' };
  return [200, { data: { kind: 'session', items: count, lists: 1, ...by, ...profile } }];
}

/** Answers the elements' requests, and keeps the state apart from the shop's other pages. */
function replaceService(state) {
  const send = fetch;
  window.fetch = async (url, options = {}) => {
    const [, path] = `${url}`.split('/api/');
    if (!path) return send(url, options);
    if (state.waits) return new Promise(() => {});
    const isLong = /"productId":12/.test(options.body) ? ' "12"' : '';
    const [status, body] = answer(state, options.method ?? 'GET', path + isLong);
    const headers = { 'wishwell-shopper': 'states' };
    return new Response(body ? JSON.stringify(body) : null, { status, headers });
  };
  Object.defineProperty(window, 'localStorage', { value: {} });
  // Without the answer to whether a shared list is the shopper's own, which another state has stored.
  const forgets = { getItem: () => null, setItem() {}, removeItem() {} };
  Object.defineProperty(window, 'sessionStorage', { value: forgets });
  Object.defineProperty(window, 'BroadcastChannel', { value: undefined });
  Object.defineProperty(navigator, 'locks', { value: undefined });
}

/** Returns the first element of a selector, also in shadow trees, once there is one. */
async function found(selector) {
  const search = (root) =>
    root.querySelector(selector) ??
    [...root.querySelectorAll('*')].reduce(
      (node, { shadowRoot }) => node ?? (shadowRoot && search(shadowRoot)),
      null,
    );
  let node;
  while (!(node = search(document)) || node.matches(':disabled'))
    await new Promise((resolve) => setTimeout(resolve, 30));
  return node;
}

async function show(name) {
  const state = STATES[name];
  replaceService(state);
  const assets = '/apps/wishlist/assets/';
  const main = document.querySelector('main');
  main.innerHTML = state.html;
  for (const script of ['page', 'share', 'wanted']) await import(`${assets}${script}.js`);
  const hasCards = state.guest ? !!state.guest[0]?.id : state.count !== 0;
  if (/page|shared/.test(state.html) && !state.waits && !state.broken && hasCards)
    await found('.card .name');
  else await new Promise((resolve) => setTimeout(resolve, 400));
  for (const selector of state.presses ?? []) (await found(selector)).click();
  await new Promise((resolve) => setTimeout(resolve, 400));
  document.documentElement.dataset.state = 'shown';
}

function showAll() {
  document.body.classList.add('all');
  for (const name of Object.keys(STATES)) {
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const frame = document.createElement('iframe');
    caption.textContent = frame.title = name;
    frame.classList.toggle('low', LOW.includes(name));
    frame.src = `?${new URLSearchParams([...given, ['state', name]])}`;
    figure.append(caption, frame);
    document.querySelector('main').append(figure);
  }
}

document.documentElement.lang = given.get('lang') ?? 'en';
document.documentElement.dir = given.get('dir') ?? 'ltr';
document.documentElement.style.colorScheme = given.get('scheme') ?? 'light dark';
window.states = Object.keys(STATES);
if (given.has('state')) show(given.get('state'));
else showAll();
