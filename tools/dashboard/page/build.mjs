// node build.mjs OUT [CPP]
//
// Bundles src/ into the folder OUT (index.html, assets/, manifest.json, the notices of the libraries'
// licences) and, if CPP is named, writes the same files as C++ for tools/dashboard/page_files.hpp.
// Fails where the first paint, the bar and the tab Run, is heavier than its limit.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { writeCpp } from './embed.mjs';
import { collectNotices } from './notices.mjs';

const kFirstPaintLimit = 60_000; // bytes, gzipped
const here = fileURLToPath(new URL('.', import.meta.url));
const [out, cpp] = process.argv.slice(2);

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const zip = (bytes) => gzipSync(bytes, { level: 9 });

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'assets'), { recursive: true });

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { main: 'src/main.tsx', style: 'src/style/style.css' },
  outdir: join(out, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true, splitting: true, format: 'esm', minify: true, metafile: true,
  target: ['es2022'], jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none', logLevel: 'warning',
});

// file names of the bundles, and which of them the first paint needs
const bundles = Object.entries(metafile.outputs).map(([path, o]) => ({ name: path.split('/').pop(), path, ...o }));
const main = bundles.find((b) => b.entryPoint === 'src/main.tsx');
const style = bundles.find((b) => b.entryPoint === 'src/style/style.css');
const first = new Set([main.name, style.name]);
const follow = (bundle) => {
  for (const i of bundle.imports) {
    const name = i.path.split('/').pop();
    if (i.kind !== 'import-statement' || first.has(name)) continue;
    first.add(name);
    follow(bundles.find((b) => b.name === name));
  }
};
follow(main);

const notices = Buffer.from(collectNotices(metafile, here));
const noticeName = `licences-${hash(notices)}.txt`;
writeFileSync(join(out, 'assets', noticeName), notices);

const preload = [...first].filter((n) => n.endsWith('.js') && n !== main.name)
  .map((n) => `<link rel="modulepreload" href="/assets/${n}">`).join('');
const page = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('%STYLE%', style.name).replace('%MAIN%', main.name)
  .replace('%LICENCES%', noticeName).replace('%PRELOAD%', preload);
writeFileSync(join(out, 'index.html'), page);

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', txt: 'text/plain; charset=utf-8' };
const files = [{ path: '/', type: 'text/html; charset=utf-8', raw: Buffer.from(page) }];
for (const name of readdirSync(join(out, 'assets')).sort()) {
  const raw = readFileSync(join(out, 'assets', name));
  files.push({ path: `/assets/${name}`, type: types[name.split('.').pop()], raw });
}
for (const f of files) Object.assign(f, { gzip: zip(f.raw), etag: `"${hash(f.raw)}"` });

const sizes = Object.fromEntries(files.map((f) => [f.path, { raw: f.raw.length, gzip: f.gzip.length }]));
const firstPaint = [...first].map((n) => `/assets/${n}`).concat('/').reduce((sum, p) => sum + sizes[p].gzip, 0);
writeFileSync(join(out, 'manifest.json'),
  JSON.stringify({ firstPaint, firstPaintLimit: kFirstPaintLimit, first: [...first], sizes }, null, 1));
if (cpp) {
  mkdirSync(dirname(cpp), { recursive: true });
  writeFileSync(cpp, writeCpp(files));
}
console.log(`page: first paint ${(firstPaint / 1000).toFixed(1)} kB gzipped of ${kFirstPaintLimit / 1000}`);
if (firstPaint > kFirstPaintLimit) {
  console.error(`page: the first paint is too heavy: ${firstPaint} bytes, at most ${kFirstPaintLimit} expected`);
  process.exit(1);
}
