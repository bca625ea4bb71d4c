// The page's bar and tab Run in a browser, against a pretended server: play, STOP, who may, a server that goes away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDouble } from '../double/double.mjs';
import { pretended, urdf, www } from './pretended.mjs';
import { curveMoves, open, scriptPerFrame, setGain, shot, stateIs, stopAndConfirm, tab } from './pages.mjs';

const double = pretended();
const visit = double.visit;
const kKp = 'pid/left_knee/kp';

test('plays a motion: robot and twin move, all joints are drawn, the bar keeps up', async (t) => {
  const { page, context, faults, hosts } = await visit({ flat: false });
  await page.selectOption('.transport select', 'walk_forward');
  await page.check('.transport input[type=checkbox]');
  await page.click('button:has-text("Play")');
  await stateIs(page, 'running');
  await curveMoves(page, 'measured');
  await curveMoves(page, 'twin');
  assert.equal(await page.locator('.sparks li').count(), 17);
  await page.waitForSelector('.view3d canvas');
  await page.waitForFunction(() => /\d Hz/.test(document.querySelector('.figures')?.textContent ?? ''));
  await page.waitForFunction(() => Number(document.documentElement.dataset.frames) >= 30);
  const { frameMedian, frameP95 } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  const own = await scriptPerFrame(page, context);
  t.diagnostic(`script per frame with 17 joints and 3D: ${own.toFixed(2)} ms of the processor; by the clock median ${frameMedian} ms, 95 % ${frameP95} ms`);
  await shot(page, 'run-light');
  await page.click('button:has-text("Pause")');
  await page.waitForSelector('button:has-text("Play")');
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [new URL(double.server.url).host], 'no outside host is contacted');
  assert.ok(!page.url().includes('token'), 'the token does not stay in the address');
  await context.close();
});

test('STOP by Space, Esc and the button is confirmed with its tick; a space in a text is typed', async () => {
  const { page, context } = await visit({}, 'bus');
  const play = () => double.server.hub.services.play({}, { writer: true });
  play();
  await stateIs(page, 'running');
  await stopAndConfirm(page);
  await stateIs(page, 'hold');
  play();
  await page.waitForSelector('.confirmed:not(:has-text("Stop"))');
  await page.click('button.stop');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed at tick")');
  play();
  await stateIs(page, 'running');
  await page.fill('.frames input[type=search]', '');
  await page.type('.frames input[type=search]', 'board 1');
  assert.equal(await page.inputValue('.frames input[type=search]'), 'board 1');
  assert.equal(double.server.plant.state, 'running', 'typing a space stops nothing');
  await page.locator('.frames input[type=search]').press('Escape');
  await stateIs(page, 'hold');
  await context.close();
});

test('a stop that the boards do not answer is shown as not confirmed, and the next press is the stronger one', async (t) => {
  const own = await startDouble({ www, urdf, autoplay: true });
  t.after(() => own.close());
  own.plant.confirms = false;
  const { page, context } = await open(double.browser, `${own.url}#token=${own.token}&tab=bus`);
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

test('a service that refuses says why, calmly; a motion wears what its check found', async () => {
  const { page, context } = await visit();
  await page.waitForSelector('.transport .tag.good:text-is("checked")');
  await page.selectOption('.transport select', 'getup_back');
  const tag = page.locator('.transport .tag.warn:text-is("1 finding")');
  assert.match(await tag.getAttribute('title'), /amber: left knee: 310 deg\/s/);
  await page.selectOption('.transport select', 'somersault');
  await page.click('button:has-text("Play")');
  await page.waitForSelector('.notice:has-text("somersault")');
  await context.close();
});

test('events are listed newest first, filtered, counted; the bar says why the robot holds; what a name says stays a text', async () => {
  const { page, context, faults } = await visit({}, 'bus');
  await page.waitForSelector('.bus .frames td');
  const hostile = '<img src=x onerror="document.title=1">';
  double.server.hub.event(2, 'homing_done', 'The robot stands where the motion begins.');
  double.server.hub.event(4, 'overload', `Joint ${hostile} is overloaded.`);
  Object.assign(double.server.plant, { state: 'fault', reason: `Joint ${hostile} is overloaded.` });
  await page.waitForSelector('.bar .reason:has-text("is overloaded")');
  await page.waitForSelector('.corner .tag.bad:has-text("1")');
  await page.click('.corner button:has-text("Events")');
  await page.waitForSelector('.events li:nth-child(2)');
  assert.match(await page.locator('.events li').first().textContent(), /error: Joint <img src=x/);
  assert.equal(await page.locator('.corner .tag.bad').count(), 0, 'what was looked at is not counted');
  await shot(page, 'events');
  await page.fill('.events input', 'homing');
  await page.waitForFunction(() => document.querySelectorAll('.events li').length === 1);
  await page.fill('.events input', '');
  await page.selectOption('.events select', 'errors');
  await page.waitForFunction(() => document.querySelectorAll('.events li').length === 1);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.title(), 'Kagami');
  assert.deepEqual(faults, []);
  await context.close();
});

test('reverse and the rate of the display are asked for', async () => {
  const { page, context } = await visit();
  await page.click('.transport label:has-text("Reverse") input');
  await page.waitForFunction(() => document.querySelector('.transport label:last-child input').checked);
  assert.equal(double.server.plant.motion.reverse, true);
  await tab(page, 'bus');
  await page.selectOption('.counters select', '60');
  for (const end = Date.now() + 30_000; ![...double.server.hub.clients].some((c) => c.rate === 60);) {
    assert.ok(Date.now() < end, 'no client at 60 Hz');
    await page.waitForTimeout(30);
  }
  await context.close();
});

test('a page without the token reads, may stop, and may take over', async () => {
  const { page, context } = await open(double.browser, double.server.url, { flat: true });
  await page.waitForSelector('button:has-text("Take control")');
  await tab(page, 'tune');
  assert.match(await setGain(page, kKp, 7), /Rejected: .*only read/);
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed")');
  await page.click('button:has-text("Take control")');
  await page.waitForSelector('text=you control');
  await context.close();
});

test('the server goes away and comes back: LOST is shown, then everything goes on', async (t) => {
  const own = await startDouble({ www, urdf });
  t.after(() => own.close());
  const { page, context } = await open(double.browser, `${own.url}#token=${own.token}`, { flat: true });
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
