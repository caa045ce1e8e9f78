// Fails when the committed JavaScript is not what the compiler makes of the TypeScript.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const fresh = mkdtempSync(path.join(tmpdir(), "wishwell-dist-"));
const contents = (folder) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));

try {
  const tsc = path.join(here, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "--project", here, "--outDir", fresh], { stdio: "inherit" });
  const [committed, built] = [contents(path.join(here, "dist")), contents(fresh)];
  const names = [...new Set([...committed.keys(), ...built.keys()])].sort();
  const stale = names.filter((name) => committed.get(name) !== built.get(name));
  if (stale.length > 0) {
    console.error(`dist/ is not what src/ makes; run npm run build: ${stale.join(", ")}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true });
}
