// The timeline and the strips of all joints' differences, drawn on uPlot's time axis.
import uPlot from 'uplot';
import { colour } from './colours.ts';
import { magnitudes, type Report, type Span } from './data.ts';
import { kGutter, mounted, options, timeAxis } from './plot.ts';
import type { Zoom } from './zoom.ts';

const kRow = 24;   // px of a joint: its name and its strip
const kLane = 38;
const kLevels = ['muted', 'warn', 'bad'];

type Painter = (u: uPlot, paint: Paint) => void;

/** Shapes in pixels of the page on a plot. */
class Paint {
  private readonly ratio = devicePixelRatio || 1;
  readonly left: number;
  readonly right: number;

  constructor(private readonly u: uPlot) {
    this.left = u.bbox.left / this.ratio;
    this.right = this.left + u.bbox.width / this.ratio;
  }

  x(time: number): number { return this.u.valToPos(time, 'x', true) / this.ratio; }
  within(from: number, to: number): [number, number] {
    return [Math.max(this.left, this.x(from)), Math.min(this.right, this.x(to))];
  }
  rect(from: number, to: number, top: number, height: number, fill: string): void {
    this.u.ctx.fillStyle = fill;
    const r = this.ratio;
    this.u.ctx.fillRect(from * r, top * r, Math.max(1, to - from) * r, height * r);
  }
  frame(from: number, to: number, top: number, height: number, stroke: string): void {
    this.u.ctx.strokeStyle = stroke;
    this.u.ctx.lineWidth = this.ratio;
    const r = this.ratio;
    this.u.ctx.strokeRect(from * r, top * r, Math.max(1, to - from) * r, height * r);
  }
  dot(x: number, y: number, fill: string): void {
    const { ctx } = this.u;
    ctx.fillStyle = fill;
    ctx.beginPath();
    ctx.arc(x * this.ratio, y * this.ratio, 4.5 * this.ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
  text(x: number, y: number, text: string, fill: string): void {
    const { ctx } = this.u;
    ctx.font = `${11 * this.ratio}px system-ui, "Segoe UI", "Noto Sans", sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    ctx.fillStyle = fill;
    ctx.fillText(text, x * this.ratio, y * this.ratio);
  }
}

function strip(zoom: Zoom, box: HTMLElement, height: number, label: string, paint: Painter, describe: (time: number, y: number) => string): uPlot {
  const place = box.appendChild(document.createElement('div'));
  place.className = 'plot';
  place.setAttribute('role', 'group');
  place.setAttribute('aria-label', label);
  const readout = box.appendChild(document.createElement('div'));
  readout.className = 'readout';
  readout.textContent = '\u00a0';
  return mounted(zoom, place, height, options(zoom, {
    legend: { show: false },
    scales: { y: { range: () => [0, 1] } },
    axes: [timeAxis(true), { size: kGutter, values: () => [], grid: { show: false }, ticks: { show: false } }],
    series: [{}, { show: false }],
    hooks: {
      draw: [(u) => {
        const b = u.bbox;
        u.ctx.save();
        u.ctx.beginPath();
        u.ctx.rect(b.left, 0, b.width, b.top + b.height);
        u.ctx.clip();
        paint(u, new Paint(u));
        u.ctx.restore();
      }],
      setCursor: [(u) => {
        const { left, top } = u.cursor;
        const text = left === undefined || left < 0 ? '' : describe(u.posToVal(left, 'x'), top ?? -1);
        readout.textContent = text || '\u00a0';
      }],
    },
  }), [zoom.all, [0, 0]] as uPlot.AlignedData);
}

/** Draws what happened, lane by lane. */
export function drawTimeline(zoom: Zoom, report: Report, box: HTMLElement): uPlot {
  const lanes = (names: string[], paint: Paint) => names.forEach((name, k) => paint.text(paint.left, 20 + k * kLane, name, colour('muted')));
  const spans = (paint: Paint, list: Span[], top: number, fill: (s: Span) => string, stroke: string) => {
    for (const s of list) {
      const [a, b] = paint.within(s.from, s.to);
      if (b < a) continue;
      paint.rect(a, b, top, 16, fill(s));
      paint.frame(a, b, top, 16, stroke);
      if (b - a > 6.5 * s.what.length) paint.text(a + 4, top + 12, s.what, colour('text'));
    }
  };
  const paintAll: Painter = (_u, paint) => {
    lanes(['state of the run', 'controller; marks: gains changed',
      report.faults.length ? 'faults and limits' : 'faults and limits: none', report.events.length ? 'events' : 'events: none'], paint);
    spans(paint, report.states, 24, () => colour('soft'), colour('line'));
    spans(paint, report.controllers, 24 + kLane, () => colour('soft'), colour('measured'));
    for (const g of report.gains) paint.rect(paint.x(g.time) - 1.5, paint.x(g.time) + 1.5, 24 + kLane, 16, colour(g.applied ? 'measured' : 'bad'));
    spans(paint, report.faults, 24 + 2 * kLane, (s) => colour(kLevels[s.level] ?? 'bad'), 'transparent');
    for (const e of report.events) paint.dot(paint.x(e.time), 32 + 3 * kLane, colour(kLevels[e.level] ?? 'bad'));
  };
  const at = (list: Span[], t: number) => list.filter((s) => s.from <= t && t <= s.to).map((s) => s.what).slice(0, 3).join('; ');
  const describe = (t: number) => {
    const reach = (zoom.range[1] - zoom.range[0]) / 60;
    const near = [...report.events.map((e) => ({ time: e.time, text: e.text })), ...report.gains.map((g) => ({ time: g.time, text: g.what }))]
      .filter((e) => Math.abs(e.time - t) < reach).sort((a, b) => Math.abs(a.time - t) - Math.abs(b.time - t))[0];
    return [`${t.toFixed(3)} s`, at(report.states, t), at(report.controllers, t), at(report.faults, t),
      near ? `${near.time.toFixed(3)} s: ${near.text}` : ''].filter((s) => s !== '').join(' \u00b7 ');
  };
  return strip(zoom, box, 4 * kLane + 52, 'What happened over time', paintAll, describe);
}

/** Draws the joints' largest differences as colours; a click leads to the joint. */
export function drawHeat(zoom: Zoom, report: Report, box: HTMLElement): uPlot {
  const rows = report.joints.map((joint) => {
    const curve = joint.curves.find((c) => c.key === 'difference');
    return { joint, values: curve ? magnitudes(curve) : new Float32Array(), reach: curve ? curve.bridge_s / joint.stretch_s : 0 };
  });
  const level = (v: number) => report.heat_limits_deg.findIndex((limit) => v < limit);
  const fill = (v: number) => { const l = level(v); return colour(`h${l < 0 ? report.heat_limits_deg.length : l}`); };
  /** Largest between two times; NaN: none. A stretch without a reading has the value before it. */
  const largest = (k: number, from: number, to: number) => {
    const { joint, values, reach } = rows[k];
    const first = Math.max(0, Math.floor(from / joint.stretch_s));
    const last = Math.min(values.length - 1, Math.max(first, Math.ceil(to / joint.stretch_s) - 1));
    let most = NaN;
    for (let i = first; i <= last; ++i) if (!Number.isNaN(values[i]) && !(values[i] <= most)) most = values[i];
    for (let d = 1; Number.isNaN(most) && first < values.length && d <= reach && first - d >= 0; ++d) most = values[first - d];
    return most;
  };
  const paintAll: Painter = (u, paint) => rows.forEach((row, k) => {
    const top = 10 + k * kRow;
    paint.text(paint.left, top + 9, row.joint.name, colour('text'));
    paint.rect(paint.left, paint.right, top + 12, 10, colour('back'));
    const time = (x: number) => u.posToVal(x - paint.left, 'x');
    for (let x = Math.round(paint.left); x < paint.right;) {
      const value = largest(k, time(x), time(x + 1));
      let end = x + 1;
      const same = Number.isNaN(value) ? '' : fill(value);
      for (; end < paint.right; ++end) {
        const next = largest(k, time(end), time(end + 1));
        if ((Number.isNaN(next) ? '' : fill(next)) !== same) break;
      }
      if (same) paint.rect(x, end, top + 12, 10, same);
      x = end;
    }
  });
  const rowAt = (y: number) => rows[Math.floor(y / kRow)];
  const plot = strip(zoom, box, rows.length * kRow + 52, 'Largest difference of each joint over time', paintAll, (t, y) => {
    const row = rowAt(y);
    if (!row || y < 0) return `${t.toFixed(3)} s`;
    const pixel = (zoom.range[1] - zoom.range[0]) / Math.max(1, plot.over.clientWidth);
    const value = largest(rows.indexOf(row), t - pixel / 2, t + pixel / 2);
    return `${t.toFixed(3)} s \u00b7 ${row.joint.name}: ${Number.isNaN(value) ? 'no reading' : `${value.toFixed(2)} deg`}`;
  });
  let pressed = 0;
  plot.over.addEventListener('mousedown', (e) => { pressed = e.clientX; });
  plot.over.addEventListener('click', (e) => {
    const row = rowAt(e.clientY - plot.over.getBoundingClientRect().top);
    if (row && Math.abs(e.clientX - pressed) < 4) document.getElementById(row.joint.id)?.scrollIntoView();
  });
  return plot;
}

/** Largest differences by joint and time, as CSV. */
export function heatCsv(report: Report): string {
  const columns = report.joints.map((j) => { const c = j.curves.find((k) => k.key === 'difference'); return c ? magnitudes(c) : new Float32Array(); });
  const count = Math.max(0, ...columns.map((c) => c.length));
  const stretch = report.joints[0]?.stretch_s ?? 1;
  const cell = (v: number | undefined) => v === undefined || Number.isNaN(v) ? '' : v.toFixed(4);
  const rows = Array.from({ length: count }, (_, k) => [((k + 0.5) * stretch).toFixed(4), ...columns.map((c) => cell(c[k]))].join(','));
  return [['t_s', ...report.joints.map((j) => JSON.stringify(`${j.name}_deg`))].join(','), ...rows].join('\n') + '\n';
}
