/** Requests to the API on Node's own client, with kept connections. */
import http from "node:http";
import https from "node:https";
import { Unreached } from "./errors.js";
// Less than the API's own 30 s, so that an idle connection is closed on this side first.
const kept = { keepAlive: true, timeout: 20_000 };
const agents = { "http:": new http.Agent(kept), "https:": new https.Agent(kept) };
/** A kept connection ended before the first byte of an answer. */
class Stale extends Error {
}
/**
 * As much of fetch as the proxy needs; it follows no redirect, and reads the whole answer. Rejects
 * with `Unreached` when no connection was made.
 */
export const nodeFetch = async (address, request) => {
    try {
        return await send(address, request, true);
    }
    catch (error) {
        if (!(error instanceof Stale))
            throw error;
        // Another kept connection may have ended too: the second time goes on one of its own.
        if (request.again)
            return send(address, request, false);
        throw error.cause;
    }
};
function send(address, { method, headers, body, signal }, keep) {
    const url = new URL(address);
    const secure = url.protocol === "https:";
    const options = {
        method,
        signal,
        agent: keep && agents[secure ? "https:" : "http:"],
        headers: { ...Object.fromEntries(headers), ...(body ? lengthOf(body) : none(method)) },
    };
    return new Promise((resolve, reject) => {
        let connected = false;
        let unread = () => false;
        const request = (secure ? https : http).request(url, options, (answer) => {
            const parts = [];
            answer.on("data", (part) => parts.push(part));
            answer.on("error", reject);
            answer.on("end", () => {
                const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
                const whole = Buffer.concat(parts);
                resolve({
                    status: answer.statusCode ?? 0,
                    type: "default",
                    headers: pairs,
                    arrayBuffer: async () => new Uint8Array(whole).buffer,
                });
            });
        });
        request.on("socket", (socket) => {
            const before = socket.bytesRead;
            unread = () => request.reusedSocket && socket.bytesRead === before;
            connected = request.reusedSocket;
            socket.once(secure ? "secureConnect" : "connect", () => (connected = true));
        });
        request.on("error", (error) => {
            const { message, code = "" } = error;
            if (!connected)
                reject(new Unreached(message || code, { cause: error }));
            else if (unread() && ["ECONNRESET", "EPIPE"].includes(code)) {
                reject(new Stale(message, { cause: error }));
            }
            else
                reject(error);
        });
        request.end(body);
    });
}
function lengthOf(body) {
    return { "content-length": Buffer.byteLength(body) };
}
function none(method) {
    return method === "GET" || method === "DELETE" ? {} : { "content-length": 0 };
}
