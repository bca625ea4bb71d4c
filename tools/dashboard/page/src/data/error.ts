// The error of a joint: simulated minus measured, as everywhere in Kagami, at the times of the readings.
import type { Curve } from './columns.ts';
import type { Columns } from './ring.ts';

/** RMS, greatest and mean of an error over a stretch of time. */
export interface ErrorStatistics { rms: number; max: number; bias: number; samples: number }

/**
 * Simulated minus measured at the readings' times, the measured curve drawn `shift` s later. NaN where the simulated
 * curve has nothing, or a gap.
 */
export function difference(simulated: Columns, measured: Columns, column: number, from: number, to: number, shift = 0): Curve {
  const { t, v } = measured.view(column, from - shift, to - shift);
  const moved = shift === 0 ? t : Float64Array.from(t, (x) => x + shift);
  return { t: moved, v: Float64Array.from(v, (x, k) => simulated.at(column, moved[k]) - x) };
}

/** Statistics of the known part of the curve within [from, to]. */
export function statisticsOf({ t, v }: Curve, from = -Infinity, to = Infinity): ErrorStatistics {
  let sum = 0;
  let squares = 0;
  let max = 0;
  let samples = 0;
  for (let i = 0; i < t.length; ++i) {
    const e = v[i];
    if (Number.isNaN(e) || t[i] < from || t[i] > to) continue;
    ++samples;
    sum += e;
    squares += e * e;
    if (Math.abs(e) > max) max = Math.abs(e);
  }
  if (samples === 0) return { rms: NaN, max: NaN, bias: NaN, samples };
  return { rms: Math.sqrt(squares / samples), max, bias: sum / samples, samples };
}

/** The newest known value of a curve at or before a time, if it is not older than `age` s; else NaN. */
export function newestBefore({ t, v }: Curve, time: number, age: number): number {
  for (let i = t.length - 1; i >= 0 && t[i] >= time - age; --i) if (t[i] <= time && !Number.isNaN(v[i])) return v[i];
  return NaN;
}
