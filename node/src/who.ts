/** Who is shopping, as far as the shop says so: its function, its platform, its JWT. */

import { PLATFORM_PARAMETERS } from "./allowed.js";
import { valuesOf } from "./cookie.js";
import { Refused } from "./errors.js";
import { type Judge, judgeOf } from "./jwt.js";
import type { JwtSettings, Settings } from "./settings.js";
import { fromHex, type Signer, signerOf } from "./signing.js";

const OLDEST = 300;
const AHEAD = 60;
const wrong = (message: string) => new Refused(401, message);

/** What names the customer's GID, or null. Throws 401 for evidence that is there and wrong. */
export interface Who {
  /** The customer of the platform's signed query; no request passes without its signature. */
  signed(query: string, now: number): Promise<string | null>;
  /** The first that names one. `said` is what the shop's own code says, if it says anything. */
  customer(
    request: Request,
    said: string | null | undefined,
    signed: string | null,
    now: number,
  ): Promise<string | null>;
}

export function whoOf(settings: Settings): Who {
  const platform = settings.platformSecret === null ? null : signerOf(settings.platformSecret);
  const judge = settings.jwt === null ? null : judgeOf(settings.jwt, settings.timeout);
  return {
    async signed(query, now) {
      return platform === null ? null : signedQuery(query, platform, settings, now);
    },
    async customer(request, said, signed, now) {
      const told = said === undefined ? ((await settings.customer?.(request)) ?? null) : said;
      if (told !== null) return ofTheShop(told, settings.platform);
      if (signed !== null) return signed;
      const { jwt } = settings;
      return jwt && judge ? ofJwt(request, jwt, judge, settings.platform, now) : null;
    },
  };
}

function ofTheShop(told: string, platform: string): string {
  const gid = customerGid(told, platform);
  // Not the browser's fault: this becomes 500, and the log has it.
  if (gid === null) throw new Error("the shop's function names a customer that is no id");
  return gid;
}

/** The GID of a customer's id or of a whole GID of this platform; null of anything else. */
export function customerGid(named: unknown, platform: string): string | null {
  if (Number.isSafeInteger(named)) return customerGid(String(named), platform);
  if (typeof named !== "string") return null;
  const start = `gid://${platform}/Customer/`;
  const id = named.startsWith(start) ? named.slice(start.length) : named;
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? start + id : null;
}

async function signedQuery(
  query: string,
  signer: Signer,
  settings: Settings,
  now: number,
): Promise<string | null> {
  const values = new Map<string, string[]>();
  // The mark keeps a question mark that the query itself begins with.
  for (const [name, value] of new URLSearchParams(`?${query}`)) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const signature = fromHex((values.get("signature") ?? []).join(","));
  values.delete("signature");
  const text = [...values].map(([name, all]) => `${name}=${all.join(",")}`);
  const signed = text.sort(byCodePoints).join("");
  if (!signature || signature.length !== 32 || !(await signer.verify(signature, signed))) {
    throw wrong("The platform's signature is missing or wrong.");
  }
  const one = (name: string) => (values.get(name) ?? []).join(",");
  // With nothing between the parameters, a text that was signed can be cut in another way: a value
  // of the browser's may hold a name of the platform's, which then stands in the text twice.
  for (const name of PLATFORM_PARAMETERS) {
    if ((values.get(name)?.length ?? 0) > 1) throw wrong("A parameter of the platform is there twice.");
  }
  if (signed.split("logged_in_customer_id=").length > 2) {
    throw wrong("The platform's signature can be read in two ways.");
  }
  const time = one("timestamp");
  const age = /^[0-9]{1,12}$/.test(time) ? now - Number(time) : Infinity;
  if (age > OLDEST || age < -AHEAD) throw wrong("The platform's signature is too old.");
  if (settings.platformShop !== null && one("shop") !== settings.platformShop) {
    throw wrong("The platform's signature is of another shop.");
  }
  const named = one("logged_in_customer_id");
  if (named === "") return null;
  const gid = customerGid(named, settings.platform);
  if (gid === null) throw wrong("The platform's customer is no id.");
  return gid;
}

function byCodePoints(left: string, right: string): number {
  // The default order is of UTF-16 units, which is another one beyond U+FFFF.
  const [one, other] = [[...left], [...right]];
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const difference = (one[at]?.codePointAt(0) ?? 0) - (other[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

async function ofJwt(
  request: Request,
  settings: JwtSettings,
  judge: Judge,
  platform: string,
  now: number,
): Promise<string | null> {
  const customer = async (token: string) =>
    customerGid((await judge(token, now))?.[settings.claim], platform);
  const header = settings.header ? request.headers.get(settings.header) : null;
  if (header !== null) {
    const gid = await customer(header.replace(/^bearer +/i, ""));
    if (gid === null) throw wrong("The shop's token is malformed, expired or not the shop's.");
    return gid;
  }
  // A shop's old cookies come along for years: one that is wrong is nobody.
  const values = settings.cookie ? valuesOf(request.headers.get("cookie"), settings.cookie) : [];
  return values.length === 1 ? customer(values[0] ?? "") : null;
}
