// Opens the page in Debian's Chromium, and the steps that every journey takes.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const kPatience = 90_000;   // ms: the machine may be busy; nothing is asserted of time
const kChromium = process.env.KAGAMI_CHROMIUM ?? '/usr/bin/chromium';
const kArtefacts = process.env.KAGAMI_ARTEFACTS ?? join(tmpdir(), 'kagami-page');

export async function launch() {
  return chromium.launch({
    executablePath: kChromium, headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run', '--disable-sync'],
  });
}

/** A page at 1280 x 720 that records its errors and requests; a flat one draws no robot, which saves most of the time. */
export async function open(browser, url, { flat = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'], ...options });
  if (flat) await context.route('**/robot.urdf', (route) => route.abort());
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  const faults = [];
  const hosts = new Set();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (m) => { if (m.type() === 'error' && !/ERR_CONNECTION|WebSocket|Failed to load resource/.test(m.text())) faults.push(m.text()); });
  // blob: and data: have no host; a request to any but the server is a fault
  const ask = (address) => {
    const { host } = new URL(address);
    if (host) hosts.add(host);
    if (host && host !== new URL(url).host) faults.push(`request to another host: ${address}`);
  };
  page.on('request', (request) => ask(request.url()));
  page.on('websocket', (socket) => ask(socket.url()));
  await page.goto(url);
  return { page, context, faults, hosts };
}

export async function shot(page, name) {
  mkdirSync(kArtefacts, { recursive: true });
  await page.mouse.move(640, 4);   // off the plots: they are held under the pointer
  await page.screenshot({ path: join(kArtefacts, `${name}.png`) });
}

export const tab = (page, id) => page.click(`#tab-${id}`);
/** Waits for a state of the run; where it does not come, the error has the text of the bar. */
export async function stateIs(page, word) {
  try {
    await page.waitForSelector(`[data-state="${word}"]`);
  } catch (error) {
    const notices = await page.locator('.notice').allTextContents();
    throw new Error(`state ${word} did not come, the bar shows: ${await page.locator('header').first().textContent()}; notices: ${notices.join('; ') || 'none'}`, { cause: error });
  }
}
/** Presses Play; once more where the page reports that its connection was lost meanwhile, as a user of a busy machine would. */
export async function playUntilRunning(page) {
  await page.click('button:has-text("Play")');
  const lost = page.locator('.notice:has-text("connection to the server is lost")');
  await Promise.race([page.waitForSelector('[data-state="running"]'), lost.waitFor()]).catch(() => {});
  if (await lost.count() > 0) await page.click('button:has-text("Play"):enabled');
  await stateIs(page, 'running');
}
const figure = (curve) => `figure.plot .legend button:has-text("${curve}") output`;

/** Waits until a curve of the first plot has shown three different values. */
export async function curveMoves(page, curve) {
  const seen = new Set();
  await page.waitForSelector(figure(curve));
  const read = async () => (await page.locator(figure(curve)).first().textContent());
  for (const end = Date.now() + kPatience; seen.size < 3;) {
    assert.ok(Date.now() < end, `${curve} does not move: ${[...seen]}`);
    const text = await read();
    if (/\d/.test(text)) seen.add(text);
    await page.waitForTimeout(60);
  }
}

/** Processor time of scripts per frame over the next thirty frames, ms; a busy machine does not change it. */
export async function scriptPerFrame(page, context) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return { script: metrics.find((m) => m.name === 'ScriptDuration').value, frames: Number(await page.evaluate(() => document.documentElement.dataset.frames)) };
  };
  const a = await read();
  await page.waitForFunction((n) => Number(document.documentElement.dataset.frames) >= n, a.frames + 30);
  const b = await read();
  await cdp.detach();
  return 1000 * (b.script - a.script) / (b.frames - a.frames);
}

/** Serious and critical faults of accessibility of what is shown, as sentences; `only` limits the rules. */
export async function seriousFaults(page, only) {
  const options = { resultTypes: ['violations'], ...(only ? { runOnly: only } : {}) };
  const { violations } = await page.evaluate(`${axe.source}; axe.run(${JSON.stringify(options)})`);
  return violations.filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.failureSummary}`).join('; ')}`);
}

export const gainRow = (page, name) => page.locator(`[data-gain="${name}"]`);

/** Types a gain and waits for the result. */
export async function setGain(page, name, value) {
  const row = gainRow(page, name);
  const before = await row.locator('.state').textContent();
  await row.locator('input[type=number]').fill(String(value));
  await row.locator('input[type=number]').press('Enter');
  await page.waitForFunction(([n, old]) => {
    const state = document.querySelector(`[data-gain="${n}"] .state`);
    return state && state.textContent !== old && !state.classList.contains('pending');
  }, [name, before]);
  return row.locator('.state').textContent();
}

export async function gainIs(page, name, value) {
  await page.waitForFunction(([n, v]) => document.querySelector(`[data-gain="${n}"] input[type=number]`)?.value === v, [name, String(value)]);
}

/** The tick in "Applied at tick 1234". */
export function tickOf(text) {
  const tick = /Applied at tick (\d+)/.exec(text ?? '');
  assert.ok(tick, `"${text}" names no tick`);
  return Number(tick[1]);
}

/** STOP by the keyboard, seen confirmed with its tick. */
export async function stopAndConfirm(page) {
  await page.locator('body').press('Space');
  await page.waitForSelector('.confirmed.good:has-text("Stop confirmed at tick")');
}
