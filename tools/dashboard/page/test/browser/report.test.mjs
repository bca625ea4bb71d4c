// The report of a run, opened as a file: it needs no network, draws, zooms and reads out in light and dark, and fits a
// phone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { launch } from './pages.mjs';

const kProgram = process.env.KAGAMI_PROGRAM;
const kPictures = process.env.KAGAMI_ARTEFACTS ?? join(tmpdir(), 'kagami-page');
const skip = kProgram ? false : 'no program was named';
let browser;
let file;
let result;

before(async () => {
  if (skip) return;
  const folder = mkdtempSync(join(tmpdir(), 'kagami-report-'));
  execFileSync(kProgram, ['replay', 'bow', '--clock', 'virtual', '--on', 'stand', '--out', folder], { stdio: 'ignore' });
  file = join(folder, 'report.html');
  result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  browser = await launch();
});
after(() => browser?.close());

/** The report in a window of its own; `faults`: what the browser reports, and every request but that of the file. */
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);   // ms: the machine may be busy; nothing is asserted of time
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') faults.push(message.text()); });
  page.on('request', (request) => { if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('blob:')) faults.push(`request: ${request.url()}`); });
  await page.goto(pathToFileURL(file).href);
  return { page, context, faults };
}

/** Shows a joint and waits for its plots. */
async function showFirstJoint(page) {
  await page.locator('.joint').first().scrollIntoViewIfNeeded();
  await page.locator('.joint').first().locator('canvas').nth(1).waitFor();
}

/** Number of pixels of the first joint's angle plot that have the colour of a custom property. */
const pixelsOf = (page, name) => page.evaluate((variable) => {
  const canvas = document.querySelector('.joint canvas');
  const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${variable}`).trim();
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 30 && data[i + 3] > 200) ++count;
  }
  return count;
}, name);

const violations = async (page) => (await page.evaluate(`${axe.source}; axe.run({ resultTypes: ['violations'] })`)).violations
  .map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.failureSummary}`).join('; ')}`);

for (const colorScheme of ['light', 'dark']) {
  test(`curves are drawn, ${colorScheme}, without a request or an error`, { skip }, async () => {
    const { page, context, faults } = await open({ colorScheme });
    await showFirstJoint(page);
    for (const curve of ['measured', 'twin']) assert.ok(await pixelsOf(page, curve) > 100, `${curve} is not drawn`);
    assert.deepEqual(await violations(page), []);
    mkdirSync(kPictures, { recursive: true });
    await page.screenshot({ path: join(kPictures, `report_${colorScheme}.png`) });
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test('the joints are sorted by error, as the result has them', { skip }, async () => {
  const { page, context } = await open();
  const shown = await page.locator('.joint h3').evaluateAll((all) => all.map((h) => h.firstChild.textContent.trim()));
  const rms = new Map(result.joints.map((j) => [j.name, j.rms_deg]));
  assert.equal(shown.length, result.joints.length);
  for (let k = 1; k < shown.length; ++k) assert.ok(rms.get(shown[k - 1]) >= rms.get(shown[k]), `${shown[k - 1]} before ${shown[k]}`);
  await context.close();
});

test('hovering reads out every curve, dragging zooms all plots, All shows the whole run', { skip }, async () => {
  const { page, context, faults } = await open();
  await showFirstJoint(page);
  const over = page.locator('.joint').first().locator('.u-over').first();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 50);
  const values = await page.locator('.joint').first().locator('.u-legend .u-value').allTextContents();
  assert.equal(values.length, 7, 'time and four curves; time and the difference');
  values.forEach((value, k) => assert.match(value, [0, 5].includes(k) ? /^\d+\.\d{3} s$/ : /^-?\d+\.\d\d( to -?\d+\.\d\d)? deg$/));
  const shown = () => page.locator('.zoom output').textContent();
  const whole = await shown();
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 60, { steps: 5 });
  await page.mouse.up();
  const [from, to] = (await shown()).split(' ').filter((w) => /\d/.test(w)).map(Number);
  const end = Number(whole.split(' ')[2]);
  assert.ok(Math.abs(from - 0.5 * end) < 0.02 * end && Math.abs(to - 0.75 * end) < 0.02 * end, `${from} to ${to} of ${end}`);
  await page.locator('.zoom button', { hasText: '+' }).click();
  assert.notEqual(await shown(), `${from.toFixed(2)} to ${to.toFixed(2)} s`);
  await page.locator('.zoom button', { hasText: 'All' }).click();
  assert.equal(await shown(), whole);
  assert.deepEqual(faults, []);
  await context.close();
});

test('the strips read out a joint and an event', { skip }, async () => {
  const { page, context } = await open();
  for (const [id, expected] of [['figure-heat', /s \u00b7 \w+: \d+\.\d\d deg/], ['figure-timeline', /s \u00b7 running/]]) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const over = page.locator(`#${id} .u-over`);
    await over.waitFor();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 20);
    assert.match(await page.locator(`#${id} .readout`).textContent(), expected);
  }
  await context.close();
});

test('figures are saved as SVG and CSV', { skip }, async () => {
  const { page, context, faults } = await open();
  const saved = async (place, kind) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`${place} .tools button:text-is("${kind}")`).first().click()]);
    return readFileSync(await download.path(), 'utf8');
  };
  const svg = await saved('.joint', 'SVG');
  assert.match(svg, /^<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.ok(!svg.includes('var(--'));
  const csv = (await saved('.joint', 'CSV')).split('\n');
  assert.equal(csv[0], 't_s,command_deg,reference_deg,measured_deg,twin_deg,difference_deg');
  assert.ok(csv.length > 100);
  assert.match(await saved('#figure-causes', 'CSV'), /^joint,gap_rms_deg,part,share,rms_deg\n/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('on a phone nothing but wide tables and figures scrolls sideways', { skip }, async () => {
  const { page, context, faults } = await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await showFirstJoint(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  await page.screenshot({ path: join(kPictures, 'report_phone.png') });
  assert.deepEqual(faults, []);
  await context.close();
});

test('what is printed are the pictures of all joints, light', { skip }, async () => {
  const { page, context } = await open({ colorScheme: 'dark' });
  await showFirstJoint(page);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.drawn').first().isVisible(), false);
  assert.equal(await page.locator('.joint .scroll > svg').first().isVisible(), true);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.joint svg text')).fill), 'rgb(86, 96, 110)', 'the light palette');
  await context.close();
});
