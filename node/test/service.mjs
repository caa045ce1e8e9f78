// The real service on a new database, for tests: started once a file, ended with it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const WISHWELL = process.env.WISHWELL_TEST_COMMAND ?? path.join(ROOT, ".venv/bin/wishwell");
export const SECRET = "the-secret-of-these-tests-is-long-enough";
export const BIN = path.join(ROOT, "node/bin/wishwell-proxy.mjs");

/** A program that prints `{"event":"listening","url":…}`, and what it printed. */
export async function started(command, args, env, cwd) {
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const lines = [];
  const errors = [];
  child.stderr.setEncoding("utf8").on("data", (text) => errors.push(text));
  const ended = once(child, "exit");
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      const entry = line.startsWith("{") ? JSON.parse(line) : {};
      if (entry.event === "listening") resolve(entry.url);
    });
    void ended.then(([code]) => reject(new Error(`${command} ended with ${code}: ${errors.join("")}`)));
  });
  const stop = async (signal = "SIGTERM") => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  return { url, lines, errors, stop };
}

/** The service, with an admin token of its store; limits high enough for tests. */
export async function startService() {
  if (!existsSync(WISHWELL)) throw new Error(`${WISHWELL} is not there: run \`make check\` first`);
  const folder = mkdtempSync(path.join(tmpdir(), "wishwell-node-"));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    WISHWELL_PORT: "0",
    WISHWELL_LIMIT_PROFILE_WRITE: "100000",
    WISHWELL_LIMIT_PROFILE_READ: "100000",
  };
  const cli = (...words) =>
    execFileSync(WISHWELL, words, { env, cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
  const program = await started(WISHWELL, ["serve"], env, folder);
  const token = cli("token", "create", "--store", "default", "--label", "proxy");
  const close = async () => {
    await program.stop();
    rmSync(folder, { recursive: true });
  };
  const api = (pathname, init = {}) => fetch(`${program.url}/api/2025-04${pathname}`, init);
  return { url: program.url, token, cli, api, close };
}
