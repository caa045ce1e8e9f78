import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { routeOf, targetOf } from "../dist/allowed.js";
import { cookiesOf } from "../dist/cookie.js";
import { Fault, Gone, Refused } from "../dist/errors.js";
import { createProxy } from "../dist/index.js";
import { judgeOf } from "../dist/jwt.js";
import { settle } from "../dist/settings.js";
import { fromBase64url, signerOf, toBase64url } from "../dist/signing.js";
import { tokensOf } from "../dist/tokens.js";
import { customerGid, whoOf } from "../dist/who.js";

const SECRET = "s".repeat(32);
const OLDER = "o".repeat(32);
const SESSION = "gid://wishwell/Session/2f6bba3e-6a3a-4a0c-9b5e-0d9c4f1f2a33";
const NOW = 1_800_000_000;
const REQUIRED = { token: "wwadm_0123456789abcdef", secret: SECRET };
const b64 = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const mac = (key, text, form = "base64url") => createHmac("sha256", key).update(text).digest(form);

// --- paths -----------------------------------------------------------------------------------

test("paths of the contract have their methods", () => {
  assert.deepEqual(routeOf("items").methods, ["GET", "HEAD", "POST", "DELETE"]);
  assert.deepEqual(routeOf("lists/a-1/items/order").methods, ["PUT"]);
  assert.equal(routeOf("items/a-1").path, "/api/2025-04/items/a-1");
});

for (const below of [
  "", "items/", "items//", "items/.", "items/..", "items/%41", "items/a\\b", "items/a/b", "Items",
  "profiles/token", "items/" + "a".repeat(65), "items/a_b", "lists/a/items", "items\n", ".well-known/openapi",
]) {
  test(`path ${JSON.stringify(below)} is nothing`, () => assert.equal(routeOf(below), null));
}

test("targets are taken as they were sent", () => {
  assert.deepEqual(targetOf("/a/../b?x=1?y#z"), { path: "/a/../b", query: "x=1?y#z" });
  assert.deepEqual(targetOf("https://shop.example/a?b"), { path: "/a", query: "b" });
  assert.deepEqual(targetOf("/a#b"), { path: "/a", query: "#b" });
});

// --- the cookie ------------------------------------------------------------------------------

const jar = cookiesOf([signerOf(SECRET), signerOf(OLDER)], "north");
const cookieOf = (content, key = SECRET, store = "north") => {
  const payload = b64(content);
  return `${payload}.${mac(key, `cookie\n${store}\n${payload}`)}`;
};
const good = { s: SESSION, t: NOW - 60, v: 1 };
const read = (value) => jar.read(`a=b; wishwell=${value}`, false, NOW);

test("a cookie is what the contract says, byte for byte", async () => {
  const line = await jar.set(SESSION, true, NOW);
  const value = cookieOf(`{"s":"${SESSION}","t":${NOW},"v":1}`);
  assert.equal(
    line,
    `__Host-wishwell=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=7776000; Secure`,
  );
  assert.equal(jar.removal(false), "wishwell=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
});

test("a cookie with spaces in its JSON, or of an older secret, is a visitor's", async () => {
  const visitor = { kind: "visitor", session: SESSION, ageing: false };
  assert.deepEqual(await read(cookieOf(`{"s": "${SESSION}", "t": ${NOW}, "v": 1}`)), visitor);
  assert.deepEqual(await read(cookieOf(good, OLDER)), visitor);
});

test("a cookie ages after a day, and ends after 90", async () => {
  const at = async (age) => read(cookieOf({ ...good, t: NOW - age }));
  assert.equal((await at(86_400)).ageing, false);
  assert.equal((await at(86_401)).ageing, true);
  assert.equal((await at(90 * 86_400)).kind, "visitor");
  assert.equal((await at(90 * 86_400 + 1)).kind, "unusable");
  assert.equal((await at(-301)).kind, "unusable");
});

const whole = cookieOf(good);
/** The same bytes in base64url with the spare bits of the last character set. */
const respelled = whole.slice(0, -1) + String.fromCharCode(whole.charCodeAt(whole.length - 1) + 1);
for (const [what, value] of Object.entries({
  "another secret's": cookieOf(good, "x".repeat(32)),
  "another store's": cookieOf(good, SECRET, "south"),
  padded: whole + "=",
  quoted: `"${whole}"`,
  respelled,
  "cut off": whole.slice(0, -1),
  empty: "",
  "without signature": whole.split(".")[0],
  "a customer's": cookieOf({ ...good, s: "gid://shopify/Customer/7" }),
  "of another version": cookieOf({ ...good, v: 2 }),
  "with more fields": cookieOf({ ...good, x: 1 }),
  "without a time": cookieOf({ s: SESSION, v: 1 }),
  "no object": cookieOf([1]),
  "no JSON": cookieOf("nonsense"),
  twice: `${whole}; wishwell=${whole}`,
})) {
  test(`a cookie that is ${what} is nobody's`, async () => {
    assert.deepEqual(await read(value), { kind: "unusable" });
  });
}

test("the respelled signature does mean the same bytes", () => {
  const bytes = (value) => Buffer.from(value.split(".")[1], "base64url").toString("hex");
  assert.equal(bytes(respelled), bytes(whole));
  assert.equal(fromBase64url(respelled.split(".")[1]), null);
});

test("a cookie of the other name is no cookie", async () => {
  assert.deepEqual(await jar.read(`wishwell=${whole}`, true, NOW), { kind: "none" });
  assert.deepEqual(await jar.read(`__Host-wishwell=${whole}`, false, NOW), { kind: "none" });
  assert.deepEqual(await jar.read(null, false, NOW), { kind: "none" });
});

// --- who -------------------------------------------------------------------------------------

const APP = "the app's secret";
const signedQuery = (parameters, key = APP) => {
  const pairs = Object.entries(parameters).map(([name, value]) => [name, [value].flat()]);
  const text = pairs.map(([name, values]) => `${name}=${values.join(",")}`).sort().join("");
  const query = new URLSearchParams(pairs.flatMap(([name, values]) => values.map((one) => [name, one])));
  return `${query}&signature=${mac(key, text, "hex")}`;
};
const asked = { shop: "a.example", path_prefix: "/apps/wishlist", timestamp: `${NOW - 10}` };
const platform = whoOf(settle({ ...REQUIRED, platformSecret: APP, platformShop: "a.example" }));
const refused401 = (error) => error instanceof Refused && error.status === 401;

test("the platform's signed query names a customer, or nobody", async () => {
  const of = (more) => platform.signed(signedQuery({ ...asked, ...more }), NOW);
  assert.equal(await of({ logged_in_customer_id: "7" }), "gid://shopify/Customer/7");
  assert.equal(await of({ logged_in_customer_id: "" }), null);
  assert.equal(await of({ "é ü+&=": "ß", many: ["b", "a"], query: "product:1" }), null);
});

for (const [what, query] of Object.entries({
  missing: "limit=1",
  "another key's": signedQuery(asked, "another secret"),
  "too old": signedQuery({ ...asked, timestamp: `${NOW - 301}` }),
  "too far ahead": signedQuery({ ...asked, timestamp: `${NOW + 61}` }),
  "without a time": signedQuery({ shop: "a.example" }),
  "of another shop": signedQuery({ ...asked, shop: "b.example" }),
  "without a shop": signedQuery({ timestamp: asked.timestamp }),
  "upper case": signedQuery(asked).replace(/[0-9a-f]+$/, (hex) => hex.toUpperCase()),
  "there twice": `${signedQuery(asked)}&signature=00`,
  "followed by more": `${signedQuery(asked)}&limit=1`,
  "of two customers": signedQuery({ ...asked, logged_in_customer_id: ["7", "8"] }),
  "of no customer id": signedQuery({ ...asked, logged_in_customer_id: "7/8" }),
})) {
  test(`a platform's signature that is ${what} is refused`, async () => {
    await assert.rejects(platform.signed(query, NOW), refused401);
  });
}

test("a query that the platform signed for nobody can't be cut into a customer's", async () => {
  // What a stranger asks the platform to sign, with the text of other parameters inside a value …
  const inside = `1logged_in_customer_id=7path_prefix=/xshop=a.exampletimestamp=${NOW - 5}zz=`;
  const honest = { a: inside, logged_in_customer_id: "", ...asked };
  assert.equal(await platform.signed(signedQuery({ logged_in_customer_id: "", ...asked }), NOW), null);
  const signature = signedQuery(honest).split("signature=")[1];
  // … and how it is cut after that: the same text, another meaning.
  const tail = `logged_in_customer_id=path_prefix=/apps/wishlistshop=a.exampletimestamp=${NOW - 10}`;
  const forged = new URLSearchParams({
    a: "1", logged_in_customer_id: "7", path_prefix: "/x", shop: "a.example",
    timestamp: `${NOW - 5}`, zz: tail, signature,
  });
  assert.ok(forged.toString().includes("logged_in_customer_id=7&"));
  await assert.rejects(platform.signed(forged.toString(), NOW), refused401);
});

test("customers are ids, or GIDs of the platform", () => {
  assert.equal(customerGid("a_B-9", "acme"), "gid://acme/Customer/a_B-9");
  assert.equal(customerGid("gid://acme/Customer/7", "acme"), "gid://acme/Customer/7");
  assert.equal(customerGid(7, "acme"), "gid://acme/Customer/7");
  for (const wrong of ["", "a b", "gid://shop/Customer/7", SESSION, "x".repeat(65), 1.5, null, {}, "7\n"]) {
    assert.equal(customerGid(wrong, "acme"), null);
  }
});

test("the shop's own word goes before the platform's and the JWT's", async () => {
  const who = whoOf(settle({ ...REQUIRED, customer: () => "own" }));
  const request = new Request("http://shop.example/");
  assert.equal(await who.customer(request, undefined, "gid://shopify/Customer/7", NOW), "gid://shopify/Customer/own");
  assert.equal(await who.customer(request, "told", null, NOW), "gid://shopify/Customer/told");
  assert.equal(await who.customer(request, null, null, NOW), null);
});

// --- the JWT ---------------------------------------------------------------------------------

const hs256 = (claims, key = SECRET, head = { alg: "HS256", typ: "JWT" }) => {
  const text = `${b64(head)}.${b64(claims)}`;
  return `${text}.${mac(key, text)}`;
};
const claims = { sub: "7", exp: NOW + 60, iss: "shop", aud: ["wishlist", "other"] };
const jwtOptions = { key: SECRET, header: "x-shop-token", cookie: "shop_token", issuer: "shop", audience: "wishlist" };

test("a good HS256 token gives its claims", async () => {
  const judge = judgeOf({ ...jwtOptions, claim: "sub" }, 1);
  assert.deepEqual(await judge(hs256(claims), NOW), claims);
});

const { exp: _exp, ...endless } = claims;
for (const [what, token] of Object.entries({
  expired: hs256({ ...claims, exp: NOW }),
  "not yet good": hs256({ ...claims, nbf: NOW + 5 }),
  "without an end": hs256(endless),
  "another key's": hs256(claims, OLDER),
  "of another issuer": hs256({ ...claims, iss: "else" }),
  "for another audience": hs256({ ...claims, aud: "else" }),
  "of no algorithm": `${b64({ alg: "none" })}.${b64(claims)}.`,
  "of another algorithm": hs256(claims, SECRET, { alg: "HS512" }),
  "of public keys": hs256(claims, SECRET, { alg: "RS256", kid: "a" }),
  "with a critical extension": hs256(claims, SECRET, { alg: "HS256", crit: ["b64"], b64: false }),
  padded: hs256(claims) + "=",
  "of four parts": hs256(claims) + ".x",
  "of no parts": "nonsense",
})) {
  test(`a JWT that is ${what} is wrong in its header, and nobody in its cookie`, async () => {
    const who = whoOf(settle({ ...REQUIRED, jwt: jwtOptions }));
    const ask = (headers) =>
      who.customer(new Request("http://shop.example/", { headers }), undefined, null, NOW);
    await assert.rejects(ask({ "x-shop-token": `Bearer ${token}` }), refused401);
    assert.equal(await ask({ cookie: `shop_token=${token}` }), null);
    assert.equal(await ask({ cookie: `shop_token=${hs256(claims)}` }), "gid://shopify/Customer/7");
    assert.equal(await ask({ "x-shop-token": hs256(claims) }), "gid://shopify/Customer/7");
    assert.equal(await ask({}), null);
  });
}

const ALGORITHMS = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
};

async function keyPair(alg, kid, more = {}) {
  const pair = await crypto.subtle.generateKey({ ...ALGORITHMS[alg], ...more }, true, ["sign", "verify"]);
  const jwk = { ...(await crypto.subtle.exportKey("jwk", pair.publicKey)), kid, alg, use: "sig" };
  const sign = async (content, head = { alg, kid }) => {
    const text = `${b64(head)}.${b64(content)}`;
    const bytes = await crypto.subtle.sign(ALGORITHMS[alg], pair.privateKey, Buffer.from(text));
    return `${text}.${toBase64url(new Uint8Array(bytes))}`;
  };
  return { jwk, sign };
}

for (const alg of ["RS256", "ES256"]) {
  test(`${alg}: the key that kid names, and only for its algorithm`, async () => {
    const [one, two] = [await keyPair(alg, "one"), await keyPair(alg, "two")];
    const judge = judgeOf({ jwks: { keys: [one.jwk, two.jwk] }, claim: "sub" }, 1);
    assert.deepEqual(await judge(await two.sign(claims), NOW), claims);
    assert.equal(await judge(await two.sign(claims, { alg, kid: "one" }), NOW), null);
    assert.equal(await judge(await two.sign(claims, { alg, kid: "three" }), NOW), null);
    assert.equal(await judge(await two.sign(claims, { alg }), NOW), null);
    assert.equal(await judge(await two.sign(claims, { alg: "HS256", kid: "two" }), NOW), null);
    // The public key as a shared secret: the oldest of tricks.
    const text = `${b64({ alg: "HS256", kid: "two" })}.${b64(claims)}`;
    assert.equal(await judge(`${text}.${mac(JSON.stringify(two.jwk), text)}`, NOW), null);
  });
}

test("a key that is too short for RS256 is no key", async () => {
  const weak = await keyPair("RS256", "weak", { modulusLength: 1024 });
  const judge = judgeOf({ jwks: { keys: [weak.jwk] }, claim: "sub" }, 1);
  assert.equal(await judge(await weak.sign(claims), NOW), null);
});

test("a key set is read once, and again for an unknown kid at most once a minute", async () => {
  const [one, two] = [await keyPair("ES256", "one"), await keyPair("ES256", "two")];
  let reads = 0;
  let keys = [one.jwk];
  const jwks = async () => {
    reads += 1;
    return { keys };
  };
  const judge = judgeOf({ jwks, claim: "sub" }, 1);
  const long = { ...claims, exp: NOW + 9999 };
  const [first, second] = [await one.sign(long), await two.sign(long)];
  await Promise.all([judge(first, NOW), judge(first, NOW)]);
  assert.equal(reads, 1);
  keys = [one.jwk, two.jwk];
  assert.equal(await judge(second, NOW + 59), null);
  assert.equal(reads, 1);
  assert.deepEqual(await judge(second, NOW + 60), long);
  assert.equal(reads, 2);
});

test("without any keys nobody is judged: 503", async () => {
  const one = await keyPair("ES256", "one");
  const jwks = async () => {
    throw new Error("away");
  };
  const judge = judgeOf({ jwks, claim: "sub" }, 1);
  await assert.rejects(judge(await one.sign(claims), NOW), { status: 503 });
  assert.equal(await judge(await one.sign({ ...claims, exp: NOW }), NOW), null);
});

// --- tokens ----------------------------------------------------------------------------------

/** An endpoint for tokens that counts; `answers` may hold what it says first. */
function endpoint(lifetime = 86_400) {
  const clock = { now: NOW };
  const asked = [];
  const answers = [];
  const request = async (wanted) => {
    asked.push(wanted);
    await new Promise(setImmediate);
    if (answers.length > 0) return { headers: {}, body: "{}", ...answers.shift() };
    const profile = wanted.customer ?? wanted.session ?? SESSION;
    const token = `h.${b64({ exp: clock.now + lifetime, n: asked.length })}.s`;
    return { status: 201, headers: {}, body: JSON.stringify({ data: { token, profile } }) };
  };
  return { clock, asked, answers, request, now: () => clock.now };
}
const customer = (id) => `gid://shopify/Customer/${id}`;

test("one token at a time for each shopper, renewed five minutes before its end", async () => {
  const { clock, asked, answers, request, now } = endpoint();
  const tokens = tokensOf(request, 10, now);
  const both = await Promise.all([tokens.of(customer(1)), tokens.of(customer(1))]);
  assert.equal(both[0], both[1]);
  assert.deepEqual(asked, [{ customer: customer(1) }]);
  clock.now += 86_400 - 301;
  assert.equal(await tokens.of(customer(1)), both[0]);
  clock.now += 1;
  answers.push({ status: 503 });
  assert.equal(await tokens.of(customer(1)), both[0]);
  assert.notEqual(await tokens.of(customer(1)), both[0]);
  assert.equal(asked.length, 3);
});

test("the tokens of the last shoppers are kept", async () => {
  const { asked, request, now } = endpoint();
  const tokens = tokensOf(request, 2, now);
  for (const id of [1, 2, 1, 3, 1]) await tokens.of(customer(id));
  assert.equal(asked.length, 3);
  await tokens.of(customer(2));
  assert.equal(asked.length, 4);
});

test("a refused token is dropped, a newer one is not", async () => {
  const { asked, request, now } = endpoint();
  const tokens = tokensOf(request, 2, now);
  const first = await tokens.of(SESSION);
  tokens.drop(SESSION, first);
  await tokens.of(SESSION);
  tokens.drop(SESSION, first);
  await tokens.of(SESSION);
  assert.equal(asked.length, 2);
});

test("a session that is gone, a fault and a refusal are told apart", async () => {
  const { answers, request, now } = endpoint();
  const tokens = tokensOf(request, 2, now);
  answers.push({ status: 404 }, { status: 429 }, { status: 500 }, { status: 401 }, { status: 201 });
  await assert.rejects(tokens.of(SESSION), Gone);
  await assert.rejects(tokens.of(SESSION), Fault);
  await assert.rejects(tokens.link(customer(1), SESSION), Fault);
  await assert.rejects(tokens.of(SESSION), { status: 503 });
  await assert.rejects(tokens.of(SESSION), { status: 503 });
});

// --- settings --------------------------------------------------------------------------------

for (const [setting, options] of Object.entries({
  token: { token: "" },
  secret: { secret: "short" },
  api: { api: "ftp://host" },
  base: { base: "apps" },
  store: { store: "a\nb" },
  platform: { platform: "Shopify" },
  origin: { origin: "https://shop.example/path" },
  secure: { secure: "yes" },
  timeout: { timeout: 0 },
  tokens: { tokens: 1.5 },
  platformShop: { platformShop: "a" },
  "jwt.key": { jwt: { key: "short", cookie: "a" } },
  "jwt.jwks": { jwt: { jwks: "file", cookie: "a" } },
  "jwt.cookie": { jwt: { key: SECRET } },
  "jwt.issuer": { jwt: { issuer: "a" } },
  "jwt.header": { jwt: { key: SECRET, header: "a b" } },
})) {
  test(`a bad ${setting} is named`, () => {
    assert.throws(() => createProxy({ ...REQUIRED, ...options }), { name: "BadSetting", setting });
  });
}
