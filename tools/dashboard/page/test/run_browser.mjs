// node test/run_browser.mjs FILES...: runs tests in the browser, two files at a time: most of their time is waiting.
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const files = process.argv.slice(2).map((file) => resolve(file));
let passed = 0;
process.exitCode = 1;   // until all is well: a run that ends early, or of nothing, has failed
let failed = 0;
run({ files, concurrency: 2 })
  .on('test:pass', () => { ++passed; })
  .on('test:fail', () => { ++failed; })
  .compose(new spec())
  .on('end', () => { if (passed > 0 && failed === 0) process.exitCode = 0; })
  .pipe(process.stdout);
