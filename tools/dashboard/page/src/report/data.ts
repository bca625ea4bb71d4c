// The data inside a report (kagami.report/1, tools/report/page_data.hpp), decoded.

export interface Curve { key: string; label: string; offset: number; step: number; bridge_s: number; values: string }
export interface Joint { name: string; id: string; rms_deg: number | null; stretch_s: number; curves: Curve[] }
export interface Span { from: number; to: number; what: string; level: number }
export interface Report {
  duration_s: number;
  heat_limits_deg: number[];
  joints: Joint[];
  events: { time: number; level: number; text: string }[];
  gains: { time: number; what: string; applied: boolean }[];
  states: Span[];
  controllers: Span[];
  faults: Span[];
  svg_style: string;
  csv: Record<string, string>;
}

/** undefined: no value here, the line goes on; null: a gap. */
export type Value = number | null | undefined;

const kNone = -32768;

function numbers(text: string): Int16Array {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => view.getInt16(2 * i, true));
}

/** Times of `count` values, two for each stretch. */
export function times(stretch: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => stretch * (Math.floor(i / 2) + (i % 2 === 0 ? 0.25 : 0.75)));
}

/** Two values for each stretch, the extremes in their order; the second is left out where both are equal. */
export function decoded(curve: Curve, stretch: number, count: number): Value[] {
  const values: Value[] = new Array(count).fill(undefined);
  const raw = numbers(curve.values);
  const bridge = curve.bridge_s / stretch * 2;   // in places
  let last = -1;
  for (let i = 0; i < raw.length && i < count; ++i) {
    if (raw[i] === kNone || (i % 2 === 1 && raw[i] === raw[i - 1])) continue;
    if (last >= 0 && i - last > bridge + 1 && i - last > 1) values[last + 1] = null;
    values[i] = curve.offset + curve.step * raw[i];
    last = i;
  }
  return values;
}

/** Largest absolute value of each stretch; NaN: none. */
export function magnitudes(curve: Curve): Float32Array {
  const raw = numbers(curve.values);
  const at = (i: number) => Math.abs(curve.offset + curve.step * raw[i]);
  return Float32Array.from({ length: raw.length / 2 }, (_, k) => raw[2 * k] === kNone ? NaN : Math.max(at(2 * k), at(2 * k + 1)));
}

/** Place of the nearest value to `at`, at most `reach` places away; null: none. */
export function nearest(values: ArrayLike<Value>, at: number, reach: number): number | null {
  for (let d = 0; d <= reach; ++d) {
    for (const i of [at - d, at + d]) {
      const v = values[i];
      if (v !== null && v !== undefined) return i;
    }
  }
  return null;
}

export function readReport(): Report | null {
  const text = document.getElementById('report-data')?.textContent;
  return text ? JSON.parse(text) as Report : null;
}
