// The page in a browser, against `kagami tune` with the virtual robot. KAGAMI_PROGRAM names the program; runs when
// KAGAMI_PAGE_REAL is 1.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { curveMoves, gainIs, launch, open, setGain, shot, stateIs, stopAndConfirm, tab, tickOf } from './pages.mjs';

const program = process.env.KAGAMI_PROGRAM;
const skip = process.env.KAGAMI_PAGE_REAL !== '1' ? 'runs with KAGAMI_PAGE_REAL=1' : !program || !hasDashboard(program) ? 'no program with a dashboard to test against' : false;
const kKp = 'pid/left_knee/kp';
const run = promisify(execFile);

function hasDashboard(file) {
  try {
    return execFileSync(file, ['tune', '--help'], { encoding: 'utf8' }).includes('--port');
  } catch {
    return false;
  }
}

let browser;
let folder;
let tune;

/** Starts `kagami tune` and waits for the address it prints; port 0 is any. */
async function startTune(port = 0) {
  const out = join(folder, `run${Date.now()}`);
  const child = spawn(program, ['tune', 'walk_forward', '--on', 'stand', '--controller', 'pid', '--port', String(port), '--token', 'secret',
    '--out', out, '--clock', 'virtual'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, XDG_DATA_HOME: folder } });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said += data;
      const found = /http:\/\/\S+#token=\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`kagami tune ended with ${code}: ${said}`)));
  });
  return { child, url, out, said: () => said };
}

/** Ends it as Ctrl-C does; answers the exit code. */
async function end({ child }) {
  if (child.exitCode !== null) return child.exitCode;
  const code = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGINT');
  return code;
}

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'kagami-page-'));
  browser = await launch();
  tune = await startTune();
});
after(async () => {
  if (skip) return;
  await browser?.close();
  if (tune) await end(tune);
  rmSync(folder, { recursive: true, force: true });
});

test('robot and twin play a motion; a gain is applied at a tick, undone, switched; STOP is confirmed; the record re-executes', { skip }, async (t) => {
  const { page, context, faults, hosts } = await open(browser, tune.url);
  await page.waitForSelector('button:has-text("Play"):enabled');
  await page.check('.transport input[type=checkbox]');
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await curveMoves(page, 'measured');
  await curveMoves(page, 'twin');
  await page.waitForSelector('.view3d canvas');
  await shot(page, 'real-run');

  await tab(page, 'tune');
  await page.waitForSelector(`[data-gain="${kKp}"]`);
  const start = await page.inputValue(`[data-gain="${kKp}"] input[type=number]`);
  const tick = tickOf(await setGain(page, kKp, 4.2));
  t.diagnostic(`applied at tick ${tick}`);
  await page.locator('body').press('Control+z');
  await gainIs(page, kKp, start);
  await page.locator('body').press('Control+Shift+z');
  await gainIs(page, kKp, 4.2);
  await page.click('button:has-text("→ A")');
  await page.waitForSelector('.notice:has-text("Stored as set A")');
  await page.click('.switch button:has-text("B")');
  await page.waitForSelector('.switch button[aria-pressed=true]:has-text("B")');
  await page.click('.switch button:has-text("A")');
  await page.waitForSelector('.switch button[aria-pressed=true]:has-text("A")');
  await gainIs(page, kKp, 4.2);
  assert.match(await setGain(page, kKp, 1e6), /Rejected/);
  await shot(page, 'real-tune');
  for (const id of ['compare', 'bus', 'sessions']) {
    await tab(page, id);
    await page.waitForSelector(`#view > .${id}`);
    await page.waitForTimeout(600);   // for the picture
    await shot(page, `real-${id}`);
  }

  await stopAndConfirm(page);
  await stateIs(page, 'hold');
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(tune.url).host], 'no outside host is contacted');
  await context.close();
  await end(tune);
  const record = join(tune.out, 'run.mcap');
  const { stdout } = await run(program, ['verify', record]);
  t.diagnostic(stdout.trim().split('\n')[0]);
  tune = null;
});

test('the server is lost and comes back on the same address: the page goes on', { skip }, async () => {
  const first = await startTune();
  const { page, context } = await open(browser, first.url);
  await page.waitForSelector('button:has-text("Play"):enabled');
  const gone = new Promise((resolve) => first.child.on('exit', resolve));
  first.child.kill('SIGKILL');
  await gone;
  await stateIs(page, 'LOST');
  await page.waitForSelector('.confirmed.bad:has-text("NOT confirmed")');
  tune = await startTune(new URL(first.url).port);
  await page.waitForSelector('button:has-text("Play"):enabled');
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await curveMoves(page, 'twin');
  await context.close();
});
