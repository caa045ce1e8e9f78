// Builds the scripts that the service serves, src/wishwell/browser/, and dist/ for npm.
// With --check it writes nothing, and fails when a committed script is not what the sources make
// or is larger than it may be.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';

const root = new URL('..', import.meta.url);
const scripts = new URL('../src/wishwell/browser/', root);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

/**
 * Bundles neither script into the other: the browser loads them by their names.
 * @type {import('esbuild').Plugin}
 */
const apart = {
  name: 'apart',
  setup(build) {
    /** @type {Record<string, string>} */
    const names = { './share.js': './share.js', './script.js': './wishwell.js' };
    build.onResolve({ filter: /^\.\/(share|script)\.js$/ }, ({ path, kind }) => {
      const inside = kind === 'import-statement' && path === './share.js';
      return inside ? undefined : { path: names[path], external: true };
    });
  },
};

/** @param {string} entry @param {import('esbuild').BuildOptions} [more] */
async function bundle(entry, more) {
  const result = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    plugins: [apart],
    ...more,
    write: false,
    legalComments: 'none',
    banner: { js: `/*! Wishwell ${version} | Apache-2.0 */` },
  });
  return result.outputFiles[0].text;
}

// Properties that only the library's own modules use: they get short names.
const INTERNAL =
  /^(asking|ask|become|changed|discard|emit|era|lookUp|memory|overtaken|post|questions|read|root|send|service|somebody|takeIn|tell|wish|matching|writtenSince|watchers|told|wishes|shown|written|clock|news|show|forget|known|tries|repeatable|alike|product|done|scope)$/;

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

/** @type {[name: string, entry: string, largest: number, mangle?: RegExp][]} */
const SCRIPTS = [
  ['wishwell.js', 'src/script.ts', 6348, INTERNAL], // bytes, gzipped: 6.2 kB
  ['share.js', 'src/share-script.ts', 2458], // 2.4 kB
];
const check = process.argv.includes('--check');
await mkdir(scripts, { recursive: true });
const made = new Map();
for (const [name, entry, largest, mangleProps] of SCRIPTS) {
  const text = await smallest(await bundle(entry, { minify: true, mangleProps }));
  made.set(name, text);
  const size = gzipSync(text, { level: 9 }).length;
  console.log(`${name}: ${text.length} bytes, ${size} gzipped (at most ${largest})`);
  if (size > largest) {
    console.error(`${name} is too large.`);
    process.exitCode = 1;
  }
  const script = new URL(name, scripts);
  if (!check) await writeFile(script, text);
  else if ((await readFile(script, 'utf8').catch(() => '')) !== text) {
    console.error(`src/wishwell/browser/${name} is not what browser/src makes: npm run build`);
    process.exitCode = 1;
  }
}

if (!check && !process.exitCode) {
  const dist = new URL('dist/', root);
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  await writeFile(new URL('index.js', dist), await bundle('src/index.ts'));
  await writeFile(new URL('share.js', dist), await bundle('src/share.ts'));
  for (const [name, text] of made)
    if (name !== 'share.js') await writeFile(new URL(name, dist), text);
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  const args = [tsc, '--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
  execFileSync(process.execPath, [...args, '--outDir', 'dist'], { cwd: root, stdio: 'inherit' });
  for (const types of ['api.d.ts', 'jsx.d.ts']) {
    await cp(new URL(`src/${types}`, root), new URL(types, dist));
  }
  await cp(new URL('../LICENSE', root), new URL('LICENSE', dist));
}
