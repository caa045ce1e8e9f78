// Builds dist/ for npm: the types, and one module without React and @wishwell/browser, which the shop
// installs itself. Fails when the module is too large.
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const LARGEST = 3072; // bytes, gzipped as a shop's bundler makes it: 3 kB
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** @param {boolean} minify */
async function bundle(minify) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    bundle: true,
    packages: 'external',
    tsconfigRaw: '{}', // the `paths` of ours would bundle the library
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    minify,
    write: false,
    // Frameworks with server components look for this in the first line.
    banner: { js: "'use client';" },
  });
  return result.outputFiles[0].text;
}

const size = gzipSync(await bundle(true), { level: 9 }).length;
console.log(`@wishwell/react: ${size} bytes gzipped (at most ${LARGEST})`);
if (size > LARGEST) {
  console.error('@wishwell/react is too large.');
  process.exit(1);
}

await rm(dist, { recursive: true, force: true });
// tsc writes the library's types too, in a folder beside ours.
const types = await mkdtemp(join(root, 'types-'));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const args = [
  tsc,
  '--noEmit',
  'false',
  '--declaration',
  '--emitDeclarationOnly',
  '--rootDir',
  '..',
];
try {
  execFileSync(process.execPath, [...args, '--outDir', types], { cwd: root, stdio: 'inherit' });
  await cp(join(types, 'react/src'), dist, { recursive: true });
} finally {
  await rm(types, { recursive: true });
}
await writeFile(join(dist, 'index.js'), await bundle(false));
