// A plot's range of values: it grows at once and shrinks slowly, so that nothing jumps.

export class SlowRange {
  low = NaN;
  high = NaN;

  /** The least height that is shown, and how much of the way back one update goes. */
  constructor(private readonly least: number, private readonly rate = 0.03) {}

  /** Takes the extremes of what is visible and answers the range to draw. */
  update(low: number, high: number): [number, number] {
    if (!(low <= high)) return this.known ? [this.low, this.high] : [-this.least / 2, this.least / 2];
    const pad = Math.max(0.06 * (high - low), (this.least - (high - low)) / 2, 0);
    const wanted: [number, number] = [low - pad, high + pad];
    if (!this.known) [this.low, this.high] = wanted;
    this.low = wanted[0] < this.low ? wanted[0] : this.low + this.rate * (wanted[0] - this.low);
    this.high = wanted[1] > this.high ? wanted[1] : this.high + this.rate * (wanted[1] - this.high);
    return [this.low, this.high];
  }

  reset(): void { this.low = this.high = NaN; }

  private get known(): boolean { return this.low <= this.high; }
}

/** Least and greatest of a curve, NaN left out; [Infinity, -Infinity] when there is none. */
export function extremes(v: ArrayLike<number | null | undefined>, into: [number, number] = [Infinity, -Infinity]): [number, number] {
  for (let i = 0; i < v.length; ++i) {
    const x = v[i];
    if (x === null || x === undefined) continue;
    if (x < into[0]) into[0] = x;
    if (x > into[1]) into[1] = x;
  }
  return into;
}
