/** The reverse proxies in front whose X-Forwarded headers count. */

import { BlockList, isIP } from "node:net";

import { bad } from "./errors.js";

/** Whether an address is that of a trusted proxy. */
export type Trusted = (address: string) => boolean;

/** The rule of these addresses and networks. Throws `BadSetting`. */
export function trustedOf(networks: readonly string[]): Trusted {
  // Each version has a list of its own: one of both takes 10.0.0.1 for an address of ::/0.
  const known = { 4: new BlockList(), 6: new BlockList() };
  for (const network of networks) {
    const [address, length, ...more] = network.split("/");
    const version = isIP(address ?? "");
    const bits = length ?? (version === 6 ? "128" : "32");
    const fine = /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
    if (version === 0 || !fine || more.length > 0 || address === undefined) {
      throw bad("trusted", "must be networks such as 10.0.0.0/8, separated by commas");
    }
    if (version === 6) known[6].addSubnet(address, Number(bits), "ipv6");
    else known[4].addSubnet(address, Number(bits), "ipv4");
  }
  return (text) => {
    const address = plain(text);
    const version = isIP(address);
    return version === 6 ? known[6].check(address, "ipv6") : version === 4 && known[4].check(address);
  };
}

/** Who a request comes from: the first, from the right, that is no trusted proxy; null for none. */
export function shopperOf(peer: string, forwarded: string | undefined, trusts: Trusted): string | null {
  // An empty element of a list is none (RFC 9110, 5.6.1).
  const named = (forwarded ?? "").split(",").map(trimmed).filter((hop) => hop !== "");
  const first = [...named, peer].reverse().find((hop) => !trusts(hop)) ?? "";
  const address = plain(first);
  return isIP(address) === 0 ? null : counted(address);
}

/** Without the white space that RFC 9110 (5.6.3) knows, and no other. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}

/** What counts as one address: of IPv6 the /64, as a client has all of it. */
function counted(address: string): string {
  return isIP(address) === 6 ? groupsOf(address).slice(0, 4).join(":") : address;
}

/** Without the zone of an IPv6 address, which may be any text, and without a mapping from IPv4. */
function plain(text: string): string {
  const address = text.split("%")[0] ?? "";
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return address;
  const pairs = groups.slice(6).map((group) => parseInt(group, 16));
  return pairs.flatMap((pair) => [pair >> 8, pair & 255]).join(".");
}

/** The eight groups of an IPv6 address, each without leading zeros. */
function groupsOf(address: string): string[] {
  // The parser of URLs writes them in lower case, and an IPv4 at the end as two.
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head.split(":").filter(Boolean);
  const after = tail.split(":").filter(Boolean);
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}
