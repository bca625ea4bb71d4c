// Position of a gain on its slider: logarithmic, with zero at the left end.

const kSteps = 1000;
const kDecades = 4;   // a slider from zero covers this many decades below its maximum

/** Positions run from 0 to this. */
export const kSliderMax = kSteps;

const isLog = (min: number, max: number): boolean => min >= 0 && max > 0 && (min === 0 || max / min > 20);

/** Position of a value; values outside sit at the ends. */
export function toSlider(value: number, min: number, max: number): number {
  if (!(max > min)) return 0;
  const x = Math.min(max, Math.max(min, value));
  if (!isLog(min, max)) return Math.round(kSteps * (x - min) / (max - min));
  const low = min > 0 ? min : max * 10 ** -kDecades;
  if (x < low) return 0;
  return Math.round(1 + (kSteps - 1) * Math.log(x / low) / Math.log(max / low));
}

/** Value of a position, rounded to three significant digits and kept in range. */
export function fromSlider(position: number, min: number, max: number): number {
  if (position <= 0) return min;
  if (position >= kSteps) return max;
  if (!isLog(min, max)) return tidy(min + (max - min) * position / kSteps, min, max);
  const low = min > 0 ? min : max * 10 ** -kDecades;
  return tidy(low * (max / low) ** ((position - 1) / (kSteps - 1)), min, max);
}

/** One step up (+1) or down (-1): a tenth of the value, a hundredth when fine; from zero the smallest that counts. */
export function step(value: number, direction: 1 | -1, fine: boolean, min: number, max: number): number {
  const least = (max - min) * (fine ? 1e-4 : 1e-3);
  const size = Math.max(Math.abs(value) * (fine ? 0.01 : 0.1), least);
  return tidy(value + direction * size, min, max);
}

function tidy(x: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Number(x.toPrecision(3))));
}
