// node test/run_browser.mjs FILES...: runs tests in the browser, two files at a time: most of their time is waiting.
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const files = process.argv.slice(2).map((file) => resolve(file));
run({ files, concurrency: 2 })
  .on('test:fail', () => { process.exitCode = 1; })
  .compose(spec)
  .pipe(process.stdout);
