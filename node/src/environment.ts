/** The settings of the process, from the variables that docs/proxy.md lists. */

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { bad, Gathered } from "./errors.js";
import { type KeySet, list, type Options, settle } from "./settings.js";
import { isObject } from "./signing.js";
import { trustedOf } from "./trusted.js";

const PREFIX = "WISHWELL_PROXY_";
const SECRETS = ["TOKEN", "SECRET", "PLATFORM_SECRET", "JWT_KEY"];

/** The variable of each option, without the prefix. */
const VARIABLES: Readonly<Record<string, string>> = {
  api: "API",
  token: "TOKEN",
  secret: "SECRET",
  host: "HOST",
  port: "PORT",
  base: "BASE",
  store: "STORE",
  platform: "PLATFORM",
  origin: "ORIGIN",
  secure: "SECURE",
  trusted: "TRUSTED",
  timeout: "TIMEOUT",
  tokens: "TOKENS",
  newSessions: "NEW_SESSIONS",
  platformSecret: "PLATFORM_SECRET",
  platformShop: "PLATFORM_SHOP",
  "jwt.key": "JWT_KEY",
  "jwt.jwks": "JWT_JWKS",
  "jwt.cookie": "JWT_COOKIE",
  "jwt.header": "JWT_HEADER",
  "jwt.issuer": "JWT_ISSUER",
  "jwt.audience": "JWT_AUDIENCE",
  "jwt.claim": "JWT_CLAIM",
  assets: "ASSETS",
};

/** What the process runs with. */
export interface Process {
  readonly options: Options;
  readonly host: string;
  readonly port: number;
  readonly trusted: readonly string[];
}

/** Reads the variables. Throws `BadSetting` that names every bad one. */
export function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): Process {
  const all = new Gathered();
  const given = valuesOf(environment, all);
  const options = optionsOf(given, all);
  all.try(() => settle(options), null);
  const read = {
    options,
    host: given("host") ?? "127.0.0.1",
    port: all.try(() => whole("port", given("port") ?? "8001", 0, 65_535), 0),
    trusted: all.try(() => trustedIn(list(given("trusted") ?? "")), []),
  };
  all.check((option) => {
    const variable = VARIABLES[option];
    if (variable === undefined) return option;
    const plain = `${PREFIX}${variable}`;
    return !environment[plain]?.trim() && environment[`${plain}_FILE`] ? `${plain}_FILE` : plain;
  });
  return read;
}

function trustedIn(networks: readonly string[]): readonly string[] {
  trustedOf(networks);
  return networks;
}

type Given = (option: string) => string | undefined;

function valuesOf(
  environment: Readonly<Record<string, string | undefined>>,
  all: Gathered,
): Given {
  const known = new Set(Object.values(VARIABLES));
  const values = new Map<string, string>();
  const read = (variable: string, text: string) => {
    let name = variable.slice(PREFIX.length);
    let value = text.trim();
    if (!known.has(name) && name.endsWith("_FILE") && SECRETS.includes(name.slice(0, -5))) {
      if (value === "") return;
      name = name.slice(0, -5);
      const plain = environment[PREFIX + name]?.trim();
      if (plain) throw bad(variable, `and ${PREFIX}${name} are both set; keep one`);
      value = contents(variable, value);
    }
    if (!known.has(name)) throw bad(variable, "is not a setting; docs/proxy.md lists them");
    if (value !== "") values.set(name, value);
  };
  for (const [variable, text] of Object.entries(environment).sort()) {
    if (!variable.startsWith(PREFIX) || text === undefined) continue;
    all.try(() => read(variable, text), undefined);
  }
  return (option) => values.get(VARIABLES[option] ?? "");
}

function contents(variable: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw bad(variable, `can't be read (${(error as Error).message})`);
  }
}

function optionsOf(given: Given, all: Gathered): Options {
  const jwt = jwtOf(given, all);
  return defined({
    token: given("token") ?? "",
    secret: given("secret") ?? "",
    api: given("api"),
    base: given("base"),
    store: given("store"),
    platform: given("platform"),
    origin: given("origin"),
    secure: given("secure") as Options["secure"],
    timeout: all.try(() => seconds("timeout", given("timeout")), undefined),
    tokens: all.try(() => optional("tokens", given("tokens"), 1, 1e7), undefined),
    newSessions: all.try(() => optional("newSessions", given("newSessions"), 0, 1e6), undefined),
    platformSecret: given("platformSecret"),
    platformShop: given("platformShop"),
    jwt: Object.keys(jwt).length > 0 ? jwt : undefined,
    asset: assetIn(given("assets")),
  });
}

function jwtOf(given: Given, all: Gathered): NonNullable<Options["jwt"]> {
  const jwks = given("jwt.jwks");
  return defined({
    key: given("jwt.key"),
    jwks: all.try(
      () => (jwks === undefined || /^https?:\/\//.test(jwks) ? jwks : keySetIn(jwks)),
      undefined,
    ),
    cookie: given("jwt.cookie"),
    header: given("jwt.header"),
    issuer: given("jwt.issuer"),
    audience: given("jwt.audience"),
    claim: given("jwt.claim"),
  });
}

function keySetIn(file: string): () => Promise<KeySet> {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(found) || !Array.isArray(found["keys"])) throw new Error("it has no `keys`");
  } catch (error) {
    throw bad("jwt.jwks", `is no address and no key set (${(error as Error).message})`);
  }
  return async () => JSON.parse(await readFile(file, "utf8")) as KeySet;
}

/** Reads the browser library from a folder; the repository's own where none is named. */
function assetIn(named: string | undefined): () => Promise<string | null> {
  const folder = named ?? fileURLToPath(new URL("../../src/wishwell/browser", import.meta.url));
  return () => readFile(path.join(folder, "wishwell.js"), "utf8").catch(() => null);
}

function whole(option: string, text: string | undefined, least: number, most: number): number {
  const value = /^[0-9]{1,12}$/.test(text ?? "") ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw bad(option, `must be a whole number from ${least} to ${most}`);
}

function optional(option: string, text: string | undefined, least: number, most: number) {
  return text === undefined ? undefined : whole(option, text, least, most);
}

function seconds(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text)) {
    return text === undefined ? undefined : Number(text);
  }
  throw bad(option, "must be a number of seconds");
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without what is undefined: options that are absent, not empty. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}
