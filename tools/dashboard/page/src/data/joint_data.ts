// Columns of one joint for a plot, in degrees.
import { decimate, merge, type Cell } from './columns.ts';
import { kDeg } from './format.ts';
import { place, rings, type Curve } from './state.ts';

const kBins = 900;

/** The given curves of a joint over a stretch of time; the measured one may be shifted (s, positive: drawn later). */
export function jointColumns(joint: string, curves: Curve[], from: number, to: number, shift = 0): [number[], ...Cell[][]] {
  const i = place(joint);
  if (i < 0) return [[], ...curves.map(() => [])];
  return merge(curves.map((c) => {
    const moved = c === 'measured' ? shift : 0;
    const { t, v } = rings[c].view(i, from - moved, to - moved);
    return decimate(moved ? { t: Float64Array.from(t, (x) => x + moved), v } : { t, v }, kBins);
  }), kDeg);
}

/** Measured minus simulated at the readings' times. */
export function residualColumns(joint: string, from: number, to: number, shift = 0): [number[], Cell[]] {
  const i = place(joint);
  if (i < 0) return [[], []];
  const { t, v } = rings.measured.view(i, from - shift, to - shift);
  const moved = Float64Array.from(t, (x) => x + shift);
  const e = Float64Array.from(v, (x, k) => x - rings.simulated.at(i, moved[k]));
  return merge([decimate({ t: moved, v: e }, kBins)], kDeg) as [number[], Cell[]];
}
