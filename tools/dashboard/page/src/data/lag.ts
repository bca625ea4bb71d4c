// By how much one curve is later than another.
import type { Columns } from './ring.ts';

/**
 * The shift d in [-limit, limit] s for which a(t) - b(t - d) varies least; positive when a is later. Null when b
 * hardly moves (less than `travel`) or the best shift lies at the end of the search.
 */
export function lagOf(a: Columns, b: Columns, column: number, from: number, to: number,
                      limit = 0.3, travel = 0.05, step = 0.005): number | null {
  const curve = a.view(column, from, to);
  const stride = Math.max(1, Math.floor(curve.t.length / 300));
  const spread = spreadOf(b, column, from, to);
  if (!(spread > travel)) return null;
  const shifts = Math.round(limit / step);
  const costs: number[] = [];
  for (let k = -shifts; k <= shifts; ++k) costs.push(variance(curve, b, column, k * step, stride));
  let best = 0;
  costs.forEach((c, i) => { if (c < costs[best]) best = i; });
  if (best === 0 || best === costs.length - 1 || !Number.isFinite(costs[best])) return null;
  const [l, m, r] = [costs[best - 1], costs[best], costs[best + 1]];
  const bend = l - 2 * m + r;
  return (best - shifts + (bend > 0 ? 0.5 * (l - r) / bend : 0)) * step;
}

function spreadOf(ring: Columns, column: number, from: number, to: number): number {
  let low = Infinity;
  let high = -Infinity;
  for (const x of ring.view(column, from, to).v) { if (x < low) low = x; if (x > high) high = x; }
  return high - low;
}

function variance(a: { t: Float64Array; v: Float32Array }, b: Columns, column: number, shift: number, stride: number): number {
  let n = 0;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < a.t.length; i += stride) {
    const e = a.v[i] - b.at(column, a.t[i] - shift);
    if (Number.isNaN(e)) continue;
    ++n;
    sum += e;
    squares += e * e;
  }
  return n < 8 ? Infinity : squares / n - (sum / n) ** 2;
}
