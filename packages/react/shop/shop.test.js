// The packages of `make packages` in a shop: they install, render on a server, and their types hold what
// the documents show. The snippets are written to snippets/, to be looked at when one fails.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const project = join(here, '../../..');
const packages = await Promise.all(
  ['elements', 'react', 'proxy'].map(async (folder) => {
    const { name, version } = JSON.parse(
      await readFile(join(project, 'packages', folder, 'package.json'), 'utf8'),
    );
    return join(project, `build/${name.slice(1).replace('/', '-')}-${version}.tgz`);
  }),
);

/** @param {string} cwd @param {string} program @param {string[]} args */
function run(cwd, program, ...args) {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    assert.fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  }
}
const npm = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
  run(cwd, 'npm', ...args, '--no-audit', '--no-fund', '--silent');
const tsc = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
  run(cwd, process.execPath, join(here, 'node_modules/typescript/bin/tsc'), ...args);

before(async () => {
  await rm(join(here, 'snippets'), { recursive: true, force: true }); // of an earlier run
  npm(here, 'install', '--no-save', '--no-package-lock', ...packages);
});

test('a server of the shop renders with the installed packages', () => {
  const page = `
    import { createWishlist } from '@wishwell/browser';
    import { WishlistButton, WishlistProvider } from '@wishwell/react';
    import { createElement as h } from 'react';
    import { renderToString } from 'react-dom/server';
    const heart = h(WishlistButton, { productId: 1 });
    console.log(renderToString(h(WishlistProvider, { wishlist: createWishlist() }, heart)));`;
  const html = run(here, process.execPath, '--input-type=module', '--eval', page);
  assert.equal(html, '<wishlist-button product-id="1"></wishlist-button>\n');
});

test('a server of the shop forwards with the installed package', async () => {
  const server = `
    import { forward } from '@wishwell/proxy';
    import { express } from '@wishwell/proxy/express';
    const options = { api: 'http://127.0.0.1:1', token: 't' };
    const request = new Request('http://shop.example/apps/wishlist/api/items');
    console.log((await forward(request, options)).status, typeof express(options));`;
  const printed = run(here, process.execPath, '--input-type=module', '--eval', server);
  assert.equal(printed, '503 function\n');
  await mkdir(join(here, 'snippets'), { recursive: true });
  await writeFile(
    join(here, 'snippets/proxy.ts'),
    `import { forward, type Options } from '@wishwell/proxy';
    // @ts-expect-error
    export const wrong: Options = { api: 'http://127.0.0.1:1' };
    export const answer: Promise<Response> = forward(new Request('http://shop.example'), {
      api: 'http://127.0.0.1:1',
      token: 't',
    });`,
  );
  tsc(here);
});

/** The code of a document's fenced blocks, by a file's name: that of a comment at its top, if it has one. */
async function snippets(/** @type {string} */ path) {
  const text = await readFile(join(project, path), 'utf8');
  return [...text.matchAll(/^```(js|jsx|ts|tsx)\n(.*?)^```/gms)].map(([, language, code], at) => [
    code.match(/^\/\/ (\S+\.\w+)\n/)?.[1] ?? `${path.replace(/\W/g, '-')}-${at}.${language}`,
    code,
  ]);
}

test('every snippet of the documents has right types, with React 19 and 18', async () => {
  const folder = join(here, 'snippets');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const all = [
    ...(await snippets('docs/browser.md')),
    ...(await snippets('packages/react/README.md')),
  ];
  assert.ok(all.length > 10, `${all.length}`);
  for (const [name, code] of all) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), code);
  }
  tsc(here);

  // Next knows React 19 only.
  const ours = all
    .filter(([name, code]) => name.endsWith('x') && !/'next\b/.test(code))
    .map(([name]) => name);
  assert.ok(ours.length > 3, `${ours}`);
  const react18 = {
    extends: '../tsconfig.json',
    compilerOptions: {
      paths: {
        react: ['../node_modules/@types/react-18'],
        'react/*': ['../node_modules/@types/react-18/*'],
      },
    },
    files: ['../ambient.d.ts', ...ours],
    include: [],
  };
  await writeFile(join(folder, 'react-18.json'), JSON.stringify(react18));
  tsc(here, '-p', 'snippets/react-18.json');
});

test('what is wrong is refused: in the component, in JSX, in an event', async () => {
  const folder = join(here, 'snippets');
  await mkdir(folder, { recursive: true });
  const code = `
    import { WishlistButton } from '@wishwell/react';
    // @ts-expect-error
    export const one = <WishlistButton match="product" />;
    // @ts-expect-error
    export const two = <wishlist-button product-id="1" match="colour" />;
    // @ts-expect-error
    document.addEventListener('wishlist-change', ({ detail }) => detail.nothing);
    document.addEventListener('wishlist-change', ({ detail }) => detail.saved);`;
  await writeFile(join(folder, 'wrong.tsx'), code);
  tsc(here);
});

test('the library needs neither React nor its types', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'wishwell-shop-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  npm(folder, 'install', packages[0]);
  await writeFile(join(folder, 'page.ts'), `export { createWishlist } from '@wishwell/browser';\n`);
  const options = '--noEmit --strict --skipLibCheck false --module nodenext --target es2022';
  tsc(folder, ...options.split(' '), 'page.ts');
});
