// The page in a browser against `kagami tune` with the virtual robot: from the start to the record.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { changesOf, kHostileName, makeFolder, newestRecord, startTune, verify, whyNot } from './kagami_tune.mjs';
import { curveMoves, gainIs, launch, open, seriousFaults, setGain, shot, playUntilRunning, stateIs, stopAndConfirm, tab, tickOf } from './pages.mjs';

const skip = whyNot();
const kKp = 'pid/left_knee/kp';
let browser;
let own;
before(async () => {
  if (skip) return;
  own = makeFolder(process.env.KAGAMI_MOTIONS);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  own?.remove();
});

test('play, turn, test, autotune, stop: what the page shows is in the record, and the record re-executes', { skip }, async (t) => {
  const tune = await startTune(own.folder);
  t.after(() => tune.kill());
  const { page, context, faults, hosts } = await open(browser, tune.url);

  // robot and twin play a motion
  await page.waitForSelector('button:has-text("Play"):enabled');
  await page.check('.transport label:has-text("Loop") input');
  await playUntilRunning(page);
  await curveMoves(page, 'measured');
  await curveMoves(page, 'twin');
  await page.waitForSelector('.view3d canvas');
  assert.equal(await page.locator('.sparks li').count(), 17);
  await shot(page, 'real-run');

  // a gain is applied at a tick, undone, done again; sets are switched while the robot moves
  await tab(page, 'tune');
  await page.waitForSelector(`[data-gain="${kKp}"]`);
  const start = await page.inputValue(`[data-gain="${kKp}"] input[type=number]`);
  const tick = tickOf(await setGain(page, kKp, 4.2));
  await page.waitForSelector(`.history li:has-text("tick ${tick}"):has-text("left_knee/kp = 4.2")`);
  await page.locator('body').press('Control+z');
  await gainIs(page, kKp, start);
  await page.locator('body').press('Control+Shift+z');
  await gainIs(page, kKp, 4.2);
  await page.click('button:has-text("→ A")');
  await page.waitForSelector('.notice:has-text("Stored as set A")');
  for (const [set, value] of [['B', start], ['A', '4.2']]) {
    await page.click(`.switch button:has-text("${set}")`);
    await page.waitForSelector(`.switch button[aria-pressed=true]:has-text("${set}")`);
    await gainIs(page, kKp, value);
  }
  assert.match(await setGain(page, kKp, 1e6), /Rejected/);

  // the joint is tested on the twin, then tuned
  await page.click('.tests button:has-text("Test on twin")');
  await page.waitForSelector('.tests tbody tr:has-text("#1 step")');
  assert.match(await page.locator('.tests tbody tr').first().textContent(), /\d+ ms/);
  await page.selectOption('select[aria-label="Method of autotune"]', { label: 'by relay' });
  await page.click('.tests button:has-text("Autotune")');
  await page.waitForSelector('dialog table');
  const row = await page.locator('dialog tr:has(td:text-matches("(^|/)kp$"))').textContent();
  await shot(page, 'real-autotune');
  await page.click('dialog button:text-is("Accept")');
  await page.waitForSelector('.notice:has-text("Accepted, applied at tick")');
  const tuned = Number(/applied at tick (\d+)/.exec(await page.locator('.notice').textContent())[1]);
  t.diagnostic(`kp applied at tick ${tick}, autotune (${row}) at tick ${tuned}`);
  await shot(page, 'real-tune');
  assert.deepEqual(await seriousFaults(page), [], 'Tune, light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForSelector('html[data-theme=dark]');
  assert.deepEqual(await seriousFaults(page, ['color-contrast']), [], 'Tune, dark');
  for (const id of ['compare', 'bus', 'sessions']) {
    await tab(page, id);
    await page.waitForSelector(`#view > .${id}`);
    await page.waitForTimeout(300);   // data for the picture; nothing depends on it
    await shot(page, `real-${id}-dark`);
  }

  await page.click('.corner button:has-text("Events")');
  await page.waitForSelector('.events li');
  await shot(page, 'real-events-dark');
  await stopAndConfirm(page);
  await stateIs(page, 'hold');
  const policy = (await fetch(tune.url)).headers.get('content-security-policy');
  assert.match(policy, /script-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/, 'no inline script, no other host');
  assert.equal(await page.locator('script:not([src])').count(), 0);
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(tune.url).host], 'no outside host is contacted');
  await context.close();

  // the record reproduces the run bit for bit
  await tune.end();
  const record = newestRecord(own.folder);
  const output = await verify(record);
  t.diagnostic(output);
  assert.match(output, /identical/);
  const sets = (await changesOf(record)).filter((change) => change.values.length > 0);
  const at = sets.findIndex((change) => change.tick === tick);
  assert.ok(at >= 0, `no set of values at tick ${tick}, only at ${sets.map((c) => c.tick)}`);
  assert.ok(sets[at].applied);
  const turned = sets[at].values.filter((value, i) => value !== sets[at + 1].values[i]);
  assert.deepEqual(turned, [4.2], 'one value is new, and the undo after it takes it back');
  assert.ok(sets.some((change) => change.tick === tuned && change.applied), 'what autotune found is in the record at its tick');
});

test('STOP held for two seconds releases, confirmed; the server stays, saves the gains and reports its end', { skip }, async (t) => {
  const tune = await startTune(own.folder);
  t.after(() => tune.kill());
  // without the token, and with a wrong one, the page reports that its STOP does not work
  const reader = await open(browser, tune.url.replace(/#.*/, ''), { flat: true });
  await reader.page.waitForSelector('[data-banner=no-token]:has-text("STOP does not work")');
  await reader.context.close();
  const stranger = await open(browser, tune.url.replace(/token=.*/, 'token=guess'), { flat: true });
  await stranger.page.waitForSelector('[data-banner=refused]:has-text("This address has expired")');
  await stranger.context.close();

  const { page, context, faults } = await open(browser, tune.url, { flat: true });
  await page.click('button:has-text("Play"):enabled');
  await stateIs(page, 'running');
  await tab(page, 'tune');
  const tick = tickOf(await setGain(page, kKp, 4.4));
  const state = (name) => page.locator(`[data-gain="${name}"] .state`).textContent();
  assert.equal(await state('pid/left_knee/ki'), 'in force since tick 0');
  await page.reload();
  await page.waitForSelector(`[data-gain="${kKp}"] .state:has-text("in force since tick ${tick}")`);
  const stop = await page.locator('button.stop').boundingBox();
  await page.mouse.move(stop.x + 20, stop.y + 20);
  await page.mouse.down();
  await stateIs(page, 'released');
  await page.mouse.up();
  await page.waitForSelector('.confirmed.good:has-text("Release confirmed at tick")');
  await page.click('[data-banner=released] button:has-text("Save the gains")');
  await page.fill('dialog input >> nth=0', 'after_release');
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('.notice:has-text("after_release.json")');
  assert.ok(existsSync(join(own.folder, 'kagami', 'gains', 'after_release.json')));
  assert.equal(tune.child.exitCode, null, 'the program goes on');
  await shot(page, 'real-released');
  const code = await tune.end();
  await page.waitForSelector('.confirmed:has-text("The run has ended: stopped; the servos are released, all boards confirmed")');
  await stateIs(page, 'ended');
  assert.equal(code, 130);
  assert.deepEqual(faults, []);
  await context.close();
  assert.match(await verify(newestRecord(own.folder)), /identical/);
});

/** Presses "Test on robot" until a test has completed; returns its row of the table. A test is aborted where
    the page is not felt for 0.2 s, and a busy machine lets that happen. */
async function testOnRobot(page, t) {
  const row = page.locator('.tests tbody tr:has-text("#1 step, robot") td').first();
  for (let press = 1; press <= 20; ++press) {
    await page.click('.tests button.moves:enabled');
    await page.waitForSelector('.tests button.moves:enabled:not(:has-text("Moving"))');
    if (await row.count() > 0) return row.getAttribute('title');
    const output = await page.locator('.notice').textContent();
    assert.match(output, /aborted/);
    t.diagnostic(output);
  }
  assert.fail('no test came to its end');
}

test('the server is lost and comes back; a joint is tested on the robot; a hostile name stays a text; records are compared, verified, exported', { skip }, async (t) => {
  const first = await startTune(own.folder);
  t.after(() => first.kill());
  const { page, context, faults } = await open(browser, first.url, { flat: true });
  await page.waitForSelector('button:has-text("Play"):enabled');
  await first.kill();
  await stateIs(page, 'LOST');
  await page.waitForSelector('.confirmed.bad:has-text("NOT confirmed")');
  const again = await startTune(own.folder, new URL(first.url).port);
  t.after(() => again.kill());
  await page.waitForSelector('button:has-text("Play"):enabled');

  // the robot holds, so a joint can be tested on it: it moves, within the run
  await tab(page, 'tune');
  const [, from, to] = /ticks (\d+) to (\d+) of the record/.exec(await testOnRobot(page, t));
  await page.waitForSelector('[data-state="hold"]');
  await shot(page, 'real-robot-test');
  await tab(page, 'run');
  await page.selectOption('.transport select', kHostileName);
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await curveMoves(page, 'twin');
  await page.waitForFunction((name) => document.querySelector('.transport select').selectedOptions[0].textContent === name, kHostileName);
  assert.equal(await page.locator('img, .transport b').count(), 0, 'no element came of a name');
  assert.equal(await page.title(), 'Kagami');

  // the record of the first test is compared; that of the killed server is verified and made whole
  const name = basename(dirname(newestRecord(own.folder, -3)));
  const cut = basename(dirname(newestRecord(own.folder, -2)));
  await tab(page, 'compare');
  await page.selectOption('select[aria-label="Record A"]', name);
  await page.click('.records button:text-is("Compare")');
  await page.waitForSelector('.records tbody tr:nth-child(17)');
  await shot(page, 'real-records');
  await tab(page, 'sessions');
  await page.click(`.sessions button:text-is("${cut}")`);
  await page.click('.actions button:text-is("Verify")');
  await page.waitForSelector('.outcome.good:has-text("Identical")');
  await page.click('.actions button:text-is("Export MCAP")');
  await page.waitForSelector('.outcome.good:has-text("export.mcap")');
  await shot(page, 'real-sessions');

  // meanwhile the motion that was chosen first has been checked
  await tab(page, 'run');
  await page.selectOption('.transport select', 'walk_forward');
  await page.waitForSelector('.transport .tag', { timeout: 90_000 });
  assert.deepEqual(faults, []);
  await context.close();
  await again.end();
  const output = await verify(newestRecord(own.folder));
  t.diagnostic(`test on the robot at ticks ${from} to ${to}; ${output}`);
  assert.match(output, /identical/);
  assert.ok(Number(to) - Number(from) >= 1000 && Number(to) < Number(/(\d+) ticks/.exec(output)[1]), 'a step of 1.5 s at 1 kHz, within the record');
});
