/** The way of every request: route, refusals, who is shopping, the API, the answer. */

import {
  answerToBrowser,
  bodyOf,
  checkOrigin,
  headersToApi,
  isSecure,
  isWrite,
  queryToApi,
  refusalOf,
  type Route,
  routeOf,
  type Target,
  targetOf,
  uuidOf,
} from "./allowed.js";
import { type Answer, emptyPage, envelope, toResponse } from "./answer.js";
import { assetsOf, isAsset } from "./assets.js";
import { type Carried, cookiesOf } from "./cookie.js";
import { Fault, Gone, Refused } from "./errors.js";
import { newcomersOf } from "./newcomers.js";
import { Recent } from "./recent.js";
import { type Options, type Settings, settle } from "./settings.js";
import { signerOf, toBase64url } from "./signing.js";
import { tokensOf, type Wanted } from "./tokens.js";
import { ask, type Call } from "./upstream.js";
import { whoOf } from "./who.js";

/** What the shop's own code knows about a request. */
export interface Context {
  /** The customer's id or GID, null for nobody; without it the settings say who is shopping. */
  readonly customer?: string | null;
  /** The path and query as they were sent, where `request.url` may have been normalised. */
  readonly target?: string;
  /** Where the request comes from, for the bound on new sessions; unknown is not bounded. */
  readonly address?: string | null;
}

type Visitor = Extract<Carried, { kind: "visitor" }>;

/** Answers a request; never rejects. */
export type Proxy = (request: Request, context?: Context) => Promise<Response>;

/** What is known of the shopper while a request is on its way. */
interface Visit {
  /** The GID that `Wishwell-Shopper` stands for. */
  shopper: string | null;
  cookie: "keep" | "remove" | { readonly session: string };
  route: string;
}

/** A request to the API that may be asked, with all that was read of it. */
interface Errand {
  readonly request: Request;
  readonly id: string;
  readonly route: Route;
  readonly target: Target;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly address: string | null | undefined;
}

/** The proxy of these options. Throws `BadSetting`. */
export function createProxy(options: Options): Proxy {
  const settings = settle(options);
  const { base, log } = settings;
  const now = () => Math.floor(Date.now() / 1000);
  const signers = settings.secrets.map(signerOf);
  const cookies = cookiesOf(signers, settings.store, settings.tokens);
  const marks = new Recent<string>(settings.tokens);
  const newcomers = newcomersOf(settings.newSessions);
  const who = whoOf(settings);
  const tokens = tokensOf(
    (wanted, id) => askForToken(settings, wanted, id),
    settings.tokens,
    now,
    log,
  );
  const assets = assetsOf(settings);

  return async (request, context = {}) => {
    const began = performance.now();
    const id = uuidOf(request) ?? crypto.randomUUID();
    const visit: Visit = { shopper: null, cookie: "keep", route: "none" };
    const target = targetOf(context.target ?? request.url);
    const apart = !target.path.startsWith(`${base}/api/`);
    let answer: Answer;
    try {
      answer = apart
        ? await beside(request, target, visit)
        : await api(request, id, target, context, visit);
    } catch (error) {
      answer = failure(error, id);
    }
    const response = await finish(request, answer, visit, apart ? null : id);
    const line = { method: request.method, route: visit.route, status: response.status };
    const ms = Math.round((performance.now() - began) * 100) / 100;
    const requestId = response.headers.get("x-request-id") ?? id;
    log({ event: "request", level: "info", requestId, ...line, ms });
    return response;
  };

  /** Everything under the base path that is not the API's, and everything outside of it. */
  async function beside(request: Request, target: Target, visit: Visit): Promise<Answer> {
    const start = `${base}/assets/`;
    const asset = target.path.startsWith(start) ? target.path.slice(start.length) : "";
    const live = target.path === `${base}/livez`;
    visit.route = live ? "/livez" : isAsset(asset) ? "/assets" : "none";
    const refusal = refusalOf(request, target, visit.route === "none" ? null : ["GET", "HEAD"]);
    if (refusal !== null) throw refusal;
    if (live) return alive();
    await who.signed(target.query, now());
    return assets(asset);
  }

  async function api(
    request: Request,
    id: string,
    target: Target,
    context: Context,
    visit: Visit,
  ): Promise<Answer> {
    const route = routeOf(target.path.slice(`${base}/api/`.length));
    visit.route = route?.template ?? "none";
    const refusal = refusalOf(request, target, route?.methods ?? null);
    if (refusal !== null || route === null) throw refusal;
    const signed = await who.signed(target.query, now());
    const secure = isSecure(request, settings);
    const carried = await cookies.read(request.headers.get("cookie"), secure, now());
    if (carried.kind === "unusable") visit.cookie = "remove";
    const visitor = carried.kind === "visitor" ? carried.session : null;
    const customer = await who.customer(request, context.customer, signed, now());
    visit.shopper = customer ?? visitor;
    const write = isWrite(request.method);
    if (write) checkOrigin(request, settings);
    const { address } = context;
    const errand = { request, id, route, target, body: write ? await bodyOf(request) : null, address };
    if (customer !== null) {
      if (visitor !== null) {
        // A fault is thrown, and the cookie stays for the next time.
        await tokens.link(customer, visitor, id);
        visit.cookie = "remove";
      }
      return forward(errand, customer);
    }
    const answer = carried.kind === "visitor" ? await asVisitor(errand, carried, visit) : null;
    return answer ?? asNobody(errand, visit);
  }

  /** The API's answer, or null when it no longer knows the session. */
  async function asVisitor(
    errand: Errand,
    { session, ageing }: Visitor,
    visit: Visit,
  ): Promise<Answer | null> {
    try {
      const answer = await forward(errand, session);
      if (ageing) visit.cookie = { session };
      return answer;
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      visit.shopper = null;
      visit.cookie = "remove";
      return null;
    }
  }

  /** Who has saved nothing reads nothing; only a POST begins a session. */
  async function asNobody(errand: Errand, visit: Visit): Promise<Answer> {
    const { route } = errand;
    const { method } = errand.request;
    const collection = !route.template.includes("{id}");
    if (method === "POST") {
      newcomers(errand.address, now());
      const session = await tokens.begin(errand.id);
      visit.shopper = session;
      visit.cookie = { session };
      return forward(errand, session);
    }
    if (!collection) throw new Refused(404, "There is no such record.");
    return isWrite(method) ? { status: 204, headers: {}, body: null } : emptyPage();
  }

  /** Asks as a profile; once more with a new token when the API refuses the one that was kept. */
  async function forward(errand: Errand, profile: string): Promise<Answer> {
    const { request, id, route, target, body } = errand;
    const path = route.path + queryToApi(target.query, settings);
    // HEAD is asked for as GET: its answer has the length of the body that it leaves out.
    const method = request.method === "HEAD" ? "GET" : request.method;
    const call: Call = { method, path, headers: headersToApi(request, id, body !== null), body };
    const token = await tokens.of(profile, id);
    let answer = await ask(settings, call, token);
    if (answer.status === 401) {
      tokens.drop(profile, token);
      answer = await ask(settings, call, await tokens.of(profile, id));
    }
    return answerToBrowser(answer, base);
  }

  function failure(error: unknown, id: string): Answer {
    if (error instanceof Refused) return envelope(error.status, error.message, id, error.headers);
    if (error instanceof Gone) {
      // A session that was just begun, or a customer: the API contradicts itself.
      return envelope(503, "The wishlist can't be reached just now.", id, { "retry-after": "1" });
    }
    if (error instanceof Fault) return answerToBrowser(error.answer, base);
    const reason = error instanceof Error ? error.message : String(error);
    log({ event: "failed", level: "error", requestId: id, reason });
    return envelope(500, "The proxy failed; the log has the reason under this request id.", id);
  }

  /** The response, with what every answer under the API's path has; `id` is null for the others. */
  async function finish(
    request: Request,
    answer: Answer,
    visit: Visit,
    id: string | null,
  ): Promise<Response> {
    const nosniff = { "x-content-type-options": "nosniff" };
    if (id === null) {
      const kept: Record<string, string> =
        answer.status >= 400 ? { "cache-control": "no-store", ...nosniff } : nosniff;
      return toResponse({ ...answer, headers: { ...answer.headers, ...kept } }, request.method);
    }
    const secure = isSecure(request, settings);
    const headers = {
      "x-request-id": id,
      ...answer.headers,
      ...nosniff,
      "cache-control": "private, no-store",
      vary: "Cookie",
      "wishwell-shopper": await markOf(visit.shopper),
    };
    const { cookie } = visit;
    const set =
      cookie === "keep"
        ? []
        : [cookie === "remove" ? cookies.removal(secure) : await cookies.set(cookie.session, secure, now())];
    return toResponse({ ...answer, headers }, request.method, set);
  }

  async function markOf(shopper: string | null): Promise<string> {
    const [signer] = signers;
    if (shopper === null || signer === undefined) return "-";
    const known = marks.get(shopper);
    if (known !== undefined) return known;
    const mark = toBase64url(await signer.sign(`shopper\n${shopper}`)).slice(0, 16);
    marks.set(shopper, mark);
    return mark;
  }
}

function alive(): Answer {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status: 200, headers, body: "ok" };
}

function askForToken(settings: Settings, wanted: Wanted, id: string): Promise<Answer> {
  const headers = new Headers({
    "content-type": "application/json",
    "accept-encoding": "identity",
    "x-request-id": id,
  });
  // A session that nobody comes to know of is the one thing that asking twice could make.
  const harmless = wanted.customer !== undefined || wanted.session !== undefined;
  const call = { method: "POST", path: "/api/2025-04/profiles/token", headers, harmless };
  return ask(settings, { ...call, body: JSON.stringify(wanted) }, settings.token);
}
