// The tab Tune in a browser, against a test double of the server: states of a gain, drafts, tests, autotune, saving.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pretended } from './pretended.mjs';
import { gainIs, gainRow, setGain, shot, tab, tickOf } from './pages.mjs';

const double = pretended();
const visit = (options) => double.visit(options, 'tune');
const kKp = 'pid/left_knee/kp';

test('a gain is pending, then applied at a tick; undo, redo, sets and a refusal show what holds', async () => {
  const { page, context, faults } = await visit();
  await gainIs(page, kKp, 5);
  const first = tickOf(await setGain(page, kKp, 4.2));
  assert.ok(first > 0);
  assert.equal(double.server.plant.gains.get(kKp), 4.2);
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
  await page.waitForSelector('dialog', { state: 'detached' });   // while it is open nothing else takes a key

  assert.match(await setGain(page, kKp, 700), /Rejected: expected 0 to 60/);
  assert.equal(double.server.plant.gains.get(kKp), 4.2);
  await page.reload();
  await gainIs(page, kKp, 4.2);
  assert.match(await page.locator('.history').textContent(), new RegExp(`tick ${first}left_knee/kp = 4.2propose`), 'the list of changes survives a reload');
  assert.deepEqual(faults, []);
  await context.close();
});

test('steps, slider and keyboard change a gain in range', async () => {
  const { page, context } = await visit();
  await gainIs(page, kKp, 5);
  await gainRow(page, kKp).locator('button:has-text("+")').click();
  await gainIs(page, kKp, 5.5);
  await gainRow(page, kKp).locator('button:has-text("−")').click({ modifiers: ['Shift'] });
  await gainIs(page, kKp, 5.45);
  const field = gainRow(page, kKp).locator('input[type=number]');
  await field.fill('7');
  double.server.announce();
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

test('only Enter or Tab sends a typed gain: STOP, a click elsewhere, Escape and Ctrl Z do not', async () => {
  const { page, context } = await visit();
  await gainIs(page, kKp, 5);
  const field = gainRow(page, kKp).locator('input[type=number]');
  const state = gainRow(page, kKp).locator('.state');
  const isStill5 = (after) => {
    assert.equal(double.server.plant.gains.get(kKp), 5, after);
    assert.equal(double.server.hub.history.undo.length, 0, after);
  };
  // the state after a stop is confirmed comes from the server, so whatever was sent before has arrived by then
  const stopped = async (level) => { await page.waitForFunction(() => document.querySelector('.confirmed.good')); assert.equal(double.server.stops.at(-1), level); };
  await field.fill('9');
  await page.click('button.stop');
  await stopped('slow');
  isStill5('a click on STOP');
  assert.match(await state.textContent(), /9 not sent: press Enter or Tab to send/);
  await gainIs(page, kKp, 5);
  await field.fill('8');
  await page.click('.live .title');
  await page.waitForSelector(`[data-gain="${kKp}"] .state:has-text("8 not sent")`);
  isStill5('a click elsewhere');
  await field.fill('7');
  await field.press('Escape');
  await stopped('hold');
  isStill5('Escape');
  await gainIs(page, kKp, 5);
  assert.equal(await state.textContent(), 'in force since tick 0');
  await field.fill('6');
  await field.press('Control+z');
  await gainIs(page, kKp, 5);
  isStill5('Ctrl Z');
  await field.fill('6');
  await field.press('Tab');
  await page.waitForSelector(`[data-gain="${kKp}"] .state:has-text("Applied at tick")`);
  assert.equal(double.server.plant.gains.get(kKp), 6);
  // in a field that is not edited the key undoes the gain, in another text it does not
  await page.fill('.history input', 'a note');
  await page.locator('.history input').press('Control+z');
  await page.locator('.history input').press('Tab');
  assert.equal(double.server.plant.gains.get(kKp), 6, 'Ctrl Z in a note');
  await field.focus();
  await field.press('Control+z');
  await gainIs(page, kKp, 5);
  await context.close();
});

test('a stop during a drag cancels the drag', async () => {
  const { page, context } = await visit();
  await gainIs(page, kKp, 5);
  const box = await gainRow(page, kKp).locator('input[type=range]').boundingBox();
  await page.mouse.move(box.x + 20, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2, { steps: 4 });
  await page.keyboard.press('Escape');
  await page.mouse.move(box.x + box.width - 4, box.y + box.height / 2);
  await page.mouse.up();
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed")');
  assert.equal(double.server.plant.gains.get(kKp), 5);
  await gainIs(page, kKp, 5);
  await context.close();
});

test('the row of a gain has the tick of the value that is live, whoever brought it', async () => {
  const { page, context } = await visit();
  await gainIs(page, kKp, 5);
  const text = (name) => gainRow(page, name).locator('.state').textContent();
  const kKi = 'pid/left_knee/ki';
  assert.equal(await text(kKi), 'in force since tick 0');
  const first = tickOf(await setGain(page, kKp, 8));
  await page.locator('body').press('Control+z');
  await gainIs(page, kKp, 5);
  const since = async (name) => Number(/in force since tick (\d+)/.exec(await text(name))?.[1]);
  await page.waitForFunction(([n]) => document.querySelector(`[data-gain="${n}"] .state`).textContent.startsWith('in force'), [kKp]);
  assert.ok(await since(kKp) > first, 'an undo has a tick of its own');
  assert.equal(await since(kKp), double.server.hub.since[kKp]);
  double.server.hub.apply(new Map([[kKi, 12]]), 'propose');   // another page
  await gainIs(page, kKi, 12);
  assert.equal(await since(kKi), double.server.hub.since[kKi]);
  assert.match(await setGain(page, kKi, 1e6), new RegExp(`Rejected: .* in force since tick ${double.server.hub.since[kKi]}`));
  await page.reload();
  await gainIs(page, kKi, 12);
  assert.equal(await since(kKi), double.server.hub.since[kKi], 'also of a page that was opened later');
  assert.equal(await since(kKp), double.server.hub.since[kKp]);
  await context.close();
});

test('twin first: a draft waits, is tried, then promoted', async () => {
  const { page, context, faults } = await visit();
  await gainIs(page, kKp, 5);
  await page.check('text=Twin first');
  assert.match(await setGain(page, kKp, 8), /draft, in force 5/);
  assert.equal(double.server.plant.gains.get(kKp), 5, 'a draft does not reach the robot');
  assert.ok(await page.isDisabled('.draft button:has-text("Promote")'));
  await page.click('button:has-text("Try on twin")');
  await page.waitForSelector('dialog:has-text("Prediction of the twins")');
  await shot(page, 'tune-prediction');
  await page.click('dialog button:has-text("Close")');
  await page.click('.draft button:has-text("Promote to robot")');
  await gainRow(page, kKp).locator('.state.good').waitFor();
  assert.equal(double.server.plant.gains.get(kKp), 8);
  await page.uncheck('text=Twin first');
  assert.deepEqual(faults, []);
  await context.close();
});

test('the last five tests lie over each other with their gains; autotune is accepted or rejected', async () => {
  const { page, context, faults } = await visit({ colorScheme: 'dark' });
  double.server.plant.state = 'running';
  for (const kp of [3, 5, 9, 14, 20, 30]) {
    await setGain(page, kKp, kp);
    await page.click('.tests button:has-text("Test on twin")');
    await page.waitForSelector(`.tests figure .legend button:has-text("kp ${kp}")`);
  }
  assert.equal(await page.locator('.tests tbody tr').count(), 5);
  assert.match(await page.locator('.tests tbody tr').first().textContent(), /#6 step\s*\d+ ms/);
  await page.click('.tests th .i >> nth=0');
  assert.match(await page.locator('.tests [role=note]').first().textContent(), /10 % to 90 %/);
  await page.click('.tests h2');
  await shot(page, 'tests-dark');
  await page.click('button:has-text("Autotune")');
  await page.click('dialog button:has-text("Reject")');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.equal(double.server.plant.gains.get(kKp), 30);
  await page.click('button:has-text("Autotune")');
  await page.waitForSelector('dialog table');
  await shot(page, 'autotune-dark');
  // STOP is within reach of the mouse although the dialog is modal
  const stop = await page.locator('button.stop').boundingBox();
  await page.mouse.click(stop.x + 20, stop.y + 20);
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed at tick")');
  assert.equal(double.server.stops.join(), 'slow');
  await page.click('dialog button:text-is("Accept")');
  await gainIs(page, kKp, 9.4);
  assert.deepEqual(faults, []);
  await context.close();
});

test('what another page changed meanwhile is not overwritten unseen', async () => {
  const { page, context } = await visit();
  await gainIs(page, kKp, 5);
  double.server.hub.services.set = () => ({ ok: false, error: 'another page changed something meanwhile (version 7)', version: 7 });
  assert.match(await setGain(page, kKp, 9), /Rejected: another page changed/);
  const bases = [];
  double.server.hub.services.set = ({ base }) => { bases.push(base); return { ok: true, tick: 9, version: 8 }; };
  assert.match(await setGain(page, kKp, 8), /Applied at tick 9/);
  assert.deepEqual(bases, [7], 'the next one is based on the version in the refusal');
  await context.close();
});

test('the robot itself is tested by a button of its own, while it holds and this page controls it', async () => {
  const { page, context, faults } = await visit();
  const robot = page.locator('.tests button:has-text("Test on robot")');
  assert.match(await robot.textContent(), /moves the robot/);
  double.server.plant.state = 'running';
  await page.waitForSelector('.tests button.moves[title="requires the state hold: press Hold"]:disabled');
  double.server.plant.state = 'hold';
  await page.waitForSelector('.tests button.moves:enabled');
  await robot.click();
  await page.waitForSelector('.tests tbody tr:has-text("#1 step, robot")');
  await page.click('.tests button:has-text("Test on twin")');
  await page.waitForSelector('.tests tbody tr:has-text("#2 step")');
  assert.deepEqual(faults, []);
  await context.close();
});

test('favourites of several joints are shown together, also after a reload', async () => {
  const { page, context } = await visit();
  await gainIs(page, kKp, 5);
  await gainRow(page, kKp).locator('.star').click();
  await page.click('.joint-list button:has-text("R knee")');
  await gainRow(page, 'pid/right_knee/kd').locator('.star').click();
  await page.reload();
  await page.click('.joint-list button:has-text("favourites")');
  await page.waitForSelector('.gain:nth-child(2)');
  assert.match((await page.locator('.gains').textContent()), /left knee.*kp.*right knee.*kd/s);
  tickOf(await setGain(page, 'pid/right_knee/kd', 0.4));
  await context.close();
});

test('unsaved gains are marked and leaving warns; saving is explicit', async () => {
  const { page, context } = await visit();
  await setGain(page, kKp, 6);
  await page.waitForSelector('nav .dot');
  const dialogType = new Promise((resolve) => page.once('dialog', (d) => { resolve(d.type()); void d.dismiss(); }));
  await page.close({ runBeforeUnload: true });
  assert.equal(await dialogType, 'beforeunload');
  await page.click('button:has-text("Save …")');
  await page.fill('dialog input >> nth=0', 'knee_6');
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('.notice:has-text("Saved knee_6.json")');
  await page.waitForSelector('nav .dot', { state: 'detached' });
  await context.close();
});
