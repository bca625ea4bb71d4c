// The page's bar and tab Run in a browser, against a test double of the server: play, STOP, access rights, a lost server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDouble } from '../double/double.mjs';
import { pretended, urdf, www } from './pretended.mjs';
import { curveMoves, open, scriptPerFrame, seriousFaults, setGain, shot, stateIs, stopAndConfirm, tab } from './pages.mjs';

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
  await page.waitForFunction(() => /\d Hz/.test(document.querySelector('.readouts')?.textContent ?? ''));
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
  assert.match(await page.locator('button.stop').textContent(), /hold now/);
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed at tick")');
  assert.equal(own.stops.join(), 'slow,hold');
  own.plant.confirms = false;
  await page.mouse.move(1200, 30);
  await page.mouse.down();   // held for two seconds
  await stateIs(page, 'released');
  await page.mouse.up();
  assert.equal(own.stops.at(-1), 'release');
  await page.waitForSelector('.confirmed.bad:has-text("Release NOT confirmed")');
  assert.match(await page.locator('[data-banner=released]').textContent(), /NOT confirmed: the servos may still be powered/);
  await context.close();
});

test('a refusal shows its reason without an alarm; a motion shows the findings of its check', async () => {
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

test('events are listed newest first, filtered, counted; the bar shows why the robot holds; a name is shown as plain text', async () => {
  const { page, context, faults } = await visit({}, 'bus');
  await page.waitForSelector('.bus .frames td');
  const hostile = '<img src=x onerror="document.title=1">';
  double.server.hub.event(2, 'homing_done', 'The robot is at the beginning of the motion.');
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

test('reverse and the rate of the display are requested', async () => {
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

test('a page without the token is read-only and reports that its STOP does not work; with the token it works', async () => {
  const { page, context } = await open(double.browser, double.server.url, { flat: true });
  const banner = page.locator('[data-banner=no-token]');
  await banner.waitFor();
  assert.match(await banner.textContent(), /STOP does not work on this page/);
  assert.match(await page.locator('button.stop.dead').textContent(), /no token: cannot stop/);
  await tab(page, 'tune');
  assert.match(await setGain(page, kKp, 7), /Rejected: .*read-only/);
  await page.locator('body').press('Space');
  await page.waitForSelector('.notice.bad:has-text("STOP is NOT confirmed: this page was opened without the token")');
  assert.deepEqual(double.server.stops, [], 'no stop was taken');
  await shot(page, 'no-token');
  await banner.locator('input').fill(`${double.server.url}#token=${double.server.token}`);
  await banner.locator('input').press('Enter');
  await page.waitForSelector('text=you control');
  assert.equal(await banner.count(), 0);
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed")');
  await context.close();
});

test('a page that does not write may stop, and may take over', async () => {
  const { page, context } = await visit();
  await page.click('button:has-text("Hand over")');
  await page.waitForSelector('button:has-text("Take control")');
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed")');
  await page.click('button:has-text("Take control")');
  await page.waitForSelector('text=you control');
  await context.close();
});

test('a token that the server does not know any more has its own screen, not that of a lost server', async (t) => {
  const own = await startDouble({ www, urdf });
  t.after(() => own.close());
  const { page, context } = await open(double.browser, `${own.url}#token=${own.token}`, { flat: true });
  await stateIs(page, 'hold');
  await own.close();
  const again = await startDouble({ www, urdf, port: own.port, token: 'another' });
  t.after(() => again.close());
  const screen = page.locator('[data-banner=refused]');
  await screen.waitFor();
  assert.match(await screen.textContent(), /This address has expired.*STOP does not work on this page.*Ctrl-C/s);
  await stateIs(page, 'NO ACCESS');
  assert.match(await page.locator('button.stop.dead').textContent(), /no access/);
  await shot(page, 'expired');
  assert.deepEqual(await seriousFaults(page), []);
  await page.reload();
  await screen.waitFor();   // also where it is expired from the beginning
  await screen.locator('input').fill('another');
  await screen.locator('button:has-text("Enter")').click();
  await stateIs(page, 'hold');
  await page.waitForSelector('text=you control');
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed")');
  await context.close();
});

test('after a release the robot is limp, confirmed, and the gains can be saved; an end differs from a loss', async (t) => {
  const own = await startDouble({ www, urdf });
  t.after(() => own.close());
  const { page, context, faults } = await open(double.browser, `${own.url}#token=${own.token}&tab=tune`, { flat: true });
  await setGain(page, kKp, 6);
  await tab(page, 'bus');
  await page.mouse.move(1200, 30);
  await page.mouse.down();   // held for two seconds
  await stateIs(page, 'released');
  await page.mouse.up();
  await page.waitForSelector('.confirmed.good:has-text("Release confirmed at tick")');
  const banner = page.locator('[data-banner=released]');
  assert.match(await banner.textContent(), /limp.*not saved/);
  await shot(page, 'released');
  await banner.locator('button:has-text("Save the gains")').click();
  await page.fill('dialog input >> nth=0', 'knee_6');
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('.notice:has-text("Saved knee_6.json")');
  await own.hub.goodbye('stopped; the servos are released, all boards confirmed');
  await own.close();
  await page.waitForSelector('.confirmed.quiet:has-text("The run has ended: stopped; the servos are released, all boards confirmed")');
  await stateIs(page, 'ended');
  assert.equal(await page.locator('[data-state=LOST], .confirmed.bad').count(), 0);
  assert.match(await page.locator('button.stop.dead').textContent(), /the run has ended/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('gains that were taken back stay on the page, with joint, reason and time, until the message is closed', async () => {
  const { page, context } = await visit({}, 'bus');
  await stateIs(page, 'hold');
  double.server.hub.rollback = { joint: 'left_knee', reason: 'the promotion was reverted: left_knee read 61.0 deg after 0.42 s, its twins predicted 40.1..44.9', tick: 4321, timestamp: { sec: 1_790_000_000, nsec: 0 } };
  const banner = page.locator('[data-banner=rollback]');
  await banner.waitFor();
  assert.match(await banner.textContent(), /left knee left its predicted band at tick 4321, \d+:\d\d:\d\d.*: the promotion was reverted: left_knee read 61.0 deg/);
  await shot(page, 'rollback');
  await page.reload();
  await tab(page, 'tune');
  await banner.waitFor();   // it does not go by itself
  await banner.locator('button').click();
  await banner.waitFor({ state: 'detached' });
  await page.reload();
  await stateIs(page, 'hold');
  assert.equal(await banner.count(), 0, 'what was closed stays closed');
  double.server.hub.rollback = { ...double.server.hub.rollback, tick: 5000 };
  await banner.waitFor();   // another one is another message
  await context.close();
});

// 640 x 360 is what a window of 1280 x 720 has at 200 % zoom
test('STOP can be hit at every width from 320 px and at 200 % zoom, on every tab, under a dialog and beside the events', async () => {
  const { page, context } = await visit({ flat: false });
  await page.waitForSelector('.sparks li');
  double.server.hub.rollback = { joint: 'left_knee', reason: 'the promotion was reverted: left_knee read 61.0 deg after 0.42 s', tick: 4321, timestamp: { sec: 1, nsec: 0 } };
  await page.waitForSelector('[data-banner=rollback]');
  const inReach = (how) => page.evaluate(([label]) => {
    const stop = document.querySelector('button.stop');
    const r = stop.getBoundingClientRect();
    const isInside = r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && r.width >= 80 && r.height >= 40;
    const hit = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
    // a modal dialog takes every click, and hands on those on STOP; nothing else may lie over it
    const dialog = document.querySelector('dialog[open]');
    const box = dialog?.getBoundingClientRect();
    const isCovered = dialog ? box.top < r.bottom && box.left < r.right && box.right > r.left : !stop.contains(hit);
    return isInside && !isCovered ? '' : `${label}: ${JSON.stringify(r)} of ${innerWidth} x ${innerHeight}, hit ${hit?.outerHTML.slice(0, 80)}, dialog ${JSON.stringify(box)}`;
  }, [how]);
  for (const [width, height] of [[320, 568], [375, 667], [480, 800], [640, 360], [768, 1024], [981, 700], [1024, 768], [1201, 700], [1280, 720]]) {
    await page.setViewportSize({ width, height });
    for (const id of ['run', 'compare', 'tune', 'bus', 'sessions']) {
      await page.locator(`#tab-${id}`).click();
      await page.waitForSelector(`#view > .${id}`);
      assert.equal(await inReach(`${id} at ${width} x ${height}`), '');
      await page.evaluate(() => { window.scrollTo(0, 1e6); document.querySelector('main').scrollTo(0, 1e6); });
      assert.equal(await inReach(`${id} at ${width} x ${height}, scrolled`), '');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${id} at ${width} x ${height} is wider than the window`);
      await page.evaluate(() => window.scrollTo(0, 0));
      if ([320, 640, 768].includes(width)) await shot(page, `${id}-${width}`);
    }
    await page.click('.corner button:has-text("Events")');
    await page.waitForSelector('.events');
    assert.equal(await inReach(`events at ${width} x ${height}`), '');
    await page.click('[aria-label="Close the events"]');
    await page.locator('#tab-tune').click();
    await page.click('button:has-text("A ≠ B")');
    await page.waitForSelector('dialog');
    assert.equal(await inReach(`dialog at ${width} x ${height}`), '');
    if (width === 320) await shot(page, 'dialog-320');
    await page.click('dialog button:has-text("Close")');
  }
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

test('the list of motions is requested again when a busy server does not send it', async () => {
  double.server.hub.busy = 2;
  const { page, context } = await visit();
  await page.waitForSelector('.transport option[value=getup_back]', { state: 'attached' });
  assert.ok(double.server.hub.busy < 0, 'it was refused twice');
  await context.close();
});
