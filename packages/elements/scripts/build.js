// Builds the scripts that the service serves, src/wishwell/browser/, each also compressed, and dist/ for
// npm.
// With --check it writes nothing, and fails when a committed script is not what the sources make
// or is larger than it may be.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';

const root = new URL('..', import.meta.url);
const scripts = new URL('../../src/wishwell/browser/', root);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

/**
 * Bundles no script into another: the browser loads them by their names.
 * @type {import('esbuild').Plugin}
 */
const apart = {
  name: 'apart',
  setup(build) {
    /** @type {Record<string, string>} */
    const names = {
      './share.js': './share.js',
      './script.js': './wishwell.js',
      './choose.js': './choose.js',
      './events.js': './events.js',
      './left.js': './left.js',
      './bulk.js': './bulk.js',
      './page-share.js': './page-share.js',
      './toast.js': './toast.js',
      './sign-in.js': './sign-in.js',
      './visitor.js': './visitor.js',
      './engine.js': './texts.js',
    };
    build.onResolve({ filter: /^\.\/[a-z]{2}\.js$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./texts-${path.slice(2)}`, external: true } : undefined,
    );
    build.onResolve(
      {
        filter:
          /^\.\/(share|script|choose|events|left|bulk|page-share|sign-in|visitor|toast|engine)\.js$/,
      },
      ({ path, kind }) => {
        const inside = kind === 'import-statement' && /share|sign-in|events/.test(path);
        return inside ? undefined : { path: names[path], external: true };
      },
    );
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
    tsconfigRaw: {
      compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true },
    },
    banner: { js: `/*! Wishwell ${version} | Apache-2.0 */` },
  });
  return result.outputFiles[0].text;
}

// Properties that only the library's own modules use: they get short names.
const INTERNAL =
  /^(asking|ask|become|changed|discard|emit|era|lookUp|memory|overtaken|post|questions|read|root|send|service|somebody|takeIn|tell|wish|matching|writtenSince|watchers|told|wishes|shown|written|clock|news|show|forget|known|tries|repeatable|alike|product|done|scope|device|hooks|met|prove|confirm|asked|first|counted|restore|added|again|seen|sent)$/;

/** @param {string} source */
async function smallest(source) {
  /** @type {import('terser').MinifyOptions} */
  const options = {
    module: true,
    compress: {
      passes: 5,
      ecma: 2020,
      unsafe_arrows: true,
      unsafe_methods: true,
      keep_fargs: false,
    },
    format: { comments: /^!/ },
  };
  const { code } = await minify(source, options);
  // Line ends in styles.
  return code?.replace(/(?<=[;{},])\\n(?=[-:@.[\w*])/g, '') + '\n';
}

// By default, brotli is at its best.
/** @param {string} text */
const brotli = (text) => brotliCompressSync(text);
/** @param {string} text */
const gzipped = (text) => gzipSync(text, { level: 9 });
/**
 * What is written of a script, and how it is read: another zlib may pack it in another way.
 * @type {[suffix: string, pack: typeof gzipped, unpack: (file: Buffer) => Buffer][]}
 */
const FORMS = [
  ['', (text) => Buffer.from(text), (file) => file],
  ['.br', brotli, brotliDecompressSync],
  ['.gz', gzipped, gunzipSync],
];

// Every language but English, which is built into the scripts.
const languages = (await readdir(new URL('src/texts/', root)))
  .filter((file) => /^[a-z]{2}\.ts$/.test(file) && file !== 'en.ts')
  .map((file) => file.slice(0, 2));
const LANGUAGE = 2176; // bytes: 2.1 kB
const PAGE = 15360; // 15 kB, with English

/** @type {[name: string, entry: string, largest: number, mangle?: RegExp][]} */
const SCRIPTS = [
  ['wishwell.js', 'src/script.ts', 7967, INTERNAL], // 7.78 kB
  ['share.js', 'src/share-script.ts', 2560], // 2.5 kB
  ['toast.js', 'src/toast.ts', 3328], // 3.25 kB
  ['texts.js', 'src/texts/engine.ts', 1229], // 1.2 kB
  ['page.js', 'src/page-script.ts', PAGE],
  ['page-share.js', 'src/page-share.ts', 2048], // 2 kB
  ['wanted.js', 'src/wanted-script.ts', 1434], // 1.4 kB
  ['choose.js', 'src/choose.ts', 3532], // 3.45 kB
  ['events.js', 'src/events.ts', 512], // 0.5 kB
  ['left.js', 'src/left.ts', 768], // 0.75 kB
  ['bulk.js', 'src/bulk.ts', 512], // 0.5 kB
  ['sign-in.js', 'src/sign-in.ts', 768], // 0.75 kB
  ['visitor.js', 'src/visitor.ts', 1024], // 1 kB
  ['analytics.js', 'src/analytics-script.ts', 1024], // 1 kB
  ...languages.map(
    (name) =>
      /** @type {[string, string, number]} */ ([
        `texts-${name}.js`,
        `src/texts/${name}.ts`,
        LANGUAGE,
      ]),
  ),
];
const check = process.argv.includes('--check');
await mkdir(scripts, { recursive: true });
const made = new Map();
for (const [name, entry, largest, mangleProps] of SCRIPTS) {
  const text = await smallest(await bundle(entry, { minify: true, mangleProps }));
  made.set(name, text);
  const size = brotli(text).length;
  console.log(`${name}: ${text.length} bytes, ${size} with brotli (at most ${largest})`);
  if (size > largest) {
    console.error(`${name} is too large.`);
    process.exitCode = 1;
  }
  for (const [suffix, pack, unpack] of FORMS) {
    const file = new URL(name + suffix, scripts);
    if (!check) await writeFile(file, pack(text));
    else if (
      `${await readFile(file)
        .then(unpack)
        .catch(() => '')}` !== text
    ) {
      console.error(
        `src/wishwell/browser/${name}${suffix} is not what packages/elements/src makes: npm run build`,
      );
      process.exitCode = 1;
    }
  }
}

if (!check && !process.exitCode) {
  const dist = new URL('dist/', root);
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  await writeFile(new URL('index.js', dist), await bundle('src/index.ts'));
  await writeFile(new URL('share.js', dist), await bundle('src/share.ts'));
  await writeFile(new URL('page.js', dist), await bundle('src/page.ts'));
  await writeFile(new URL('page-share.js', dist), await bundle('src/page-share.ts'));
  await writeFile(new URL('wanted.js', dist), await bundle('src/wanted.ts'));
  await writeFile(new URL('choose.js', dist), await bundle('src/choose.ts'));
  await writeFile(new URL('events.js', dist), await bundle('src/events.ts'));
  await writeFile(new URL('left.js', dist), await bundle('src/left.ts'));
  await writeFile(new URL('bulk.js', dist), await bundle('src/bulk.ts'));
  await writeFile(new URL('sign-in.js', dist), await bundle('src/sign-in.ts'));
  await writeFile(new URL('visitor.js', dist), await bundle('src/visitor.ts'));
  await writeFile(new URL('toast.js', dist), await bundle('src/toast.ts'));
  await writeFile(new URL('texts-en.js', dist), await bundle('src/texts/english.ts'));
  for (const name of ['wishwell', 'texts', ...languages.map((language) => `texts-${language}`)]) {
    await writeFile(new URL(`${name}.js`, dist), made.get(`${name}.js`));
  }
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  const args = [tsc, '--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
  execFileSync(process.execPath, [...args, '--outDir', 'dist'], { cwd: root, stdio: 'inherit' });
  for (const types of ['api.d.ts', 'jsx.d.ts']) {
    await cp(new URL(`src/${types}`, root), new URL(types, dist));
  }
}
