/** The reverse proxies in front whose X-Forwarded headers count. */
import { BlockList, isIP } from "node:net";
import { bad } from "./errors.js";
/** The rule of these addresses and networks. Throws `BadSetting`. */
export function trustedOf(networks) {
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
    return (text) => {
        const address = plain(text);
        const version = isIP(address);
        return version !== 0 && known.check(address, version === 6 ? "ipv6" : "ipv4");
    };
}
/** Who a request comes from: the first, from the right, that is no trusted proxy; null for none. */
export function shopperOf(peer, forwarded, trusts) {
    const hops = [...(forwarded ?? "").split(","), peer].map((hop) => plain(hop.trim()));
    const address = hops.reverse().find((hop) => !trusts(hop)) ?? "";
    return isIP(address) === 0 ? null : counted(address);
}
/** What counts as one address: of IPv6 the /64, as a client has all of it. */
function counted(address) {
    if (isIP(address) !== 6)
        return address;
    const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
    const groups = head.split(":").filter((group) => group !== "");
    const more = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
    return [...groups, ...Array(more).fill("0")].slice(0, 4).join(":");
}
/** Without the zone of an IPv6 address, which may be any text, and without a mapping from IPv4. */
function plain(address) {
    return (address.split("%")[0] ?? "").replace(/^::ffff:(?=[0-9.]+$)/i, "");
}
