// From series with their own times to what a plot draws: decimated, gaps kept, merged on one time axis.

export interface Curve { t: ArrayLike<number>; v: ArrayLike<number> }

/** A value, a gap (null), or nothing at that time because another curve has a sample there (undefined). */
export type Cell = number | null | undefined;

/**
 * At most about two samples per bin, the least and the greatest in the order in which they came, and one that is no
 * number where the bin has such; so no peak and no gap is lost. A curve with at most 2 * bins samples is returned as it is.
 */
export function decimate(curve: Curve, bins: number): Curve {
  const n = curve.t.length;
  if (n <= 2 * bins) return curve;
  const from = curve.t[0];
  const width = (curve.t[n - 1] - from) / bins;
  const t: number[] = [];
  const v: number[] = [];
  let i = 0;
  for (let b = 0; b < bins && i < n; ++b) {
    const end = b === bins - 1 ? Infinity : from + (b + 1) * width;
    let low = -1;
    let high = -1;
    let none = -1;
    for (; i < n && curve.t[i] < end; ++i) {
      if (Number.isNaN(curve.v[i])) { none = i; continue; }
      if (low < 0 || curve.v[i] < curve.v[low]) low = i;
      if (high < 0 || curve.v[i] > curve.v[high]) high = i;
    }
    const kept = [...new Set([low, high, none])].filter((k) => k >= 0).sort((x, y) => x - y);
    for (const k of kept) {
      t.push(curve.t[k]);
      v.push(curve.v[k]);
    }
  }
  return { t, v };
}

/** How often neighbours of a curve are further apart than `limit`, s. */
export function countGaps(t: ArrayLike<number>, limit: number): number {
  let gaps = 0;
  for (let i = 1; i < t.length; ++i) if (t[i] - t[i - 1] > limit) ++gaps;
  return gaps;
}

/** The curve with a value that is no number in each gap, just after the last sample before it. */
export function breakAtGaps(curve: Curve, limit: number): Curve {
  const gaps = countGaps(curve.t, limit);
  if (gaps === 0) return curve;
  const t = new Float64Array(curve.t.length + gaps);
  const v = new Float64Array(t.length);
  let k = 0;
  for (let i = 0; i < curve.t.length; ++i) {
    if (i > 0 && curve.t[i] - curve.t[i - 1] > limit) { t[k] = curve.t[i - 1] + kJustAfter; v[k++] = NaN; }
    t[k] = curve.t[i];
    v[k++] = curve.v[i];
  }
  return { t, v };
}
const kJustAfter = 1e-6;   // s

/** What counts as a gap in a curve of readings, which come as the line allows: four times its median distance, and at least 0.15 s. */
export function gapOf(t: ArrayLike<number>): number {
  const steps: number[] = [];
  for (let i = Math.max(1, t.length - 64); i < t.length; ++i) steps.push(t[i] - t[i - 1]);
  steps.sort((a, b) => a - b);
  return Math.max(0.15, 4 * (steps[steps.length >> 1] ?? 0));
}

/**
 * Curves on one rising time axis, first column the times. NaN begins a gap: null up to the curve's next sample, for
 * uPlot ends a gap at the next time of any curve. Other curves' times are undefined, over which a line is drawn.
 */
export function merge(curves: Curve[], scale = 1): [number[], ...Cell[][]] {
  const at = curves.map(() => 0);
  const inGap = curves.map(() => false);
  const times: number[] = [];
  const out: Cell[][] = curves.map(() => []);
  for (;;) {
    let next = Infinity;
    curves.forEach((c, k) => { if (at[k] < c.t.length && c.t[at[k]] < next) next = c.t[at[k]]; });
    if (next === Infinity) return [times, ...out];
    times.push(next);
    curves.forEach((c, k) => {
      if (at[k] >= c.t.length || c.t[at[k]] !== next) { out[k].push(inGap[k] ? null : undefined); return; }
      const value = c.v[at[k]++];
      inGap[k] = Number.isNaN(value);
      out[k].push(inGap[k] ? null : value * scale);
    });
  }
}

const kNewest = 0.3;   // s

/** The value that holds at a time (null: the newest): that of the sample at or before it; null where there is a gap. */
export function valueAt(times: number[], column: Cell[], t: number | null): number | null {
  let i = times.length - 1;
  if (t !== null) while (i >= 0 && times[i] > t) --i;
  // the newest reading may be newer than what it is compared with: then the one before counts
  const since = t === null && i >= 0 ? times[i] - kNewest : Infinity;
  while (i >= 0 && (column[i] === undefined || (column[i] === null && times[i] > since))) --i;
  return i < 0 ? null : column[i] ?? null;
}
