// One loop draws everything: painters are called at their own rate, the tree is rendered in the same place, and the
// script time of every frame is measured.
import { options } from 'preact';

interface Painter { paint: () => void; period: number; due: number; dirty: () => boolean }

const kKept = 240;
const kQuick = 25;    // ms from frame to frame: 40 Hz and more
const kSmall = 100;   // ms: a painter with a longer period is a small one
const painters = new Set<Painter>();
const times = new Float64Array(kKept);
let frames = 0;
let lastFrame = 0;
let spent = 0;       // ms of script since the last frame ended
let renders: (() => void)[] = [];

options.debounceRendering = (render) => { renders.push(render); };

/**
 * Calls `paint` in the frame loop, at most every `period` ms, when `dirty` returns true. Painters share the frames: their first
 * call is spread over the period. Returns the way to end it.
 */
export function everyFrame(paint: () => void, period = 0, dirty: () => boolean = () => true): () => void {
  const painter = { paint, period, due: performance.now() + Math.random() * period, dirty };
  painters.add(painter);
  return () => painters.delete(painter);
}

/** Runs work outside the loop (a message's arrival) and counts its time to the frame it belongs to. */
export function counted<T>(work: () => T): T {
  const start = performance.now();
  try {
    return work();
  } finally {
    spent += performance.now() - start;
  }
}

/** Script time per frame over the last frames, ms. */
export function frameTimes(): { frames: number; median: number; p95: number; max: number } {
  const kept = Array.from(times.subarray(0, Math.min(frames, kKept))).sort((a, b) => a - b);
  const at = (part: number) => kept.length ? kept[Math.min(kept.length - 1, Math.floor(part * kept.length))] : 0;
  return { frames, median: at(0.5), p95: at(0.95), max: at(1) };
}

function frame(): void {
  const start = performance.now();
  const pending = renders;
  renders = [];
  for (const render of pending) guarded(render);
  // the work is spread: while frames come quickly, one large painter each, and three small ones
  const quick = start - lastFrame < kQuick;
  lastFrame = start;
  let large = 0;
  let small = 0;
  for (const p of [...painters].sort((a, b) => a.due - b.due)) {
    if (start < p.due) break;
    const isSmall = p.period >= kSmall;
    if ((isSmall ? small >= 3 : quick && large >= 1) || !p.dirty()) continue;
    if (isSmall) ++small; else ++large;
    p.due = start + p.period;
    guarded(p.paint);
  }
  spent += performance.now() - start;
  times[frames % kKept] = spent;
  spent = 0;
  if (++frames % 30 === 0) tell();
  requestAnimationFrame(frame);
}

// one part that fails must not stop the others, STOP least of all
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
  }
}

// for tests and for the browser's inspector
function tell(): void {
  const { median, p95, max } = frameTimes();
  const data = document.documentElement.dataset;
  data.frames = String(frames);
  data.frameMedian = median.toFixed(2);
  data.frameP95 = p95.toFixed(2);
  data.frameMax = max.toFixed(2);
}

/** Starts the loop; once. */
export function startFrames(): void { requestAnimationFrame(frame); }
