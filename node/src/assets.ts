/** The browser library, under a name with the hash of its content. */

import type { Answer } from "./answer.js";
import { Refused } from "./errors.js";
import type { Settings } from "./settings.js";

const PLAIN = "wishwell.js";

interface Asset {
  readonly name: string;
  readonly text: string;
}

export const isAsset = (name: string) => /^wishwell(-[0-9a-f]{1,64})?\.js$/.test(name);

/** Answers for the names under `<base>/assets/`. Throws 404. */
export function assetsOf(settings: Settings): (name: string) => Promise<Answer> {
  let found: Asset | null = null;

  async function asset(): Promise<Asset> {
    if (found !== null) return found;
    const text = await settings.asset();
    if (text === null) {
      throw new Refused(404, `The browser library is not installed: there is no ${PLAIN}.`);
    }
    return (found = { name: `wishwell-${await hashOf(text)}.js`, text });
  }

  return async (name) => {
    const { name: hashed, text } = await asset();
    if (name === PLAIN) {
      const location = `${settings.base}/assets/${hashed}`;
      return { status: 302, headers: { location, "cache-control": "no-cache" }, body: null };
    }
    if (name !== hashed) throw new Refused(404, `There is no such version; ${PLAIN} leads to the one there is.`);
    const headers = {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    };
    return { status: 200, headers, body: text };
  };
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").slice(0, 16);
}
