// Columns of one joint for a plot, in degrees.
import { breakAtGaps, countGaps, decimate, gapOf, merge, type Cell } from './columns.ts';
import { kDeg } from './format.ts';
import { errorCurve, frameGap, place, rings, type Curve } from './state.ts';

const kBins = 900;

/** What counts as a gap in a curve: readings come as the line allows, display frames at their rate. */
const limitOf = (curve: Curve, t: ArrayLike<number>): number => curve === 'measured' ? gapOf(t) : frameGap;

/** A curve of a joint as it is drawn, rad: gaps are no numbers. */
export function drawn(curve: Curve, joint: number, from: number, to: number, bins = kBins, shift = 0) {
  const { t, v } = rings[curve].view(joint, from - shift, to - shift);
  const moved = shift === 0 ? t : Float64Array.from(t, (x) => x + shift);
  return decimate(breakAtGaps({ t: moved, v }, limitOf(curve, t)), bins);
}

/** The given curves of a joint over a stretch of time; the measured one may be shifted (s, positive: drawn later). */
export function jointColumns(joint: string, curves: Curve[], from: number, to: number, shift = 0): [number[], ...Cell[][]] {
  const i = place(joint);
  if (i < 0) return [[], ...curves.map(() => [])];
  return merge(curves.map((c) => drawn(c, i, from, to, kBins, c === 'measured' ? shift : 0)), kDeg);
}

/** Simulated minus measured at the readings' times. */
export function residualColumns(joint: string, from: number, to: number, shift = 0): [number[], Cell[]] {
  const i = place(joint);
  if (i < 0) return [[], []];
  const error = errorCurve(i, from, to, shift);
  return merge([decimate(breakAtGaps(error, gapOf(error.t)), kBins)], kDeg) as [number[], Cell[]];
}

/** How many gaps the display frames of a joint have in what is shown. */
export function frameGaps(joint: string, from: number, to: number): number {
  const i = place(joint);
  return i < 0 ? 0 : countGaps(rings.simulated.view(i, from, to).t, frameGap);
}
