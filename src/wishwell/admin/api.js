// rule: admin-token-in-memory. While the page is open, the token is in this variable only.
let token = '';
const KEPT = 'wishwell-token';

/** State while signed in: `admin`, an admin's `store`, and the period of the counts (`asOf`, `since`, `today`). */
export const session = {};

/** `over` is called with the reason when the session ends. */
export const ending = { over: () => {} };

export class Refused extends Error {
  /** `details`: the bad fields of a body, each with `field` and `message`. */
  constructor(status, message, details = []) {
    super(message);
    Object.assign(this, { status, details });
  }
}

const BASE = new URL('../api/2025-04/', import.meta.url);

/** Sends a request to the API and returns the response. Throws `Refused`; status 0 means that there was no response. */
async function send(path, { query = {}, profile, body, method = 'GET' } = {}) {
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const headers = { Authorization: `Bearer ${token}` };
  if (profile) headers.Profile = profile;
  if (body) headers['Content-Type'] = 'application/json';
  const mine = token;
  const asked = { method, headers, body: body && JSON.stringify(body), cache: 'no-store', credentials: 'omit', redirect: 'error' };
  const answer = await fetch(url, asked).catch(() => {
    throw new Refused(0, 'The service can’t be reached. Check your connection and try again.');
  });
  if (mine !== token) throw new Refused(401, 'You’ve signed out or used another token in the meantime.');
  if (answer.ok) return answer;
  const error = await answer.json().then((given) => given.error, () => ({ message: answer.statusText }));
  if (answer.status === 401 && session.today) end('This token is no longer valid: it was revoked or has expired.');
  throw new Refused(answer.status, error.message, error.details);
}

/** Returns a response's body; undefined for 204. */
export async function ask(path, options) {
  const answer = await send(path, options);
  return answer.status === 204 ? undefined : answer.json();
}

/** Returns the record or records in a response. */
export const get = async (path, query, profile) => (await ask(path, { query, profile })).data;

/** Downloads a response as a file. */
export async function download(path, name, options) {
  const url = URL.createObjectURL(await (await send(path, options)).blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// rule: admin-scope
/** Signs in with a token: finds out its scope and stores it. Throws `Refused`. */
export async function begin(given) {
  token = given;
  try {
    await look();
    session.store = await get('store').catch((error) => {
      if (error.status !== 403) throw error;
    });
    session.admin = Boolean(session.store);
  } catch (error) {
    end();
    throw error;
  }
}

/** Polls the period of the counts, which also checks the token. Returns whether there is a new count. */
export async function look() {
  const known = session.since ? session.today : '';
  const { data, asOf, since } = await ask('reports/days', { query: { from: known } });
  const changed = session.asOf !== asOf;
  // The day of the last count, because days are those of the store's time zone.
  const today = data.at(-1)?.day ?? (known || new Date().toISOString().slice(0, 10));
  Object.assign(session, { asOf, since, today });
  return changed;
}

// rule: admin-token-in-memory
/** Signs out, leaving the token in this tab's storage for a reload to take. */
export function leave() {
  const mine = token;
  end();
  try {
    sessionStorage.setItem(KEPT, mine);
  } catch {
    // The browser refuses to store anything: a reload asks for the token again.
  }
}

/** Removes the token that `leave` has stored. Returns it if this page load is a reload, else ''. */
export function take() {
  try {
    const mine = sessionStorage.getItem(KEPT) ?? '';
    sessionStorage.removeItem(KEPT);
    return performance.getEntriesByType('navigation')[0]?.type === 'reload' ? mine : '';
  } catch {
    return '';
  }
}

/** Signs out: forgets the token and all state. */
export function end(reason = '') {
  token = '';
  for (const name of Object.keys(session)) delete session[name];
  ending.over(reason);
}
