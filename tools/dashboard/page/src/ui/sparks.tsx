// Overview of all joints: one small canvas each, redrawn a few times a second in turn.
import { useEffect, useRef } from 'preact/hooks';
import type { Curve as Columns } from '../data/columns.ts';
import { degrees, kDeg, kUnknown, short, readable } from '../data/format.ts';
import { everyFrame } from '../data/frame.ts';
import { drawn } from '../data/joint_data.ts';
import { extremes, SlowRange } from '../data/range.ts';
import { errorOf, joints, kept, pinned, place, revision, selected, shown, type Curve } from '../data/state.ts';
import { kDash, palette } from './theme.ts';

const kPeriod = 200;   // ms between two drawings of a joint
const kShown: Curve[] = ['commanded', 'measured', 'simulated'];
export const pins = kept<string[]>('pins', []);
pins.subscribe((v) => { pinned.value = v; });

/** The grid of joints; pinned ones first. */
export function Sparks() {
  const names = joints.value;
  const order = [...names].sort((a, b) => Number(pins.value.includes(b)) - Number(pins.value.includes(a)));
  return (
    <ul class="sparks" aria-label="All joints">
      {order.map((name) => <Spark key={name} name={name} />)}
    </ul>
  );
}

function Spark({ name }: { name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const error = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const spark = new SparkPainter(canvas.current!, error.current!, name);
    return everyFrame(() => spark.paint(), kPeriod, () => spark.dirty());
  }, [name]);
  const isPinned = pins.value.includes(name);
  const pin = () => { pins.value = isPinned ? pins.value.filter((n) => n !== name) : [...pins.value, name]; };
  return (
    <li class={selected.value === name ? 'chosen' : ''}>
      <button type="button" class="spark" aria-pressed={selected.value === name} onClick={() => { selected.value = name; }}>
        <span class="name" title={readable(name)}>{short(name)}</span><span class="error" ref={error} title="simulated minus measured">{kUnknown}</span>
        <canvas ref={canvas} aria-hidden="true" />
      </button>
      <button type="button" class="pin" aria-pressed={isPinned} aria-label={`Pin ${readable(name)}`} onClick={pin}>{isPinned ? '★' : '☆'}</button>
    </li>
  );
}

class SparkPainter {
  private readonly slow = new SlowRange(8);
  private seen = '';
  constructor(private readonly canvas: HTMLCanvasElement, private readonly error: HTMLElement, private readonly name: string) {}

  dirty(): boolean {
    const [from, to] = shown();
    return this.seen !== `${revision} ${from} ${to} ${palette.value.text}`;
  }

  paint(): void {
    const [from, to] = shown();
    this.seen = `${revision} ${from} ${to} ${palette.value.text}`;
    const i = place(this.name);
    if (i < 0) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.canvas.clientHeight * ratio);
    if (width === 0) return;
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
    const g = this.canvas.getContext('2d')!;
    g.clearRect(0, 0, width, height);

    const curves = kShown.map((c) => drawn(c, i, from, to, width / 2));
    const limits: [number, number] = [Infinity, -Infinity];
    for (const c of curves) extremes(c.v, limits);
    const [low, high] = this.slow.update(limits[0] * kDeg, limits[1] * kDeg);
    // pixels of a time and of an angle in rad
    const sx = width / (to - from);
    const sy = -height * kDeg / (high - low);
    const bottom = height * high / (high - low);
    const line = (colour: string, dash: number[], { t, v }: Columns) => {
      g.strokeStyle = colour;
      g.setLineDash(dash);
      g.beginPath();
      let pen = false;
      for (let k = 0; k < t.length; ++k) {
        if (Number.isNaN(v[k])) { pen = false; continue; }
        const x = (t[k] - from) * sx;
        const y = bottom + v[k] * sy;
        if (pen) g.lineTo(x, y); else g.moveTo(x, y);
        pen = true;
      }
      g.stroke();
    };
    g.lineWidth = ratio;
    if (low < 0 && high > 0) line(palette.value.grid, [], { t: [from, to], v: [0, 0] });
    const colours = [palette.value.command, palette.value.measured, palette.value.twin];
    curves.forEach((c, k) => line(colours[k], k === 2 ? kDash : [], c));
    const e = errorOf(i);
    const text = Number.isNaN(e) ? kUnknown : degrees(e);
    if (this.error.textContent !== text) this.error.textContent = text;
  }
}
