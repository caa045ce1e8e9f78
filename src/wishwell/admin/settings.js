// The store's settings in a merchant's words.
import { html } from './lit-html.js';
import { number, time } from './parts.js';

const onOff = (value) => (value ? 'on' : 'off');
/** Settings: label, and how the value is shown. Others have their own name as label. */
const WORDS = {
  id: ['Store ID'],
  handle: ['Store’s short name'],
  platform: ['Platform in customers’ IDs'],
  productIds: ['Product IDs', (value) => (value === 'text' ? 'text' : 'numbers')],
  authFlow: ['Sign-in page'],
  hosts: ['Shop’s addresses'],
  naming: ['How customers are recognised'],
  jwtCookie: ['Cookie'],
  jwtHeader: ['Header'],
  jwtIssuer: ['Issuer'],
  jwtAudience: ['Audience'],
  jwtClaim: ['Field with the customer’s ID'],
  jwtKeySet: ['Public keys'],
  platformShop: ['Shop on the platform'],
  origins: ['Websites that may use the API'],
  pages: ['Pages'],
  productUrl: ['Product page'],
  wishlistPage: ['Wishlist page'],
  sharedPage: ['Page for shared lists'],
  priceDropPercent: ['Smallest price drop that sends a notice', (value) => `${number(value)} %`],
  eventsSince: ['Events are recorded since'],
  createdAt: ['Created'],
  forgetCustomersAfter: ['Inactive customers are erased after', (value) => `${number(value)} months`],
  forgetSince: ['Erasing inactive customers since'],
  reporting: ['Reports'],
  timeZone: ['Time zone'],
  purchases: ['Purchases are matched with wishes', onOff],
  purchased: ['A bought item is', (value) => (value === 'remove' ? 'removed' : 'marked as bought')],
  attributionDays: ['Days between wish and purchase'],
  showWishes: ['Shoppers see how many people want a product', onOff],
  limits: ['Limits'],
  profile_read: ['A shopper reads, per minute'],
  profile_write: ['A shopper changes, per minute'],
  profile_token: ['Sign-ins of a shopper, per minute'],
  admin_read: ['Programs read, per minute'],
  admin_write: ['Programs change, per minute'],
  admin_token: ['Tokens by programs, per minute'],
  items: ['Wishes of a shopper'],
  lists: ['Lists of a shopper'],
  entries: ['Wishes on all lists of a shopper'],
  list_items: ['Wishes on a list'],
};

/** Renders settings by their labels, without empty ones. */
export function values(of) {
  const words = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  const line = ([name, value]) => {
    const [label = words(name), form = shown] = WORDS[name] ?? [];
    return html`<div><dt>${label}</dt><dd>${form(value)}</dd></div>`;
  };
  const given = (value) => value !== null && value !== '' && (typeof value !== 'object' || Object.keys(value).length);
  return html`<dl>${Object.entries(of).filter(([, value]) => given(value)).map(line)}</dl>`;
}

function shown(value) {
  if (typeof value === 'boolean') return onOff(value);
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') return values(value);
  return /^\d{4}-\d\d-\d\dT/.test(value) ? time(value) : value;
}
