// The page in a browser, against a pretended server: what users do, and what goes wrong.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import axe from 'axe-core';
import { readFileSync } from 'node:fs';
import { startDouble } from '../double/double.mjs';
import { curveMoves, gainIs, gainRow, launch, open, scriptPerFrame, setGain, shot, stateIs, stopAndConfirm, tab, tickOf } from './pages.mjs';

const { KAGAMI_WWW: www, KAGAMI_URDF: urdf } = process.env;
const kKp = 'pid/left_knee/kp';
let browser;
let server;
before(async () => { browser = await launch(); });
beforeEach(async () => { server = await startDouble({ www, urdf }); });
afterEach(() => server.close());
after(() => browser?.close());

const visit = (options) => open(browser, `${server.url}#token=${server.token}`, options);

test('plays a motion: robot and twin move, all joints are drawn, the bar keeps up', async (t) => {
  const { page, context, faults, hosts } = await visit();
  await page.selectOption('.transport select', 'walk_forward');
  await page.check('.transport input[type=checkbox]');
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await curveMoves(page, 'measured');
  await curveMoves(page, 'twin');
  assert.equal(await page.locator('.sparks li').count(), 17);
  await page.waitForSelector('.view3d canvas');
  await page.waitForFunction(() => /\d Hz/.test(document.querySelector('.figures')?.textContent ?? ''));
  await page.waitForFunction(() => Number(document.documentElement.dataset.frames) >= 150);
  const { frameMedian, frameP95 } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  const own = await scriptPerFrame(page, context);
  t.diagnostic(`script per frame with 17 joints and 3D: ${own.toFixed(2)} ms of the processor; by the clock median ${frameMedian} ms, 95 % ${frameP95} ms`);
  await shot(page, 'run-light');
  await page.click('button:has-text("Pause")');
  await page.waitForSelector('button:has-text("Play")');
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(server.url).host], 'no outside host is contacted');
  assert.ok(!page.url().includes('token'), 'the token does not stay in the address');
  await context.close();
});

test('a gain is pending, then applied at a tick; undo, redo, sets and a refusal show what holds', async () => {
  const { page, context, faults } = await visit();
  await tab(page, 'tune');
  await gainIs(page, kKp, 5);
  const first = tickOf(await setGain(page, kKp, 4.2));
  assert.ok(first > 0);
  assert.equal(server.plant.gains.get(kKp), 4.2);
  await page.locator('body').press('Control+z');
  await gainIs(page, kKp, 5);
  await page.locator('body').press('Control+Shift+z');
  await gainIs(page, kKp, 4.2);
  await page.click('.switch button:has-text("B")');
  await gainIs(page, kKp, 5);
  await page.click('.switch button:has-text("A")');
  await gainIs(page, kKp, 4.2);
  await page.click('button:has-text("A ≠ B")');
  assert.match(await page.locator('dialog table').textContent(), /left_knee\/kp4\.25/);
  await page.click('dialog button:has-text("Close")');

  assert.match(await setGain(page, kKp, 700), /Rejected: expected 0 to 60/);
  assert.equal(server.plant.gains.get(kKp), 4.2);
  await page.reload();
  await tab(page, 'tune');
  await gainIs(page, kKp, 4.2);
  assert.match(await page.locator('.history').textContent(), new RegExp(`tick ${first}left_knee/kp = 4.2propose`), 'the list of changes survives a reload');
  assert.deepEqual(faults, []);
  await context.close();
});

test('steps, slider and keyboard change a gain in range', async () => {
  const { page, context } = await visit();
  await tab(page, 'tune');
  await gainIs(page, kKp, 5);
  await gainRow(page, kKp).locator('button:has-text("+")').click();
  await gainIs(page, kKp, 5.5);
  await gainRow(page, kKp).locator('button:has-text("−")').click({ modifiers: ['Shift'] });
  await gainIs(page, kKp, 5.45);
  const field = gainRow(page, kKp).locator('input[type=number]');
  await field.fill('7');
  server.announce();
  await page.waitForTimeout(200);
  assert.equal(await field.inputValue(), '7', 'what is being typed stays');
  await field.press('Enter');
  await gainIs(page, kKp, 7);
  const slider = gainRow(page, kKp).locator('input[type=range]');
  await slider.focus();
  await slider.press('End');
  await gainIs(page, kKp, 60);
  await slider.press('Home');
  await gainIs(page, kKp, 0);
  await context.close();
});

test('twin first: a draft waits, is tried, then promoted', async () => {
  const { page, context, faults } = await visit();
  await tab(page, 'tune');
  await gainIs(page, kKp, 5);
  await page.check('text=Twin first');
  assert.match(await setGain(page, kKp, 8), /draft, in force 5/);
  assert.equal(server.plant.gains.get(kKp), 5, 'a draft does not reach the robot');
  assert.ok(await page.isDisabled('.draft button:has-text("Promote")'));
  await page.click('button:has-text("Try on twin")');
  await page.waitForSelector('dialog:has-text("twins say")');
  await shot(page, 'tune-prediction');
  await page.click('dialog button:has-text("Close")');
  await page.click('.draft button:has-text("Promote to robot")');
  await gainRow(page, kKp).locator('.state.good').waitFor();
  assert.equal(server.plant.gains.get(kKp), 8);
  await page.uncheck('text=Twin first');
  assert.deepEqual(faults, []);
  await context.close();
});

test('the last five tests lie over each other with their gains; autotune is accepted or rejected', async () => {
  const { page, context, faults } = await visit({ colorScheme: 'dark' });
  await page.click('button:has-text("Play")');
  await tab(page, 'tune');
  for (const kp of [3, 5, 9, 14, 20, 30]) {
    await setGain(page, kKp, kp);
    await page.click('.tests button:text-is("Step")');
    await page.waitForSelector(`.tests figure .legend button:has-text("kp ${kp}")`);
  }
  assert.equal(await page.locator('.tests tbody tr').count(), 5);
  assert.match(await page.locator('.tests tbody tr').first().textContent(), /#6 step\s*\d+ ms/);
  await page.click('.tests th .i >> nth=0');
  assert.match(await page.locator('.tests [role=note]').first().textContent(), /10 % to 90 %/);
  await page.click('.tests h2');
  await shot(page, 'tune-dark');
  await page.click('button:has-text("Autotune")');
  await page.click('dialog button:has-text("Reject")');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.equal(server.plant.gains.get(kKp), 30);
  await page.click('button:has-text("Autotune")');
  await page.waitForSelector('dialog table');
  await shot(page, 'autotune-dark');
  await page.click('dialog button:text-is("Accept")');
  await gainIs(page, kKp, 9.4);
  assert.deepEqual(faults, []);
  await context.close();
});

test('unsaved gains are marked and leaving warns; saving is explicit', async () => {
  const { page, context } = await visit();
  await tab(page, 'tune');
  await setGain(page, kKp, 6);
  await page.waitForSelector('nav .dot');
  const asked = new Promise((resolve) => page.once('dialog', (d) => { resolve(d.type()); void d.dismiss(); }));
  await page.close({ runBeforeUnload: true });
  assert.equal(await asked, 'beforeunload');
  await page.click('button:has-text("Save …")');
  await page.fill('dialog input >> nth=0', 'knee_6');
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('.notice:has-text("Saved knee_6.json")');
  await page.waitForSelector('nav .dot', { state: 'detached' });
  await context.close();
});

test('STOP by Space, Esc and the button is confirmed with its tick; a space in a text is typed', async () => {
  const { page, context } = await visit();
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await stopAndConfirm(page);
  await stateIs(page, 'hold');
  await page.click('button:has-text("Play")');
  await page.waitForSelector('.confirmed:not(:has-text("Stop"))');
  await page.click('button.stop');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed at tick")');
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await tab(page, 'bus');
  await page.fill('.frames input[type=search]', '');
  await page.type('.frames input[type=search]', 'board 1');
  assert.equal(await page.inputValue('.frames input[type=search]'), 'board 1');
  assert.equal(server.plant.state, 'running', 'typing a space stops nothing');
  await page.locator('.frames input[type=search]').press('Escape');
  await stateIs(page, 'hold');
  await context.close();
});

test('a stop that the boards do not answer is shown as not confirmed, and the next press is the stronger one', async (t) => {
  const own = await startDouble({ www, urdf, autoplay: true });
  t.after(() => own.close());
  own.plant.confirms = false;
  const { page, context } = await open(browser, `${own.url}#token=${own.token}`);
  await stateIs(page, 'running');
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.bad:has-text("Stop NOT confirmed")');
  assert.equal(await page.locator('.confirmed.good').count(), 0);
  own.plant.confirms = true;
  assert.match(await page.locator('button.stop').textContent(), /at once/);
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed at tick")');
  assert.equal(own.stops.join(), 'slow,hold');
  await page.mouse.move(1200, 30);
  await page.mouse.down();   // held for two seconds
  await stateIs(page, 'released');
  await page.mouse.up();
  assert.equal(own.stops.at(-1), 'release');
  await context.close();
});

test('a service that refuses says why, calmly', async () => {
  const { page, context } = await visit();
  await page.selectOption('.transport select', 'somersault');
  await page.click('button:has-text("Play")');
  await page.waitForSelector('.notice:has-text("somersault")');
  await tab(page, 'compare');
  await page.selectOption('select[aria-label="Record A"]', { index: 1 });
  await page.click('.side button:text-is("Compare")');
  await page.waitForSelector('.calm:has-text("not there yet")');
  await context.close();
});

test('a page without the token reads, may stop, and may take over', async () => {
  const { page, context } = await open(browser, server.url);
  await page.waitForSelector('button:has-text("Take control")');
  await tab(page, 'tune');
  assert.match(await setGain(page, kKp, 7), /Rejected: .*only read/);
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed")');
  await page.click('button:has-text("Take control")');
  await page.waitForSelector('text=you control');
  await context.close();
});

test('plots: wheel, drag, fit, markers, hover, CSV and PNG', async () => {
  const { page, context } = await visit();
  await page.click('button:has-text("Play")');
  await curveMoves(page, 'measured');
  await tab(page, 'tune');
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
  await page.waitForSelector('.live .hint:text-is("live")');
  await page.click('.panel:has(> header h2:has-text("Gains")) button:has-text("Copy as CLI")');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^kagami tune --set left_knee\/kp=\S+ .*--step left_knee 10deg --json$/);
  await context.close();
});

test('the server goes away and comes back: LOST is shown, then everything goes on', async (t) => {
  const own = await startDouble({ www, urdf });
  t.after(() => own.close());
  const { page, context } = await open(browser, `${own.url}#token=${own.token}`);
  await stateIs(page, 'hold');
  await own.close();
  await stateIs(page, 'LOST');
  await page.waitForSelector('.confirmed.bad:has-text("NOT confirmed")');
  assert.ok(await page.isDisabled('button:has-text("Play")'));
  await page.locator('body').press('Space');
  await page.waitForSelector('.notice.bad:has-text("NOT confirmed")');
  await shot(page, 'lost');
  const again = await startDouble({ www, urdf, port: own.port });
  t.after(() => again.close());
  await stateIs(page, 'hold');
  await page.click('button:has-text("Play")');
  await curveMoves(page, 'twin');
  await context.close();
});

test('no serious fault of accessibility on any tab, light or dark', async () => {
  // only colours differ between the two
  const rules = { light: { resultTypes: ['violations'] }, dark: { resultTypes: ['violations'], runOnly: ['color-contrast'] } };
  for (const colorScheme of ['light', 'dark']) {
    const { page, context, faults } = await visit({ colorScheme });
    await page.click('button:has-text("Play")');
    await page.waitForSelector('.sparks li');
    for (const id of ['run', 'compare', 'tune', 'bus', 'sessions']) {
      await page.locator(`#tab-${id}`).focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector(`#tab-${id}[aria-selected=true]`);
      await page.waitForSelector(`#view > .${id}`);
      await page.waitForTimeout(400);   // data for the picture; nothing depends on it
      await shot(page, `${id}-${colorScheme}`);
      const result = await page.evaluate(`${axe.source}; axe.run(${JSON.stringify(rules[colorScheme])})`);
      const serious = result.violations.filter((v) => ['serious', 'critical'].includes(v.impact));
      assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ') + ' ' + n.failureSummary).join('; ')}`), [], `${id}, ${colorScheme}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!wide, `${id} is wider than the window`);
    }
    assert.deepEqual(faults, []);
    await context.close();
  }
});
