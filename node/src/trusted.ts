/** The reverse proxies in front whose X-Forwarded headers count. */

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

import { bad } from "./errors.js";

/** Whether the sender of a request is a trusted proxy. */
export type Trusted = (request: IncomingMessage) => boolean;

/** The rule of these addresses and networks. Throws `BadSetting`. */
export function trustedOf(networks: readonly string[]): Trusted {
  const known = new BlockList();
  for (const network of networks) {
    const [address, length, ...more] = network.split("/");
    const version = isIP(address ?? "");
    const bits = length ?? (version === 6 ? "128" : "32");
    const fine = /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
    if (version === 0 || !fine || more.length > 0 || address === undefined) {
      throw bad("trusted", "must be networks such as 10.0.0.0/8, separated by commas");
    }
    known.addSubnet(address, Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
  return (request) => {
    const address = (request.socket.remoteAddress ?? "").replace(/^::ffff:(?=[0-9.]+$)/i, "");
    const version = isIP(address);
    return version !== 0 && known.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}
