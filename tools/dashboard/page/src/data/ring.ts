// A ring of samples, one time and N columns each, read without copying.

/**
 * The newest `capacity` samples. Every sample is written twice, `capacity` apart, so that any stretch of them
 * is contiguous in memory: view() hands out subarrays.
 */
export class Ring {
  readonly columns: number;
  readonly capacity: number;
  private readonly t: Float64Array;
  private readonly v: Float32Array[];
  private head = 0;      // where the next sample goes, 0..capacity-1
  private count = 0;

  constructor(columns: number, capacity: number) {
    this.columns = columns;
    this.capacity = capacity;
    this.t = new Float64Array(2 * capacity);
    this.v = Array.from({ length: columns }, () => new Float32Array(2 * capacity));
  }

  get length(): number { return this.count; }
  get first(): number { return this.count ? this.t[this.start] : NaN; }
  get last(): number { return this.count ? this.t[this.start + this.count - 1] : NaN; }
  private get start(): number { return this.count < this.capacity ? 0 : this.head; }

  clear(): void { this.head = this.count = 0; }

  /** Adds a sample; one that is not later than the last is refused. Missing values are NaN. */
  push(time: number, values: ArrayLike<number>): boolean {
    if (!(time > this.last) && this.count > 0) return false;
    if (!Number.isFinite(time)) return false;
    const i = this.head;
    this.t[i] = this.t[i + this.capacity] = time;
    for (let c = 0; c < this.columns; ++c) {
      this.v[c][i] = this.v[c][i + this.capacity] = c < values.length ? values[c] : NaN;
    }
    this.head = (i + 1) % this.capacity;
    if (this.count < this.capacity) ++this.count;
    return true;
  }

  /** Times and values of column c within [from, to], and one sample beyond each end where there is one. */
  view(c: number, from = -Infinity, to = Infinity): { t: Float64Array; v: Float32Array } {
    const s = this.start;
    let a = this.lowerBound(from);
    let b = this.lowerBound(to);
    if (a > 0) --a;
    if (b < this.count) ++b;
    return { t: this.t.subarray(s + a, s + b), v: this.v[c].subarray(s + a, s + b) };
  }

  /** Value of column c at a time, on the straight line between neighbours that are at most `gap` s apart; else NaN. */
  at(c: number, time: number, gap = Infinity): number {
    const i = this.lowerBound(time);
    const s = this.start;
    if (i >= this.count) return NaN;
    const v = this.v[c];
    if (this.t[s + i] === time || i === 0) return this.t[s + i] === time ? v[s + i] : NaN;
    const t0 = this.t[s + i - 1];
    if (this.t[s + i] - t0 > gap) return NaN;   // what is missing is not invented
    const part = (time - t0) / (this.t[s + i] - t0);
    return v[s + i - 1] + part * (v[s + i] - v[s + i - 1]);
  }

  /** Newest value of a column, NaN while empty. */
  newest(c: number): number { return this.count ? this.v[c][this.start + this.count - 1] : NaN; }

  // number of samples earlier than `time`
  private lowerBound(time: number): number {
    const s = this.start;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.t[s + mid] < time) low = mid + 1; else high = mid;
    }
    return low;
  }
}

/** What is read of curves of several joints. */
export interface Columns {
  view(c: number, from?: number, to?: number): { t: Float64Array; v: Float32Array };
  at(c: number, time: number): number;
}

/** One ring a joint: the boards are read at different times, so a message may carry some joints only. */
export class Series implements Columns {
  private readonly rings: Ring[];

  /** `gap`: samples that are further apart, s, have something missing between them. */
  constructor(columns: number, capacity: number, public gap = Infinity) {
    this.rings = Array.from({ length: columns }, () => new Ring(1, capacity));
  }

  get columns(): number { return this.rings.length; }
  /** Earliest and latest time of any joint, NaN while there is none. */
  get first(): number { return this.rings.reduce((t, r) => (r.first < t || Number.isNaN(t) ? r.first : t), NaN); }
  get last(): number { return this.rings.reduce((t, r) => (r.last > t || Number.isNaN(t) ? r.last : t), NaN); }

  clear(): void { for (const ring of this.rings) ring.clear(); }

  /** Adds what is a number; answers whether anything was later than before. */
  push(time: number, values: ArrayLike<number>): boolean {
    let taken = false;
    const one = [0];
    this.rings.forEach((ring, c) => {
      if (Number.isNaN(values[c])) return;
      one[0] = values[c];
      taken = ring.push(time, one) || taken;
    });
    return taken;
  }

  view(c: number, from?: number, to?: number): { t: Float64Array; v: Float32Array } { return this.rings[c].view(0, from, to); }
  at(c: number, time: number): number { return this.rings[c].at(0, time, this.gap); }
  newest(c: number): number { return this.rings[c].newest(0); }
  /** Time of a joint's newest value, NaN while there is none. */
  lastOf(c: number): number { return this.rings[c].last; }
}
