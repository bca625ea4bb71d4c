// Bundles the unit tests, which import the page's TypeScript, for node: node test/bundle_tests.mjs OUT.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('./unit/', import.meta.url));
await build({
  entryPoints: readdirSync(here).filter((f) => f.endsWith('.test.ts')).map((f) => join(here, f)),
  outdir: process.argv[2], outExtension: { '.js': '.mjs' }, bundle: true, platform: 'node', format: 'esm', target: 'node18', logLevel: 'warning',
});
