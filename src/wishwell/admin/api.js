// contract: admin-token. The token is in this variable, and nowhere else.
let token = '';

/** What is known while somebody is signed in: `admin`, their `store` if so, and how far counts reach. */
export const session = {};

/** Calls `over` when the token ends, with the reason. */
export const ending = { over: () => {} };

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const BASE = new URL('../api/2025-04/', import.meta.url);

/** An answer of the API. Throws `Refused`; with status 0 if there was none. */
async function send(path, { query = {}, profile, method = 'GET' } = {}) {
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const headers = { Authorization: `Bearer ${token}` };
  if (profile) headers.Profile = profile;
  const mine = token;
  const asked = { method, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' };
  const answer = await fetch(url, asked).catch(() => {
    throw new Refused(0, 'The service can’t be reached. Look at your connection, then try again.');
  });
  if (mine !== token) throw new Refused(401, 'The token is another one now.');
  if (answer.ok) return answer;
  const error = await answer.json().then((body) => body.error.message, () => answer.statusText);
  if (answer.status === 401 && session.today) end('This token is no longer valid. It was revoked, or has expired.');
  throw new Refused(answer.status, error);
}

/** The body of an answer; undefined of one without. */
export async function ask(path, options) {
  const answer = await send(path, options);
  return answer.status === 204 ? undefined : answer.json();
}

/** The one record, or the records, of an answer. */
export const get = async (path, query, profile) => (await ask(path, { query, profile })).data;

/** Keeps an answer as a file. */
export async function download(path, name, options) {
  const url = URL.createObjectURL(await (await send(path, options)).blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// contract: admin-scope
/** Finds out what a token may do, and keeps it. Throws `Refused`. */
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

/** Asks how far the counts reach, which also tells that the token is still valid. */
export async function look() {
  const known = session.since ? session.today : '';
  const { data, asOf, since } = await ask('reports/days', { query: { from: known } });
  const changed = session.asOf !== asOf;
  // That of the last count, as the store's days are.
  const today = data.at(-1)?.day ?? (known || new Date().toISOString().slice(0, 10));
  Object.assign(session, { asOf, since, today });
  return changed;
}

/** Forgets the token and all that is known. */
export function end(reason = '') {
  token = '';
  for (const name of Object.keys(session)) delete session[name];
  ending.over(reason);
}
