// node test/measure.mjs: script time per frame of the page with all joints moving, by Chromium's own trace.
// Needs KAGAMI_WWW, KAGAMI_URDF (the pretended server) or an address as the first word; KAGAMI_CHROMIUM.
//
// Counted is the processor time (tdur) of every script call on the page's main thread; what belongs to a frame
// is everything since the frame before: messages that came, timers, and the frame's own work.
import { loadavg } from 'node:os';
import { startDouble } from './double/double.mjs';
import { launch, open } from './browser/pages.mjs';

const kSeconds = 8;
const kCategories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'];
const kScript = new Set(['FunctionCall', 'FireAnimationFrame', 'TimerFire', 'EventDispatch', 'v8.callFunction', 'RunMicrotasks', 'WebSocketReceive']);

const address = process.argv[2];
const server = address ? null : await startDouble({ www: process.env.KAGAMI_WWW, urdf: process.env.KAGAMI_URDF, autoplay: true });
const browser = await launch();

// a motion that goes on: the given server's is started once
if (address) {
  const { page, context } = await open(browser, address);
  await page.check('.transport label:has-text("Loop") input');
  await page.click('button:has-text("Play")');
  await page.waitForSelector('[data-state=running]');
  await context.close();
}

async function trace(context, page) {
  const cdp = await context.newCDPSession(page);
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: kCategories } });
  await page.waitForTimeout(1000 * kSeconds);
  const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.end');
  await complete;
  await cdp.detach();
  return events;
}

/** Processor time of script per frame, ms, in rising order; outermost calls only. */
function perFrame(events) {
  const frames = events.filter((e) => e.name === 'FireAnimationFrame' && e.ph === 'X');
  const thread = frames[0] && `${frames[0].pid}/${frames[0].tid}`;
  const calls = events.filter((e) => e.ph === 'X' && kScript.has(e.name) && `${e.pid}/${e.tid}` === thread).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const sums = [];
  let sum = 0;
  let end = 0;
  for (const c of calls) {
    if (c.ts < end) continue;   // inside the call before
    end = c.ts + c.dur;
    if (c.tdur === undefined) throw new Error('the trace has no processor times');
    sum += c.tdur / 1000;
    if (c.name === 'FireAnimationFrame') { sums.push(sum); sum = 0; }
  }
  return sums.slice(1).sort((a, b) => a - b);
}

for (const rate of [30, 60]) {
  for (const tab of ['run', 'compare', 'tune']) {
    const url = address ? `${address}&tab=${tab}` : `${server.url}#token=${server.token}&tab=${tab}`;
    const { page, context } = await open(browser, 'about:blank');
    await context.addInitScript((hz) => localStorage.setItem('kagami.rate', String(hz)), rate);
    await page.goto(url);
    await page.waitForSelector('.plot canvas');
    await page.waitForTimeout(11_000);   // until the shown ten seconds are full
    const load = loadavg()[0].toFixed(1);
    const ms = perFrame(await trace(context, page));
    const at = (part) => ms[Math.min(ms.length - 1, Math.floor(part * ms.length))]?.toFixed(2);
    const mean = (ms.reduce((a, b) => a + b, 0) / ms.length).toFixed(2);
    console.log(`${tab} at ${rate} Hz: ${ms.length} frames in ${kSeconds} s, script per frame median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms, mean ${mean} ms; load ${load}`);
    await context.close();
  }
}
await browser.close();
await server?.close();
