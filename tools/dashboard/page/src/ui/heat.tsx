// Error of every joint over time as colours: one row a joint, one canvas for all.
import { useEffect, useRef } from 'preact/hooks';
import { cell, kDeg, readable } from '../data/format.ts';
import { everyFrame } from '../data/frame.ts';
import { cursor, errorCurve, joints, revision, selected, shown } from '../data/state.ts';
import { dark } from './theme.ts';

const kBins = 240;
const kFull = 6;     // degrees that take the last colour
const kRow = 12;     // px a joint

// brightness rises with the error, so it reads without colour too
const kLight = ['#eef1f4', '#f3d9b5', '#e6a04d', '#b8442f', '#5a1450'];
const kDark = ['#1d252f', '#4a3a28', '#a8692b', '#e58a55', '#ffe0d0'];

export function Heat({ shift }: { shift: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const moved = useRef(shift);
  moved.current = shift;
  useEffect(() => {
    const own = canvas.current;
    if (!own) return undefined;
    let seen = '';
    const key = () => `${revision} ${shown()} ${dark.value} ${joints.value.length} ${moved.current}`;
    return everyFrame(() => { seen = key(); paint(own, moved.current); }, 200, () => seen !== key());
  }, []);
  const choose = (e: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const name = joints.value[Math.floor((e.clientY - box.top) / box.height * joints.value.length)];
    if (name) selected.value = name;
  };
  const move = (e: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const [from, to] = shown();
    cursor.value = from + (e.clientX - box.left) / box.width * (to - from);
  };
  return (
    <div class="strip">
      <div class="names">
        {joints.value.map((n) => <button type="button" key={n} aria-pressed={n === selected.value} onClick={() => { selected.value = n; }}>{readable(n)}</button>)}
      </div>
      <canvas ref={canvas} style={{ height: `${kRow * joints.value.length}px` }} role="img" aria-label="Size of the error of every joint over time"
        onClick={choose} onPointerMove={move} onPointerLeave={() => { cursor.value = null; }} />
    </div>
  );
}

/** Legend of the colours. */
export function HeatKey() {
  const colours = dark.value ? kDark : kLight;
  return <span class="hint">0° <span class="ramp" style={{ background: `linear-gradient(to right, ${colours.join(',')})` }} /> {kFull}°</span>;
}

/** Greatest error by joint and time as CSV, in degrees; empty where nothing was measured. */
export function heatTable(shift: number): string[] {
  const [from, to] = shown();
  const rows = joints.value.map((_, j) => { const row = new Float64Array(kBins); worst(row, j, from, to, shift); return row; });
  return [['t_s', ...joints.value].join(','), ...Array.from({ length: kBins }, (_, b) =>
    [cell(from + (to - from) * b / kBins), ...rows.map((row) => cell(row[b] * kDeg))].join(','))];
}

function paint(canvas: HTMLCanvasElement, shift: number): void {
  const n = joints.value.length;
  if (canvas.width !== kBins || canvas.height !== n) { canvas.width = kBins; canvas.height = n; canvas.style.imageRendering = 'pixelated'; }
  if (n === 0) return;
  const [from, to] = shown();
  const g = canvas.getContext('2d')!;
  const image = g.createImageData(kBins, n);
  const colours = (dark.value ? kDark : kLight).map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
  const row = new Float64Array(kBins);
  for (let j = 0; j < n; ++j) {
    worst(row, j, from, to, shift);
    for (let b = 0; b < kBins; ++b) {
      if (Number.isNaN(row[b])) continue;   // nothing was measured: transparent
      const at = Math.min(1, row[b] * kDeg / kFull) * (colours.length - 1);
      const i = Math.min(colours.length - 2, Math.floor(at));
      const pixel = 4 * (j * kBins + b);
      for (let k = 0; k < 3; ++k) image.data[pixel + k] = colours[i][k] + (at - i) * (colours[i + 1][k] - colours[i][k]);
      image.data[pixel + 3] = 255;
    }
  }
  g.putImageData(image, 0, 0);
}

// greatest error per bin, rad; a bin without a reading takes that before it, up to a quarter of a second
function worst(row: Float64Array, joint: number, from: number, to: number, shift: number): void {
  row.fill(NaN);
  const { t, v } = errorCurve(joint, from, to, shift);
  const unknown = new Set<number>();   // bins with a reading whose error is not known
  for (let i = 0; i < t.length; ++i) {
    const b = Math.floor((t[i] - from) / (to - from) * kBins);
    const e = Math.abs(v[i]);
    if (b < 0 || b >= kBins) continue;
    if (Number.isNaN(e)) unknown.add(b); else row[b] = Number.isNaN(row[b]) ? e : Math.max(row[b], e);
  }
  const reach = Math.max(1, Math.ceil(0.25 / (to - from) * kBins));
  let last = -Infinity;
  for (let b = 0; b < kBins; ++b) {
    if (!Number.isNaN(row[b])) last = b;
    else if (unknown.has(b)) last = -Infinity;
    else if (b - last <= reach) row[b] = row[last];
  }
}
