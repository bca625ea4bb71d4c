// Appearance in a browser, against a test double of the server: operation of the plots, every tab in light and dark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { pretended } from './pretended.mjs';
import { curveMoves, seriousFaults, shot, tab } from './pages.mjs';

const double = pretended();
const visit = double.visit;

test('plots: wheel, drag, fit, markers, hover, CSV and PNG', async () => {
  const { page, context } = await visit({}, 'tune');
  double.server.plant.state = 'running';
  await curveMoves(page, 'measured');
  const plot = page.locator('.live .canvas');
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 60);
  await page.mouse.wheel(0, -300);
  await page.waitForSelector('.live button:has-text("Follow live")');
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await plot.click({ position: { x: 200, y: 50 } });
  await plot.click({ position: { x: 300, y: 50 }, modifiers: ['Shift'] });
  assert.match(await page.locator('.live button:has-text("B − A")').textContent(), /B − A \d+ ms/);
  const [csv] = await Promise.all([page.waitForEvent('download'), page.click('.live button:text-is("CSV")')]);
  const lines = readFileSync(await csv.path(), 'utf8').trim().split('\n');
  assert.equal(lines[0], 't_s,command_deg,measured_deg,twin_deg');
  assert.ok(lines.length > 5);
  const [png] = await Promise.all([page.waitForEvent('download'), page.click('.live button:text-is("PNG")')]);
  assert.equal(readFileSync(await png.path()).subarray(1, 4).toString(), 'PNG');
  await plot.dblclick();
  await page.waitForSelector('.live .follows');
  await page.click('.panel:has(> header h2:has-text("Gains")) button:has-text("Copy as CLI")');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^kagami tune --set left_knee\/kp=\S+ .*--step left_knee 10deg --json$/);
  await context.close();
});

test('lost display frames are gaps: drawn, counted, and no part of an error', async () => {
  const { page, context } = await visit({}, 'compare');
  double.server.plant.state = 'running';
  double.server.plant.motion.loop = true;
  await page.waitForSelector('.table tbody tr:nth-child(17)');
  const knee = page.locator('.table tbody tr.chosen');
  const rms = async () => Number.parseFloat(await knee.locator('td').nth(1).textContent());
  await page.waitForFunction(() => Number.parseFloat(document.querySelector('.table tbody tr.chosen td:nth-child(2)').textContent) > 0.3);
  assert.equal(await page.locator('[data-gaps]').count(), 0);
  double.server.hub.losing = 30;   // a second of them, while the readings go on
  await page.waitForSelector('[data-gaps="1"]');
  const csv = async (button) => readFileSync(await (await Promise.all([page.waitForEvent('download'), page.click(button)]))[0].path(), 'utf8').trim().split('\n');
  double.server.hub.frozen = true;   // what is shown is the same from here on
  const [times, measured, twin] = [0, 2, 3];   // columns
  const rows = (await csv('.compare figure[aria-label="left knee"] button:text-is("CSV")')).slice(1).map((line) => line.split(','));
  const known = rows.filter((r) => r[twin] !== '').map((r) => Number(r[times]));
  const widest = Math.max(...known.map((t, i) => i === 0 ? 0 : t - known[i - 1]));
  assert.ok(widest > 0.9 && widest < 1.2, `the twin's curve has a gap of ${widest} s`);
  // the true error, over the same stretch, at the readings' times: what the server computed
  const error = (await csv('.compare figure[aria-label="Difference"] button:text-is("CSV")')).slice(1).map((line) => Number(line.split(',')[1]));
  const truth = Math.sqrt(error.reduce((s, e) => s + e * e, 0) / error.length);
  // the table is computed once a second
  const shows = async (expected) => {
    for (const end = Date.now() + 30_000; Math.abs(await rms() - expected) > 0.02;) {
      assert.ok(Date.now() < end, `${await rms()} shown, ${expected} true`);
      await page.waitForTimeout(100);
    }
  };
  await shows(truth);
  // shifted by 10 ms, the twin is read between its frames, but not over the gap
  const curve = (column) => rows.filter((r) => r[column] !== '').map((r) => [Number(r[times]), Number(r[column])]);
  const between = (points, t, gap) => {
    const i = points.findIndex(([x]) => x >= t);
    if (i < 1) return NaN;
    const [[t0, v0], [t1, v1]] = [points[i - 1], points[i]];
    return t1 - t0 > gap ? NaN : v0 + (v1 - v0) * (t - t0) / (t1 - t0);
  };
  const shifted = (gap) => {
    const errors = curve(measured).map(([t, v]) => between(curve(twin), t + 0.01, gap) - v).filter((e) => !Number.isNaN(e));
    return Math.sqrt(errors.reduce((s, e) => s + e * e, 0) / errors.length);
  };
  assert.ok(shifted(Infinity) > shifted(0.5) + 1, `over the gap ${shifted(Infinity)}, without it ${shifted(0.5)}`);
  await page.locator('.compare .table input[type=range]').fill('10');
  await shows(shifted(0.5));
  await shot(page, 'gap');
  await context.close();
});

test('one sign: simulated minus measured', async () => {
  const { page, context } = await visit({}, 'compare');
  await page.waitForSelector('.table tbody tr:nth-child(17)');
  // the pretended robot sags 0.6 degrees below its command, and is read in whole degrees: the elbow reads -1
  double.server.plant.state = 'running';
  const elbow = page.locator('.table tbody tr:has-text("L elbow") td').nth(3);
  await page.waitForFunction(() => /^0\.[3-9]|^1\.0/.test([...document.querySelectorAll('.table tbody tr')].find((r) => r.textContent.includes('L elbow'))?.children[3].textContent ?? ''));
  assert.match(await elbow.textContent(), /^[01]\.\d°/, 'the robot is lower: simulated minus measured is positive');
  await page.waitForSelector('figure[aria-label="Difference"] .legend button:has-text("simulated − measured")');
  await tab(page, 'run');
  await page.waitForSelector('.joints:has-text("simulated − measured")');
  await page.waitForSelector('.sparks li:has-text("L elbow") .error:text-matches("^1.0°")');
  await context.close();
});

test('records are compared, verified, exported; every drawing can be saved', async () => {
  const { page, context, faults } = await visit({}, 'compare');
  await page.waitForSelector('.heat canvas');
  await page.selectOption('select[aria-label="Record A"]', { index: 1 });
  await page.selectOption('select[aria-label="Record B"]', { index: 2 });
  await page.click('.records button:text-is("Compare")');
  await page.waitForSelector('.records tbody tr:nth-child(17)');
  assert.match(await page.locator('.records tbody tr').nth(1).textContent(), /L shoulder pitch0\.50°−0\.20°1\.4°0\.1°−21 ms× 1\.8/);
  assert.match(await page.locator('.records .shares').nth(1).getAttribute('title'), /offset 4 %, resolution of 1° \d+ %, motion \d+ %/);
  await shot(page, 'compare-records');
  const saved = async (button) => readFileSync(await (await Promise.all([page.waitForEvent('download'), page.click(button)]))[0].path());
  assert.match((await saved('.heat button:text-is("CSV")')).toString(), /^t_s,head_yaw,.*\n[\d.]+,/);
  assert.equal((await saved('.heat button:text-is("PNG")')).subarray(1, 4).toString(), 'PNG');
  await tab(page, 'bus');
  await page.waitForSelector('.answers svg');
  assert.match((await saved('.answers button:text-is("CSV")')).toString(), /^from_ms,count\n0,\d+\n0\.25,/);
  assert.equal((await saved('.answers button:text-is("PNG")')).subarray(1, 4).toString(), 'PNG');
  await page.selectOption('select[aria-label="Kind of request"]', 'board 0: read channel');
  await page.waitForSelector('.answers .histogram :text("mean 7")');   // 21 to 28 ms
  await page.waitForSelector('.periods .histogram :text("mean 67.1 ms")');   // as measured; of the bins' centres it is 66.8
  assert.match((await saved('.cycle button:text-is("CSV")')).toString(), /^at_ms,to_boards,bytes,meaning\n0,1,fd/);
  await tab(page, 'sessions');
  await page.click('.actions button:text-is("Verify")');
  await page.waitForSelector('.outcome.good:has-text("Identical, 8880 ticks")');
  await page.click('.actions button:text-is("Export CSV")');
  await page.waitForSelector('.outcome.good:has-text("export.csv")');
  await page.click('[aria-label="Copy as CLI: Verify"]');
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^kagami verify \/sessions\/\S+\/run\.mcap$/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('no serious fault of accessibility on any tab, light or dark', async () => {
  const { page, context, faults } = await visit({ flat: false });
  double.server.plant.state = 'running';
  await page.waitForSelector('.sparks li');
  for (const id of ['run', 'compare', 'tune', 'bus', 'sessions']) {
    await page.locator(`#tab-${id}`).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector(`#tab-${id}[aria-selected=true]`);
    await page.waitForSelector(`#view > .${id}`);
    await page.waitForTimeout(400);   // data for the picture; nothing depends on it
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.waitForSelector(`html[data-theme=${colorScheme}]`);
      await shot(page, `${id}-${colorScheme}`);
      // only colours differ between the two
      assert.deepEqual(await seriousFaults(page, colorScheme === 'dark' ? ['color-contrast'] : undefined), [], `${id}, ${colorScheme}`);
    }
    assert.ok(!await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), `${id} is wider than the window`);
  }
  assert.deepEqual(faults, []);
  await context.close();
});
