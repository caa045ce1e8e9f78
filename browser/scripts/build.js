// Builds the script that the proxies serve, src/wishwell/browser/wishwell.js, and dist/ for npm.
// With --check it writes nothing, and fails when the committed script is not what the sources make
// or is larger than it may be.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';

const LARGEST = 6246; // bytes, gzipped: 6.1 kB
const root = new URL('..', import.meta.url);
const script = new URL('../src/wishwell/browser/wishwell.js', root);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

/** @param {string} entry @param {import('esbuild').BuildOptions} [more] */
async function bundle(entry, more) {
  const result = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    ...more,
    write: false,
    legalComments: 'none',
    banner: { js: `/*! Wishwell ${version} | Apache-2.0 */` },
  });
  return result.outputFiles[0].text;
}

// Of the objects that no other module sees; their names are nobody's business.
const INTERNAL =
  /^(asking|ask|become|changed|discard|emit|era|lookUp|memory|overtaken|post|questions|read|root|send|service|somebody|takeIn|tell|wish|matching|writtenSince|watchers|told|wishes|shown|written|clock|news|learn|show|forget|known|tries|repeatable|alike|product|done|scope)$/;

/** @param {string} source */
async function smallest(source) {
  /** @type {import('terser').MinifyOptions} */
  const options = {
    module: true,
    compress: { passes: 3, ecma: 2020, unsafe_arrows: true },
    format: { comments: /^!/ },
  };
  return (await minify(source, options)).code + '\n';
}

const text = await smallest(await bundle('src/script.ts', { minify: true, mangleProps: INTERNAL }));
const size = gzipSync(text, { level: 9 }).length;
console.log(`wishwell.js: ${text.length} bytes, ${size} gzipped (at most ${LARGEST})`);
if (size > LARGEST) {
  console.error('wishwell.js is too large.');
  process.exit(1);
}

if (process.argv.includes('--check')) {
  const committed = await readFile(script, 'utf8').catch(() => '');
  if (committed !== text) {
    console.error('src/wishwell/browser/wishwell.js is not what browser/src makes: npm run build');
    process.exit(1);
  }
} else {
  await mkdir(new URL('.', script), { recursive: true });
  await writeFile(script, text);

  const dist = new URL('dist/', root);
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  await writeFile(new URL('index.js', dist), await bundle('src/index.ts'));
  await writeFile(new URL('wishwell.js', dist), text);
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  const args = [tsc, '--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
  execFileSync(process.execPath, [...args, '--outDir', 'dist'], { cwd: root, stdio: 'inherit' });
  for (const types of ['api.d.ts', 'jsx.d.ts']) {
    await cp(new URL(`src/${types}`, root), new URL(types, dist));
  }
  await cp(new URL('../LICENSE', root), new URL('LICENSE', dist));
}
